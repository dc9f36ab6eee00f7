"""`TextPane`: text to be read and copied, with plates behind lines that came or went."""

from __future__ import annotations

import asyncio

from PySide6.QtCore import QMimeData, QPointF, QRectF, Qt
from PySide6.QtGui import (
    QFont,
    QFontMetricsF,
    QPainter,
    QPaintEvent,
    QTextBlock,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextOption,
)
from PySide6.QtWidgets import QFrame, QPlainTextDocumentLayout, QPlainTextEdit

from studio_qt.ui.documents.plain import fill_slowly, from_document
from studio_qt.ui.theme.theme import Theme
from studio_qt.ui.widgets.marked import BREAK, Kind, Laid

__all__ = ["TextPane"]

_MARGIN = 24
_PLATES: dict[Kind, tuple[str, str, str]] = {
    "add": ("greenbg", "ok", "+"),
    "del": ("redbg", "err", "−"),
}
_QUIET: dict[Kind, str] = {"head": "bg3", "fold": "bg1", "note": "amberbg"}


class TextPane(QPlainTextEdit):
    """Shows `Laid` lines; long lines are wrapped, and copied as they are sent.

    It is filled in slices, so that two megabytes do not stop the window.
    """

    def __init__(self, theme: Theme, name: str, accessible: str) -> None:
        super().__init__()
        self._theme = theme
        self._laid = Laid("", (), (), (), 0)
        self._lower = ""
        self._turn = 0
        self._document: QTextDocument | None = None  # Qt itself deletes the first one
        self.setObjectName(name)
        self.setAccessibleName(accessible)
        self.setReadOnly(True)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.setTabChangesFocus(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        theme.changed.connect(self._dress)
        self._dress()

    @property
    def laid(self) -> Laid:
        """What is shown."""
        return self._laid

    async def show_laid(self, laid: Laid) -> bool:
        """Show other lines; False when a later call has overtaken this one."""
        self._turn += 1
        turn = self._turn
        document = QTextDocument(self)
        document.setDocumentLayout(QPlainTextDocumentLayout(document))
        document.setDefaultFont(self.font())
        document.setDocumentMargin(_MARGIN if laid.signs else 16)
        option = document.defaultTextOption()
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        document.setDefaultTextOption(option)
        await fill_slowly(document, laid.text)
        if turn != self._turn:
            document.deleteLater()
            return False
        self._laid, self._lower = laid, ""
        self._mark_heads(document)
        self.setDocument(document)
        before, self._document = self._document, document
        if before is not None:
            before.deleteLater()
        return True

    async def seek(self, text: str, *, backward: bool = False) -> bool:
        """As `find_text`, for a text of any size."""
        laid = self._laid
        lower = self._lower or await asyncio.to_thread(laid.text.lower)
        if laid is self._laid:
            self._lower = lower
        return self.find_text(text, backward=backward)

    def find_text(self, text: str, *, backward: bool = False) -> bool:
        """Select the next place of a text, from the other end after the last; whether there is."""
        flags = QTextDocument.FindFlag(0)
        if backward:
            flags = QTextDocument.FindFlag.FindBackward
        if not text or not self._has(text):
            return False
        if self.find(text, flags):
            return True
        cursor = QTextCursor(self.document())
        if backward:
            cursor.movePosition(QTextCursor.MoveOperation.End)
        kept = self.textCursor()
        self.setTextCursor(cursor)
        found = self.find(text, flags)
        if not found:
            self.setTextCursor(kept)
        return found

    def createMimeDataFromSelection(self) -> QMimeData:
        """Give the selected text without the breaks that only this pane has made."""
        cursor = self.textCursor()
        start, end = cursor.selectionStart(), cursor.selectionEnd()
        block = self.document().findBlock(start)
        pieces = []
        while block.isValid() and block.position() < end:
            first = max(start - block.position(), 0)
            text = from_document(block.text()[first : end - block.position()])
            pieces.append(text.replace(BREAK, "\n") if self._holds(block) > 1 else text)
            if not self._goes_on(block) and block.position() + block.length() <= end:
                pieces.append("\n")
            block = block.next()
        data = QMimeData()
        data.setText("".join(pieces))
        return data

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self.viewport())
        block, offset = self.firstVisibleBlock(), self.contentOffset()
        while block.isValid():
            rect = self.blockBoundingGeometry(block).translated(offset)
            if rect.top() > event.rect().bottom():
                break
            if block.isVisible() and rect.bottom() >= event.rect().top():
                self._paint_plate(painter, block, rect)
            block = block.next()
        painter.end()
        super().paintEvent(event)

    def _paint_plate(self, painter: QPainter, block: QTextBlock, rect: QRectF) -> None:
        number = block.blockNumber()
        kind = self._laid.kinds[number] if number < len(self._laid.kinds) else "same"
        across = QRectF(0, rect.top(), self.viewport().width(), rect.height())
        if kind in _PLATES:
            plate, ink, sign = _PLATES[kind]
            painter.fillRect(across, self._theme.colour(plate))
            if number == 0 or not self._laid.goes_on[number - 1]:
                painter.setPen(self._theme.colour(ink))
                painter.setFont(self.font())
                ascent = QFontMetricsF(self.font()).ascent()
                painter.drawText(QPointF(8, rect.top() + ascent), sign)
        elif kind in _QUIET:
            painter.fillRect(across, self._theme.colour(_QUIET[kind]))

    def _goes_on(self, block: QTextBlock) -> bool:
        number = block.blockNumber()
        return number < len(self._laid.goes_on) and self._laid.goes_on[number]

    def _holds(self, block: QTextBlock) -> int:
        number = block.blockNumber()
        return self._laid.holds[number] if number < len(self._laid.holds) else 1

    def _has(self, text: str) -> bool:
        """Whether a text occurs at all: Qt takes long to find that out."""
        self._lower = self._lower or self._laid.text.lower()
        return text.lower() in self._lower

    def _mark_heads(self, document: QTextDocument) -> None:
        """Write the names of the parts in strong letters."""
        strong = QTextCharFormat()
        strong.setFontWeight(QFont.Weight.DemiBold)
        for number, kind in enumerate(self._laid.kinds):
            if kind == "head":
                cursor = QTextCursor(document.findBlockByNumber(number))
                cursor.select(QTextCursor.SelectionType.BlockUnderCursor)
                cursor.mergeCharFormat(strong)

    def _dress(self) -> None:
        font = self._theme.mono(12)
        self.setFont(font)
        self.document().setDefaultFont(font)
        self.viewport().update()

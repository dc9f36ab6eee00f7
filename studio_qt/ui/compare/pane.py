"""`ComparePane`: one of the two texts, with numbers, signs, plates and marks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from PySide6.QtCore import QMimeData, QRect, QRectF, QSize, QSizeF, Qt, Signal
from PySide6.QtGui import (
    QBrush,
    QColor,
    QFocusEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QTextBlock,
    QTextDocument,
)
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from studio_qt.ui.compare.rows import Column, Line
from studio_qt.ui.documents.plain import from_document, to_document, utf16_length
from studio_qt.ui.theme.fonts import editor_font
from studio_qt.ui.theme.theme import Theme

__all__ = ["MARK_ALPHA", "ComparePane", "Side"]

Side = Literal["left", "right"]

_LOOKS = {"left": ("redbg", "err", "−"), "right": ("greenbg", "ok", "+")}
MARK_ALPHA = 0.24
"""How strongly a mark of words lies on its plate; a test holds that they can be read on it."""

_HATCH_ALPHA = 0.55


class ComparePane(QPlainTextEdit):
    """Shows one side of the rows, one block a row, so that both sides have the same height.

    It can be read, selected and copied; what is copied has no fillers. `focused` tells that the
    keyboard came or went.
    """

    focused = Signal(bool)

    def __init__(self, theme: Theme, side: Side, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self._side = theme, side
        self._lines: Sequence[Line] = ()
        self._current = range(0)
        self._most, self._highest = 0, 1
        self._tab_width = 0
        self.setObjectName(name)
        self.setReadOnly(True)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.setTabChangesFocus(True)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self._gutter = _Gutter(self)
        self.updateRequest.connect(self._on_update_request)
        theme.changed.connect(self._dress)

    @property
    def lines(self) -> Sequence[Line]:
        """What is shown, one of each row."""
        return self._lines

    @property
    def longest(self) -> int:
        """Pixels of the longest line; an estimate for lines that were not yet in sight."""
        laid_out = self.document().documentLayout().documentSize().width()
        return max(round(laid_out), self._most * self.fontMetrics().horizontalAdvance("x") + 8)

    def show_column(self, column: Column, document: QTextDocument) -> None:
        """Show a side; `document` has its text, each line a block."""
        self._lines, self._current = column.lines, range(0)
        self._highest, self._most = column.highest, column.longest
        document.setDefaultFont(self.font())
        self.setDocument(document)
        self._fit()

    def show_current(self, rows: range) -> None:
        """Mark a difference as the one that is looked at."""
        self._current = rows
        self.viewport().update()
        self._gutter.update()

    def set_face(self, face: str, pixels: int, tab_width: int) -> None:
        """Take the face of the editors."""
        font = editor_font(face, pixels)
        if font == self.document().defaultFont() and tab_width == self._tab_width:
            return  # all that is compared would be laid out anew
        self._tab_width = tab_width
        self.setFont(font)
        self.document().setDefaultFont(font)
        self.setTabStopDistance(tab_width * self.fontMetrics().horizontalAdvance(" "))
        self._fit()

    def gutter_width(self) -> int:
        """Return the pixels of numbers and sign."""
        digits = max(3, len(str(self._highest)))
        return self.fontMetrics().horizontalAdvance("9") * (digits + 2) + 20

    def paint_gutter(self, event: QPaintEvent) -> None:
        """Draw numbers and signs beside the lines that are to be painted."""
        painter = QPainter(self._gutter)
        painter.setFont(self.font())
        width = self._gutter.width()
        for block, rect in self._blocks(event.rect()):
            line = self._lines[block.blockNumber()]
            self._paint_plate(painter, line, QRectF(0, rect.top(), width, rect.height()))
            self._paint_number(painter, line, block.blockNumber(), rect)

    def createMimeDataFromSelection(self) -> QMimeData:
        """Copy the lines that there are, as they are in the text."""
        cursor = self.textCursor()
        start, end = cursor.selectionStart(), cursor.selectionEnd()
        parts = []
        block = self.document().findBlock(start)
        while block.isValid() and block.position() <= end:
            if self._lines[block.blockNumber()].kind in ("same", "changed"):
                first = max(0, start - block.position())
                last = min(block.length() - 1, end - block.position())
                raw = block.text().encode("utf-16-le", "surrogatepass")
                parts.append(raw[2 * first : 2 * last].decode("utf-16-le", "replace"))
            block = block.next()
        data = QMimeData()
        data.setText(from_document("\n".join(parts)))
        return data

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self.viewport())
        for block, rect in self._blocks(event.rect()):
            line = self._lines[block.blockNumber()]
            self._paint_plate(painter, line, QRectF(0, rect.top(), self.width(), rect.height()))
            if line.kind == "fold":
                self._paint_fold(painter, line, rect)
            self._paint_marks(painter, line, block, rect)
        painter.end()
        super().paintEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_gutter()

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.focused.emit(True)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.focused.emit(False)

    def _blocks(self, where: QRect) -> list[tuple[QTextBlock, QRectF]]:
        """Return the blocks that lie in a rectangle, with their places in the viewport."""
        found = []
        block = self.firstVisibleBlock()
        height = self.blockBoundingRect(self.document().firstBlock()).height()
        rect = self.blockBoundingGeometry(block).translated(self.contentOffset())
        while block.isValid() and rect.top() <= where.bottom():
            if rect.bottom() >= where.top() and block.blockNumber() < len(self._lines):
                found.append((block, QRectF(rect.topLeft(), QSizeF(rect.width(), height))))
            block = block.next()
            rect = self.blockBoundingGeometry(block).translated(self.contentOffset())
        return found

    def _paint_plate(self, painter: QPainter, line: Line, rect: QRectF) -> None:
        if line.kind == "changed":
            painter.fillRect(rect, self._theme.colour(_LOOKS[self._side][0]))
        elif line.kind == "fold":
            painter.fillRect(rect, self._theme.colour("bg3"))
        elif line.kind == "filler":
            painter.setBrushOrigin(0, -self.verticalScrollBar().value() * round(rect.height()))
            colour = self._faint("line2", _HATCH_ALPHA)
            painter.fillRect(rect, QBrush(colour, Qt.BrushStyle.BDiagPattern))

    def _paint_fold(self, painter: QPainter, line: Line, rect: QRectF) -> None:
        painter.setPen(self._theme.colour("fg2"))
        painter.setFont(self.font())
        where = QRectF(8, rect.top(), self.viewport().width(), rect.height())
        painter.drawText(where, Qt.AlignmentFlag.AlignTop, f"⋯  {line.text}")

    def _paint_marks(self, painter: QPainter, line: Line, block: QTextBlock, rect: QRectF) -> None:
        if not line.spans:
            return
        layout = block.layout()
        if layout is None or layout.lineCount() == 0:
            return
        first = layout.lineAt(0)
        token = _LOOKS[self._side][1]
        for start, end in line.spans:
            left, right = (
                rect.left() + _position(first.cursorToX(_units(line.text, at)))
                for at in (start, end)
            )
            mark = QRectF(left, rect.top(), right - left, rect.height())
            painter.fillRect(mark, self._faint(token, MARK_ALPHA))
            painter.fillRect(
                QRectF(left, rect.bottom() - 2, right - left, 2), self._theme.colour(token)
            )

    def _paint_number(self, painter: QPainter, line: Line, row: int, rect: QRectF) -> None:
        width = self._gutter.width()
        _, token, sign = _LOOKS[self._side]
        if row in self._current:
            painter.fillRect(QRectF(0, rect.top(), 3, rect.height()), self._theme.colour("accent"))
        if line.kind not in ("same", "changed"):
            return
        changed = line.kind == "changed"
        painter.setPen(self._theme.colour("fg2" if changed else "fg3"))
        sign_width = self.fontMetrics().horizontalAdvance("9") * 2
        where = QRectF(0, rect.top(), width - sign_width - 8, rect.height())
        flags = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignTop
        painter.drawText(where, flags, str(line.number))
        if changed:
            painter.setPen(self._theme.colour(token))
            where = QRectF(width - sign_width - 4, rect.top(), sign_width, rect.height())
            painter.drawText(where, Qt.AlignmentFlag.AlignHCenter, sign)

    def _faint(self, token: str, alpha: float) -> QColor:
        colour = QColor(self._theme.colour(token))
        colour.setAlphaF(alpha)
        return colour

    def _on_update_request(self, rect: QRect, scrolled: int) -> None:
        if scrolled:
            self._gutter.scroll(0, scrolled)
        else:
            self._gutter.update(0, rect.y(), self._gutter.width(), rect.height())

    def _fit(self) -> None:
        self.setViewportMargins(self.gutter_width(), 0, 0, 0)
        self._place_gutter()

    def _place_gutter(self) -> None:
        inside = self.contentsRect()
        self._gutter.setGeometry(
            QRect(inside.left(), inside.top(), self.gutter_width(), inside.height())
        )

    def _dress(self) -> None:
        self.viewport().update()
        self._gutter.update()


class _Gutter(QWidget):
    def __init__(self, pane: ComparePane) -> None:
        super().__init__(pane)
        self._pane = pane

    def sizeHint(self) -> QSize:
        return QSize(self._pane.gutter_width(), 0)

    def paintEvent(self, event: QPaintEvent) -> None:
        self._pane.paint_gutter(event)


def _units(text: str, at: int) -> int:
    """Return the place in a QTextDocument of a character of a line."""
    return utf16_length(to_document(text[:at]))


def _position(x: object) -> float:
    """Return the x of `QTextLine.cursorToX`, which gives a pair in Python."""
    return float(x[0] if isinstance(x, tuple) else x)  # type: ignore[arg-type]

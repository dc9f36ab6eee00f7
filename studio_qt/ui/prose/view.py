"""`ProseView`: a text as high as its content, that can be read, selected and copied."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QMimeData, QRectF, QSize, Qt, QUrl, Signal
from PySide6.QtGui import (
    QColor,
    QKeySequence,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QTextBlock,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QWheelEvent,
)
from PySide6.QtWidgets import QFrame, QSizePolicy, QTextBrowser, QTextEdit, QWidget

from studio_qt.ui.prose.blocks import Block, Span, plain_text
from studio_qt.ui.prose.draw import CODE_PLATE, QUOTE_BAR, RULE, Look, ProseWriter
from studio_qt.ui.prose.parse import parse, split_live
from studio_qt.ui.theme.fonts import chat_font
from studio_qt.ui.theme.theme import Theme

__all__ = ["ProseView"]

_MIN_WIDTH = 40
_USUAL_WIDTH = 560
"""At which lines are broken before it is known how wide a text is."""


class ProseView(QTextBrowser):
    """Shows Markdown; its height follows its width, wheel and page keys go to whoever scrolls.

    `colour` is the token of plain text; `plain` leaves speech and stage directions uncoloured.
    Links are never followed in here: `link_wanted` carries them out. Nothing remote is loaded.
    """

    link_wanted = Signal(QUrl)

    def __init__(
        self,
        theme: Theme,
        *,
        size: int = 14,
        colour: str = "fg",
        plain: bool = False,
        mono: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._marked: bool | None = None
        self._theme = theme
        self._size = size
        self._options = {"colour": colour, "plain": plain, "mono": mono}
        self._face, self._larger = "", 0
        self._text = ""
        self._live = False
        self._letters = False
        self._cut = False
        self._frozen = 0
        self._parsed: tuple[tuple[str, bool], tuple[Block, ...]] | None = None
        self._height = 0
        self._heights: dict[int, int] = {}  # of this text in this face, by width
        self._asked = False
        self._build()
        self._writer = ProseWriter(self.document(), self._look())
        self._end = self._writer.place()
        theme.changed.connect(self._redraw)

    @property
    def text(self) -> str:
        """The Markdown that is shown."""
        return self._text

    def show_text(self, text: str, *, cut: bool = False) -> None:
        """Show a whole text; `cut`: it was broken off, so that emphasis may be left open."""
        if text == self._text and cut == self._cut and not self._live:
            return
        if self._live and self._frozen and not cut and self._goes_on_in(text):
            self._finish(text)
            return
        self._text, self._cut, self._live, self._frozen = text, cut, False, 0
        self._redraw()

    def show_plain(self, text: str) -> None:
        """Show a text letter by letter, without Markdown."""
        self._text, self._live, self._frozen, self._letters = text, False, 0, True
        self._redraw()

    def grow_to(self, text: str) -> None:
        """Show more of a text that is being written; only what may still change is drawn again."""
        if not self._live or not self._goes_on_in(text):
            self._text, self._live, self._frozen = text, True, 0
            self._redraw()
            return
        self._text = text
        self._writer.cut(self._end)
        self._write_live()
        self._remeasure()

    def shown_text(self) -> str:
        """Return what a reader sees."""
        return plain_text(self._blocks())

    def set_face(self, face: str, larger: int) -> None:
        """Take another face, "" for that of the interface; `larger` is added to the size."""
        if (face, larger) != (self._face, self._larger):
            self._face, self._larger = face, larger
            self.document().setDefaultFont(chat_font(face, self._size + larger))
            self._redraw()

    def expect(self, width: int) -> None:
        """Break lines where a view that is so wide will, so that its first text is laid once."""
        if not self._asked:
            self._fit(max(width, _MIN_WIDTH))

    def mark(self, words: str, current: int = -1) -> int:
        """Mark every place where `words` stand, and the `current` one more; returns how many."""
        found: list[QTextEdit.ExtraSelection] = []
        cursor = self.document().find(words) if words else QTextCursor()
        while not cursor.isNull():
            selection = QTextEdit.ExtraSelection()
            selection.cursor = cursor
            here = len(found) == current
            form = QTextCharFormat()
            form.setBackground(self._theme.colour("btn" if here else "macrobg"))
            form.setForeground(self._theme.colour("onaccent" if here else "macro"))
            selection.format = form
            found.append(selection)
            cursor = self.document().find(words, cursor)
        if found or self.extraSelections():
            self.setExtraSelections(found)
        return len(found)

    def marked_place(self, nth: int) -> int:
        """Return how far down, in pixels, a marked place is."""
        selections = self.extraSelections()
        if nth >= len(selections):
            return 0
        return self.cursorRect(selections[nth].cursor).top()

    def rest(self) -> None:
        """Let go of what is selected and marked."""
        if self.textCursor().hasSelection():
            self.setTextCursor(QTextCursor(self.document()))
        if self.extraSelections():
            self.setExtraSelections([])

    # Qt

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        width = max(width, _MIN_WIDTH)
        if width not in self._heights:
            self._asked = True
            self._fit(width)
            self._heights[width] = int(self.document().size().height() + 0.999)
        return self._heights[width]

    def sizeHint(self) -> QSize:
        """Return some size: only `heightForWidth` lays the text, at the width that it will have."""
        return QSize(320, self._height)

    def minimumSizeHint(self) -> QSize:
        return QSize(_MIN_WIDTH, 10)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit(max(self.width(), _MIN_WIDTH))
        self.verticalScrollBar().setRange(0, 0)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.ApplicationFontChange):
            self._heights.clear()

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()

    def keyPressEvent(self, event) -> None:  # type: ignore[no-untyped-def]
        """Keep selecting and copying; let everything else go to the transcript."""
        ours = (QKeySequence.StandardKey.Copy, QKeySequence.StandardKey.SelectAll)
        extends = event.modifiers() & Qt.KeyboardModifier.ShiftModifier
        if any(event.matches(key) for key in ours) or (
            extends and self.textCursor().hasSelection()
        ):
            super().keyPressEvent(event)
        else:
            event.ignore()

    def createMimeDataFromSelection(self) -> QMimeData:
        """Copy as plain text: no colours of this theme, no special blanks."""
        data = QMimeData()
        data.setText(self.textCursor().selection().toPlainText().replace("\u00a0", " "))
        return data

    def loadResource(self, kind: int, name: QUrl | str) -> object:  # noqa: ARG002
        """Load nothing, ever."""
        return None

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._has_marks():
            painter = QPainter(self.viewport())
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            block = self.document().begin()
            while block.isValid():
                self._paint_block(painter, block)
                block = block.next()
            painter.end()
        super().paintEvent(event)

    # Helpers

    def _goes_on_in(self, text: str) -> bool:
        """Whether a text begins with what is final of the one that is shown."""
        return text.startswith(self._text[: self._frozen])

    def _finish(self, text: str) -> None:
        """Show the end of a text that was being written; what was final of it stays as drawn."""
        self._marked = None
        self._writer.cut(self._end)
        self._text = text
        self._writer.write(self._part(self._frozen, len(text)))
        self._cut, self._live, self._frozen = False, False, 0
        self._remeasure()

    def _build(self) -> None:
        self.setObjectName("prose")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setOpenLinks(False)
        self.setOpenExternalLinks(False)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setUndoRedoEnabled(False)
        # Else Qt would lay the text once more whenever the width changes.
        self.setLineWrapMode(QTextEdit.LineWrapMode.FixedPixelWidth)
        self._fit(_USUAL_WIDTH)
        self.viewport().setAutoFillBackground(False)
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.document().setDocumentMargin(0)
        self.document().setDefaultFont(chat_font("", self._size))
        self.anchorClicked.connect(self.link_wanted)

    def _look(self) -> Look:
        size = self._size + self._larger
        options = self._options
        return Look(self._theme.tokens, size, face=self._face, **options)  # type: ignore[arg-type]

    def _redraw(self) -> None:
        self._marked = None
        self._writer.clear(self.document(), self._look())
        if self._live:
            self._frozen = 0
            self._end = self._writer.place()
            self._write_live()
        else:
            self._writer.write(self._blocks())
        self._remeasure()

    def _blocks(self) -> tuple[Block, ...]:
        if self._letters:
            return (Block("text", (Span(self._text),)),)
        key = (self._text, self._cut)
        if self._parsed is None or self._parsed[0] != key:
            self._parsed = key, parse(self._text, live=self._cut)  # a theme needs it again
        return self._parsed[1]

    def _write_live(self) -> None:
        self._marked = None
        frozen = split_live(self._text, self._frozen)
        if frozen > self._frozen:
            self._writer.write(self._part(self._frozen, frozen))
            self._end, self._frozen = self._writer.place(), frozen
        self._writer.write(self._part(frozen, len(self._text), live=True))
        self._writer.caret()

    def _part(self, start: int, stop: int, *, live: bool = False) -> tuple[Block, ...]:
        """Return the blocks of a stretch that begins where all before is final."""
        return parse(
            self._text[start:stop], live=live, goes_on=bool(self._text[:start].strip("\n"))
        )

    def _fit(self, width: int) -> None:
        """Break the lines at a width, where they are not broken there already."""
        if self.lineWrapColumnOrWidth() != width:
            self.setLineWrapColumnOrWidth(width)

    def _remeasure(self) -> None:
        """Tell of another height; a text that nobody has asked for its height waits for that."""
        self._heights.clear()
        height = self.heightForWidth(self.lineWrapColumnOrWidth()) if self._asked else 0
        if height != self._height or not self._asked:
            self._height = height
            self.updateGeometry()
        self.viewport().update()

    def _has_marks(self) -> bool:
        """Whether a block has plate, bars or rule; looked for once in a text."""
        if self._marked is None:
            block, self._marked = self.document().begin(), False
            while block.isValid() and not self._marked:
                self._marked = _is_marked(block.blockFormat())
                block = block.next()
        return self._marked

    def _paint_block(self, painter: QPainter, block: QTextBlock) -> None:
        form = block.blockFormat()
        if not _is_marked(form):
            return
        plate, bars = form.hasProperty(CODE_PLATE), form.intProperty(QUOTE_BAR)
        rect = self.document().documentLayout().blockBoundingRect(block)
        painter.setPen(Qt.PenStyle.NoPen)
        if plate:
            painter.setBrush(QColor(self._theme.tokens["code"]))
            painter.setPen(QColor(self._theme.tokens["line"]))
            left = form.leftMargin() - 12
            plate_rect = QRectF(
                left + 0.5, rect.top() - 8, self.width() - left - 1, rect.height() + 16
            )
            painter.drawRoundedRect(plate_rect, 6, 6)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(self._theme.tokens["line2"]))
        for bar in range(bars):
            painter.drawRoundedRect(QRectF(bar * 16, rect.top(), 3, rect.height()), 1.5, 1.5)
        if form.hasProperty(RULE):
            middle = rect.center().y()
            painter.drawRect(QRectF(self.width() / 2 - 48, middle, 96, 1))


def _is_marked(form: QTextBlockFormat) -> bool:
    marks = form.hasProperty(CODE_PLATE) or form.hasProperty(RULE)
    return marks or form.intProperty(QUOTE_BAR) > 0

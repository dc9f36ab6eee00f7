"""Blocks into a QTextDocument, in the colours of a theme."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetricsF,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFrameFormat,
    QTextLength,
    QTextTableFormat,
)

from studio_qt.ui.prose.blocks import Block, Span
from studio_qt.ui.theme.fonts import CHAT_SIZE, chat_font, mono_families
from studio_qt.ui.theme.tokens import Tokens
from studio_qt.ui.widgets.tips import plain_tip

__all__ = ["CODE_PLATE", "QUOTE_BAR", "RULE", "Look", "Place", "ProseWriter"]

CODE_PLATE = QTextBlockFormat.Property.UserProperty + 1
QUOTE_BAR = QTextBlockFormat.Property.UserProperty + 2
RULE = QTextBlockFormat.Property.UserProperty + 3
"""Block properties that the view paints: a plate behind code, bars (a number) beside quotations,
and a line across."""

_GAP = "\u00a0\u00a0"

_STEP = 20
_LINE_HEIGHT = 138.0
_PROPORTIONAL = QTextBlockFormat.LineHeightTypes.ProportionalHeight.value
_HEADINGS = {1: 6, 2: 4, 3: 2}
"""Pixels by which headings are larger than the text."""


@dataclass(frozen=True, slots=True)
class Look:
    """How prose is drawn.

    `colour` is the token of plain text, `plain` leaves speech uncoloured, `mono` is for code.
    `face` is the user's choice, "" that of the interface.
    """

    tokens: Tokens
    size: int = CHAT_SIZE
    colour: str = "fg"
    plain: bool = False
    mono: bool = False
    face: str = ""


@dataclass(frozen=True, slots=True)
class Place:
    """A place in a document that text can be cut back to."""

    position: int
    fresh: bool
    form: QTextBlockFormat


class ProseWriter:
    """Writes blocks at the end of a document and can take back what came after a place."""

    def __init__(self, document: QTextDocument, look: Look) -> None:
        self._look = look
        self._cursor = QTextCursor(document)
        self._fresh = True
        self._forms: dict[tuple[object, ...], QTextCharFormat] = {}

    def clear(self, document: QTextDocument, look: Look) -> None:
        """Empty the document, and write in another look from now on.

        It is the same document again: Python's own object for it does not always live as long.
        """
        self._look = look
        self._forms.clear()
        document.clear()
        self._cursor = QTextCursor(document)
        self._fresh = True

    def place(self) -> Place:
        """Return where the document ends now."""
        return Place(self._cursor.position(), self._fresh, self._cursor.blockFormat())

    def cut(self, place: Place) -> None:
        """Remove everything after `place`."""
        self._cursor.setPosition(place.position)
        self._cursor.movePosition(QTextCursor.MoveOperation.End, QTextCursor.MoveMode.KeepAnchor)
        self._cursor.removeSelectedText()
        if self._cursor.blockFormat() != place.form:  # an empty block has taken that of the next
            self._cursor.setBlockFormat(place.form)
        self._fresh = place.fresh

    def write(self, blocks: Iterable[Block]) -> None:
        """Append blocks."""
        self._cursor.beginEditBlock()
        for block in blocks:
            self._write(block)
        self._cursor.endEditBlock()

    def caret(self) -> None:
        """Append the sign that more text is coming."""
        form = QTextCharFormat()
        form.setForeground(QColor(self._look.tokens["accent2"]))
        self._cursor.insertText("\u2009▍", form)

    def _write(self, block: Block) -> None:
        self._start(_block_format(block, self._look))
        match block.kind:
            case "table":
                self._table(block)
            case "rule":
                pass
            case _:
                if block.marker:
                    form = self._format(Span(""), block, token="fg2")
                    self._cursor.insertText(block.marker + _GAP, form)
                for span in block.spans:
                    text = span.text.replace("\n", "\u2028")
                    self._cursor.insertText(text, self._format(span, block))

    def _start(self, form: QTextBlockFormat) -> None:
        if self._fresh:
            form.setTopMargin(0)
            self._cursor.setBlockFormat(form)
        else:
            self._cursor.insertBlock(form, QTextCharFormat())
        self._fresh = False

    def _table(self, block: Block) -> None:
        columns = max((len(row) for row in block.rows), default=0)
        if not columns:
            return
        table = self._cursor.insertTable(len(block.rows), columns, self._table_format())
        for line, row in enumerate(block.rows):
            for column, cell in enumerate(row):
                self._cell(table.cellAt(line, column).firstCursorPosition(), cell, block, line == 0)
        self._cursor.movePosition(QTextCursor.MoveOperation.End)

    def _cell(
        self,
        cursor: QTextCursor,
        spans: Sequence[Span],
        block: Block,
        head: bool,  # noqa: FBT001
    ) -> None:
        for span in spans:
            form = self._format(span, block, bold=head)
            cursor.insertText(span.text.replace("\n", "\u2028"), form)

    def _table_format(self) -> QTextTableFormat:
        form = QTextTableFormat()
        form.setBorder(1)
        form.setBorderCollapse(True)
        form.setBorderStyle(QTextFrameFormat.BorderStyle.BorderStyle_Solid)
        form.setBorderBrush(QColor(self._look.tokens["line2"]))
        form.setCellPadding(6)
        form.setCellSpacing(0)
        form.setHeaderRowCount(1)
        form.setWidth(QTextLength())
        form.setBottomMargin(8)
        return form

    def _format(
        self,
        span: Span,
        block: Block,
        *,
        token: str = "",
        bold: bool = False,
    ) -> QTextCharFormat:
        """Return how a span looks, in the colour of `token` where one is given.

        A text has few looks and many spans; it is not to be changed.
        """
        token = token or self._token(span, block)
        bold = bold or span.bold
        key = (token, bold, span.italic, span.strike, span.code, span.link, block.kind, block.level)
        if key not in self._forms:
            self._forms[key] = self._make_format(span, block, token, bold=bold)
        return self._forms[key]

    def _make_format(self, span: Span, block: Block, token: str, *, bold: bool) -> QTextCharFormat:
        tokens, look = self._look.tokens, self._look
        form = QTextCharFormat()
        form.setForeground(QColor(tokens[token]))
        if bold or block.kind == "heading":
            form.setFontWeight(QFont.Weight.DemiBold)
        form.setFontItalic(span.italic)
        if look.mono:
            form.setFontFamilies(mono_families())
        form.setFontStrikeOut(span.strike)
        if block.kind == "heading":
            form.setProperty(
                QTextCharFormat.Property.FontPixelSize, look.size + _HEADINGS.get(block.level, 1)
            )
        if span.code:
            form.setFontFamilies(mono_families())
            form.setProperty(QTextCharFormat.Property.FontPixelSize, look.size - 1)
            if block.kind != "code":
                form.setBackground(QColor(tokens["bg3"]))
        if span.link:
            form.setAnchor(True)
            form.setAnchorHref(span.link)
            form.setFontUnderline(True)
            form.setToolTip(plain_tip(span.link))
        return form

    def _token(self, span: Span, block: Block) -> str:
        if span.link:
            return "accent2"
        if span.code:
            return self._look.colour
        if span.speech and not self._look.plain:
            return "quote"
        if span.italic and not self._look.plain:
            return "em"
        return "fg2" if block.quoted else self._look.colour


def _block_format(block: Block, look: Look) -> QTextBlockFormat:
    form = QTextBlockFormat()
    form.setLineHeight(_LINE_HEIGHT, _PROPORTIONAL)
    form.setTopMargin(4 if block.marker else 10)
    margin = float(block.quoted * 16 + block.depth * _STEP)
    if block.kind == "code":
        form.setProperty(CODE_PLATE, True)
        form.setLineHeight(130.0, _PROPORTIONAL)
        form.setNonBreakableLines(False)
        form.setTopMargin(16)
        form.setBottomMargin(18)
        margin += 12
        form.setRightMargin(12)
    if block.kind == "heading":
        form.setTopMargin(14)
        form.setHeadingLevel(block.level)
    if block.kind == "rule":
        form.setProperty(RULE, True)
    elif block.marker:
        metrics = QFontMetricsF(chat_font(look.face, look.size))
        hanging = metrics.horizontalAdvance(block.marker + _GAP)
        form.setTextIndent(-hanging)
        margin += max(0.0, hanging - _STEP)
    form.setLeftMargin(margin)
    if block.quoted:
        form.setProperty(QUOTE_BAR, block.quoted)
    return form

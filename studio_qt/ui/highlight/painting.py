"""Spans laid on the blocks of a document, and only what is seen drawn again."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPoint
from PySide6.QtGui import QTextBlock, QTextDocument, QTextLayout
from PySide6.QtWidgets import QPlainTextEdit
from shiboken6 import isValid

from studio_qt.ui.highlight.grammar import Span, Spans
from studio_qt.ui.highlight.kinds import char_formats
from studio_qt.ui.theme.tokens import Tokens

__all__ = ["Painter"]

_REMEMBERED = 20_000
"""Ranges that are kept to be used again; most lines of code share theirs."""

Ranges = list[QTextLayout.FormatRange]


class Painter:
    """Lays formats on blocks; each series of `paint` ends with `flush`, before the text changes."""

    def __init__(self, document: QTextDocument, tokens: Tokens) -> None:
        self._document = document
        self._views: list[QPlainTextEdit] = []
        self._painted: tuple[QTextBlock, QTextBlock] | None = None
        self.set_tokens(tokens)

    def set_tokens(self, tokens: Tokens) -> None:
        """Take the colours of another theme for what is painted from now on."""
        self._formats = char_formats(tokens)
        self._ranges: dict[Span, QTextLayout.FormatRange] = {}

    def watch(self, view: QPlainTextEdit) -> None:
        """Ask a view from now on what it shows."""
        if view not in self._views:
            self._views.append(view)

    def seen(self) -> range | None:
        """Return the lines that the views show, with what lies between; None without a view."""
        self._views = [view for view in self._views if isValid(view)]
        if not self._views:
            return None
        shown = [_shown(view) for view in self._views if self._shows(view)]
        if not shown:
            return range(0)
        return range(min(lines.start for lines in shown), max(lines.stop for lines in shown))

    def paint(self, line: int, spans: Spans) -> None:
        """Give a line its formats. What an input method is composing in it keeps its own."""
        block = self._document.findBlockByNumber(line)
        layout = block.layout()
        composed = len(layout.preeditAreaText().encode("utf-16-le")) // 2
        if composed:
            layout.setFormats(self._around(layout, spans, layout.preeditAreaPosition(), composed))
        elif spans or layout.formats():
            layout.setFormats([self._range(span) for span in spans])
        else:
            return
        first = block if self._painted is None else self._painted[0]
        self._painted = (min(first, block, key=QTextBlock.blockNumber), block)

    def flush(self, seen: range | None = None) -> None:
        """Let the document lay the painted blocks out again; draw them if any of them is seen."""
        if self._painted is None:
            return
        first, last = self._painted
        self._painted = None
        layout = self._document.documentLayout()
        hidden = seen is not None and not _meet(first.blockNumber(), last.blockNumber(), seen)
        was_blocked = layout.blockSignals(hidden)
        self._document.markContentsDirty(last.position(), last.length())
        layout.blockSignals(was_blocked)

    def _shows(self, view: QPlainTextEdit) -> bool:
        return view.isVisible() and view.document() is self._document

    def _range(self, span: Span) -> QTextLayout.FormatRange:
        made = self._ranges.get(span)
        if made is None:
            made = self._made(*span)
            if len(self._ranges) < _REMEMBERED:
                self._ranges[span] = made
        return made

    def _made(self, start: int, length: int, kind: str) -> QTextLayout.FormatRange:
        made = QTextLayout.FormatRange()
        made.start, made.length, made.format = start, length, self._formats[kind]
        return made

    def _around(self, layout: QTextLayout, spans: Spans, place: int, length: int) -> Ranges:
        """Return the formats of a line with what is being composed in it, which is not its text."""
        kept: Sequence[QTextLayout.FormatRange] = layout.formats()
        ranges = [one for one in kept if place <= one.start < place + length]
        for start, size, kind in spans:
            if start >= place:
                ranges.append(self._made(start + length, size, kind))
            elif start + size > place:
                ranges.append(self._made(start, place - start, kind))
                ranges.append(self._made(place + length, start + size - place, kind))
            else:
                ranges.append(self._made(start, size, kind))
        return ranges


def _shown(view: QPlainTextEdit) -> range:
    first = view.firstVisibleBlock().blockNumber()
    last = view.cursorForPosition(QPoint(0, view.viewport().height())).blockNumber()
    return range(max(first, 0), max(last, first) + 2)


def _meet(first: int, last: int, seen: range) -> bool:
    return len(seen) > 0 and first < seen.stop and last >= seen.start

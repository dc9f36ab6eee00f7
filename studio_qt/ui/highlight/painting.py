"""Spans laid on the blocks of a document, and only what is seen drawn again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtGui import QTextBlock, QTextCharFormat, QTextDocument, QTextLayout
from PySide6.QtWidgets import QPlainTextEdit
from shiboken6 import isValid

from studio_qt.ui.highlight.grammar import Span, Spans

__all__ = ["Painter"]

_REMEMBERED = 4_000
"""Ranges that are kept to be used again; most lines of code share theirs."""

_FEW = 8
"""Blocks that are drawn again one by one; with more, the whole view is."""


Ranges = list[QTextLayout.FormatRange]


class Painter:
    """Lays formats on blocks; each series of `paint` ends with `flush`, before the text changes."""

    def __init__(self, document: QTextDocument, formats: Mapping[str, QTextCharFormat]) -> None:
        self._document = document
        self._views: list[QPlainTextEdit] = []
        self._painted: list[tuple[int, QTextBlock]] = []
        self.set_formats(formats)

    def set_formats(self, formats: Mapping[str, QTextCharFormat]) -> None:
        """Take the colours of another theme for what is painted from now on."""
        self._formats = formats
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
        self._painted.append((line, block))

    def flush(self, seen: range | None) -> None:
        """Let the document lay out again what was painted, and draw what is seen of it.

        Qt itself would draw the whole view again for each of these changes, seen or not, which
        takes longer than everything else that a key sets off.
        """
        painted, self._painted = self._painted, []
        if not painted:
            return
        layout = self._document.documentLayout()
        shown = [block for line, block in painted if seen is None or line in seen]
        few = shown[: _FEW + 1]
        heights = [layout.blockBoundingRect(block).height() for block in few]
        last = painted[-1][1]
        was_blocked = layout.blockSignals(True)
        self._document.markContentsDirty(last.position(), last.length())
        layout.blockSignals(was_blocked)
        if len(few) > _FEW or heights != [layout.blockBoundingRect(one).height() for one in few]:
            layout.update.emit()
        else:
            for block in few:
                layout.updateBlock.emit(block)

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
    """Return the lines in a view; `cursorForPosition` would warn while something is composed."""
    block = view.firstVisibleBlock()
    first = last = max(block.blockNumber(), 0)
    rest = view.viewport().height() - view.contentOffset().y()
    while block.isValid() and rest > 0:
        rest -= view.blockBoundingRect(block).height()
        block = block.next()
        last += 1
    return range(first, last + 1)

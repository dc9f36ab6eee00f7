"""`Proofreader`: finds misspelt words of prose among the lines that are on the screen."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence

from PySide6.QtCore import QObject, QRectF, QTimer

from studio_qt.ui.editors.code import CodeEditor
from studio_qt.ui.editors.offsets import Offsets
from studio_qt.ui.editors.spelling import Speller
from studio_qt.ui.editors.words import words_of
from studio_qt.ui.highlight import is_prose
from studio_qt.ui.leisure import Leisure

__all__ = ["Proofreader"]

_QUIET_MS = 120
_LONGEST_LINE = 20_000
_SLICE_SECONDS = 0.004

Span = tuple[int, int]
Found = dict[str, list[tuple[str, Span]]]
"""Lines, and the words of prose in each with their places."""


class Proofreader(QObject):
    """Looks 120 ms after the last key or scroll, only at what is shown; never in a keystroke.

    A window full of prose takes longer than a frame, so that it is looked at in slices.
    `not_prose` returns the parts of a line that are no prose, in their order; None for all of it.
    """

    def __init__(
        self,
        editor: CodeEditor,
        speller: Speller,
        not_prose: Callable[[int], Sequence[Span] | None],
    ) -> None:
        super().__init__(editor)
        self._editor, self._speller, self._not_prose = editor, speller, not_prose
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_QUIET_MS)
        self._timer.timeout.connect(self.look)
        self._turn = Leisure(self._go_on, self)
        self._found: Found = {}
        self._left: Iterator[tuple[str, str, Span]] = iter(())
        editor.seen.connect(self.wake)
        speller.changed.connect(self._timer.start)
        self._timer.start()

    def look(self) -> None:
        """Mark what is known to be wrong, and ask for what is not known."""
        self._found, self._left = {}, iter(())
        if is_prose(self._editor.language):
            self._speller.start()
            if self._speller.active:
                self._left = self._words()
        self._go_on()

    def wake(self) -> None:
        """Look again soon: other lines may be shown, or others of them be prose."""
        self._turn.stop()  # what is left are lines that may be gone
        self._left = iter(())
        self._timer.start()

    def _go_on(self) -> None:
        begun, looked = time.perf_counter(), False
        for line, word, span in self._left:
            self._found.setdefault(line, []).append((word, span))
            looked = True
            if time.perf_counter() - begun > _SLICE_SECONDS:
                self._turn.start(0)
                return
        if looked and time.perf_counter() - begun > _SLICE_SECONDS / 2:
            self._turn.start(0)  # to tell takes as long again
        else:
            self._tell(self._found)

    def _tell(self, found: Found) -> None:
        wrong = {
            line: [span for word, span in words if self._speller.is_wrong(word)]
            for line, words in found.items()
        }
        marks = {line: spans for line, spans in wrong.items() if spans}
        if marks != self._editor.marks.wrong_words:
            self._editor.marks.wrong_words = marks
            self._editor.viewport().update()
        self._speller.ask(word for words in found.values() for word, _ in words)

    def stop(self) -> None:
        """Look no more."""
        self._timer.stop()
        self._turn.stop()
        self._left = iter(())
        self._editor.seen.disconnect(self.wake)
        self._speller.changed.disconnect(self._timer.start)

    def wrong_word_at(self, position: int) -> tuple[str, int, int] | None:
        """Return a misspelt word at a place of the document, and where it is."""
        block = self._editor.document().findBlock(position)
        inside = position - block.position()
        text = block.text()
        for start, end in self._editor.marks.wrong_words.get(text, ()):
            if start <= inside <= end:
                offsets = Offsets(text)
                word = text[offsets.index(start) : offsets.index(end)]
                return word, block.position() + start, block.position() + end
        return None

    def _words(self) -> Iterator[tuple[str, str, Span]]:
        """Yield the words of prose that are shown, each with its line and its place in there."""
        for row in self._editor.rows(QRectF(self._editor.viewport().rect())):
            text = row.block.text()
            if not text or len(text) > _LONGEST_LINE or text in self._found:
                continue
            others = self._not_prose(row.block.blockNumber())
            if others is not None:
                yield from _words_between(text, others)


def _words_between(text: str, others: Sequence[Span]) -> Iterator[tuple[str, str, Span]]:
    """Yield the words of a line that begin in none of the other parts."""
    offsets, at = Offsets(text), 0
    for word in words_of(text):
        start = offsets.unit(word.start)
        while at < len(others) and others[at][1] <= start:
            at += 1
        if at == len(others) or start < others[at][0]:
            yield text, word.text, (start, offsets.unit(word.start + len(word.text)))

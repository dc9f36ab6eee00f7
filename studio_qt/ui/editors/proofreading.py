"""`Proofreader`: finds misspelt words of prose among the lines that are on the screen."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

from PySide6.QtCore import QObject, QRectF, QTimer

from studio_qt.ui.editors.code import CodeEditor
from studio_qt.ui.editors.offsets import Offsets
from studio_qt.ui.editors.painting import Row
from studio_qt.ui.editors.spelling import Speller
from studio_qt.ui.editors.words import Word, words_of
from studio_qt.ui.highlight import is_prose

__all__ = ["Proofreader"]

_QUIET_MS = 120
_LONGEST_LINE = 20_000
_SLICE_SECONDS = 0.004

Found = dict[str, list[tuple[str, tuple[int, int]]]]
"""Lines, and the words of prose in each with their places."""


class Proofreader(QObject):
    """Looks 120 ms after the last key or scroll, only at what is shown; never in a keystroke.

    A window full of prose takes longer than a frame, so that it is looked at in slices.
    `is_prose` tells whether the text at a place of the document is prose.
    """

    def __init__(
        self, editor: CodeEditor, speller: Speller, is_prose: Callable[[int], bool]
    ) -> None:
        super().__init__(editor)
        self._editor, self._speller, self._is_prose = editor, speller, is_prose
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_QUIET_MS)
        self._timer.timeout.connect(self.look)
        self._turn = QTimer(self)
        self._turn.setSingleShot(True)
        self._turn.timeout.connect(self._go_on)
        self._found: Found = {}
        self._left: Iterator[tuple[str, list[tuple[str, tuple[int, int]]]]] = iter(())
        editor.seen.connect(self.wake)
        speller.changed.connect(self._timer.start)
        self._timer.start()

    def look(self) -> None:
        """Mark what is known to be wrong, and ask for what is not known."""
        self._found, self._left = {}, iter(())
        if is_prose(self._editor.language):
            self._speller.start()
            if self._speller.active:
                self._left = self._lines()
        self._go_on()

    def wake(self) -> None:
        """Look again soon: other lines may be shown, or others of them be prose."""
        self._turn.stop()  # what is left are lines that may be gone
        self._left = iter(())
        self._timer.start()

    def _go_on(self) -> None:
        deadline = time.perf_counter() + _SLICE_SECONDS
        for text, words in self._left:
            self._found[text] = words
            if time.perf_counter() > deadline:
                self._turn.start()
                return
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

    def _lines(self) -> Iterator[tuple[str, list[tuple[str, tuple[int, int]]]]]:
        for row in self._editor.rows(QRectF(self._editor.viewport().rect())):
            text = row.block.text()
            if text and len(text) <= _LONGEST_LINE:
                yield text, list(self._words(row, text))

    def _words(self, row: Row, text: str) -> Iterator[tuple[str, tuple[int, int]]]:
        offsets = Offsets(text)
        for word in words_of(text):
            start, end = _span(word, offsets)
            if self._is_prose(row.block.position() + start):
                yield word.text, (start, end)


def _span(word: Word, offsets: Offsets) -> tuple[int, int]:
    return offsets.unit(word.start), offsets.unit(word.start + len(word.text))

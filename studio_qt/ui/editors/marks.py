"""`Marks`: what is drawn under and over the text of an editor, apart from the text's own look."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from PySide6.QtGui import QTextBlock, QTextCursor, QTextDocument

from studio_qt.errors import Problem
from studio_qt.ui.editors.drift import Drift
from studio_qt.ui.editors.reckoning import Change

__all__ = ["LineMark", "Marks", "Shadowed"]

_MOST_PROBLEMS = 200
Span = tuple[int, int]


class LineMark(NamedTuple):
    """A problem and the cursor that stays with its line."""

    problem: Problem
    cursor: QTextCursor

    @property
    def line(self) -> int:
        """The line where it is now, counted from 0."""
        return self.cursor.blockNumber()


class Shadowed(NamedTuple):
    """A line that something else overrides, and what counts instead, in words."""

    note: str
    cursor: QTextCursor

    @property
    def line(self) -> int:
        """The line where it is now, counted from 0."""
        return self.cursor.blockNumber()


class Marks:
    """The matches, brackets, problems, misspelt words and unsaved lines of one document.

    What costs the length of the document is found elsewhere and handed in; each edit is told to
    `edited`, and until new findings come the old ones move along with it.
    """

    def __init__(self, text: QTextDocument) -> None:
        self._text = text
        self._lines = text.blockCount()
        self._matches: Sequence[Span] = ()
        self._match_drift = Drift()
        self._changes: Sequence[Change] = ()
        self._line_drift = Drift()
        self._problems: list[LineMark] = []
        self._shadowed: list[Shadowed] = []
        self.brackets: tuple[int, int | None] | None = None
        self.wrong_words: Mapping[str, Sequence[Span]] = {}

    @property
    def are_any(self) -> bool:
        """Whether something is drawn in the text; unsaved lines are told beside it."""
        found = self._matches or self._problems or self._shadowed or self.wrong_words
        return bool(found) or self.brackets is not None

    @property
    def matches(self) -> Sequence[Span]:
        """What was found last, at the places that it had then."""
        return self._matches

    def edited(self, at: int, removed: int, added: int) -> None:
        """Move the marks along with an edit."""
        if self._matches:
            self._match_drift.add(at, removed, added)
        lines = self._text.blockCount()
        if lines != self._lines:
            line = self._text.findBlock(at).blockNumber() + 1
            self._line_drift.add(line, max(0, self._lines - lines), max(0, lines - self._lines))
            self._lines = lines
        self.brackets = None

    def set_matches(self, spans: Sequence[Span]) -> None:
        """Take what a search found just now, from the top."""
        self._matches = spans
        self._match_drift.clear()

    def set_changes(self, changes: Sequence[Change]) -> None:
        """Take the unsaved lines of just now."""
        self._changes = changes
        self._line_drift.clear()

    def set_problems(self, problems: Sequence[Problem]) -> None:
        """Take the problems of the file; those without a line stand at the first."""
        self._problems = []
        for problem in problems[:_MOST_PROBLEMS]:
            number = min(max(1, problem.line or 1), self._text.blockCount())
            cursor = QTextCursor(self._text.findBlockByNumber(number - 1))
            self._problems.append(LineMark(problem, cursor))

    def set_shadowed(self, notes: Mapping[int, str]) -> None:
        """Take the lines, from 1, that are overridden, with what counts instead."""
        self._shadowed = [
            Shadowed(note, QTextCursor(self._text.findBlockByNumber(line - 1)))
            for line, note in notes.items()
            if 1 <= line <= self._text.blockCount()
        ]

    @property
    def shadowed(self) -> Mapping[int, str]:
        """What stands beside overridden lines, by their number from 0."""
        return {one.line: one.note for one in self._shadowed}

    @property
    def problems(self) -> Sequence[LineMark]:
        """The problems with their lines."""
        return self._problems

    def problems_at(self, line: int) -> list[Problem]:
        """Return the problems of a line, counted from 0, errors first."""
        found = [mark.problem for mark in self._problems if mark.line == line]
        return sorted(found, key=lambda problem: problem.severity != "error")

    def matches_in(self, block: QTextBlock) -> Iterator[Span]:
        """Yield the parts of a line that match, counted from its beginning."""
        if not self._matches:
            return
        start, length = block.position(), block.length() - 1
        first, last = self._match_drift.old(start), self._match_drift.old(start + length)
        low = max(0, bisect_left(self._matches, (first, 0)) - 1)
        for span in self._matches[low : bisect_right(self._matches, (last + 1, 0))]:
            now = self._match_drift.new(*span)
            if now is not None and now[1] > start and now[0] < start + length:
                yield max(0, now[0] - start), min(length, now[1] - start)

    def change_at(self, line: int) -> str:
        """Return "changed", "gone" (lines before it are missing) or "" for a line from 0."""
        old = self._line_drift.old(line)
        at = bisect_right(self._changes, old, key=lambda change: change.first)
        if at and old < self._changes[at - 1].end:
            return "changed"
        if self._line_drift.new(old, old + 1) != (line, line + 1):
            return "changed"
        return "gone" if at and old == self._changes[at - 1].first else ""

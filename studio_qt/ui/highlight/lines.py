"""Which lines have been coloured how, and which are still to be, while the text changes."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Callable

from studio_qt.ui.highlight.grammar import Grammar, Spans, State, line_of

__all__ = ["Lines"]


class Lines:
    """The spans of each line, and the state behind it; line numbers count from 0.

    A line is fresh when its spans follow from its text and the state before it. The others are
    read one by one in `step`, from the first of each changed place on until the state behind a
    line is what it was before: the lines below it then are fresh already.
    """

    def __init__(self, grammar: Grammar, count: int) -> None:
        self._grammar = grammar
        self._spans: list[Spans | None] = [None] * count
        self._ends: list[State | None] = [None] * count
        self._fresh = bytearray(count)
        self._starts = [0] if count else []

    @property
    def settled(self) -> bool:
        """Whether every line is fresh."""
        return not self._starts

    @property
    def next(self) -> int | None:
        """The line that `step` reads next."""
        return self._starts[0] if self._starts else None

    def __len__(self) -> int:
        return len(self._spans)

    def spans(self, line: int) -> Spans | None:
        """Return the spans of a line, which a guess may have given; None for an unread line."""
        return self._spans[line]

    def is_fresh(self, line: int) -> bool:
        """Say whether a line has been read since it and all before it changed."""
        return bool(self._fresh[line])

    def language(self, line: int) -> str:
        """Return the language that a line is in, as far as the line before is known."""
        return self._grammar.language(self._before(line))

    def kind_behind(self, line: int, text: str) -> str:
        """Return the kind that a letter would have which is written behind the text of a line."""
        spans, _ = line_of(self._grammar, text + " x", self._before(line))
        return spans[-1][2] if spans and sum(spans[-1][:2]) > len(text) + 1 else ""

    def replace(self, first: int, removed: int, added: int) -> None:
        """Take notice that the lines from `first` on, `removed` of them, are now `added` others.

        Raises ValueError for lines that are not there.
        """
        last = first + removed
        if not 0 <= first <= last <= len(self) or not added:
            raise ValueError(f"There are no lines {first} to {last} of {len(self)} to replace.")
        end = self._ends[last - 1] if removed else None
        self._spans[first:last] = [None] * added
        self._ends[first:last] = [*[None] * (added - 1), end]
        self._fresh[first:last] = bytes(added)
        shift = added - removed
        moved = [start + shift for start in self._starts if start >= last]
        self._starts = [start for start in self._starts if start < first] + moved
        self._start(first)
        if not removed and first + added < len(self):
            self._start(first + added)

    def step(self, text_of: Callable[[int], str]) -> tuple[int, bool]:
        """Read the next line that is not fresh; return its number and whether its spans changed.

        Raises IndexError when there is none, and what the grammar raises.
        """
        line = self._starts[0]
        before = self._before(line)
        spans, end = line_of(self._grammar, text_of(line), before)
        end = before if end == before else end  # one object for thousands of equal states
        changed = spans != self._spans[line]
        goes_on = line + 1 < len(self) and (end != self._ends[line] or not self._fresh[line + 1])
        self._spans[line], self._ends[line], self._fresh[line] = spans, end, 1
        del self._starts[0]
        if goes_on:
            self._start(line + 1)
        return line, changed

    def guess(self, line: int, text_of: Callable[[int], str]) -> Spans:
        """Colour a line whose turn comes later, from what is known of the line before it."""
        spans, end = line_of(self._grammar, text_of(line), self._before(line))
        self._spans[line] = spans
        if self._ends[line] is None:
            self._ends[line] = end
        return spans

    def _before(self, line: int) -> State:
        if line == 0:
            return self._grammar.start
        end = self._ends[line - 1]
        return self._grammar.middle if end is None else end

    def _start(self, line: int) -> None:
        place = bisect_left(self._starts, line)
        if place == len(self._starts) or self._starts[place] != line:
            insort(self._starts, line)

"""Which completions fit what has been typed, the likeliest first."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from studio_qt.authoring.completing.completion import Completion

__all__ = ["ranked", "spans_of"]

_BEGINNINGS = re.compile(r"(?<![A-Za-z0-9])[A-Za-z0-9]|(?<=[a-z])[A-Z]")

_LONGEST = 12
"""Letters that are looked for at the beginnings of several words."""

Span = tuple[int, int]


def ranked(items: Iterable[Completion], text: str, at: int) -> list[Completion]:
    """Return those that fit the letters from their start to `at`; in their order where equal."""
    found: list[tuple[int, int, Completion]] = []
    for number, item in enumerate(items):
        rank = _rank(text[item.start : at], item.label)
        if rank is not None:
            found.append((rank, number, item))
    found.sort(key=lambda one: one[:2])
    return [item for _, _, item in found]


def spans_of(typed: str, label: str) -> tuple[Span, ...]:
    """Return which letters of a label were typed, as parts of it."""
    if not typed:
        return ()
    low, sought = label.lower(), typed.lower()
    at = _begins_word(low, label, sought)
    at = low.find(sought) if at < 0 else at
    if at >= 0:
        return ((at, at + len(typed)),)
    return _humps(low, sought, _words(label))


def _rank(typed: str, label: str) -> int | None:
    """0 begins with it to the letter, 1 in other letters, 2 a word does, 3 inside, 4 several do."""
    if label.startswith(typed):
        return 0
    low, sought = label.lower(), typed.lower()
    if low.startswith(sought):
        return 1
    if _begins_word(low, label, sought) >= 0:
        return 2
    if len(sought) > 1 and sought in low:
        return 3
    return 4 if _humps(low, sought, _words(label)) else None


def _humps(low: str, sought: str, begins: Sequence[int]) -> tuple[Span, ...]:
    """Return the beginnings of words that make up what is sought: "mt" is in maxTokens."""
    if not sought or len(sought) > _LONGEST:
        return ()
    for number, begin in enumerate(begins):
        length = 0
        while low[begin + length : begin + length + 1] == sought[length : length + 1] != "":
            length += 1
        for taken in range(length, 0, -1):
            span = (begin, begin + taken)
            if taken == len(sought):
                return (span,)
            left = [place for place in begins[number + 1 :] if place >= span[1]]
            if rest := _humps(low, sought[taken:], left):
                return (span, *rest)
    return ()


def _begins_word(low: str, label: str, sought: str) -> int:
    return next((at for at in _words(label) if low.startswith(sought, at)), -1)


def _words(label: str) -> list[int]:
    return [found.start() for found in _BEGINNINGS.finditer(label)]

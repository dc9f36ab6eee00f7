"""What takes a while to find out about a text: its tokens, and which lines are not saved."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile
from typing import NamedTuple

__all__ = ["Change", "Reckoned", "changed_lines", "reckon"]

_MOST_COMPARED = 20_000
"""Lines that are compared one by one; a longer middle counts as changed altogether."""


class Change(NamedTuple):
    """Lines `first` to before `end`, counted from 0, differ from what is saved.

    `first == end`: lines that were saved are missing before line `first`.
    """

    first: int
    end: int


class Reckoned(NamedTuple):
    """The estimate for the whole text, and its unsaved lines."""

    tokens: int
    changes: tuple[Change, ...]


def reckon(text: str, saved: str | None) -> Reckoned:
    """Return both; `saved` is None where nothing is unsaved. Lines end with "\\n"."""
    from studio_qt.providers.tokens import estimate  # slow to import; this runs in a thread

    changes = () if saved is None else changed_lines(saved.split("\n"), text.split("\n"))
    return Reckoned(estimate(text), changes)


def changed_lines(saved: Sequence[str], now: Sequence[str]) -> tuple[Change, ...]:
    """Return the lines of `now` that differ from `saved`, from the top."""
    head = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(saved, now, strict=False)))
    rest = min(len(saved), len(now)) - head
    backward = zip(reversed(saved), reversed(now), strict=False)
    tail = min(rest, sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], backward)))
    old, new = saved[head : len(saved) - tail], now[head : len(now) - tail]
    if not old and not new:
        return ()
    if not old or not new or len(old) + len(new) > _MOST_COMPARED:
        return (Change(head, head + len(new)),)
    from difflib import SequenceMatcher

    steps = SequenceMatcher(None, old, new).get_opcodes()
    return tuple(
        Change(head + first, head + end) for tag, _, _, first, end in steps if tag != "equal"
    )

"""The difference of two texts as splices, so that a small change of a large store stays small.

A splice is `[at, removed, inserted]`: at code point `at` of the text made so far, `removed` code
points go and the text `inserted` comes. Splices apply one after the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from studio_qt.files.difference import common_prefix, common_suffix
from studio_qt.jsontext import JsonValue

__all__ = ["Splice", "apply_splices", "find_splices"]

Splice: TypeAlias = tuple[int, int, str]

_PROBE = 32  # shorter pieces of text are found in the wrong place too often
_WORTH_SPLITTING = 256
_DEPTH = 6


def find_splices(old: str, new: str) -> list[Splice]:
    """Return splices that make `new` of `old`; not the fewest, but found at the speed of C."""
    return list(reversed(_differ(old, new, 0, _DEPTH)))


def apply_splices(text: str, splices: Sequence[JsonValue | Splice]) -> str:
    """Return `text` after the splices; raises ValueError for what is no splice of it."""
    for splice in splices:
        match splice:
            case (int(at), int(removed), str(inserted)) if 0 <= at <= at + removed <= len(text):
                text = f"{text[:at]}{inserted}{text[at + removed :]}"
            case _:
                raise ValueError(f"{splice!r} is no splice of a text of {len(text)} characters")
    return text


def _differ(old: str, new: str, at: int, depth: int) -> list[Splice]:
    """The splices from left to right, with places counted in the old text."""
    start = common_prefix(old, new)
    old, new, at = old[start:], new[start:], at + start
    if end := common_suffix(old, new):
        old, new = old[:-end], new[:-end]
    if not old and not new:
        return []
    anchor = _anchor(old, new) if depth else None
    if anchor is None:
        return [(at, len(old), new)]
    here, there = anchor
    left = _differ(old[:here], new[:there], at, depth - 1)
    return left + _differ(old[here:], new[there:], at + here, depth - 1)


def _anchor(old: str, new: str) -> tuple[int, int] | None:
    """Places in both texts from which on they read alike, looked for near the middle."""
    if min(len(old), len(new)) < _WORTH_SPLITTING:
        return None
    for part in (2, 1, 3):
        here = len(old) * part // 4
        there = new.find(old[here : here + _PROBE])
        if there >= 0:
            return here, there
    return None

"""The partner of a bracket."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator

from PySide6.QtGui import QTextBlock, QTextDocument

from studio_qt.ui.editors.offsets import Offsets
from studio_qt.ui.highlight import LONGEST_LINE

__all__ = ["bracket_pair"]

_PAIRS = {"(": ")", "[": "]", "{": "}"}
_OPENERS = {closer: opener for opener, closer in _PAIRS.items()}
_ANY = re.compile(r"[()\[\]{}]")
_SECONDS = 0.006

IsCode = Callable[[int], bool]


def bracket_pair(
    document: QTextDocument, position: int, is_code: IsCode, *, seconds: float = _SECONDS
) -> tuple[int, int | None] | None:
    """Return the places of the bracket at the cursor and of its partner.

    The bracket right of the cursor comes before the one left of it. Those in strings and comments
    count for nothing: `is_code` tells. The partner is None where there is none; the answer is
    None where no bracket is, or where the partner was not found in time.
    """
    for place in (position, position - 1):
        sign = document.characterAt(place) if place >= 0 else ""
        if (sign in _PAIRS or sign in _OPENERS) and is_code(place):
            try:
                partner = _partner(document, place, sign, is_code, time.monotonic() + seconds)
            except TimeoutError:
                return None
            return place, partner
    return None


def _partner(
    document: QTextDocument, place: int, sign: str, is_code: IsCode, deadline: float
) -> int | None:
    forward = sign in _PAIRS
    stack: list[str] = []
    for at, other in _brackets(document, place, forward=forward, deadline=deadline):
        if not is_code(at):
            continue
        if (other in _PAIRS) == forward:
            stack.append(other)
            continue
        opened = stack.pop() if stack else ""
        if stack == [] and at != place and _fits(opened, other):
            return at
        if not _fits(opened, other):
            return None
    return None


def _fits(first: str, second: str) -> bool:
    return _PAIRS.get(first, _OPENERS.get(first)) == second


def _brackets(
    document: QTextDocument, start: int, *, forward: bool, deadline: float
) -> Iterator[tuple[int, str]]:
    """Go through all brackets from `start` on, itself included; raises TimeoutError."""
    block = document.findBlock(start)
    while block.isValid():
        if time.monotonic() > deadline or block.length() > LONGEST_LINE:
            raise TimeoutError
        found = _in_block(block)
        if forward:
            yield from (pair for pair in found if pair[0] >= start)
        else:
            yield from (pair for pair in reversed(found) if pair[0] <= start)
        block = block.next() if forward else block.previous()


def _in_block(block: QTextBlock) -> list[tuple[int, str]]:
    text = block.text()
    found = [(match.start(), match[0]) for match in _ANY.finditer(text)]
    if found and block.length() - 1 != len(text):
        offsets = Offsets(text)
        found = [(offsets.unit(index), sign) for index, sign in found]
    return [(block.position() + at, sign) for at, sign in found]

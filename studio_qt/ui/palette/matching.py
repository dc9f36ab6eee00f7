"""Which entries fit what has been typed, and which of their letters. No Qt in here."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

__all__ = ["Match", "match"]

_WORD_START, _RUN, _WHOLE, _FRONT = 8.0, 5.0, 12.0, 6.0
_ASIDE = 0.4
"""What a hit in the detail counts, beside one in the text."""

_START = re.compile(r"(?:^|(?<=[^a-zA-Z0-9]))[a-zA-Z0-9]|(?<=[a-z0-9])[A-Z]|(?<=[a-zA-Z])[0-9]")


@dataclass(frozen=True, slots=True)
class Match:
    """How well an entry fits, and the places of the letters that were found in it."""

    score: float
    text: frozenset[int] = frozenset()
    detail: frozenset[int] = frozenset()


def match(query: str, text: str, detail: str = "") -> Match | None:
    """Return how the words of a query fit an entry; None when one of them does not.

    Blanks and slashes part the words, whose order is free. The letters of a word must come in
    their order; where words begin, and side by side, they count more. In the detail they must
    come side by side. Case and accents are free.
    """
    score = 0.0
    in_text: set[int] = set()
    in_detail: set[int] = set()
    folded, folded_detail = _fold(text), _fold(detail)
    for word in _fold(query).replace("/", " ").replace("\\", " ").split():
        if (found := _find(word, folded, text)) is not None:
            in_text.update(found[1])
            score += found[0]
        elif (found := _find(word, folded_detail, detail, whole=True)) is not None:
            in_detail.update(found[1])
            score += found[0] * _ASIDE
        else:
            return None
    return Match(score - len(text) * 0.02, frozenset(in_text), frozenset(in_detail))


def _find(
    word: str, folded: str, text: str, *, whole: bool = False
) -> tuple[float, list[int]] | None:
    """Return score and places of one word in a text; `whole`: only where it is in one piece."""
    latest = _latest(word, folded)
    if latest is None:
        return None
    starts = _starts(text)
    at = _whole(word, folded, starts)
    if at is not None:
        places = list(range(at, at + len(word)))
        bonus = _WHOLE + (_FRONT if at == 0 else 0.0)
    elif whole:
        return None
    else:
        places, bonus = _spread(word, folded, starts, latest), 0.0
    return bonus + _worth(places, starts), places


@lru_cache(maxsize=65_536)
def _starts(text: str) -> tuple[int, ...]:
    """Return where words begin in a text."""
    return tuple(found.start() for found in _START.finditer(text))


def _whole(word: str, folded: str, starts: Sequence[int]) -> int | None:
    """Return where a word stands in one piece, at the start of a word if it does."""
    for start in starts:
        if folded.startswith(word, start):
            return start
    at = folded.find(word)
    return at if at >= 0 and len(word) > 1 else None


def _spread(word: str, folded: str, starts: Sequence[int], latest: list[int]) -> list[int]:
    """Return places of the letters, side by side or at starts of words where that can be."""
    places: list[int] = []
    at = 0
    for letter, end in zip(word, latest, strict=True):
        if places and at <= end and folded[at] == letter:
            place = at
        else:
            begun = (start for start in starts if at <= start <= end and folded[start] == letter)
            place = next(begun, -1)
            if place < 0:
                place = folded.find(letter, at)
        places.append(place)
        at = place + 1
    return places


def _latest(word: str, folded: str) -> list[int] | None:
    """Return for each letter the last place where it may stand; None when the word is not there."""
    found: list[int] = []
    end = len(folded)
    for letter in reversed(word):
        end = folded.rfind(letter, 0, end)
        if end < 0:
            return None
        found.append(end)
    found.reverse()
    return found


def _worth(places: list[int], starts: Sequence[int]) -> float:
    begun = set(starts)
    worth = float(len(places))
    for before, place in zip([-2, *places], places, strict=False):
        worth += _WORD_START if place in begun else 0.0
        worth += _RUN if place == before + 1 else 0.0
    return worth - 0.1 * (places[-1] - places[0])


def _fold(text: str) -> str:
    """Return a text in small letters without accents, letter for letter as long as it was."""
    if text.isascii():
        return text.lower()
    return "".join(_folded(letter) for letter in text)


def _folded(letter: str) -> str:
    return unicodedata.normalize("NFD", letter)[0].lower()[:1] or letter

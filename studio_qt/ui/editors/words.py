"""Which parts of a line of prose are words that a dictionary can know."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

__all__ = ["Word", "words_of"]

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_CHUNK = re.compile(r"\S+")
_NO_PROSE = re.compile(r"://|%%|[@\\_#<>{}=|$]|\w\.\w|\w/\w.*/|^www\.|\d")
_MOST = 40
"""Letters of the longest word that is looked up."""


class Word(NamedTuple):
    """A word and its place in the line, counted in characters."""

    text: str
    start: int


def words_of(line: str) -> Iterator[Word]:
    """Yield the words; addresses, macros, names of code, numbers and abbreviations are none."""
    for chunk in _CHUNK.finditer(line):
        if _NO_PROSE.search(chunk[0]):
            continue
        for found in _WORD.finditer(chunk[0]):
            text = found[0]
            if 1 < len(text) <= _MOST and not any(letter.isupper() for letter in text[1:]):
                yield Word(text, chunk.start() + found.start())

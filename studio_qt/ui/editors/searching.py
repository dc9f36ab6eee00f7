"""Finding and replacing in a text, off the UI thread and within a time limit."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

from studio_qt.errors import StudioError
from studio_qt.ui.editors.offsets import Offsets
from studio_qt.ui.patterns import compile_pattern

if TYPE_CHECKING:
    import regex

__all__ = ["MOST", "Found", "Part", "Query", "Replacement", "find_all", "replacements"]

MOST = 20_000
"""Matches that are looked for; a text with more says so."""

Part = tuple[int, int | None]
"""Where a part begins and ends, in Qt's units; None is the end of the text."""

_TOO_SLOW = "This expression takes too long on this text. Try one with fewer nested repetitions."


@dataclass(frozen=True, slots=True)
class Query:
    """What to look for. `expression`: the pattern is a regular expression, else plain text."""

    pattern: str
    case: bool = False
    word: bool = False
    expression: bool = False


@dataclass(frozen=True, slots=True)
class Found:
    """Places of matches in Qt's units, from the top; `more`: there are others below."""

    spans: tuple[tuple[int, int], ...]
    more: bool = False


@dataclass(frozen=True, slots=True)
class Replacement:
    """What comes in the place of a match; places in Qt's units."""

    start: int
    end: int
    text: str


def find_all(
    text: str,
    query: Query,
    within: Part | None = None,
    *,
    seconds: float = 2.0,
) -> Found:
    """Return every match; empty ones count only where the expression finds nothing else.

    `within` limits the search to a part, in Qt's units. Raises StudioError for a bad pattern or
    one that takes longer than `seconds`. The interpreter runs on meanwhile.
    """
    offsets = Offsets(text)
    spans: list[tuple[int, int]] = []
    for match in _matches(text, query, within, offsets, seconds):
        if len(spans) == MOST:
            return Found(tuple(spans), more=True)
        spans.append((offsets.unit(match.start()), offsets.unit(match.end())))
    return Found(tuple(spans))


def replacements(
    text: str,
    query: Query,
    template: str,
    within: Part | None = None,
    *,
    most: int | None = None,
    seconds: float = 2.0,
) -> list[Replacement]:
    """Return what replacing every match, or the first `most`, means.

    `\\1` and `\\g<name>` are groups of an expression.
    Raises StudioError for a bad pattern, a bad replacement, or one that takes too long.
    """
    offsets = Offsets(text)
    made: list[Replacement] = []
    for match in _matches(text, query, within, offsets, seconds):
        new = _expanded(match, template) if query.expression else template
        if len(made) == most:
            break
        made.append(Replacement(offsets.unit(match.start()), offsets.unit(match.end()), new))
    return made


def _matches(
    text: str,
    query: Query,
    within: Part | None,
    offsets: Offsets,
    seconds: float,
) -> Iterator[regex.Match[str]]:
    if not query.pattern:
        return
    pattern = compile_pattern(
        query.pattern, case=query.case, word=query.word, expression=query.expression
    )
    first, last = within or (0, None)
    start, end = offsets.index(first), len(text) if last is None else offsets.index(last)
    deadline = time.monotonic() + seconds
    try:
        for match in pattern.finditer(text, start, end, concurrent=True, timeout=seconds):
            if match.end() > match.start():
                yield match
            if time.monotonic() > deadline:
                raise TimeoutError
    except TimeoutError as error:
        raise StudioError(_TOO_SLOW) from error


def _expanded(match: regex.Match[str], template: str) -> str:
    engine = import_module("regex")
    try:
        return str(match.expand(template))
    except (engine.error, IndexError) as error:
        raise StudioError(f"The replacement is not valid: {error}.") from error

"""The rows of a comparison: lines of two texts that belong together, found in bounded time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest
from typing import Literal

from studio_qt.files.difference import Block, Span, line_blocks, word_spans

__all__ = [
    "LONGEST",
    "MOST_ROWS",
    "Column",
    "Comparison",
    "Kind",
    "Line",
    "Row",
    "columns",
    "compare_texts",
]

MOST_ROWS = 10_000
"""Rows above which long stretches of equal lines are folded into one row."""

LONGEST = 4_000
"""Characters of a line that are shown."""

_AROUND = 40
_MOST_WORD_MARKS = 3_000

Kind = Literal["same", "changed", "filler", "fold"]


@dataclass(frozen=True, slots=True)
class Line:
    """One side of a row; `number` counts from 1, `spans` are the characters that differ in it.

    A "filler" has no line, since the other side has one more; a "fold" stands for equal lines.
    """

    kind: Kind
    number: int
    text: str
    spans: tuple[Span, ...] = ()


Row = tuple[Line, Line]


@dataclass(frozen=True, slots=True)
class Comparison:
    """All rows, the ranges of rows that differ, and how many lines are only left or only right."""

    rows: tuple[Row, ...]
    changes: tuple[range, ...]
    removed: int
    added: int


@dataclass(frozen=True, slots=True)
class Column:
    """One side of a comparison as a pane needs it; `longest` in characters, tabs as 8."""

    lines: tuple[Line, ...]
    text: str
    longest: int
    highest: int


def columns(found: Comparison) -> tuple[Column, Column]:
    """Return both sides; may take long, so call it on another thread."""
    return _column(tuple(row[0] for row in found.rows)), _column(
        tuple(row[1] for row in found.rows)
    )


def _column(lines: tuple[Line, ...]) -> Column:
    return Column(
        lines,
        "\n".join("" if line.kind == "fold" else line.text for line in lines),
        max((len(line.text.expandtabs()) for line in lines), default=0),
        max((line.number for line in lines), default=1),
    )


def compare_texts(left: str, right: str) -> Comparison:
    """Compare two texts, `\\n` between lines; may take long, so call it on another thread."""
    lines = left.split("\n"), right.split("\n")
    blocks = line_blocks(*lines)
    rows: list[Row] = []
    changes: list[range] = []
    folding = sum(max(len(block.left), len(block.right)) for block in blocks) > MOST_ROWS
    marked = 0
    for place, block in enumerate(blocks):
        start = len(rows)
        if block.same:
            edges = place > 0, place < len(blocks) - 1
            rows.extend(_same_rows(block, lines[0], folding=folding, edges=edges))
        else:
            with_words = marked < _MOST_WORD_MARKS
            rows.extend(_changed_rows(block, *lines, with_words=with_words))
            changes.append(range(start, len(rows)))
            marked += len(rows) - start
    differing = [block for block in blocks if not block.same]
    return Comparison(
        tuple(rows),
        tuple(changes),
        sum(len(block.left) for block in differing),
        sum(len(block.right) for block in differing),
    )


def _same_rows(
    block: Block, lines: list[str], *, folding: bool, edges: tuple[bool, bool]
) -> Iterator[Row]:
    """Yield equal rows; when `folding`, those far from a difference as one."""
    count = len(block.left)
    head = _AROUND if edges[0] else 0
    tail = _AROUND if edges[1] else 0
    folded = range(head, count - tail) if folding and count > 3 * _AROUND else range(0)
    for at in range(count):
        if at in folded:
            if at == folded.start:
                line = Line("fold", 0, f"{len(folded):,} lines that are the same")
                yield line, line
            continue
        text = _shown(lines[block.left[at]])
        yield (
            Line("same", block.left[at] + 1, text),
            Line("same", block.right[at] + 1, text),
        )


def _changed_rows(
    block: Block, left: list[str], right: list[str], *, with_words: bool
) -> Iterator[Row]:
    filler = Line("filler", 0, "")
    for a, b in zip_longest(block.left, block.right):
        if a is None:
            yield filler, Line("changed", b + 1, _shown(right[b]))
        elif b is None:
            yield Line("changed", a + 1, _shown(left[a])), filler
        else:
            olds, news = _shown(left[a]), _shown(right[b])
            spans = word_spans(olds, news) if with_words else ([], [])
            yield (
                Line("changed", a + 1, olds, tuple(spans[0])),
                Line("changed", b + 1, news, tuple(spans[1])),
            )


def _shown(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[:LONGEST]} … {len(text) - LONGEST:,} more"

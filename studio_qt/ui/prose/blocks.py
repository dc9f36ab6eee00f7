"""What a text looks like, as values: blocks of spans. No Qt in here."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

__all__ = ["Block", "Span", "mark_speech", "plain_text"]

_SPEECH = re.compile(
    r"“[^”]*(?:”|\Z)|„[^“”]*(?:[“”]|\Z)|«[^»]*(?:»|\Z)|「[^」]*(?:」|\Z)"
    r'|(?<!\w)"(?=\S)[^"]*(?:"|\Z)'
)
_HOLE = "\x00"


@dataclass(frozen=True, slots=True)
class Span:
    """A run of text of one look; a line break inside a block is "\\n" in `text`."""

    text: str
    bold: bool = False
    italic: bool = False
    strike: bool = False
    code: bool = False
    speech: bool = False
    link: str = ""


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph, a heading, a block of code, a rule or a table.

    `marker` is what stands before a list item ("–", "3.") or the rule as written; `depth` how
    many lists it is in, and `quoted` how many quotations. `level` is 1 to 6 for headings. `rows`
    holds the cells of a table, the heads first.
    """

    kind: Literal["text", "heading", "code", "rule", "table"]
    spans: tuple[Span, ...] = ()
    marker: str = ""
    depth: int = 0
    quoted: int = 0
    level: int = 0
    rows: tuple[tuple[tuple[Span, ...], ...], ...] = ()

    @property
    def text(self) -> str:
        """The text of the spans, joined."""
        return "".join(span.text for span in self.spans)


def plain_text(blocks: Iterable[Block]) -> str:
    """Return what a reader sees, one line a block line; table cells are separated by tabs."""
    return "\n".join(_plain(block) for block in blocks)


def mark_speech(spans: Sequence[Span]) -> tuple[Span, ...]:
    """Return the spans with everything inside quotation marks marked as speech.

    A quotation that is not closed runs to the end of the block, as in speech that goes on in the
    next paragraph. Code is never speech, and a straight mark after a letter or digit opens none.
    """
    flat = "".join(_HOLE * len(span.text) if span.code else span.text for span in spans)
    ranges = [found.span() for found in _SPEECH.finditer(flat)]
    if not ranges:
        return tuple(spans)
    marked: list[Span] = []
    start = 0
    for span in spans:
        marked += _split(span, start, ranges)
        start += len(span.text)
    return tuple(marked)


def _split(span: Span, start: int, ranges: Sequence[tuple[int, int]]) -> list[Span]:
    if span.code:
        return [span]
    end = start + len(span.text)
    cuts = {start, end} | {cut for pair in ranges for cut in pair if start < cut < end}
    if len(cuts) == 2:
        spoken = any(low <= start < high for low, high in ranges)
        return [replace(span, speech=True) if spoken else span]
    places = sorted(cuts)
    return [
        replace(
            span,
            text=span.text[left - start : right - start],
            speech=any(low <= left < high for low, high in ranges),
        )
        for left, right in pairwise(places)
    ]


def _plain(block: Block) -> str:
    if block.kind == "table":
        cells = [["".join(span.text for span in cell) for cell in row] for row in block.rows]
        return "\n".join("\t".join(row) for row in cells)
    if block.kind == "rule":
        return block.marker
    return f"{block.marker} {block.text}".rstrip(" ") if block.marker else block.text

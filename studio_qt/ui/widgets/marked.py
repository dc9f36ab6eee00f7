"""Lines of text as a pane shows them: as they are, or with what came and what went.

Without Qt; for large texts to be run in a thread.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from studio_qt.files.difference import line_blocks

__all__ = ["BREAK", "LONGEST", "Kind", "Laid", "Line", "differences", "folded", "lay", "whole"]

Kind = Literal["head", "same", "add", "del", "fold", "note"]

LONGEST = 1_000
"""Characters of a line in the document; a longer one goes on in the next, and is copied whole."""

BREAK = "\u2028"
"""Stands between the lines of a block that holds several."""

_MANY, _TOGETHER = 4_000, 16
_NEAR = 120
_AROUND = 3
_FEW = 2 * _AROUND + 2


@dataclass(frozen=True, slots=True)
class Line:
    """A line or several of what is shown: text, or words of the Studio ("head", "fold", "note")."""

    kind: Kind
    text: str


@dataclass(frozen=True, slots=True)
class Laid:
    """Lines as a document holds them: `kinds` and `goes_on` of each of its blocks.

    `goes_on` says that the next block belongs to the same line, `holds` how many lines a block has
    (`BREAK` between them): Qt takes time for each block. `changed` counts the lines that came or
    went.
    """

    text: str
    kinds: tuple[Kind, ...]
    goes_on: tuple[bool, ...]
    holds: tuple[int, ...]
    changed: int

    @property
    def signs(self) -> bool:
        """Whether there are signs to be drawn before the lines."""
        return self.changed > 0


def whole(text: str) -> Iterator[Line]:
    """Yield a text that stands alone, such as a body."""
    yield Line("same", text.replace("\r\n", "\n"))


def lay(lines: Iterable[Line]) -> Laid:
    """Return lines as a document can hold them without a stall."""
    texts: list[str] = []
    kinds: list[Kind] = []
    goes_on: list[bool] = []
    changed = 0
    for line in lines:
        parts = line.text.split("\n")
        changed += len(parts) if line.kind in ("add", "del") else 0
        if max(map(len, parts)) <= LONGEST:
            texts += parts
            goes_on += [False] * len(parts)
        else:
            for piece, more in _pieces(parts):
                texts.append(piece)
                goes_on.append(more)
        kinds += [line.kind] * (len(texts) - len(kinds))
    if len(texts) <= _MANY:
        holds = (1,) * len(texts)
        return Laid("\n".join(texts), tuple(kinds), tuple(goes_on), holds, changed)
    return _joined(texts, kinds, goes_on, changed)


def _joined(
    texts: Sequence[str], kinds: Sequence[Kind], goes_on: Sequence[bool], changed: int
) -> Laid:
    """Return many lines with stretches of plain ones in one block each."""
    blocks: list[tuple[str, Kind, bool, int]] = []
    alone = True  # whether the next line has to have a block of its own
    for text, kind, more in zip(texts, kinds, goes_on, strict=True):
        own = more or kind != "same" or BREAK in text
        if blocks and not own and not alone and blocks[-1][3] < _TOGETHER:
            before, _, _, count = blocks[-1]
            blocks[-1] = (f"{before}{BREAK}{text}", kind, False, count + 1)
        else:
            blocks.append((text, kind, more, 1))
        alone = own
    joined, kind_of, goes, holds = zip(*blocks, strict=True)
    return Laid("\n".join(joined), kind_of, goes, holds, changed)


def _pieces(lines: Iterable[str]) -> Iterator[tuple[str, bool]]:
    """Yield lines in pieces that a document can hold, and whether the next one goes on."""
    for line in lines:
        start = 0
        while start < len(line) or not start:
            end = _end(line, start)
            yield line[start:end], end < len(line)
            start = max(end, 1)


def _end(text: str, start: int) -> int:
    """Return where a piece of a line ends: after a blank where there is one near the end."""
    end = start + LONGEST
    if end >= len(text):
        return len(text)
    blank = text.rfind(" ", end - _NEAR, end)
    return blank + 1 if blank >= 0 else end


def differences(before: str | None, text: str) -> Iterator[Line]:
    """Yield the lines of both texts; None before: all of it is new."""
    if before is None:
        yield Line("add", text.replace("\r\n", "\n"))
        return
    old, new = _split(before), _split(text) if text else []
    for block in line_blocks(old, new):
        if block.same:
            yield from (Line("same", new[at]) for at in block.right)
        else:
            yield from (Line("del", old[at]) for at in block.left)
            yield from (Line("add", new[at]) for at in block.right)


def folded(lines: Iterable[Line]) -> Iterator[Line]:
    """Leave out what is far from any change, and say how much that is."""
    quiet: list[Line] = []
    first = True
    for line in lines:
        if line.kind == "same":
            quiet.append(line)
            continue
        yield from _stretch(quiet, 0 if first else _AROUND, _AROUND)
        quiet, first = [], False
        yield line
    yield from _stretch(quiet, 0 if first else _AROUND, 0)


def _stretch(lines: Sequence[Line], head: int, tail: int) -> Iterator[Line]:
    if len(lines) <= _FEW:
        yield from lines
        return
    yield from lines[:head]
    yield Line("fold", f"⋯ {len(lines) - head - tail:,} lines as before")
    yield from lines[len(lines) - tail :]


def _split(text: str) -> list[str]:
    return text.replace("\r\n", "\n").split("\n")

"""Texts as lines for the pane that shows them: plain, or against what was sent before.

Without Qt; for large texts to be run in a thread.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from studio_qt.files.difference import line_blocks
from studio_qt.ui.inspector.shaping import Piece, Row

__all__ = ["Kind", "Laid", "Line", "against", "alone", "lay", "whole"]

Kind = Literal["head", "same", "add", "del", "fold", "note"]

LONGEST = 1_000
"""Characters of a line in the document; a longer one goes on in the next, and is copied whole."""

_NEAR = 120
_AROUND = 3
_FEW = 2 * _AROUND + 2


@dataclass(frozen=True, slots=True)
class Line:
    """A line of what is shown: text that is sent, or words of the Studio ("head", "note")."""

    kind: Kind
    text: str


@dataclass(frozen=True, slots=True)
class Laid:
    """Lines as a document holds them: `kinds` and `goes_on` of each of its blocks.

    `goes_on` says that the next block belongs to the same line. `changed` counts the lines that
    came or went.
    """

    text: str
    kinds: tuple[Kind, ...]
    goes_on: tuple[bool, ...]
    changed: int

    @property
    def signs(self) -> bool:
        """Whether there are signs to be drawn before the lines."""
        return self.changed > 0


def alone(row: Row) -> Iterator[Line]:
    """Yield what a row sends."""
    yield from _gist(row)
    for piece in row.pieces:
        if piece.text:
            yield from _head(row, piece)
            yield from (Line("same", text) for text in _split(piece.text))


def against(row: Row) -> Iterator[Line]:
    """Yield what of a row is other than before; stretches that are not are folded."""
    yield from _gist(row)
    for piece in row.pieces:
        yield from _head(row, piece)
        yield from _folded(_differences(piece))


def whole(text: str) -> Iterator[Line]:
    """Yield the lines of a text that stands alone, such as a body."""
    yield from (Line("same", part) for part in _split(text))


def lay(lines: Iterable[Line]) -> Laid:
    """Return lines as a document can hold them without a stall."""
    texts: list[str] = []
    kinds: list[Kind] = []
    goes_on: list[bool] = []
    changed = 0
    for line in lines:
        changed += line.kind in ("add", "del")
        start = 0
        while start < len(line.text) or not start:
            end = _end(line.text, start)
            texts.append(line.text[start:end])
            kinds.append(line.kind)
            goes_on.append(end < len(line.text))
            start = max(end, 1)
    return Laid("\n".join(texts), tuple(kinds), tuple(goes_on), changed)


def _end(text: str, start: int) -> int:
    """Return where a piece of a line ends: after a blank where there is one near the end."""
    end = start + LONGEST
    if end >= len(text):
        return len(text)
    blank = text.rfind(" ", end - _NEAR, end)
    return blank + 1 if blank >= 0 else end


def _gist(row: Row) -> Iterator[Line]:
    if row.cut:
        yield Line("note", row.cut)


def _head(row: Row, piece: Piece) -> Iterator[Line]:
    """Yield the origin of a part, where there are several."""
    if len(row.pieces) < 2 or piece.kind == "entry":
        return
    name = piece.name or ("Your persona" if piece.kind == "settings" else "Words of the Studio")
    yield Line("head", name)


def _differences(piece: Piece) -> Iterator[Line]:
    if piece.before is None:
        yield from (Line("add", text) for text in _split(piece.text))
        return
    old, new = _split(piece.before), _split(piece.text)
    if not piece.text:
        new = []
    for block in line_blocks(old, new):
        if block.same:
            yield from (Line("same", new[at]) for at in block.right)
        else:
            yield from (Line("del", old[at]) for at in block.left)
            yield from (Line("add", new[at]) for at in block.right)


def _folded(lines: Iterable[Line]) -> Iterator[Line]:
    """Leave out what is far from any change."""
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
    yield Line("fold", f"{len(lines) - head - tail:,} lines as before")
    yield from lines[len(lines) - tail :]


def _split(text: str) -> list[str]:
    return text.replace("\r\n", "\n").split("\n")

"""A block of a request as lines: alone, or against what was sent before."""

from __future__ import annotations

from collections.abc import Iterator

from studio_qt.ui.inspector.shaping import Piece, Row
from studio_qt.ui.widgets.marked import Line, differences, folded, whole

__all__ = ["against", "alone"]


def alone(row: Row) -> Iterator[Line]:
    """Yield what a row sends."""
    yield from _gist(row)
    for piece in row.pieces:
        if piece.text:
            yield from _head(row, piece)
            yield from whole(piece.text)


def against(row: Row) -> Iterator[Line]:
    """Yield what of a row is other than before; stretches that are not are folded."""
    yield from _gist(row)
    for piece in row.pieces:
        yield from _head(row, piece)
        yield from folded(differences(piece.before, piece.text))


def _gist(row: Row) -> Iterator[Line]:
    if row.cut:
        yield Line("note", row.cut)


def _head(row: Row, piece: Piece) -> Iterator[Line]:
    """Yield the origin of a part, where there are several."""
    if len(row.pieces) < 2 or piece.kind == "entry":
        return
    name = piece.name or ("Your persona" if piece.kind == "settings" else "Words of the Studio")
    yield Line("head", name)

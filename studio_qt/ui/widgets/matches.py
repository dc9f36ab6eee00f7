"""A line with a match in it, as lists of what was found show it: the match is always seen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from PySide6.QtCore import QRect, QRectF, Qt
from PySide6.QtGui import QFontMetrics, QPainter

from studio_qt.ui.widgets.rowpainting import RowDelegate

__all__ = ["Piece", "around", "write_pieces"]

Piece: TypeAlias = tuple[str, str, str]
"""A text, the token of its colour, and that of its plate, "" for none."""

_REST = 24
"""Pixels of what follows that are seen as well."""


def around(
    before: str, middle: Sequence[Piece], after: str, width: int, metrics: QFontMetrics
) -> list[Piece]:
    """Return the pieces of a line; of what is before the match, its end where room is short."""
    needed = sum(metrics.horizontalAdvance(text) for text, _, _ in middle)
    if metrics.horizontalAdvance(before) + needed > width - _REST:
        room = max(width // 5, min(width // 2, width - needed - _REST))
        before = metrics.elidedText(before, Qt.TextElideMode.ElideLeft, room)
    pieces = [(before, "fg2", ""), *middle, (after, "fg2", "")]
    return [piece for piece in pieces if piece[0]]


def write_pieces(
    rows: RowDelegate, painter: QPainter, place: QRect, pieces: Sequence[Piece]
) -> None:
    """Write pieces one after the other; what is on the plate of what goes is struck out."""
    font, place = rows.face(), QRect(place)
    metrics = QFontMetrics(font)
    painter.setClipRect(place.adjusted(-3, 0, 0, 0))
    for text, token, plate in pieces:
        line = text.replace("\t", " ").replace("\n", "⏎")
        shown = metrics.elidedText(line, Qt.TextElideMode.ElideRight, place.width())
        width = metrics.horizontalAdvance(shown)
        if plate and shown:
            height = metrics.height() + 2
            top = place.top() + (place.height() - height) // 2
            rows.paint_box(painter, QRectF(place.left() - 1, top, width + 2, height), plate, 3)
        font.setStrikeOut(plate == "redbg")
        rows.write(painter, place, shown, token, font)
        place.setLeft(place.left() + width + (2 if plate else 0))
        if place.width() < 8:
            return

"""How marks look: plates and boxes under the text, waves over it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF, QTextBlock

__all__ = ["Row", "boxes", "draw_box", "draw_wave", "place_of"]

_STEP, _HEIGHT = 2.0, 2.0
_WIDEST = 4_000.0


class Row(NamedTuple):
    """A line of the document on the screen: the top left corner of its text, and its height."""

    block: QTextBlock
    left: float
    top: float
    height: float


def boxes(row: Row, start: int, end: int) -> Iterator[QRectF]:
    """Yield where a part of a line is drawn, in pieces where it is wrapped."""
    layout = row.block.layout()
    for number in range(layout.lineCount()):
        line = layout.lineAt(number)
        first = max(start, line.textStart())
        last = min(end, line.textStart() + line.textLength())
        if first < last:
            left, right = place_of(line.cursorToX(first)), place_of(line.cursorToX(last))
            yield QRectF(row.left + left, row.top + line.y(), right - left, line.height())


def place_of(answer: object) -> float:
    """Return the place that `cursorToX` answers, alone or with the cursor."""
    value = answer[0] if isinstance(answer, tuple) else answer
    return value if isinstance(value, float) else 0.0


def draw_box(
    painter: QPainter,
    box: QRectF,
    fill: QColor | None,
    line: QColor | None = None,
    width: float = 1.0,
) -> None:
    """Draw a plate, an outline, or both."""
    painter.setPen(QPen(line, width) if line is not None else Qt.PenStyle.NoPen)
    painter.setBrush(fill if fill is not None else Qt.BrushStyle.NoBrush)
    painter.drawRoundedRect(box.adjusted(-0.5, 0.5, 0.5, -0.5), 3, 3)


def draw_wave(painter: QPainter, box: QRectF, colour: QColor) -> None:
    """Draw a wave at the foot of a box."""
    left, right = max(box.left(), -_STEP), min(box.right(), _WIDEST)
    foot = box.bottom() - 0.5
    count = max(2, int((right - left) / _STEP))
    points = [QPointF(left + at * _STEP, foot - (at % 2) * _HEIGHT) for at in range(count + 1)]
    painter.setPen(QPen(colour, 1.1))
    painter.drawPolyline(QPolygonF(points))

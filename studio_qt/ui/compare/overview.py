"""`Overview`: a narrow strip that shows where in the whole text the differences are."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from studio_qt.ui.compare.rows import Comparison
from studio_qt.ui.theme.theme import Theme

__all__ = ["Overview"]


class Overview(QWidget):
    """A mark for each difference, at its height; a click goes there.

    Red is only at the left, green only at the right, amber on both sides. It is for the mouse and
    the eye; the keyboard has next and previous.
    """

    row_wanted = Signal(int)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._rows = 0
        self._marks: list[tuple[range, str]] = []
        self.setObjectName("compareOverview")
        self.setAccessibleName("Where the differences are")
        self.setFixedWidth(10)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        theme.changed.connect(self.update)

    def show_comparison(self, found: Comparison) -> None:
        """Show the differences of another comparison."""
        self._rows = len(found.rows)
        self._marks = [(rows, _token(found, rows)) for rows in found.changes]
        self.update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if self._rows:
            share = event.position().y() / max(1, self.height())
            self.row_wanted.emit(max(0, round(share * self._rows) - 5))

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._theme.colour("bg3"))
        painter.drawRoundedRect(QRectF(self.rect()), 3, 3)
        last = -3.0
        for rows, token in self._marks:
            top = rows.start / self._rows * self.height()
            height = max(3.0, len(rows) / self._rows * self.height())
            if top + height < last + 1:
                continue  # it lies on the one before
            last = top + height
            painter.setBrush(self._theme.colour(token))
            painter.drawRoundedRect(QRectF(2, top, self.width() - 4, height), 1.5, 1.5)


def _token(found: Comparison, rows: range) -> str:
    left, right = found.rows[rows.start]
    if right.kind == "filler":
        return "err"
    return "okfill" if left.kind == "filler" else "warnfill"

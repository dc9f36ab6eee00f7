"""`Columns`: parts beside each other where there is room, below each other where there is none."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QGridLayout, QWidget

from studio_qt.ui.theme.theme import Theme

__all__ = ["Columns"]


class Columns(QWidget):
    """Three parts in one row, in two, or each on its own.

    `wide` and `narrow` are the least widths, at an interface size of 13, for three parts and for
    two beside each other; with two, the second one stands beside the two others. `shares` are how
    the parts share what room there is. `counted` carries how many columns there are now.
    """

    counted = Signal(int)

    def __init__(
        self,
        theme: Theme,
        parts: Sequence[QWidget],
        *,
        wide: int,
        narrow: int,
        shares: tuple[int, int, int],
        gap: int = 0,
    ) -> None:
        super().__init__()
        self._theme, self._parts = theme, parts
        self._wide, self._narrow, self._shares = wide, narrow, shares
        self._shown = 0
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSpacing(gap)
        self._lay_out(1)

    @property
    def count(self) -> int:
        """How many columns are shown."""
        return self._shown

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        width = event.size().width()
        wide, narrow = self._theme.scaled(self._wide), self._theme.scaled(self._narrow)
        self._lay_out(3 if width >= wide else 2 if width >= narrow else 1)

    def _lay_out(self, count: int) -> None:
        if count == self._shown:
            return
        self._shown = count
        for part in self._parts:
            self._grid.removeWidget(part)
        places = {
            3: ((0, 0, 1), (0, 1, 1), (0, 2, 1)),
            2: ((0, 0, 1), (0, 1, 2), (1, 0, 1)),
            1: ((0, 0, 1), (1, 0, 1), (2, 0, 1)),
        }[count]
        for part, (row, column, rows) in zip(self._parts, places, strict=True):
            self._grid.addWidget(part, row, column, rows, 1)
        for column, share in enumerate(self._shares):
            self._grid.setColumnStretch(column, share if column < count else 0)
        for row in range(3):
            self._grid.setRowStretch(row, int(row == (3 - count if count > 1 else 1)))
        self.counted.emit(count)

"""`Flow`: small controls in a row that breaks where the width ends."""

from __future__ import annotations

from PySide6.QtCore import QRect, QSize
from PySide6.QtWidgets import QLayoutItem

from studio_qt.ui.widgets.itemlayout import ItemLayout

__all__ = ["Flow"]


class Flow(ItemLayout):
    """Lays its items out from the left, in as many rows as they need.

    The items of a row stand in its middle. With `to_right` the last item stands at the right end
    of its row.
    """

    def __init__(self, gap: int = 6, *, to_right: bool = False) -> None:
        super().__init__()
        self._gap, self._to_right = gap, to_right

    def sizeHint(self) -> QSize:
        shown = self._shown()
        width = sum(item.sizeHint().width() + self._gap for item in shown) - self._gap
        return QSize(max(0, width), max((one.sizeHint().height() for one in shown), default=0))

    def minimumSize(self) -> QSize:
        shown = self._shown()
        width = max((item.sizeHint().width() for item in shown), default=0)
        return QSize(width, max((item.sizeHint().height() for item in shown), default=0))

    def _shown(self) -> list[QLayoutItem]:
        return [item for item in self.items if not item.isEmpty()]

    def _rows(self, width: int) -> list[list[QLayoutItem]]:
        rows: list[list[QLayoutItem]] = [[]]
        left = 0
        for item in self._shown():
            needed = item.sizeHint().width()
            if rows[-1] and left + needed > width:
                rows.append([])
                left = 0
            rows[-1].append(item)
            left += needed + self._gap
        return rows

    def place(self, rect: QRect, *, move: bool) -> int:
        top = rect.top()
        shown = self._shown()
        for row in self._rows(rect.width()):
            height = max((item.sizeHint().height() for item in row), default=0)
            left = rect.left()
            for item in row:
                size = item.sizeHint()
                if self._to_right and item is shown[-1]:
                    left = max(left, rect.right() + 1 - size.width())
                if move:
                    item.setGeometry(QRect(left, top + (height - size.height()) // 2,
                                           size.width(), size.height()))  # fmt: skip
                left += size.width() + self._gap
            top += height + self._gap
        return max(0, top - self._gap - rect.top())

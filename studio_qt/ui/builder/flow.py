"""`Flow`: small controls in a row that breaks where the width ends."""

from __future__ import annotations

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtWidgets import QLayout, QLayoutItem

__all__ = ["Flow"]


class Flow(QLayout):
    """Lays its items out from the left, in as many rows as they need.

    The items of a row stand in its middle. With `to_right` the last item stands at the right end
    of its row.
    """

    def __init__(self, gap: int = 6, *, to_right: bool = False) -> None:
        super().__init__()
        self._gap, self._to_right = gap, to_right
        self._items: list[QLayoutItem] = []
        self.setContentsMargins(0, 0, 0, 0)

    def addItem(self, item: QLayoutItem) -> None:
        self._items.append(item)

    def count(self) -> int:
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def expandingDirections(self) -> Qt.Orientation:
        return Qt.Orientation.Horizontal

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        return self._place(QRect(0, 0, width, 0), move=False)

    def setGeometry(self, rect: QRect) -> None:
        super().setGeometry(rect)
        self._place(rect, move=True)

    def sizeHint(self) -> QSize:
        shown = self._shown()
        width = sum(item.sizeHint().width() + self._gap for item in shown) - self._gap
        return QSize(max(0, width), max((one.sizeHint().height() for one in shown), default=0))

    def minimumSize(self) -> QSize:
        shown = self._shown()
        width = max((item.sizeHint().width() for item in shown), default=0)
        return QSize(width, max((item.sizeHint().height() for item in shown), default=0))

    def _shown(self) -> list[QLayoutItem]:
        return [item for item in self._items if not item.isEmpty()]

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

    def _place(self, rect: QRect, *, move: bool) -> int:
        """Return the height that is needed; with `move` the items go to their places."""
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

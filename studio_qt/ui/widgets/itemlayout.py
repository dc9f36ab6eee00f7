"""`ItemLayout`: what layouts of our own have in common: their items, and a height by the width."""

from __future__ import annotations

from PySide6.QtCore import QRect, Qt
from PySide6.QtWidgets import QLayout, QLayoutItem

__all__ = ["ItemLayout"]


class ItemLayout(QLayout):
    """Keeps items in their order; subclasses put them in their places with `place`."""

    def __init__(self) -> None:
        super().__init__()
        self.items: list[QLayoutItem] = []
        self.setContentsMargins(0, 0, 0, 0)

    def place(self, rect: QRect, *, move: bool) -> int:
        """Return the height that is needed in pixels; with `move` the items go to their places."""
        raise NotImplementedError

    def addItem(self, item: QLayoutItem) -> None:
        self.items.append(item)

    def count(self) -> int:
        return len(self.items)

    def itemAt(self, index: int) -> QLayoutItem | None:
        return self.items[index] if 0 <= index < len(self.items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:
        return self.items.pop(index) if 0 <= index < len(self.items) else None

    def expandingDirections(self) -> Qt.Orientation:
        return Qt.Orientation.Horizontal

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        return self.place(QRect(0, 0, width, 0), move=False)

    def setGeometry(self, rect: QRect) -> None:
        super().setGeometry(rect)
        self.place(rect, move=True)

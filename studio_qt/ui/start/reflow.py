"""`Reflow`: equal columns, as many as the width has room for."""

from __future__ import annotations

from PySide6.QtCore import QRect, QSize
from PySide6.QtWidgets import QLayoutItem, QWidget

from studio_qt.ui.widgets.itemlayout import ItemLayout

__all__ = ["Reflow"]


class Reflow(ItemLayout):
    """Lays its items out in rows of equal columns; the items of a row are equally high.

    `least` is the width in pixels that a column must have, `most` the number of columns at most.
    """

    def __init__(self, least: int, most: int, gap: int = 12) -> None:
        super().__init__()
        self._least, self._most, self._gap = least, most, gap

    def clear(self) -> None:
        """Delete every widget."""
        while (item := self.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()

    def columns(self, width: int) -> int:
        """Return how many columns a width has room for."""
        room = (width + self._gap) // (self._least + self._gap)
        return max(1, min(self._most, room, max(1, self.count())))

    def sizeHint(self) -> QSize:
        width = self._least * min(self._most, max(1, self.count()))
        return QSize(width, self.heightForWidth(width))

    def minimumSize(self) -> QSize:
        return QSize(min(self._least, 160), 0)

    def place(self, rect: QRect, *, move: bool) -> int:
        columns = self.columns(rect.width())
        width = (rect.width() - self._gap * (columns - 1)) // columns
        top = rect.top()
        for start in range(0, len(self.items), columns):
            row = self.items[start : start + columns]
            height = max(_height(item, width) for item in row)
            for at, item in enumerate(row):
                if move:
                    left = rect.left() + at * (width + self._gap)
                    item.setGeometry(QRect(left, top, width, height))
            top += height + self._gap
        return max(0, top - self._gap - rect.top())


def _height(item: QLayoutItem, width: int) -> int:
    widget: QWidget | None = item.widget()
    if widget is not None and widget.hasHeightForWidth():
        return widget.heightForWidth(width)
    return item.sizeHint().height()

"""`TopBar`: the menu bar, with the field that goes anywhere in its middle."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QMenuBar, QWidget

__all__ = ["TopBar"]

_HEIGHT = 40
_WIDEST = 400
_LEAST = 180
_GAP = 16
_MENUS_CHANGED = (QEvent.Type.LayoutRequest, QEvent.Type.Resize, QEvent.Type.ActionChanged)


class TopBar(QFrame):
    """40 px at the head of the window; its middle is shown where the menus leave room for it."""

    def __init__(self, menus: QMenuBar) -> None:
        super().__init__()
        self._menus = menus
        self._middle: QWidget | None = None
        self._end: QWidget | None = None
        self._end_wanted = False
        self.setObjectName("topBar")
        self.setAccessibleName("Menus and search")
        self.setFixedHeight(_HEIGHT)
        menus.installEventFilter(self)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(menus, 0, Qt.AlignmentFlag.AlignVCenter)
        row.addStretch(1)

    def set_middle(self, middle: QWidget) -> None:
        """Take the control that is centred in the bar."""
        self._middle = middle
        middle.setParent(self)
        self._place()

    def set_end(self, end: QWidget) -> None:
        """Take the control that stands at the right, as long as there is room for it."""
        self._end = end
        end.setParent(self)
        self._place()

    def place_end(self, *, shown: bool) -> None:
        """Show what stands at the right, or leave it out."""
        self._end_wanted = shown
        self._place()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Make room for menus that appear later."""
        if watched is self._menus and event.type() in _MENUS_CHANGED:
            self._place()
        return False

    def _place(self) -> None:
        taken = 0 if self._menus.isNativeMenuBar() else self._menus.sizeHint().width()
        end = self._place_end(taken)
        if self._middle is None:
            return
        room = self.width() - taken - end - 2 * _GAP
        width = min(_WIDEST, room)
        self._middle.setVisible(width >= _LEAST)
        left = max((self.width() - width) // 2, taken + _GAP)
        left = min(left, max(taken + _GAP, self.width() - end - _GAP - width))
        height = self._middle.sizeHint().height()
        self._middle.setGeometry(left, (self.height() - height) // 2, max(width, _LEAST), height)

    def _place_end(self, taken: int) -> int:
        """Give what stands at the right its place; returns how much it takes."""
        if self._end is None:
            return 0
        size = self._end.sizeHint()
        shown = self._end_wanted and self.width() >= taken + size.width() + 2 * _GAP
        self._end.setVisible(shown)
        if not shown:
            return 0
        top = (self.height() - size.height()) // 2
        self._end.setGeometry(self.width() - size.width() - 12, top, size.width(), size.height())
        return size.width() + 12

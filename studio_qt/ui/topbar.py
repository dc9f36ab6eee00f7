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

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Make room for menus that appear later."""
        if watched is self._menus and event.type() in _MENUS_CHANGED:
            self._place()
        return False

    def _place(self) -> None:
        if self._middle is None:
            return
        taken = 0 if self._menus.isNativeMenuBar() else self._menus.sizeHint().width()
        room = self.width() - taken - 2 * _GAP
        width = min(_WIDEST, room)
        self._middle.setVisible(width >= _LEAST)
        left = max((self.width() - width) // 2, taken + _GAP)
        height = self._middle.sizeHint().height()
        self._middle.setGeometry(left, (self.height() - height) // 2, max(width, _LEAST), height)

"""`Rail`: the column of icons at the window's edge that chooses what the side pane shows."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QVBoxLayout

from studio_qt.ui.theme.dressing import wear
from studio_qt.ui.theme.theme import Theme
from studio_qt.ui.widgets.basics import IconButton

__all__ = ["WIDTH", "Rail"]

WIDTH = 52
_ICON = 20


class Rail(QFrame):
    """Buttons for the pages of the side pane at the top, others at the foot; arrows move in it.

    `chosen` carries the name of the page whose button was pressed.
    """

    chosen = Signal(str)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._icons: dict[str, str] = {}
        self._buttons: dict[str, IconButton] = {}
        self._offered: frozenset[str] | None = None
        self.setObjectName("rail")
        wear("base", "buttons", "bars", widgets=[self])
        self.setAccessibleName("Pages")
        self.setFixedWidth(WIDTH)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(8, 8, 8, 8)
        self._column.setSpacing(6)
        self._column.addStretch(1)

    def add_page(self, name: str, icon: str, tip: str) -> None:
        """Add the button of a page, below the others."""
        button = self._button(f"{name}Rail", icon, tip)
        button.setCheckable(True)
        button.clicked.connect(lambda: self.chosen.emit(name))
        self._icons[name], self._buttons[name] = icon, button
        self._column.insertWidget(len(self._buttons) - 1, button)
        if self._offered is not None:
            button.setVisible(name in self._offered)

    def add_foot(self, name: str, icon: str, tip: str) -> IconButton:
        """Add a button at the foot and return it."""
        button = self._button(name, icon, tip)
        self._column.addWidget(button)
        return button

    def offer(self, names: frozenset[str] | None) -> None:
        """Show the buttons of these pages alone; None shows all."""
        self._offered = names
        for name, button in self._buttons.items():
            button.setVisible(names is None or name in names)

    def mark(self, shown: str | None) -> None:
        """Show which page the side pane has; None where it is closed."""
        for name, button in self._buttons.items():
            button.setChecked(name == shown)
            button.set_icon(self._icons[name], "accent2" if name == shown else "fg2")

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Down:
            self.focusNextChild()
        elif event.key() == Qt.Key.Key_Up:
            self.focusPreviousChild()
        else:
            super().keyPressEvent(event)

    def _button(self, name: str, icon: str, tip: str) -> IconButton:
        return IconButton(self._theme, icon, tip, name=name, size=_ICON, kind="rail")

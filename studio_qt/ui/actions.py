"""`Actions`: every action of the window, each named once with its words, keys and menu."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QWidget

__all__ = ["Actions", "Place"]


@dataclass(frozen=True, slots=True)
class Place:
    """Where an action stands: the menu's title, and which of its sections, from the top."""

    menu: str
    section: int = 0


class Actions(QObject):
    """The window's actions in the order in which they came; menus and palette are made from them.

    `added` carries the QAction that came.
    """

    added = Signal(QAction)

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self._places: dict[QAction, Place] = {}

    def add(
        self,
        name: str,
        text: str,
        slot: Callable[[], object],
        *,
        place: Place,
        keys: str = "",
        owner: QWidget | None = None,
        checkable: bool = False,
    ) -> QAction:
        """Make an action and return it.

        `name` is its objectName, unique in the window; `keys` as QKeySequence reads them, several
        separated by "; ". With an `owner` the keys work only while it, or what is in it, has the
        focus. Raises ValueError for a name that is taken.
        """
        if self.find(name) is not None:
            raise ValueError(f"There is an action {name!r} already.")
        action = QAction(text, self)
        action.setObjectName(name)
        action.setCheckable(checkable)
        action.setShortcuts([QKeySequence(one) for one in keys.split("; ") if one])
        if owner is not None:
            action.setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        (owner or self._window).addAction(action)
        action.triggered.connect(lambda _checked=False: slot())
        self._places[action] = place
        self.added.emit(action)
        return action

    def find(self, name: str) -> QAction | None:
        """Return an action by its name."""
        return next((action for action in self._places if action.objectName() == name), None)

    def all(self) -> list[QAction]:
        """Return all actions in the order in which they came."""
        return list(self._places)

    def place(self, action: QAction) -> Place:
        """Return where an action stands; raises KeyError for a foreign one."""
        return self._places[action]

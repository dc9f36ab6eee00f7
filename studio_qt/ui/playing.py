"""`Playing`: a character in a zip is only played, so that what edits is out of the way."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction

from studio_qt.ui.actions import Actions, Place
from studio_qt.ui.desk import Desk
from studio_qt.ui.topbar import TopBar
from studio_qt.ui.widgets.basics import give_icon, text_button

__all__ = ["Playing"]

_SECTIONS = (
    *(Place("File", section) for section in (1, 3, 4)),
    *(Place("Edit", section) for section in (2, 3, 4, 5, 6, 7, 9)),
    *(Place("View", section) for section in (2, 4, 5)),
    *(Place("Character", section) for section in (0, 1)),
    *(Place("Tools", section) for section in (3, 4, 5, 8)),
)
"""The sections of menus that edit a project."""

_NAMES = frozenset(
    {"showProject", "showSearch", "showHistory", "toggleBottom", "toggleChat", "storeSetDefault"}
)
"""What edits, or shows what is edited, in sections that do not."""


class Playing(QObject):
    """Takes the actions that edit out of menus, keys and palette, and offers to open a copy."""

    def __init__(self, desk: Desk, head: TopBar, open_copy: Callable[[], None]) -> None:
        super().__init__(head)
        self._actions, self._head = desk.actions, head
        self._hidden: list[QAction] = []
        self._copy = desk.actions.add(
            "openCopy",
            "&Open it in the Studio…",
            open_copy,
            place=Place("File", 2),
            keys="Ctrl+Alt+Y",
        )
        button = text_button("Open in the Studio", "openCopyButton")
        button.setAccessibleDescription("Unpacks a copy of the zip into a folder to edit.")
        give_icon(desk.theme, button, "pencil")
        button.clicked.connect(self._copy.trigger)
        button.hide()
        head.set_end(button)
        self.show_playing(playing=False)

    def show_playing(self, *, playing: bool) -> None:
        """Show what playing needs, or all."""
        for action in self._hidden:
            action.setVisible(True)
        self._hidden.clear()
        if playing:
            self._hidden = [one for one in self._actions.all() if _edits(self._actions, one)]
        for action in self._hidden:
            action.setVisible(False)
        self._copy.setEnabled(playing)
        self._head.place_end(shown=playing)


def _edits(actions: Actions, action: QAction) -> bool:
    is_editing = actions.place(action) in _SECTIONS or action.objectName() in _NAMES
    return is_editing and action.isVisible()

"""The actions of the list: their names, words, keys and menus."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPoint
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QWidget

from studio_qt.ui.actions import Actions, Place

__all__ = ["COMMANDS", "FOR_NONE", "FOR_ONE", "Command", "add_actions", "offer"]


@dataclass(frozen=True, slots=True)
class Command:
    """An action; `keys` work while a list has the focus, those of `wide` ones everywhere."""

    name: str
    text: str
    section: int
    keys: str = ""
    wide: bool = False


COMMANDS: tuple[Command, ...] = (
    Command("conversationOpen", "&Open the conversation", 5),
    Command("conversationRename", "Rena&me the conversation", 5, "F2"),
    Command("conversationDelete", "&Delete the conversation", 5, "Del; Ctrl+Backspace"),
    Command("conversationBringBack", "&Bring the deleted conversation back", 5, "Ctrl+Z"),
    Command("conversationModel", "Who ans&wers in this conversation…", 6, "Ctrl+Alt+M", wide=True),
    Command("conversationExport", "E&xport the conversation…", 6, "Ctrl+Alt+E", wide=True),
    Command("conversationSearch", "&Search all conversations", 6, "Ctrl+Alt+K", wide=True),
)

FOR_ONE = (
    *("conversationOpen", "conversationRename", "conversationDelete", ""),
    *("conversationExport", "", "conversationNew", "conversationBringBack"),
)
"""What the context menu of a conversation offers; "" is a line between."""

FOR_NONE = ("conversationNew", "conversationBringBack", "", "conversationSearch")
"""What the menu offers beside the rows."""


def add_actions(
    actions: Actions, slots: Mapping[str, Callable[[], object]], lists: Sequence[QWidget]
) -> dict[str, QAction]:
    """Make every action; those of the list listen in each of `lists`, where the first owns them."""
    made = {}
    for command in COMMANDS:
        action = actions.add(
            command.name,
            command.text,
            slots[command.name],
            place=Place("Conversation", command.section),
            keys=command.keys,
            owner=None if command.wide else lists[0],
        )
        for other in () if command.wide else lists[1:]:
            other.addAction(action)
        made[command.name] = action
    return made


def offer(owner: QWidget, actions: Actions, names: Sequence[str], place: QPoint) -> None:
    """Show a menu of actions at a place of the screen; "" is a line between."""
    menu = QMenu(owner)
    menu.setObjectName("conversationsMenu")
    menu.setAccessibleName("Conversations")
    for name in names:
        action = actions.find(name) if name else None
        if action is not None:
            menu.addAction(action)
        elif not name:
            menu.addSeparator()
    menu.aboutToHide.connect(menu.deleteLater)
    menu.popup(place)

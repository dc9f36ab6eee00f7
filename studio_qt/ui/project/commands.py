"""The actions of the tree: their names, words, keys and menus."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from PySide6.QtCore import QPoint
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QWidget

from studio_qt.ui.actions import Actions, Place
from studio_qt.ui.project.scaffolds import SCAFFOLDS

__all__ = ["COMMANDS", "FOR_FILES", "FOR_NONE", "NEW", "Command", "add_actions", "offer"]


class Command(NamedTuple):
    """An action of the tree; `keys` work while the tree has the focus, `wide` ones everywhere."""

    name: str
    text: str
    place: Place
    keys: str = ""
    wide: bool = False
    checkable: bool = False


NEW = tuple(SCAFFOLDS)
"""The actions that make new files."""

_MAKES = {"newFile": "Ctrl+Alt+N"}

COMMANDS: tuple[Command, ...] = (
    *(
        Command(
            name,
            f"{scaffold.words}…",
            Place("File" if name in ("newFile", "newFolder") else "Character", 1),
            _MAKES.get(name, ""),
            wide=True,
        )
        for name, scaffold in SCAFFOLDS.items()
    ),
    Command("filterFiles", "&Filter files", Place("Edit", 7), "Ctrl+Alt+F", wide=True),
    Command("openFile", "&Open", Place("File", 3)),
    Command("renameFile", "&Rename…", Place("File", 3), "F2"),
    Command("duplicateFile", "&Duplicate", Place("File", 3), "Ctrl+D"),
    Command("deleteFile", "Dele&te", Place("File", 3), "Del; Ctrl+Backspace"),
    Command("revealFile", "Show in the file &manager", Place("File", 4)),
    Command("copyPath", "Copy the pat&h", Place("File", 4), "Ctrl+Alt+C"),
    Command("copyFiles", "Copy files", Place("Edit", 8), "Ctrl+C"),
    Command("pasteFiles", "Paste files", Place("Edit", 8), "Ctrl+V"),
    Command("undoFiles", "Undo in the tree", Place("Edit", 8), "Ctrl+Z"),
    Command("showHidden", "Show hidden files", Place("View", 5), checkable=True),
    Command("collapseTree", "Fold all folders", Place("View", 5)),
    Command("refreshTree", "Read the folder again", Place("View", 5), "F5"),
)

FOR_FILES = (
    *("openFile", ""),
    *("newFile", "newFolder", ""),
    *("copyFiles", "pasteFiles", "duplicateFile", ""),
    *("renameFile", "deleteFile", ""),
    *("revealFile", "copyPath"),
)
"""What the context menu of files offers; "" is a line between."""

FOR_NONE = (
    *("newFile", "newFolder", "pasteFiles", ""),
    *(*NEW[2:], ""),
    *("showHidden", "collapseTree"),
)
"""What the menu offers where no file is chosen."""


def add_actions(
    actions: Actions, slots: Mapping[str, Callable[[], object]], owner: QWidget
) -> dict[str, QAction]:
    """Make every action of the tree; `slots` has one for each name."""
    return {
        command.name: actions.add(
            command.name,
            command.text,
            slots[command.name],
            place=command.place,
            keys=command.keys,
            owner=None if command.wide else owner,
            checkable=command.checkable,
        )
        for command in COMMANDS
    }


def offer(
    owner: QWidget, actions: Mapping[str, QAction], names: Sequence[str], place: QPoint
) -> None:
    """Show a menu of actions at a place of the screen; "" is a line between."""
    menu = QMenu(owner)
    menu.setObjectName("projectMenu")
    menu.setAccessibleName("Files")
    for name in names:
        if name:
            menu.addAction(actions[name])
        else:
            menu.addSeparator()
    menu.aboutToHide.connect(menu.deleteLater)
    menu.popup(place)

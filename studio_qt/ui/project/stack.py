"""`TreeStack`: the tree, or what is said in its place."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QStackedWidget, QWidget

from studio_qt.ui.theme.theme import Theme
from studio_qt.ui.widgets.bars import EmptyState

__all__ = ["TreeStack"]

_STATES = {
    "projectNone": (
        "folder",
        "No project is open",
        "Open a folder to see its files here.",
        "Open a folder…",
    ),
    "projectGone": ("folder", "The folder is gone", "", "Open another…"),
    "projectNoMatch": ("search", "No file matches", "Type less of its name."),
}


class TreeStack(QStackedWidget):
    """What is said is made when it has to be said, which is seldom. `wanted`: another project."""

    wanted = Signal()

    def __init__(self, theme: Theme, tree: QWidget) -> None:
        super().__init__()
        self._theme, self._tree = theme, tree
        self.addWidget(tree)

    @property
    def said(self) -> str:
        """What is said in the place of the tree, by its object name; "" while that is shown."""
        shown = self.currentWidget()
        return "" if shown is self._tree or shown is None else shown.objectName()

    def show_tree(self) -> None:
        """Show the tree."""
        self.setCurrentWidget(self._tree)

    def say(self, name: str) -> EmptyState:
        """Say something in the place of the tree: that there is no project, folder or match."""
        state = self.findChild(EmptyState, name)
        if state is None:
            state = EmptyState(self._theme, *_STATES[name], name=name)
            state.wanted.connect(self.wanted)
            self.addWidget(state)
        self.setCurrentWidget(state)
        return state

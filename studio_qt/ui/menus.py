"""`StudioMenus`: the menu bar and what its entries open."""

from __future__ import annotations

import html
from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QActionGroup, QKeySequence
from PySide6.QtWidgets import QFileDialog, QMainWindow, QMenu

from studio_qt import __version__
from studio_qt.ui.theme.theme import CHOICES, Theme
from studio_qt.ui.widgets.sheet import MessageSheet

__all__ = ["StudioMenus"]

_KEYS = (
    ("Enter", "send the message"),
    ("Shift+Enter", "break the line"),
    ("@ in the empty field, Ctrl+K", "run a command of the character"),
    ("Esc", "stop the reply, close a dialog"),
    ("Ctrl+N", "new conversation"),
    ("Ctrl+Shift+C", "copy the transcript"),
    ("Ctrl+O", "open a project folder"),
    ("Ctrl+L", "go to the message field"),
)


class StudioMenus(QObject):
    """File, Conversation, View, Help. `open_wanted` carries a folder or a zip.

    `walls` returns sentences on what keeps agents in.
    """

    open_wanted = Signal(Path)
    sample_wanted = Signal()
    field_wanted = Signal()

    def __init__(
        self,
        window: QMainWindow,
        theme: Theme,
        conversation: QMenu,
        walls: Callable[[], Sequence[str]],
    ) -> None:
        super().__init__(window)
        self._walls = walls
        self._window, self._theme = window, theme
        bar = window.menuBar()
        bar.setAccessibleName("Menu bar")
        self._build_file(_named(bar.addMenu("&File"), "fileMenu"))
        bar.addMenu(conversation)
        self._build_view(_named(bar.addMenu("&View"), "viewMenu"))
        self._build_help(_named(bar.addMenu("&Help"), "helpMenu"))

    def choose_folder(self) -> None:
        """Ask for a project folder."""
        dialog = QFileDialog(self._window, "Open a project folder")
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setOption(QFileDialog.Option.ShowDirsOnly)
        self._ask(dialog)

    def choose_zip(self) -> None:
        """Ask for a character in a zip."""
        dialog = QFileDialog(self._window, "Open a character", filter="Characters (*.zip)")
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        self._ask(dialog)

    def show_keys(self) -> None:
        """Show the keyboard shortcuts."""
        lines = "".join(f"<tr><td><b>{key}</b>&nbsp;&nbsp;</td><td>{what}</td></tr>"
                        for key, what in _KEYS)  # fmt: skip
        self._tell("Keyboard shortcuts", f"<table cellpadding='3'>{lines}</table>")

    def show_walls(self) -> None:
        """Show what keeps the agents of the open character in."""
        lines = "".join(f"<li>{html.escape(wall)}</li>" for wall in self._walls())
        text = f"<ul>{lines}</ul>" if lines else "No agent code runs, so there are no walls."
        self._tell("Walls around agents", text)

    def show_about(self) -> None:
        """Show name and version."""
        self._tell(
            "About Character Studio",
            f"<b>Character Studio</b> {__version__}<br><br>Build and play AI characters: texts, "
            "agents, sub-agents, one portable zip.<br>MIT licence.",
        )

    def _build_file(self, menu: QMenu) -> None:
        menu.addAction("Open &folder…", QKeySequence("Ctrl+O"), self.choose_folder)
        menu.addAction("Open &zip…", QKeySequence("Ctrl+Shift+O"), self.choose_zip)
        menu.addAction("Open the &sample", self.sample_wanted.emit)
        menu.addSeparator()
        menu.addAction("&Close", QKeySequence("Ctrl+Q"), self._window.close)

    def _build_view(self, menu: QMenu) -> None:
        group = QActionGroup(self)
        for choice in CHOICES:
            action = menu.addAction(f"&{choice.capitalize()} theme")
            action.setObjectName(f"theme{choice.capitalize()}")
            action.setCheckable(True)
            action.setChecked(choice == self._theme.choice)
            action.triggered.connect(lambda _checked=False, to=choice: self._theme.choose(to))
            group.addAction(action)
        menu.addSeparator()
        menu.addAction("Go to the &message field", QKeySequence("Ctrl+L"), self.field_wanted.emit)

    def _build_help(self, menu: QMenu) -> None:
        menu.addAction("&Keyboard shortcuts", self.show_keys)
        menu.addAction("&Walls around agents", self.show_walls)
        menu.addAction("&About", self.show_about)

    def _ask(self, dialog: QFileDialog) -> None:
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(lambda chosen: self.open_wanted.emit(Path(chosen)))
        dialog.open()

    def _tell(self, title: str, text: str) -> None:
        MessageSheet(self._theme, self._window, title, text, name="message").lay()


def _named(menu: QMenu, name: str) -> QMenu:
    menu.setObjectName(name)
    menu.setAccessibleName(menu.title().replace("&", ""))
    return menu

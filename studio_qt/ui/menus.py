"""`MenuBar`, made from the window's actions, and `StudioMenus`: the actions that no page has."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QAction, QActionEvent, QActionGroup
from PySide6.QtWidgets import QFileDialog, QMainWindow, QMenu, QMenuBar

from studio_qt import __version__
from studio_qt.ui.actions import MENUS, Actions, Place
from studio_qt.ui.diagnostics.walls import WallsSheet
from studio_qt.ui.palette.shortcuts import ShortcutSheet
from studio_qt.ui.recents import Recents
from studio_qt.ui.theme.theme import CHOICES, Theme
from studio_qt.ui.widgets.sheet import MessageSheet

__all__ = ["MenuBar", "StudioMenus"]

_LETTERS = {"Conversation": "C&onversation"}
"""Titles whose letter is not their first; all others take that."""

_MOST_RECENT = 12


class MenuBar(QObject):
    """Fills the window's menu bar, or another one, from its actions, also from later ones.

    Sections stand in the order of their numbers, with a line between them; a menu without an
    action is hidden.
    """

    def __init__(self, window: QMainWindow, actions: Actions, bar: QMenuBar | None = None) -> None:
        super().__init__(window)
        self._actions = actions
        bar = bar or window.menuBar()
        self.widget = bar
        bar.setAccessibleName("Menu bar")
        self._menus = {name: _menu(name, window) for name in MENUS}
        self._lines: dict[tuple[str, int], QAction] = {}
        for menu in self._menus.values():
            bar.addMenu(menu)
            menu.menuAction().setVisible(False)
        for action in actions.all():
            self._on_added(action)
        actions.added.connect(self._on_added)
        actions.removed.connect(self._on_removed)

    def menu(self, name: str) -> QMenu:
        """Return the menu of a title in `MENUS`."""
        return self._menus[name]

    def take_in(self, action: QAction, place: Place) -> None:
        """Put an action, or a menu's own, below the others of its section."""
        menu = self._menus[place.menu]
        later = [
            line
            for (name, section), line in self._lines.items()
            if name == place.menu and section > place.section
        ]
        before = min(later, key=menu.actions().index) if later else None
        if (place.menu, place.section) not in self._lines:
            line = QAction(menu)
            line.setSeparator(True)
            self._insert(menu, before, line)
            self._lines[place.menu, place.section] = line
        self._insert(menu, before, action)
        menu.menuAction().setVisible(True)

    def _on_added(self, action: QAction) -> None:
        self.take_in(action, self._actions.place(action))

    def _on_removed(self, action: QAction) -> None:
        for menu in self._menus.values():
            menu.removeAction(action)
            menu.menuAction().setVisible(any(not one.isSeparator() for one in menu.actions()))

    def _insert(self, menu: QMenu, before: QAction | None, action: QAction) -> None:
        if before is None:
            menu.addAction(action)
        else:
            menu.insertAction(before, action)


class StudioMenus(QObject):
    """Opening, looks and help, as actions; with them, the menu bar.

    `open_wanted` carries a folder or a zip. `walls` returns sentences on what keeps agents in.
    What `conversation` lists beside actions stands in the bar as well; `bar` is filled in place of
    the window's own.
    """

    open_wanted = Signal(Path)
    sample_wanted = Signal()
    field_wanted = Signal()

    def __init__(
        self,
        window: QMainWindow,
        theme: Theme,
        conversation: QMenu | None,
        walls: Callable[[], Sequence[str]],
        actions: Actions | None = None,
        *,
        bar: QMenuBar | None = None,
    ) -> None:
        super().__init__(window)
        self._window, self._theme = window, theme
        self._walls = walls
        self._conversation = conversation
        self.actions = actions or Actions(window)
        self.bar = MenuBar(window, self.actions, bar)
        self._recent = QMenu("Open &recent", window)
        self._recent.setObjectName("recentMenu")
        self._recent.setAccessibleName("Open recent")
        self._add_file()
        self._add_view()
        self._add_help()
        if conversation is not None:
            self._follow(conversation)

    def offer_recents(self, recents: Recents) -> None:
        """List the projects that were opened before in the File menu."""
        self._recent.aboutToShow.connect(lambda: self._fill_recent(recents))
        self._recent.menuAction().setVisible(True)

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
        listed = self._conversation.actions() if self._conversation is not None else []
        others = [action for action in listed if action not in self.actions.all()]
        ShortcutSheet(self._theme, self._window, self.actions, others).lay()

    def show_walls(self) -> None:
        """Show what keeps the agents of the open character in."""
        WallsSheet(self._theme, self._window, self._walls()).lay()

    def show_about(self) -> None:
        """Show name and version."""
        self._tell(
            "About Character Studio",
            f"<b>Character Studio</b> {__version__}<br><br>Build and play AI characters: texts, "
            "agents, sub-agents, one portable zip.<br>MIT licence.",
        )

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        added = event.type() == QEvent.Type.ActionAdded
        if added and watched is self._conversation and isinstance(event, QActionEvent):
            self._take_over(event.action())
        return False

    def _add_file(self) -> None:
        add, place = self.actions.add, Place("File")
        add("openFolder", "Open &folder…", self.choose_folder, place=place, keys="Ctrl+O")
        add("openZip", "Open &zip…", self.choose_zip, place=place, keys="Ctrl+Shift+O")
        add("openSample", "Open the &sample", self.sample_wanted.emit, place=place)
        self.bar.take_in(self._recent.menuAction(), place)
        self._recent.menuAction().setVisible(False)
        quit_role = QAction.MenuRole.QuitRole
        end = Place("File", 9)
        add("quit", "&Quit", self._window.close, place=end, keys="Ctrl+Q", role=quit_role)

    def _add_view(self) -> None:
        group = QActionGroup(self)
        for choice in CHOICES:
            action = self.actions.add(
                f"theme{choice.capitalize()}",
                f"&{choice.capitalize()} theme",
                partial(self._theme.choose, choice),
                place=Place("View", 8),
                checkable=True,
            )
            group.addAction(action)
        self._theme.changed.connect(self._mark_theme)
        self._mark_theme()
        place = Place("View", 1)
        text = "Go to the &message field"
        self.actions.add("goMessage", text, self.field_wanted.emit, place=place, keys="Ctrl+L")

    def _add_help(self) -> None:
        add, place = self.actions.add, Place("Help", 1)
        add("showKeys", "&Keyboard shortcuts", self.show_keys, place=place, keys="Ctrl+F1")
        add("showWalls", "&Walls around agents", self.show_walls, place=place)
        about = QAction.MenuRole.AboutRole
        add("about", "&About Character Studio", self.show_about, place=Place("Help", 9), role=about)

    def _mark_theme(self) -> None:
        for choice in CHOICES:
            action = self.actions.find(f"theme{choice.capitalize()}")
            if action is not None:
                action.setChecked(choice == self._theme.choice)

    def _follow(self, conversation: QMenu) -> None:
        """List in the bar, below the actions, whatever else a menu lists, as it changes."""
        ours = self.bar.menu("Conversation")
        ours.aboutToShow.connect(conversation.aboutToShow)
        conversation.installEventFilter(self)
        for action in conversation.actions():
            self._take_over(action)

    def _take_over(self, action: QAction) -> None:
        if not action.isSeparator() and action not in self.actions.all():
            self.bar.take_in(action, Place("Conversation", 9))

    def _fill_recent(self, recents: Recents) -> None:
        self._recent.clear()
        for recent in recents.entries[:_MOST_RECENT]:
            shown = str(recent.path).replace("&", "&&")
            action = self._recent.addAction(shown)
            action.triggered.connect(lambda _=False, to=recent.path: self.open_wanted.emit(to))
        if not recents.entries:
            self._recent.addAction("Nothing has been opened yet").setEnabled(False)

    def _ask(self, dialog: QFileDialog) -> None:
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(lambda chosen: self.open_wanted.emit(Path(chosen)))
        dialog.open()

    def _tell(self, title: str, text: str) -> None:
        MessageSheet(self._theme, self._window, title, text, name="message").lay()


def _menu(name: str, window: QMainWindow) -> QMenu:
    menu = QMenu(_titled(name), window)
    menu.setObjectName(f"{name.lower()}Menu")
    menu.setAccessibleName(name)
    return menu


def _titled(name: str) -> str:
    return _LETTERS.get(name, f"&{name}")

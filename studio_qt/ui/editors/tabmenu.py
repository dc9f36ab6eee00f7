"""The menu of a tab."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMenu

from studio_qt.ui.actions import Actions, keys_text

if TYPE_CHECKING:
    from studio_qt.ui.editors.page import EditorsPage
    from studio_qt.ui.editors.view import EditorView

__all__ = ["tab_menu"]


def tab_menu(page: EditorsPage, view: EditorView, actions: Actions) -> QMenu:
    """Return the menu, which deletes itself when it is closed; keys are shown where there are."""
    menu = QMenu(page)
    menu.setObjectName("tabMenu")
    menu.setAccessibleName(f"Menu of {view.title}")
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)

    def add(text: str, name: str, run: Callable[[], object], like: str = "") -> None:
        known = actions.find(like) if like else None
        keys = f"\t{keys_text(known)}" if known is not None and keys_text(known) else ""
        action = menu.addAction(text + keys)
        action.setObjectName(name)
        action.triggered.connect(lambda _checked=False: run())

    add("Close", "tabMenuClose", lambda: page.departures.leave([view]), "closeTab")
    add("Close others", "tabMenuOthers", lambda: page.close_others(view))
    add("Close all", "tabMenuAll", lambda: page.departures.leave(page.views))
    menu.addSeparator()
    add("Save", "tabMenuSave", lambda: page.save_view(view), "saveFile")
    add("Compare with saved", "tabMenuCompare", lambda: page.compare_wanted.emit(view.path))
    add("Local history", "tabMenuHistory", lambda: page.history_wanted.emit(view.path))
    menu.addSeparator()
    add("Copy path", "tabMenuCopyPath", lambda: QGuiApplication.clipboard().setText(view.path))
    add("Reveal in the tree", "tabMenuReveal", lambda: page.reveal_wanted.emit(view.path))
    add("Show in folder", "tabMenuFolder", lambda: page.show_in_folder(view))
    add("Open in another program", "tabMenuOutside", lambda: page.open_outside(view))
    return menu

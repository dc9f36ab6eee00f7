"""`Building`: the ways into the forms for sub-agents and for config.json, and what follows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication, QWidget

from studio_qt.package.config import CONFIG_FILE
from studio_qt.package.subagents.loading import SUFFIX
from studio_qt.ui.builder.page import SubAgentBuilder
from studio_qt.ui.configform.page import ConfigForm
from studio_qt.ui.exporting.page import Exporting
from studio_qt.ui.widgets.basics import give_icon, text_button

if TYPE_CHECKING:
    from studio_qt.ui.pages import Pages
    from studio_qt.ui.window import StudioWindow

__all__ = ["Building"]


class Building(QObject):
    """Opens the forms from the tree, from a tab and from the menus.

    `builder` is the form for sub-agents, for whoever fills it or polishes what is in it;
    `configuration` the one for config.json, `exporting` the sheet that packs the character.
    """

    def __init__(self, window: StudioWindow, pages: Pages) -> None:
        super().__init__(pages)
        self._pages = pages
        inside = window.inside
        self._theme, self._session = inside.desk.theme, inside.session
        self.builder = SubAgentBuilder(inside.desk, self._session.documents, window, self._current)
        self.exporting = Exporting(inside.desk, self._session.documents, window)
        self.configuration = ConfigForm(inside.desk, self._session.documents, window)
        self._connect()
        self._connect_configuration()

    def _connect(self) -> None:
        pages, session, builder = self._pages, self._session, self.builder
        builder.open_wanted.connect(pages.open_file)
        builder.delete_wanted.connect(lambda path: pages.project.files.delete([path]))
        builder.written.connect(session.wrote)
        builder.saved.connect(lambda path, _is_new: pages.project.select(path))
        builder.notice.connect(pages.toasts.show_text)
        builder.done.connect(lambda text, undo: pages.toasts.show_text(text, "ok", "Undo", undo))
        builder.found.connect(
            lambda text, act: pages.toasts.show_text(text, "info", "Open it", act)
        )
        pages.project.sub_agent_wanted.connect(builder.open_new)
        pages.project.edit_wanted.connect(builder.open_edit)
        pages.editors.tabs.edit_wanted.connect(builder.open_edit)
        session.opening.connect(lambda _name: self._on_opening())
        session.opened.connect(self._on_opened)
        session.untrusted.connect(builder.project_opened)
        session.failed.connect(lambda _name, _reason: builder.project_opened())
        session.closed.connect(self._on_opening)
        session.problems_changed.connect(builder.show_problems)
        session.files_changed.connect(builder.files_changed)

    def _connect_configuration(self) -> None:
        pages, form = self._pages, self.configuration
        form.open_wanted.connect(pages.open_file)
        form.builder_wanted.connect(self.builder.open_edit)
        form.notice.connect(pages.toasts.show_text)
        self._session.files_changed.connect(form.files_changed)
        pages.editors.add_tool(self._form_button)
        self.exporting.open_wanted.connect(pages.open_file)
        self.exporting.notice.connect(pages.toasts.show_text)

    def _form_button(self, path: str) -> QWidget | None:
        if path != CONFIG_FILE:
            return None
        button = text_button("Form", "configFormButton")
        button.setAccessibleDescription("Shows config.json as a form.")
        give_icon(self._theme, button, "sliders")
        button.clicked.connect(self.configuration.open)
        return button

    def _on_opened(self) -> None:
        self.builder.show_player(self._session.player)
        self.builder.project_opened()

    def _on_opening(self) -> None:
        self.builder.show_player(None)
        self.builder.project_closed()
        self.configuration.project_closed()
        self.exporting.project_closed()

    def _current(self) -> str | None:
        """Return the sub-agent that is meant: in the tree where that has the keys, or in front."""
        focus, tree = QApplication.focusWidget(), self._pages.project.tree
        item = tree.current()
        in_tree = focus is not None and (focus is tree or tree.isAncestorOf(focus))
        if in_tree and item is not None and item.path.endswith(SUFFIX):
            return item.path
        return self._pages.editors.current_path

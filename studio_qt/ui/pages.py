"""`Pages`: every page of the window, made after its first paint, and the wires between them."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction

from studio_qt.errors import Problem
from studio_qt.providers.endpoint import Endpoint
from studio_qt.settings import home_folder
from studio_qt.ui.actions import Place
from studio_qt.ui.agentlog.page import AgentLogPage
from studio_qt.ui.answering.page import WhoAnswers
from studio_qt.ui.chat.page import ChatPage
from studio_qt.ui.comparing import Comparing
from studio_qt.ui.connections import Connections
from studio_qt.ui.conversations.page import ConversationsPane
from studio_qt.ui.destinations import Destinations
from studio_qt.ui.diagnostics.page import Diagnostics, Facts, StudioLog
from studio_qt.ui.editors.page import EditorsPage
from studio_qt.ui.handbook.page import Handbook
from studio_qt.ui.inspector.page import PromptInspectorPage
from studio_qt.ui.menus import StudioMenus
from studio_qt.ui.palette.page import Palette, PaletteField
from studio_qt.ui.problems.page import ProblemsPanel
from studio_qt.ui.project.page import ProjectPage
from studio_qt.ui.recents import Recents
from studio_qt.ui.remembering import ProjectMemory
from studio_qt.ui.search.page import SearchPage
from studio_qt.ui.start.page import StartPage
from studio_qt.ui.stores.page import AgentStoresPage
from studio_qt.ui.tasks import sentence
from studio_qt.ui.tester.page import ToolTesterPage
from studio_qt.ui.widgets.toasts import Toasts

if TYPE_CHECKING:
    from studio_qt.engine.player import CharacterPlayer
    from studio_qt.ui.session import Connection
    from studio_qt.ui.settings.page import SettingsDialog
    from studio_qt.ui.window import StudioWindow

__all__ = ["Pages"]


class Pages(QObject):
    """The pages of a window and what stands around them. `build` makes them, one after the other.

    `connection` answers instead of the saved ones.
    """

    def __init__(
        self, window: StudioWindow, connection: Connection | None, log: StudioLog | None = None
    ) -> None:
        super().__init__(window)
        self._window, self._fixed = window, connection
        self._inside = window.inside
        self._desk, self._session = window.inside.desk, window.inside.session
        self._settings: SettingsDialog | None = None
        self._memory = ProjectMemory(self._desk.tasks, self._facts, self)
        self.log = log or StudioLog(home_folder())
        self.recents = Recents(home_folder(), self)
        self.connections = Connections(home_folder(), self._desk.tasks, self)

    @property
    def settled(self) -> bool:
        """Whether what is shown is drawn and nothing of it moves."""
        shown = self._inside.shown
        if shown is self.start:
            return self.start.settled
        parts = (self.project, self.conversations, self.inspector, self.tester)
        if not all(part.settled for part in parts):
            return False
        return shown is not self.chat or self.chat.settled

    # Making

    async def build(self) -> None:
        """Make the pages one by one, so that the loop never waits long; then connect them."""
        for make in (
            self._make_editors,
            self._make_project,
            self._make_stores,
            self._make_chat,
            self._make_head,
            self._make_start,
            self._connect_project,
            self._connect_session,
            self._connect_conversations,
            self._connect_rest,
        ):
            make()
            await asyncio.sleep(0)
        if self._fixed is None:
            await self.connections.load()

    def _make_editors(self) -> None:
        documents = self._session.documents
        self.editors = EditorsPage(self._desk, documents)
        self.comparing = Comparing(self._desk, documents, self.editors)
        self._inside.workbench.set_editors(self.comparing.stack)
        self.problems = ProblemsPanel(self._desk.theme, self._desk.actions)
        self._inside.workbench.add_bottom("problems", "Problems", "Ctrl+Shift+M", self.problems)
        self.agent_log = AgentLogPage(self._desk)
        self._inside.workbench.add_bottom("agentLog", "Agent log", "Ctrl+Alt+L", self.agent_log)

    def _make_project(self) -> None:
        add_side = self._inside.workbench.add_side
        self.project = ProjectPage(self._desk, self._session.documents)
        self.conversations = ConversationsPane(self._desk)
        both = self.conversations.below(self.project)
        add_side("project", "folder", "Project", "Ctrl+Shift+E", both)
        self.search = SearchPage(self._desk, self._session.documents)
        add_side("search", "search", "Search in files", "Ctrl+Shift+F", self.search)
        add_side("conversations", "chat", "Conversations", "Ctrl+Shift+L", self.conversations)
        history = self.comparing.history
        add_side("history", "history", "Earlier versions", "Ctrl+Shift+H", history)

        add_large = self._inside.workbench.add_large
        self.inspector = PromptInspectorPage(self._desk)
        add_large("inspector", "prompt", "Prompt inspector", "Ctrl+Shift+I", self.inspector)
        self.tester = ToolTesterPage(self._desk)
        add_large("tester", "flask", "Tool tester", "Ctrl+Shift+Y", self.tester)

    def _make_stores(self) -> None:
        self.stores = AgentStoresPage(self._desk, self._session.documents)
        add_large = self._inside.workbench.add_large
        add_large("stores", "database", "Agent stores", "Ctrl+Alt+S", self.stores)

    def _make_chat(self) -> None:
        self.chat = ChatPage(self._desk)
        self._inside.slot.addWidget(self.chat)
        self.toasts = Toasts(self._desk.theme, self.chat.transcript)

    def _make_head(self) -> None:
        window = self._window
        self.palette = Palette(self._desk, window)
        self.menus = StudioMenus(
            window,
            self._desk.theme,
            self.chat.menu,
            self._walls,
            self._desk.actions,
            bar=self._inside.bar,
        )
        self.menus.offer_recents(self.recents)
        self._inside.head.set_middle(PaletteField(self._desk.theme, self.palette))
        self.diagnostics = Diagnostics(self._desk, self.log, self._diagnosed, self)
        self.handbook = Handbook(self._desk, window)
        place = Place("Tools", 9)
        role = QAction.MenuRole.PreferencesRole
        add = self._desk.actions.add
        add("settings", "&Settings…", self.open_settings, place=place, keys="Ctrl+,", role=role)
        gear = self._inside.workbench.rail.add_foot("settingsRail", "gear", "Settings (Ctrl+,)")
        gear.clicked.connect(lambda _checked: self.open_settings())

    def _make_start(self) -> None:
        self.start = StartPage(self._desk, self.recents)
        answers = WhoAnswers(self._desk, self.connections)
        answers.settings_wanted.connect(lambda: self.open_settings("connections"))
        self.start.set_side(answers)
        self._inside.stack.addWidget(self.start)

    # Wires

    def _connect_project(self) -> None:
        project, editors, documents = self.project, self.editors, self._session.documents
        project.open_wanted.connect(self.open_file)
        project.moved.connect(editors.moved)
        project.removed.connect(editors.removed)
        project.another_wanted.connect(self.menus.choose_folder)
        editors.current_changed.connect(self._on_file)
        editors.status_changed.connect(self._inside.status.show_editor)
        editors.reveal_wanted.connect(self._reveal)
        editors.import_wanted.connect(self._import)
        self.problems.jump_wanted.connect(self.open_file)
        self.problems.counted.connect(self._on_counted)
        self.search.open_wanted.connect(self.open_file)
        self.palette.line_wanted.connect(self._go_to_line)
        comparing, workbench = self.comparing, self._inside.workbench
        comparing.history_wanted.connect(lambda: workbench.show_side("history"))
        comparing.history.closed.connect(lambda: workbench.show_side("project"))
        for page in (project, editors, comparing, self.search):
            page.notice.connect(self.toasts.show_text)
        self._desk.preferences.failed.connect(lambda text: self.toasts.show_text(text, "error"))
        for text in (*self._desk.preferences.notices, self.recents.notice):
            if text:
                self.toasts.show_text(text, "error")
        documents.notice.connect(lambda text: self.toasts.show_text(text, "info"))
        documents.unsaved_changed.connect(self._memory.mark)

    def _connect_session(self) -> None:
        session = self._session
        session.opening.connect(self._on_opening)
        session.project_changed.connect(self._on_project)
        session.opened.connect(self._on_opened)
        session.failed.connect(self._on_failed)
        session.toast.connect(self._on_toast)
        session.reloaded.connect(self._on_reloaded)
        session.problems_changed.connect(self._on_problems)
        session.files_changed.connect(self.project.files_changed)
        session.files_changed.connect(self.editors.files_changed)
        self.connections.current_changed.connect(self._on_connection)
        self.connections.notice.connect(self.toasts.show_text)

    def _connect_conversations(self) -> None:
        pane, workbench = self.conversations, self._inside.workbench
        pane.notice.connect(self.toasts.show_text)
        pane.deleted.connect(lambda text, undo: self.toasts.show_text(text, "info", "Undo", undo))
        pane.entry_wanted.connect(self._show_entry)
        pane.foot_moved.connect(self._memory.mark)
        pane.shown.connect(lambda: workbench.show_side("conversations"))
        pane.listed.connect(self.chat.menu.list_wanted)
        pane.another.connect(self._on_reloaded)
        pane.settings_wanted.connect(lambda: self.open_settings("connections"))
        self.chat.model_wanted.connect(pane.choose_model)

    def _connect_rest(self) -> None:
        window, menus = self._window, self.menus
        menus.open_wanted.connect(window.open_project)
        menus.sample_wanted.connect(window.open_sample)
        menus.field_wanted.connect(self.chat.composer.input.setFocus)
        self.start.open_wanted.connect(window.open_project)
        self.start.sample_wanted.connect(window.open_sample)
        self.start.folder_wanted.connect(menus.choose_folder)
        self.start.zip_wanted.connect(menus.choose_zip)
        self.start.handbook_wanted.connect(self.handbook.open)
        self._inside.status.connection_wanted.connect(lambda: self.open_settings("connections"))
        if (go_to_line := self._desk.actions.find("goToLine")) is not None:
            self._inside.status.line_wanted.connect(go_to_line.trigger)
        self._inside.opening.retry_wanted.connect(self._retry)
        self._inside.opening.sample_wanted.connect(window.open_sample)
        self._inside.opening.folder_wanted.connect(menus.choose_folder)
        self._desk.tasks.failed.connect(
            lambda error: self.toasts.show_text(sentence(error), "error")
        )
        self.chat.notice.connect(self.toasts.show_text)
        self.stores.notice.connect(self.toasts.show_text)
        self.stores.closed.connect(self._inside.workbench.show_editors)
        for told in (self.stores.entry_wanted, self.agent_log.entry_wanted):
            told.connect(self._show_entry_now)
        self.agent_log.notice.connect(self.toasts.show_text)
        self.chat.draft_changed.connect(self._memory.mark)
        self.chat.draft_changed.connect(lambda: self.inspector.set_draft(self.chat.draft))
        self.inspector.open_wanted.connect(self.open_file)
        self.inspector.settings_wanted.connect(self.open_settings)
        self.inspector.notice.connect(self.toasts.show_text)
        self.tester.open_wanted.connect(self.open_file)
        self.tester.notice.connect(self.toasts.show_text)
        for part in (self.diagnostics, self.handbook):
            part.notice.connect(self.toasts.show_text)
        Destinations(
            self.palette,
            self._session,
            self.project,
            self.chat,
            self.recents,
            self.open_file,
            window.open_project,
        )

    def open_settings(self, page: str = "") -> None:
        """Open the settings on a page by its name; "" is the last one."""
        self._desk.tasks.start(self._open_settings(page), name="settings")

    async def _open_settings(self, page: str) -> None:
        await asyncio.to_thread(import_module, "studio_qt.ui.settings.page")
        if self._settings is None:
            from studio_qt.ui.settings.page import SettingsDialog

            self._settings = SettingsDialog(self._desk, self.connections, self._window)
        self._settings.open_on(page)

    # Slots: the project

    def open_file(self, path: str, line: int = 0, column: int = 1) -> None:
        """Show a file of the project, at a line counted from 1; 0 leaves the place as it is."""
        self._inside.workbench.show_editors()
        self._desk.tasks.start(self.editors.open(path, line or None, column), name="open")

    def _on_file(self) -> None:
        if (path := self.editors.current_path) is not None:
            self.project.select(path)
        self._memory.mark()

    def _reveal(self, path: str) -> None:
        self._inside.workbench.show_side("project")
        self.project.select(path)

    def _import(self, files: Sequence[str]) -> None:
        self.project.files.copy([Path(file) for file in files], "")

    def _go_to_line(self, line: int, column: int) -> None:
        if (path := self.editors.current_path) is not None:
            self.open_file(path, line, column)

    def _on_counted(self, errors: int, warnings: int) -> None:
        count = errors + warnings
        self._inside.workbench.set_bottom_text(
            "problems", f"Problems {count}" if count else "Problems"
        )

    def _retry(self) -> None:
        if self._session.place is not None:
            self._window.open_project(self._session.place)

    # Slots: the session

    def show_start(self) -> None:
        """Show the start page."""
        self._inside.show_page(self.start)
        self._window.setWindowTitle("Character Studio")
        self._inside.status.show_hint("Drop a folder or a zip here to open it.")

    def _on_opening(self, name: str) -> None:
        self._show_player(None)
        self._inside.opening.show_opening(name)
        self._inside.show_page(self._inside.opening)

    def _on_project(self) -> None:
        session = self._session
        self._inside.workbench.set_editing(editing=session.root is not None)
        self.project.show_project(session.root, session.root.name if session.root else "")
        self.search.show_project(session.root)
        self.tester.show_project(session.place)
        self.chat.set_place(session.place)
        self.conversations.set_place(session.place)
        if session.place is not None:
            self.recents.note(session.place)
            self._desk.tasks.start(self._take_up(session.place), name="take up the project")

    def _on_opened(self) -> None:
        player = self._session.player
        if player is None:
            return
        self._inside.opening.rest()
        self._inside.show_page(self.chat)
        self._show_player(player)
        self._name_player(player)
        self.chat.composer.input.setFocus()

    def _show_player(self, player: CharacterPlayer | None) -> None:
        self.chat.show_player(player)
        self.conversations.show_player(player)
        self.inspector.show_player(player)
        self.tester.show_player(player)
        self.stores.show_player(player)
        self.agent_log.show_player(player)

    def _show_entry_now(self, entry: str) -> None:
        """Show an entry of the conversation that is played."""
        if (player := self._session.player) is not None:
            self._show_entry(player.conversation_id, entry)

    def _show_entry(self, conversation: str, entry: str) -> None:
        self._inside.slot.show()
        self.chat.show_entry(conversation, entry)

    def _on_failed(self, name: str, reason: str) -> None:
        window = self._window
        self._inside.show_page(self._inside.opening)
        self._inside.opening.show_failure(name, reason)
        window.setWindowTitle(f"{name} – Character Studio")
        self._inside.status.show_player("", self._session.place)

    def _on_toast(self, text: str, kind: str) -> None:
        """Tell on the opening page what comes while it is shown; toasts lie over the chat."""
        if self._inside.shown is self._inside.opening:
            self._inside.opening.show_progress(text)
        else:
            self.toasts.show_text(text, kind)

    def _on_reloaded(self) -> None:
        player = self._session.player
        if player is not None:
            self.chat.refresh_character()
            self._name_player(player)

    def _name_player(self, player: CharacterPlayer) -> None:
        character = player.character
        self._inside.status.show_player(character.model_label, self._session.place)
        self._window.setWindowTitle(f"{character.name} – Character Studio")

    def _on_problems(self, problems: Sequence[Problem]) -> None:
        self.problems.show_problems(problems)
        self.project.show_problems(problems)
        self.editors.show_problems(problems)

    def _on_connection(self) -> None:
        if key := self.connections.current.api_key:
            self.log.hide(key)
        if self._fixed is None:
            self._desk.tasks.start(self._session.use(self.connections.current), name="connection")

    # Remembering

    def _facts(self) -> dict[str, object]:
        foot = self.conversations.foot_height
        return {"tabs": self.editors.tab_state(), "draft": self.chat.draft, "foot": foot}

    async def _take_up(self, place: Path) -> None:
        """Bring back tabs and the half-written message of a project."""
        kept = await self._memory.begin(place)
        tabs, draft, foot = kept.get("tabs"), kept.get("draft"), kept.get("foot")
        if isinstance(foot, int):
            self.conversations.set_foot_height(foot)
        if isinstance(draft, str) and draft and not self.chat.draft:
            self.chat.draft = draft  # first: what is not back yet would be forgotten by a close
        if isinstance(tabs, dict) and self._session.root is not None:
            await self.editors.restore(tabs)

    async def leave(self) -> None:
        """Remember the project that is open, before another is."""
        await self._memory.end()

    async def close(self) -> None:
        """Remember, and let go of the player."""
        await self._memory.end()
        self._show_player(None)
        self.toasts.clear()

    # What others ask

    def _walls(self) -> tuple[str, ...]:
        player = self._session.player
        return player.walls() if player is not None else ()

    def _diagnosed(self) -> Facts:
        chosen = self.connections.chosen
        place, root = self._session.place, self._session.root
        return Facts(
            walls=self._walls(),
            connection=Endpoint.parse(chosen.base_url).kind if chosen else "Rehearsal",
            project="folder" if root else "zip" if place else "",
        )

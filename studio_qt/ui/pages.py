"""`Pages`: the pages of the window; first those that take input, then all others."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QSplitter, QStackedWidget, QWidget

from studio_qt.errors import Problem
from studio_qt.ui.chat.page import ChatPage
from studio_qt.ui.editors.page import EditorsPage
from studio_qt.ui.importing import import_directly
from studio_qt.ui.project.page import ProjectPage
from studio_qt.ui.remembering import ProjectMemory
from studio_qt.ui.storemoving import SessionStores
from studio_qt.ui.tasks import sentence
from studio_qt.ui.theme.dressing import hold
from studio_qt.ui.theme.pictures import LOOKS, make_pictures
from studio_qt.ui.widgets.uppersplit import UpperSplit

if TYPE_CHECKING:
    from studio_qt.engine.player import CharacterPlayer
    from studio_qt.ui.agentlog.page import AgentLogPage
    from studio_qt.ui.building import Building
    from studio_qt.ui.comparing import Comparing
    from studio_qt.ui.connections import Connections
    from studio_qt.ui.conversations.page import ConversationsPane
    from studio_qt.ui.diagnostics.page import Diagnostics, StudioLog
    from studio_qt.ui.handbook.page import Handbook
    from studio_qt.ui.helping import Helping
    from studio_qt.ui.inspector.page import PromptInspectorPage
    from studio_qt.ui.menus import StudioMenus
    from studio_qt.ui.noticing.page import Noticing
    from studio_qt.ui.palette.page import Palette
    from studio_qt.ui.problems.page import ProblemsPanel
    from studio_qt.ui.receiving import Receiving
    from studio_qt.ui.recents import Recents
    from studio_qt.ui.search.page import SearchPage
    from studio_qt.ui.session import Connection
    from studio_qt.ui.start.page import StartPage
    from studio_qt.ui.stores.page import AgentStoresPage
    from studio_qt.ui.tester.page import ToolTesterPage
    from studio_qt.ui.trusting import Trusting
    from studio_qt.ui.widgets.toasts import Toasts
    from studio_qt.ui.window import StudioWindow

__all__ = ["Pages"]

_LATER = ("markdown_it", "studio_qt.ui.chat.parts", "studio_qt.ui.furnishing")
_LOOKS, _LOOK_MS = 25, 20
"""How often it is looked, and after how long each, whether the tree is there."""


class Pages(QObject):
    """The pages of a window and what stands around them.

    `build` makes tree, editors and chat, for which the user waits; `furnish` makes what else is
    named below, which is there from `complete` on. A player is not opened before. `connection`
    answers instead of the saved ones.
    """

    agent_log: AgentLogPage
    building: Building
    comparing: Comparing
    connections: Connections
    conversations: ConversationsPane
    diagnostics: Diagnostics
    handbook: Handbook
    helping: Helping
    inspector: PromptInspectorPage
    menus: StudioMenus
    noticing: Noticing
    palette: Palette
    problems: ProblemsPanel
    receiving: Receiving
    recents: Recents
    search: SearchPage
    start: StartPage
    stores: AgentStoresPage
    tester: ToolTesterPage
    toasts: Toasts
    trusting: Trusting

    def __init__(
        self, window: StudioWindow, connection: Connection | None, log: StudioLog | None = None
    ) -> None:
        super().__init__(window)
        self._window, self._fixed = window, connection is not None
        self._inside = window.inside
        self._desk, self._session = window.inside.desk, window.inside.session
        self._furnishing = asyncio.Lock()
        self._foot = 0
        self._taken_up = self._closing = False
        self._untold: list[tuple[str, str]] = []
        self._early: dict[str, object] = {}
        self.coming: Path | None = None
        self._taking: asyncio.Task[None] | None = None
        self.memory = ProjectMemory(self._desk.tasks, self._facts, self)
        self.complete = False
        self.log = log

    @property
    def settled(self) -> bool:
        """Whether what is shown is drawn and nothing of it moves."""
        if not self.complete:
            return False
        shown = self._inside.shown
        if shown is self.start:
            return self.start.settled
        if shown is not None and shown is self.receiving.library:
            return self.receiving.library.settled
        parts = (self.project, self.conversations, self.inspector, self.tester)
        if not all(part.settled for part in parts):
            return False
        return shown is not self.chat or self.chat.settled

    # Making

    async def build(self) -> None:
        """Make the pages that take input one by one, so that the loop never waits long."""
        for make in (
            self._make_editors,
            self._make_project,
            self._make_chat,
            self._connect_project,
            self._connect_session,
        ):
            await asyncio.sleep(0)
            make()

    async def furnish(self) -> None:
        """Make all other pages, once; whoever calls while they are made waits for them."""
        async with self._furnishing:
            if self.complete:
                return
            for name in _LATER:
                later = await asyncio.to_thread(import_directly, name)
            for step in later.Furnishing(self._window, self, fixed=self._fixed).steps():
                step()
                await asyncio.sleep(0)
            if not self._fixed:
                await self.connections.load()
            self.complete = True
            self._show_place()
            for text, kind in self._untold:
                self.tell(text, kind)
            self._untold.clear()
            self._desk.tasks.start(asyncio.to_thread(make_pictures, *LOOKS), name="pictures")

    def _make_editors(self) -> None:
        self.editors = EditorsPage(self._desk, self._session.documents)
        self.stack = QStackedWidget()
        self.stack.setObjectName("editorsPane")
        hold(self.stack)
        self.stack.addWidget(self.editors)
        self._inside.workbench.set_editors(self.stack)

    def _make_project(self) -> None:
        add_side = self._inside.workbench.add_side
        self.project = ProjectPage(self._desk, self._session.documents)
        self.side: QSplitter = UpperSplit(Qt.Orientation.Vertical, self.project)
        self.side.setObjectName("sideSplit")
        self.side.setAccessibleName("Project and conversations")
        add_side("project", "folder", "Project", "Ctrl+Shift+E", self.side)

    def _make_chat(self) -> None:
        self.chat = ChatPage(self._desk)
        self.chat.cover.use(self._inside.opening)
        self._inside.slot.addWidget(self.chat)

    # Wires

    def _connect_project(self) -> None:
        project, editors, documents = self.project, self.editors, self._session.documents
        project.open_wanted.connect(self.open_file)
        project.count_after(self._tabs_back)
        project.files.follow_up.stores = SessionStores(self._session)
        project.moved.connect(editors.moved)
        project.removed.connect(editors.removed)
        editors.current_changed.connect(self._on_file)
        editors.reveal_wanted.connect(self._reveal)
        editors.import_wanted.connect(self._import)
        for page in (project, editors, self.chat):
            page.notice.connect(self.tell)
        self._desk.preferences.failed.connect(lambda text: self.tell(text, "error"))
        for text in self._desk.preferences.notices:
            if text:
                self.tell(text, "error")
        documents.notice.connect(self.tell)
        documents.unsaved_changed.connect(self.memory.mark)
        self.chat.draft_changed.connect(self.memory.mark)
        self._inside.opening.retry_wanted.connect(self._retry)
        self._desk.tasks.failed.connect(lambda error: self.tell(sentence(error), "error"))

    def _connect_session(self) -> None:
        session = self._session
        session.before_player = self._before_player
        session.opening.connect(self._on_opening)
        session.project_changed.connect(self._on_project)
        session.opened.connect(self._on_opened)
        session.failed.connect(self._on_failed)
        session.toast.connect(self._on_toast)
        session.reloaded.connect(self.refresh)
        session.problems_changed.connect(self._on_problems)
        session.files_changed.connect(self.project.files_changed)
        session.files_changed.connect(self.editors.files_changed)

    # Telling

    def tell(self, text: str, kind: str = "info") -> None:
        """Show a sentence for a while; what is told at the start waits until it can be shown."""
        if self.complete:
            self.toasts.show_text(text, kind)
        else:
            self._untold.append((text, kind))

    # Slots: the project

    def open_file(self, path: str, line: int = 0, column: int = 1) -> None:
        """Show a file of the project, at a line counted from 1; 0 leaves the place as it is."""
        self._inside.workbench.show_editors()
        self._desk.tasks.start(self.editors.open(path, line or None, column), name="open")

    def go_to_line(self, line: int, column: int) -> None:
        """Go to a place in the file that is shown, both counted from 1."""
        if (path := self.editors.current_path) is not None:
            self.open_file(path, line, column)

    def _on_file(self) -> None:
        if (path := self.editors.current_path) is not None:
            self.project.select(path)
        self.memory.mark()

    def _reveal(self, path: str) -> None:
        self._inside.workbench.show_side("project")
        self.project.select(path)

    def _import(self, files: Sequence[str]) -> None:
        self._desk.tasks.start(self._bring([Path(file) for file in files]), name="import")

    async def _bring(self, files: Sequence[Path]) -> None:
        """Copy files into the project; a character among them is asked about instead."""
        others = await self.receiving.left_over(files) if self.complete else list(files)
        if others:
            self.project.files.copy(others, "")

    def _retry(self) -> None:
        if self._session.place is not None:
            self._window.open_project(self._session.place)

    # Slots: the session

    def show_start(self) -> None:
        """Show the start page, which `furnish` has made."""
        self._inside.show_page(self.start)
        self._window.setWindowTitle("Character Studio")
        self._inside.status.show_hint("Drop a folder, a zip, a card or a chat here.")

    def _on_opening(self, name: str) -> None:
        self._show_player(None)
        self._inside.opening.show_opening(name)
        self.chat.cover.lay()
        self._inside.show_page(self.chat)

    def _on_project(self) -> None:
        session = self._session
        self.project.show_project(session.root, session.root.name if session.root else "")
        self._inside.workbench.set_editing(editing=session.root is not None)
        self.chat.set_place(session.place)
        if self.complete:
            self._show_place()
        if session.place is not None and not self._closing:
            name = "take up the project"
            self._taking = self._desk.tasks.start(self._take_up(session.place), name=name)

    def _show_place(self) -> None:
        """Tell the later pages which project is open."""
        session = self._session
        self.search.show_project(session.root)
        self.tester.show_project(session.place)
        self.conversations.set_place(session.place)
        self.conversations.set_foot_height(self._foot)
        if session.place is not None:
            self.recents.note(session.place)

    async def _before_player(self) -> None:
        """Let tree and tabs come back and be painted, then make what shows a player."""
        if not self.complete:
            await self._tabs_back()
            for _ in range(_LOOKS):
                await asyncio.sleep(_LOOK_MS / 1000)
                if self.project.settled:
                    break
        await self.furnish()

    async def _tabs_back(self) -> None:
        """Wait until tabs and message of the project are back."""
        if self._taking is not None:
            await asyncio.wait([self._taking])

    def _on_opened(self) -> None:
        player = self._session.player
        if player is None:
            return
        self._inside.opening.rest()
        focus = self._window.focusWidget()
        self.chat.cover.lift()
        self._inside.show_page(self.chat)
        self._show_player(player)
        self._name_player(player)
        if focus is None or not focus.isVisible() or not self._is_written_in(focus):
            self.chat.composer.input.setFocus()
        if player.refusal is not None:  # now, and not only when a message has been written
            self.toasts.show_text(player.refusal, "error", "Open again", self._retry)

    def _is_written_in(self, widget: QWidget) -> bool:
        """Whether the user is at work in the tree or the editors, and is to be left alone."""
        return any(part.isAncestorOf(widget) for part in (self.side, self.stack))

    def _show_player(self, player: CharacterPlayer | None) -> None:
        self.chat.show_player(player)
        if self.complete:
            self.conversations.show_player(player)
            self.inspector.show_player(player)
            self.tester.show_player(player)
            self.stores.show_player(player)
            self.agent_log.show_player(player)

    def show_entry(self, conversation: str, entry: str) -> None:
        """Show an entry of a conversation in the chat."""
        self._inside.slot.show()
        self.chat.show_entry(conversation, entry)

    def _on_failed(self, name: str, reason: str) -> None:
        window = self._window
        self.chat.cover.lay(wholly=True)
        self._inside.show_page(self.chat)
        self._inside.opening.show_failure(name, reason)
        window.setWindowTitle(f"{name} – Character Studio")
        self._inside.status.show_player("", self._session.place)

    def show_question(self, title: str, reason: str) -> None:
        """Show why the character does not play before the user has answered."""
        self.chat.cover.lay(wholly=True)
        self._inside.show_page(self.chat)
        self._inside.opening.show_question(title, reason)
        self._inside.status.show_player("", self._session.place)
        if self._session.place is not None:
            self._window.setWindowTitle(f"{self._session.place.name} – Character Studio")

    def _on_toast(self, text: str, kind: str) -> None:
        """Tell on the opening page what comes while it is shown; toasts lie over the chat."""
        if self.chat.cover.shown:
            self._inside.opening.show_progress(text)
        else:
            self.tell(text, kind)

    def refresh(self) -> None:
        """Show the character that is played anew."""
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

    # Remembering

    def _facts(self) -> dict[str, object]:
        foot = self.conversations.foot_height if self.complete else self._foot
        facts = {"tabs": self.editors.tab_state(), "draft": self.chat.draft, "foot": foot}
        return facts | self._early

    async def _take_up(self, place: Path) -> None:
        """Bring back tabs and the half-written message of a project."""
        kept = await self.memory.begin(place)
        tabs, draft, foot = kept.get("tabs"), kept.get("draft"), kept.get("foot")
        if isinstance(foot, int):
            self._foot = foot
            if self.complete:
                self.conversations.set_foot_height(foot)
        if isinstance(draft, str) and draft:
            self._take_up_draft(draft)  # first: what is not back yet would be forgotten by a close
        self._taken_up = True
        if isinstance(tabs, dict) and self._session.root is not None:
            await self.editors.restore(tabs)

    def _take_up_draft(self, draft: str) -> None:
        """Put a draft back; at the start before what has been typed already."""
        if not self.chat.draft or not self._taken_up:
            self.chat.composer.give_back(draft)

    async def _keep_early(self) -> None:
        """Keep a message that was begun before its project (`coming`) was taken up.

        What the project had of another time stays with it.
        """
        place = self._session.place or self.coming
        if self._taken_up or self.memory.begun or place is None or not self.chat.draft:
            return
        kept = await self.memory.begin(place)
        if isinstance(draft := kept.get("draft"), str) and draft:
            self._take_up_draft(draft)
        self._early = {name: kept[name] for name in ("tabs", "foot") if name in kept}

    async def leave(self) -> None:
        """Remember the project that is open, before another is; its message stays with it."""
        if self.memory.begun:
            self.chat.take_back()
            await self.memory.end()
            self.chat.composer.input.clear()
            self._taken_up = False

    async def close(self) -> None:
        """Remember, and let go of the player."""
        self._closing = True
        if not self._taken_up:
            await self._tabs_back()  # taken up twice, a project would be another window's
        self.chat.take_back()
        await self._keep_early()
        await self.memory.end()
        if self.complete:
            await self.building.builder.keep()
            await asyncio.to_thread(self.recents.flush)
            await asyncio.to_thread(self.palette.flush)
        self._show_player(None)
        if self.complete:
            self.toasts.clear()

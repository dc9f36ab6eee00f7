"""`Furnishing`: the pages that the first ones do not wait for, and the wires to them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction

from studio_qt.providers.endpoint import Endpoint
from studio_qt.settings import home_folder
from studio_qt.ui.actions import Place
from studio_qt.ui.agentlog.page import AgentLogPage
from studio_qt.ui.answering.page import WhoAnswers
from studio_qt.ui.building import Building
from studio_qt.ui.comparing import Comparing
from studio_qt.ui.connections import Connections
from studio_qt.ui.conversations.page import ConversationsPane
from studio_qt.ui.destinations import Destinations
from studio_qt.ui.diagnostics.page import Diagnostics, Facts, StudioLog
from studio_qt.ui.handbook.page import Handbook
from studio_qt.ui.helping import Helping
from studio_qt.ui.importing import import_directly
from studio_qt.ui.inspector.page import PromptInspectorPage
from studio_qt.ui.menus import StudioMenus
from studio_qt.ui.noticing.page import Noticing
from studio_qt.ui.palette.page import Palette, PaletteField
from studio_qt.ui.problems.page import ProblemsPanel
from studio_qt.ui.receiving import Receiving
from studio_qt.ui.recents import Recents
from studio_qt.ui.search.page import SearchPage
from studio_qt.ui.start.page import StartPage
from studio_qt.ui.stores.page import AgentStoresPage, StoreDetail, StorePanes
from studio_qt.ui.tester.page import ToolTesterPage
from studio_qt.ui.trusting import Trusting
from studio_qt.ui.widgets.imageformats import load_image_formats
from studio_qt.ui.widgets.toasts import Toasts

if TYPE_CHECKING:
    from studio_qt.ui.pages import Pages
    from studio_qt.ui.settings.page import SettingsDialog
    from studio_qt.ui.window import StudioWindow

__all__ = ["Furnishing"]


_Undo = Callable[[], Coroutine[object, object, object]]


class Furnishing(QObject):
    """Makes the later pages of a window as attributes of its `Pages`, a few at a time.

    `fixed` says that a connection was given, and the saved ones do not answer.
    """

    def __init__(self, window: StudioWindow, pages: Pages, *, fixed: bool) -> None:
        super().__init__(pages)
        self._window, self._pages, self._fixed = window, pages, fixed
        self._inside = window.inside
        self._desk, self._session = window.inside.desk, window.inside.session
        self._settings: SettingsDialog | None = None

    def steps(self) -> tuple[Callable[[], None], ...]:
        """Return what is to be called in turn; the loop may run between any two of them."""
        return (
            self._learn_widgets,
            load_image_formats,
            self._make_bars,
            self._make_panes,
            self._make_chat,
            self._make_problems,
            self._make_models,
            self._make_conversations,
            self._add_conversations,
            self._make_search,
            self._add_search,
            self._make_comparing,
            self._add_history,
            self._make_inspector,
            self._add_inspector,
            self._make_tester,
            self._add_tester,
            self._make_store_panes,
            self._make_store,
            self._make_stores,
            self._add_stores,
            self._make_log,
            self._add_log,
            self._make_palette,
            self._make_menus,
            self._make_help,
            self._make_start,
            self._add_start,
            self._dress_start,
            self._make_answers,
            self._add_answers,
            self._dress_start,
            self._make_trust,
            self._make_builder,
            self._make_generating,
            self._make_receiving,
            self._connect_project,
            self._connect_conversations,
            self._connect_start,
            self._connect_trust,
            self._connect_notices,
            self._connect_rest,
        )

    def open_settings(self, page: str = "") -> None:
        """Open the settings on a page by its name; "" is the last one."""
        self._desk.tasks.start(self._open_settings(page), name="settings")

    # Making

    def _learn_widgets(self) -> None:
        """Ask for a widget that Qt has made: at the first, PySide learns all kinds there are."""
        self._pages.chat.composer.input.viewport()

    def _make_bars(self) -> None:
        self._inside.furnish()
        editors, status = self._pages.editors, self._inside.status
        editors.status_changed.connect(status.show_editor)
        if (view := editors.current) is not None:
            status.show_editor(view.status)

    def _make_panes(self) -> None:
        self._inside.workbench.furnish()

    def _make_chat(self) -> None:
        inside, transcript = self._inside, self._pages.chat.transcript
        self._pages.toasts = Toasts(self._desk.theme, inside, inside.stack, transcript)

    def _make_problems(self) -> None:
        pages = self._pages
        panel = pages.problems = ProblemsPanel(self._desk.theme, self._desk.actions)
        self._inside.workbench.add_bottom("problems", "Problems", "Ctrl+Shift+M", panel)
        panel.jump_wanted.connect(pages.open_file)
        panel.counted.connect(self._on_counted)
        panel.mender = pages.editors.assisting.fill_menu
        pages.editors.assisting.mended.connect(self._on_mended)

    def _make_models(self) -> None:
        pages = self._pages
        pages.log = pages.log or StudioLog(home_folder())
        pages.recents = Recents(home_folder(), pages)
        pages.connections = Connections(home_folder(), self._desk.tasks, pages)

    def _make_conversations(self) -> None:
        self._pages.conversations = ConversationsPane(self._desk)

    def _add_conversations(self) -> None:
        pane = self._pages.conversations
        pane.stand_below(self._pages.side)

    def _make_search(self) -> None:
        self._pages.search = SearchPage(self._desk, self._session.documents)

    def _add_search(self) -> None:
        add_side = self._inside.workbench.add_side
        search = self._pages.search
        add_side("search", "search", "Search in files", "Ctrl+Shift+F", search)
        pane = self._pages.conversations
        add_side("conversations", "chat", "Conversations", "Ctrl+Shift+L", pane)

    def _make_comparing(self) -> None:
        pages = self._pages
        documents = self._session.documents
        pages.comparing = Comparing(self._desk, documents, pages.editors, pages.stack)

    def _add_history(self) -> None:
        history = self._pages.comparing.history
        add_side = self._inside.workbench.add_side
        add_side("history", "history", "Earlier versions", "Ctrl+Shift+H", history)

    def _make_inspector(self) -> None:
        self._pages.inspector = PromptInspectorPage(self._desk)

    def _add_inspector(self) -> None:
        page = self._pages.inspector
        add_large = self._inside.workbench.add_large
        add_large("inspector", "prompt", "Prompt inspector", "Ctrl+Shift+I", page)

    def _make_tester(self) -> None:
        self._pages.tester = ToolTesterPage(self._desk)

    def _add_tester(self) -> None:
        page = self._pages.tester
        self._inside.workbench.add_large("tester", "flask", "Tool tester", "Ctrl+Shift+Y", page)

    def _make_store_panes(self) -> None:
        self._panes = StorePanes(self._desk)

    def _make_store(self) -> None:
        self._store = StoreDetail(self._desk, self._session.documents, self._panes)

    def _make_stores(self) -> None:
        documents = self._session.documents
        self._pages.stores = AgentStoresPage(self._desk, documents, self._store)

    def _add_stores(self) -> None:
        page = self._pages.stores
        self._inside.workbench.add_large("stores", "database", "Agent stores", "Ctrl+Alt+S", page)

    def _make_log(self) -> None:
        self._pages.agent_log = AgentLogPage(self._desk)

    def _add_log(self) -> None:
        page = self._pages.agent_log
        self._inside.workbench.add_bottom("agentLog", "Agent log", "Ctrl+Alt+L", page)

    def _make_palette(self) -> None:
        palette = self._pages.palette = Palette(self._desk, self._window)
        self._inside.head.set_middle(PaletteField(self._desk.theme, palette))

    def _make_menus(self) -> None:
        pages = self._pages
        pages.menus = StudioMenus(
            self._window,
            self._desk.theme,
            pages.chat.menu,
            self._walls,
            self._desk.actions,
            bar=self._inside.bar,
        )
        pages.menus.offer_recents(pages.recents)

    def _make_help(self) -> None:
        pages = self._pages
        assert pages.log is not None
        pages.diagnostics = Diagnostics(self._desk, pages.log, self._diagnosed, pages)
        pages.handbook = Handbook(self._desk, self._window)
        place = Place("Tools", 9)
        role = QAction.MenuRole.PreferencesRole
        add = self._desk.actions.add
        add("settings", "&Settings…", self.open_settings, place=place, keys="Ctrl+,", role=role)
        gear = self._inside.workbench.rail.add_foot("settingsRail", "gear", "Settings (Ctrl+,)")
        gear.clicked.connect(lambda _checked: self.open_settings())

    def _make_start(self) -> None:
        pages = self._pages
        pages.start = StartPage(self._desk, pages.recents)

    def _add_start(self) -> None:
        pages = self._pages
        self._inside.stack.addWidget(pages.start)
        pages.start.resize(self._inside.stack.size())  # what is beside what depends on it

    def _dress_start(self) -> None:
        """Dress what there is of the start page before its show, which takes long enough."""
        if self._pages.coming is None:
            self._desk.theme.dress(self._pages.start)

    def _make_answers(self) -> None:
        answers = self._answers = WhoAnswers(self._desk, self._pages.connections)
        answers.settings_wanted.connect(lambda: self.open_settings("connections"))

    def _add_answers(self) -> None:
        self._pages.start.set_side(self._answers)

    def _make_builder(self) -> None:
        self._pages.building = Building(self._window, self._pages)

    def _make_generating(self) -> None:
        self._pages.helping = Helping(self._window, self._pages, self.open_settings)

    def _make_receiving(self) -> None:
        pages = self._pages
        receiving = pages.receiving = Receiving(self._window, pages)
        pages.start.zip_wanted.connect(receiving.choose)
        pages.start.library_wanted.connect(receiving.show_library)

    def _make_trust(self) -> None:
        pages, session = self._pages, self._session
        pages.trusting = Trusting(self._desk, session, self._window, pages)
        pages.noticing = Noticing(self._desk, session.documents, pages.editors, session.gate, pages)

    # Wires

    def _connect_project(self) -> None:
        pages, workbench = self._pages, self._inside.workbench
        pages.project.another_wanted.connect(pages.menus.choose_folder)
        pages.search.open_wanted.connect(pages.open_file)
        pages.palette.line_wanted.connect(pages.go_to_line)
        comparing = pages.comparing
        comparing.history_wanted.connect(lambda: workbench.show_side("history"))
        comparing.history.closed.connect(lambda: workbench.show_side("project"))
        pages.connections.current_changed.connect(self._on_connection)

    def _connect_conversations(self) -> None:
        pages, pane, workbench = self._pages, self._pages.conversations, self._inside.workbench
        toasts = pages.toasts
        pane.deleted.connect(lambda text, undo: toasts.show_text(text, "info", "Undo", undo))
        pane.entry_wanted.connect(pages.show_entry)
        pane.foot_moved.connect(pages.memory.mark)
        pane.shown.connect(lambda: workbench.show_side("conversations"))
        pane.listed.connect(pages.chat.menu.list_wanted)
        pane.another.connect(pages.refresh)
        pane.settings_wanted.connect(lambda: self.open_settings("connections"))
        pages.chat.model_wanted.connect(pane.choose_model)

    def _connect_start(self) -> None:
        window, pages, opening = self._window, self._pages, self._inside.opening
        menus, start = pages.menus, pages.start
        menus.open_wanted.connect(window.open_project)
        menus.sample_wanted.connect(window.open_sample)
        menus.field_wanted.connect(pages.chat.composer.input.setFocus)
        start.open_wanted.connect(window.open_project)
        start.sample_wanted.connect(window.open_sample)
        start.folder_wanted.connect(menus.choose_folder)
        start.handbook_wanted.connect(pages.handbook.open)
        opening.sample_wanted.connect(window.open_sample)
        opening.folder_wanted.connect(menus.choose_folder)

    def _connect_trust(self) -> None:
        pages, trusting, noticing = self._pages, self._pages.trusting, self._pages.noticing
        toasts, opening = pages.toasts, self._inside.opening
        trusting.waiting.connect(pages.show_question)
        pages.building.exporting.before_run = self._session.gate.require
        trusting.going_on.connect(opening.show_opening)
        trusting.settings_wanted.connect(self.open_settings)
        trusting.changed.connect(
            lambda text: toasts.show_text(text, "info", "Review…", trusting.review)
        )
        opening.review_wanted.connect(trusting.review)
        noticing.review_wanted.connect(trusting.review)
        noticing.open_wanted.connect(pages.open_file)
        noticing.enabled.connect(
            lambda text, undo: toasts.show_text(
                text, "info", "Undo", lambda: self._desk.tasks.start(undo(), name="undo")
            )
        )
        self._session.files_changed.connect(noticing.look)
        self._session.reloaded.connect(noticing.look)
        pages.project.files.created.connect(
            lambda path: self._desk.tasks.start(self._session.gate.adopt_file(path), name="trust")
        )

    def _connect_notices(self) -> None:
        pages = self._pages
        tell = pages.toasts.show_text
        for page in (
            pages.comparing,
            pages.search,
            pages.connections,
            pages.conversations,
            pages.stores,
            pages.agent_log,
            pages.inspector,
            pages.tester,
            pages.diagnostics,
            pages.handbook,
            pages.trusting,
            pages.noticing,
        ):
            page.notice.connect(tell)
        if pages.recents.notice:
            tell(pages.recents.notice, "error")

    def _connect_rest(self) -> None:
        pages, status = self._pages, self._inside.status
        status.connection_wanted.connect(lambda: self.open_settings("connections"))
        if (go_to_line := self._desk.actions.find("goToLine")) is not None:
            status.line_wanted.connect(go_to_line.trigger)
        pages.stores.closed.connect(self._inside.workbench.show_editors)
        inspector = pages.inspector
        for told in (
            pages.stores.entry_wanted,
            pages.agent_log.entry_wanted,
            inspector.entry_wanted,
        ):
            told.connect(self._show_entry_now)
        inspector.store_wanted.connect(self._show_store)
        inspector.wanted.connect(lambda: self._inside.workbench.show_large("inspector"))
        pages.chat.sent_wanted.connect(lambda turn, first: inspector.show_turn(turn, first=first))
        pages.chat.draft_changed.connect(lambda: pages.inspector.set_draft(pages.chat.draft))
        pages.inspector.open_wanted.connect(pages.open_file)
        pages.inspector.settings_wanted.connect(self.open_settings)
        pages.tester.open_wanted.connect(pages.open_file)
        Destinations(
            pages.palette,
            self._session,
            pages.project,
            pages.chat,
            pages.recents,
            pages.open_file,
            self._window.open_project,
            self._show_store,
            self._try_tool,
        )

    # Slots

    def _show_store(self, agent_id: str) -> None:
        self._inside.workbench.show_large("stores")
        self._pages.stores.show_agent(agent_id)

    def _try_tool(self, agent_id: str, tool: str) -> None:
        self._inside.workbench.show_large("tester")
        self._pages.tester.show_tool(agent_id, tool)

    async def _open_settings(self, page: str) -> None:
        await asyncio.to_thread(import_directly, "studio_qt.ui.settings.page")
        if self._settings is None:
            from studio_qt.ui.settings.page import SettingsDialog

            self._settings = SettingsDialog(self._desk, self._pages.connections, self._window)
        self._settings.open_on(page)

    def _show_entry_now(self, entry: str) -> None:
        """Show an entry of the conversation that is played."""
        if (player := self._session.player) is not None:
            self._pages.show_entry(player.conversation_id, entry)

    def _on_counted(self, errors: int, warnings: int) -> None:
        count = errors + warnings
        text = f"Problems {count}" if count else "Problems"
        self._inside.workbench.set_bottom_text("problems", text)

    def _on_mended(self, text: str, undo: _Undo | None) -> None:
        """Tell of a mend; where no editor can take it back, a button does."""
        tell, tasks = self._pages.toasts.show_text, self._desk.tasks
        if undo is None:
            tell(text)
        else:
            tell(text, "info", "Undo", lambda: tasks.start(undo(), name="undo"))

    def _on_connection(self) -> None:
        connections, log = self._pages.connections, self._pages.log
        if (key := connections.current.api_key) and log is not None:
            log.hide(key)
        if not self._fixed:
            self._desk.tasks.start(self._session.use(connections.current), name="connection")

    # What others ask

    def _walls(self) -> tuple[str, ...]:
        player = self._session.player
        return player.walls() if player is not None else ()

    def _diagnosed(self) -> Facts:
        chosen = self._pages.connections.chosen
        place, root = self._session.place, self._session.root
        return Facts(
            walls=self._walls(),
            connection=Endpoint.parse(chosen.base_url).kind if chosen else "Rehearsal",
            project="folder" if root else "zip" if place else "",
        )

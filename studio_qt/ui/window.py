"""`StudioWindow`: the shell that is painted first, and what opens and closes in it."""

from __future__ import annotations

import asyncio
import logging
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QByteArray, QTimer, Signal
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import QMainWindow, QMenuBar, QStackedWidget, QVBoxLayout, QWidget

from studio_qt.errors import StorageError
from studio_qt.settings import home_folder
from studio_qt.ui.actions import Actions
from studio_qt.ui.desk import Desk
from studio_qt.ui.documents.documents import Documents
from studio_qt.ui.opening.page import OpeningPage
from studio_qt.ui.opening.sample import sample_project
from studio_qt.ui.preferences import Preferences
from studio_qt.ui.session import Connection, StudioSession
from studio_qt.ui.state import WindowState, load_state, save_state
from studio_qt.ui.statusline import StatusLine
from studio_qt.ui.tasks import Tasks
from studio_qt.ui.theme.theme import Theme
from studio_qt.ui.topbar import TopBar
from studio_qt.ui.workbench.page import Workbench

if TYPE_CHECKING:
    from studio_qt.ui.chat.page import ChatPage
    from studio_qt.ui.diagnostics.logfile import StudioLog
    from studio_qt.ui.pages import Pages
    from studio_qt.ui.widgets.toasts import Toasts

__all__ = ["StudioWindow", "create_window"]

_SIZE = (1440, 900)
_LEAST = (420, 420)
_PATIENCE_MS = 400
"""A window that is never shown opens its project all the same, after this."""

_log = logging.getLogger(__name__)


class StudioWindow(QMainWindow):
    """The window on one project at a time. `closed` comes when everything behind it has ended.

    Without a project it opens the one that was open last, else the start page. `connection`
    answers instead of the saved ones. `remember`: take and keep places, panes and settings. `log`
    is the program's, where it keeps one.
    """

    closed = Signal()

    def __init__(
        self,
        project: Path | None = None,
        *,
        connection: Connection | None = None,
        remember: bool = True,
        log: StudioLog | None = None,
    ) -> None:
        super().__init__()
        self._remember = remember
        self._log = log
        self._state = load_state(home_folder()) if remember else WindowState()
        self._connection = connection
        self._begun = self._ready = False
        self._ended: asyncio.Task[None] | None = None
        self.preferences = Preferences(home_folder() if remember else None, self)
        self._project = project or self._last_project()
        self.theme = Theme(self.preferences.window.theme, self)
        self.theme.set_sizes(self.preferences.window.interface_size)
        self.theme.apply()
        self.tasks = Tasks(self)
        self.desk = Desk(self.theme, self.tasks, Actions(self), self.preferences)
        self.documents = Documents(self.tasks, self)
        self.session = StudioSession(
            connection or Connection(), self.documents, self.tasks, self.preferences, self
        )
        self._pages: Pages | None = None
        self._patience = QTimer(self)
        self._patience.setSingleShot(True)
        self._build()
        self._connect()

    # What tests and pictures look at

    @property
    def settled(self) -> bool:
        """Whether the start page, a character, or why there is none, is drawn and nothing moves."""
        return self._ready and self._pages is not None and self._pages.settled

    @property
    def pages(self) -> Pages:
        """The pages; they are made after the first paint."""
        assert self._pages is not None
        return self._pages

    @property
    def chat(self) -> ChatPage:
        """The chat's page."""
        return self.pages.chat

    @property
    def toasts(self) -> Toasts:
        """The toasts."""
        return self.pages.toasts

    @property
    def shown(self) -> QWidget | None:
        """The start page, the opening page or the chat, whichever is in front."""
        front = self.stack.currentWidget()
        return self.slot.currentWidget() if front is self.workbench else front

    def show_page(self, page: QWidget) -> None:
        """Bring the start page, the opening page or the chat to the front."""
        if self.slot.indexOf(page) >= 0:
            self.slot.setCurrentWidget(page)
            page = self.workbench
        self.stack.setCurrentWidget(page)

    # Acting

    def open_project(self, project: Path) -> None:
        """Open another folder or zip in this window."""
        self._project = project
        self._ready = False
        self.tasks.start(self._open(project), name="open")

    def open_sample(self) -> None:
        """Open the sample character."""
        self._ready = False
        self.tasks.start(self._open_sample(), name="open")

    async def shutdown(self) -> None:
        """End everything behind the window; afterwards no task, thread or process of it is left.

        Unsaved text, open tabs and the half-written message come back the next time.
        """
        self._keep_state()
        self.opening.rest()
        if self._pages is not None:
            await self._pages.close()
        await self.tasks.close()
        await self.session.close()
        await self.documents.shutdown()
        for timer in self.findChildren(QTimer):
            timer.stop()

    def closeEvent(self, event: QCloseEvent) -> None:
        event.accept()
        if self._ended is None:
            loop = asyncio.get_event_loop()
            self._ended = loop.create_task(self._shut(), name="shutdown")

    # Building

    def _build(self) -> None:
        self.setObjectName("studioWindow")
        self.setAccessibleName("Character Studio")
        self.setWindowTitle("Character Studio")
        self.resize(*_SIZE)
        self.setMinimumSize(*_LEAST)
        self.opening = OpeningPage(self.theme)
        self.slot = QStackedWidget()
        self.slot.setObjectName("chatPane")
        self.slot.addWidget(self.opening)
        self.workbench = Workbench(self.desk, self.slot)
        self.workbench.set_editing(editing=False)
        self.stack = QStackedWidget()
        self.stack.setObjectName("pages")
        self.stack.addWidget(self.workbench)
        self.bar = QMenuBar()
        self.head = TopBar(self.bar)
        self.status = StatusLine(self.theme)
        inside = QWidget()
        column = QVBoxLayout(inside)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.head)
        column.addWidget(self.stack, 1)
        column.addWidget(self.status)
        self.setCentralWidget(inside)
        if self._project is None:
            self.opening.rest()
        else:
            self.opening.show_opening(self._project.name)
        if self._state.geometry:
            self.restoreGeometry(QByteArray.fromBase64(self._state.geometry.encode()))

    def _connect(self) -> None:
        self.opening.painted.connect(self._begin)
        self._patience.timeout.connect(self._begin)
        self._patience.start(_PATIENCE_MS)
        self.session.opened.connect(self._on_settled)
        self.session.failed.connect(self._on_settled)
        self.theme.changed.connect(self._on_theme)
        self.preferences.changed.connect(self._on_preferences)

    # Slots

    def _begin(self) -> None:
        self._patience.stop()
        if not self._begun and self._ended is None:
            self._begun = True
            self.tasks.start(self._start(), name="open")

    def _on_settled(self) -> None:
        self._ready = True

    def _on_theme(self) -> None:
        self.preferences.change_window(theme=self.theme.asked)

    def _on_preferences(self) -> None:
        chosen = self.preferences.window
        self.theme.set_sizes(chosen.interface_size)
        if chosen.theme != self.theme.asked:
            self.theme.choose(chosen.theme)

    # Coroutines

    async def _start(self) -> None:
        """Make the pages, which the first paint does not wait for, and open what is to be open."""
        pages = await asyncio.to_thread(import_module, "studio_qt.ui.pages")
        made: Pages = pages.Pages(self, self._connection, self._log)
        await made.build()
        self._pages = made
        self.workbench.restore(self._state.panes)
        if self._project is None:
            made.show_start()
            self._ready = True
        else:
            await self._open(self._project)

    async def _open(self, project: Path) -> None:
        await self.pages.leave()
        await self.session.open(project)

    async def _open_sample(self) -> None:
        await self._open(await asyncio.to_thread(sample_project, home_folder()))

    async def _shut(self) -> None:
        try:
            await self.shutdown()
        finally:
            self.closed.emit()

    # Helpers

    def _last_project(self) -> Path | None:
        """Return what was open when the window was closed, where it is wanted and still there."""
        if not (self._state.project and self.preferences.window.restore_session):
            return None
        last = Path(self._state.project)
        return last if last.exists() else None

    def _keep_state(self) -> None:
        if not self._remember:
            return
        geometry = bytes(self.saveGeometry().toBase64().data()).decode()
        panes = self.workbench.state() if self._pages is not None else self._state.panes
        project = str(self.session.place or "")
        try:
            save_state(home_folder(), WindowState(geometry, panes, project))
        except (StorageError, OSError) as error:
            _log.warning("The window's place is not kept: %s", error)


def create_window(project: Path | None = None) -> StudioWindow:
    """Return the window on a project folder or zip; None is what was open last, or the start page.

    Needs a QApplication and a qasync loop that is set. The window opens its project once the loop
    runs; `show` it, and `await window.shutdown()` or close it at the end.
    """
    return StudioWindow(project)

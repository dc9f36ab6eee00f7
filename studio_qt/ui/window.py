"""`StudioWindow`: builds the pages, connects them, opens and closes in order."""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path

from PySide6.QtCore import QByteArray, QTimer, Signal
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import QMainWindow, QStackedWidget, QVBoxLayout, QWidget

from studio_qt.errors import StorageError
from studio_qt.settings import home_folder
from studio_qt.ui.chat.page import ChatPage
from studio_qt.ui.menus import StudioMenus
from studio_qt.ui.opening.page import OpeningPage
from studio_qt.ui.problems.page import ProblemsPanel
from studio_qt.ui.session import Connection, StudioSession
from studio_qt.ui.state import WindowState, load_state, save_state
from studio_qt.ui.statusline import StatusLine
from studio_qt.ui.tasks import Tasks, sentence
from studio_qt.ui.theme.theme import Theme
from studio_qt.ui.widgets.toasts import Toasts

__all__ = ["StudioWindow", "create_window"]

_SIZE = (1080, 800)
_PATIENCE_MS = 400
"""A window that is never shown opens its project all the same, after this."""

_log = logging.getLogger(__name__)


class StudioWindow(QMainWindow):
    """The window on one project. `closed` comes when everything behind it has ended.

    `remember`: take and keep the window's place and theme.
    """

    closed = Signal()

    def __init__(
        self,
        project: Path | None = None,
        *,
        connection: Connection | None = None,
        remember: bool = True,
    ) -> None:
        super().__init__()
        self._project = project
        self._remember = remember
        self._state = load_state(home_folder()) if remember else WindowState()
        self._begun = False
        self._opened = False
        self._ended: asyncio.Task[None] | None = None
        self.theme = Theme(self._state.theme, self)
        self.theme.apply()
        self.tasks = Tasks(self)
        self.session = StudioSession(connection or Connection(), self)
        self._patience = QTimer(self)
        self._patience.setSingleShot(True)
        self._build()
        self._connect()

    @property
    def settled(self) -> bool:
        """Whether a character, or the reason why there is none, is drawn and nothing moves."""
        return self._opened and (self._pages.currentWidget() is self.opening or self.chat.settled)

    def open_project(self, project: Path | None) -> None:
        """Open another folder or zip in this window; None is the sample."""
        self._project = project
        self._opened = False
        self.tasks.start(self.session.open(project), name="open")

    async def shutdown(self) -> None:
        """End everything behind the window; afterwards no task, thread or process of it is left."""
        self.chat.show_player(None)
        self.opening.rest()
        self.toasts.clear()
        self._keep_state()
        await self.tasks.close()
        await self.session.close()
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
        self.setMinimumSize(420, 420)
        self.opening = OpeningPage(self.theme)
        self.chat = ChatPage(self.theme, self.tasks)
        self.problems = ProblemsPanel(self.theme)
        self.chat.bars.addWidget(self.problems)
        self.status = StatusLine(self.theme)
        self._pages = QStackedWidget()
        self._pages.setObjectName("pages")
        self._pages.addWidget(self.opening)
        self._pages.addWidget(self.chat)
        inside = QWidget()
        column = QVBoxLayout(inside)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._pages, 1)
        column.addWidget(self.status)
        self.setCentralWidget(inside)
        self.menus = StudioMenus(self, self.theme, self.chat.menu, self._walls)
        self.toasts = Toasts(self.theme, self.chat.transcript)
        if self._state.geometry:
            self.restoreGeometry(QByteArray.fromBase64(self._state.geometry.encode()))

    def _connect(self) -> None:
        self.opening.painted.connect(self._begin)
        self._patience.timeout.connect(self._begin)
        self._patience.start(_PATIENCE_MS)
        self.opening.retry_wanted.connect(lambda: self.open_project(self._project))
        self.opening.sample_wanted.connect(lambda: self.open_project(None))
        self.opening.folder_wanted.connect(self.menus.choose_folder)
        self.menus.open_wanted.connect(self.open_project)
        self.menus.sample_wanted.connect(lambda: self.open_project(None))
        self.menus.field_wanted.connect(self.chat.composer.input.setFocus)
        self.tasks.failed.connect(lambda error: self.toasts.show_text(sentence(error), "error"))
        self.chat.notice.connect(self.toasts.show_text)
        self.session.opening.connect(self._on_opening)
        self.session.opened.connect(self._on_opened)
        self.session.failed.connect(self._on_failed)
        self.session.toast.connect(self._on_toast)
        self.session.reloaded.connect(self._on_reloaded)

    # Slots

    def _begin(self) -> None:
        self._patience.stop()
        if not self._begun and self._ended is None:
            self._begun = True
            self.open_project(self._project)

    def _on_opening(self, name: str) -> None:
        self.chat.show_player(None)
        self.opening.show_opening(name)
        self._pages.setCurrentWidget(self.opening)

    def _on_opened(self) -> None:
        player = self.session.player
        if player is None:
            return
        self._pages.setCurrentWidget(self.chat)
        self.opening.rest()
        self.chat.show_player(player)
        self.problems.show_problems(player.problems())
        self.status.show_player(player.character.model_label, self.session.place)
        self.setWindowTitle(f"{player.character.name} – Character Studio")
        self._opened = True

    def _on_failed(self, name: str, reason: str) -> None:
        self._pages.setCurrentWidget(self.opening)
        self.opening.show_failure(name, reason)
        self.setWindowTitle("Character Studio")
        self.status.show_player("", None)
        self._opened = True

    def _on_toast(self, text: str, kind: str) -> None:
        """Tell on the opening page what comes while it is shown; toasts lie over the chat."""
        if self._pages.currentWidget() is self.opening and not self._opened:
            self.opening.show_progress(text)
        else:
            self.toasts.show_text(text, kind)

    def _on_reloaded(self) -> None:
        if self.session.player is not None:
            self.chat.refresh_character()
            self.problems.show_problems(self.session.player.problems())

    # Helpers

    def _walls(self) -> tuple[str, ...]:
        player = self.session.player
        return player.walls() if player is not None else ()

    async def _shut(self) -> None:
        try:
            await self.shutdown()
        finally:
            self.closed.emit()

    def _keep_state(self) -> None:
        if not self._remember:
            return
        geometry = bytes(self.saveGeometry().toBase64().data()).decode()
        try:
            save_state(home_folder(), WindowState(geometry, self.theme.asked))
        except (StorageError, OSError) as error:
            _log.warning("The window's place is not kept: %s", error)


def create_window(project: Path | None = None) -> StudioWindow:
    """Return the window on a project folder or zip; None is the sample.

    Needs a QApplication and a qasync loop that is set. The window opens its project once the loop
    runs; `show` it, and `await window.shutdown()` or close it at the end.
    """
    return StudioWindow(project)

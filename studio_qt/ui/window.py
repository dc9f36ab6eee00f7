"""`StudioWindow`: painted at once behind a curtain, then filled; opens and closes in order."""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from PySide6.QtCore import QByteArray, Qt, QTimer, Signal
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import QMainWindow, QWidget
from shiboken6 import isValid

from studio_qt.files.there import is_file, is_folder, is_there
from studio_qt.settings import home_folder
from studio_qt.ui.curtain import Curtain
from studio_qt.ui.importing import import_directly, no_collections, room_for_types, switch_quickly
from studio_qt.ui.state import WindowState, load_state, save_state
from studio_qt.ui.tasks import Tasks

if TYPE_CHECKING:
    from studio_qt.ui.chat.page import ChatPage
    from studio_qt.ui.diagnostics.logfile import StudioLog
    from studio_qt.ui.interior import Interior
    from studio_qt.ui.pages import Pages
    from studio_qt.ui.session import Connection, StudioSession
    from studio_qt.ui.theme.theme import Theme

__all__ = ["StudioWindow", "create_window"]

_SIZE = (1440, 900)
_LEAST = (420, 420)
_PATIENCE_MS = 400
"""A window that is never shown is filled all the same, after this."""

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
        self._project = project
        self._home = home_folder() if remember else None
        self._connection, self._log = connection, log
        self._state = load_state(self._home) if self._home else WindowState()
        self._begun = self._ready = self._asking = self._chosen = False
        self._filled = asyncio.Event()
        self._ended: asyncio.Task[None] | None = None
        self._inside: Interior | None = None
        self._pages: Pages | None = None
        self.tasks = Tasks(self)
        self._patience = QTimer(self)
        self._patience.setSingleShot(True)
        self._patience.timeout.connect(self._begin)
        self._build()

    # What is in it

    @property
    def settled(self) -> bool:
        """Whether the start page, a character, or why there is none, is drawn and nothing moves."""
        return self._ready and self._pages is not None and self._pages.settled

    @property
    def opens(self) -> bool:
        """Whether a project is being opened, and it is not known yet whether it plays."""
        return not self._ready

    @property
    def inside(self) -> Interior:
        """What fills the window; made, like the pages, after the first paint."""
        assert self._inside is not None
        return self._inside

    @property
    def pages(self) -> Pages:
        """The pages."""
        assert self._pages is not None
        return self._pages

    @property
    def session(self) -> StudioSession:
        """The project that is open, and its player."""
        return self.inside.session

    @property
    def theme(self) -> Theme:
        """The look."""
        return self.inside.theme

    @property
    def chat(self) -> ChatPage:
        """The chat's page."""
        return self.pages.chat

    # Acting

    def open_project(self, project: Path) -> None:
        """Open another folder or zip in this window; of a card it is shown what would come."""
        self._ready = False
        self.tasks.start(self._open(project), name="open")

    def open_handed(self, place: Path) -> None:
        """Open what the system hands over, the first at the start in the place of the last one.

        Later it waits until no sheet asks for anything.
        """
        if self._project is None and not self._chosen:
            self._project = place
        else:
            self.tasks.start(self._open_handed(place), name="open what is handed over")

    def open_sample(self) -> None:
        """Open the sample character."""
        self._ready = False
        self.tasks.start(self._open_sample(), name="open")

    async def shutdown(self) -> None:
        """End everything behind the window; afterwards no task, thread or process of it is left.

        Unsaved text, open tabs and the half-written message come back the next time.
        """
        self._patience.stop()
        if self._inside is not None:
            self._inside.theme.retire()
        await self._keep_state()
        if self._pages is not None:
            await self._pages.close()
        await self.tasks.close()
        if self._inside is not None:
            await self._inside.close_models()
        for timer in self.findChildren(QTimer):
            timer.stop()

    def closeEvent(self, event: QCloseEvent) -> None:
        event.setAccepted(not self._asking)
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
        words = f"Opening {self._project.name} …" if self._project else ""
        curtain = Curtain(words, self._home)
        self._look = curtain.look
        curtain.painted.connect(lambda: self._patience.start(0))
        self.setCentralWidget(curtain)
        if self._state.geometry:
            self.restoreGeometry(QByteArray.fromBase64(self._state.geometry.encode()))
        self._patience.start(_PATIENCE_MS)

    def _begin(self) -> None:
        self._patience.stop()
        if not self._begun and self._ended is None:
            self._begun = True
            self.tasks.start(self._start(), name="open")

    # Coroutines

    async def _start(self) -> None:
        """Fill the window, for which the first paint does not wait, and open what is to be open."""
        room_for_types()
        switch_quickly()
        with no_collections():
            await self._fill()
        self._filled.set()

    async def _fill(self) -> None:
        pages = await asyncio.to_thread(import_directly, "studio_qt.ui.pages")
        interior = await asyncio.to_thread(_import_interior, self._look)
        inside: Interior = interior.Interior(self, self.tasks, self._home, self._connection)
        self._inside = inside
        inside.theme.rest_when(self._rests)
        made: Pages = pages.Pages(self, self._connection, self._log)
        await made.build()
        self._pages = made
        inside.workbench.restore(self._state.panes)
        inside.session.opened.connect(self._on_settled)
        inside.session.failed.connect(self._on_settled)
        inside.session.untrusted.connect(self._on_settled)
        self._chosen = True
        project = self._project or self._last_project()
        made.coming = project
        if project is not None and await asyncio.to_thread(is_folder, project):
            inside.workbench.set_editing(editing=True)  # so that all is laid out once
        self.setCentralWidget(inside)
        if project is not None and not await asyncio.to_thread(_is_card, project):
            await self._open(project)
            return
        await made.furnish()
        made.show_start()
        self._ready = True
        if project is not None:
            made.receiving.bring(project)

    async def _open(self, project: Path) -> None:
        if await asyncio.to_thread(_is_card, project):
            self._ready = True
            self.pages.receiving.bring(project)
            return
        if not await self._may_leave():
            self._ready = True
            return
        await self.pages.leave()
        await self.inside.session.open(project)

    async def _open_handed(self, place: Path) -> None:
        await self._filled.wait()
        self.setWindowState(self.windowState() & ~Qt.WindowState.WindowMinimized)
        self.activateWindow()
        await self.pages.receiving.open_handed(place)

    async def _open_sample(self) -> None:
        from studio_qt.ui.opening.sample import sample_project

        await self._open(await asyncio.to_thread(sample_project, home_folder()))

    async def _shut(self) -> None:
        try:
            if not await self._may_leave():
                self._ended = None
                return
        except Exception:  # noqa: BLE001 - a window that cannot ask has to close all the same
            _log.exception("Unsaved text could not be looked at")
        try:
            await self.shutdown()
            await self._take_apart()
        finally:
            self.closed.emit()

    async def _take_apart(self) -> None:
        """Let the pages go one by one, unseen: all at once would hold up the loop for long."""
        if self._inside is None:
            return
        around = [one for one in self.children() if isinstance(one, QWidget)]
        for part in (*self._inside.pages(), *around):
            if part is not self._inside and isValid(part):
                part.deleteLater()
                await asyncio.sleep(0)

    async def _may_leave(self) -> bool:
        """Whether all unsaved text is kept; where it cannot be, the user says what to do."""
        if self._inside is None or self._pages is None or self._asking:
            return not self._asking
        lost = await self._inside.documents.secure()
        if not lost:
            return True
        self._asking = True
        self.show()
        try:
            return await self._pages.editors.departures.give_up(lost)
        finally:
            self._asking = False

    # Helpers

    def _rests(self) -> bool:
        return self.settled and not self.tasks.names

    def _on_settled(self) -> None:
        self._ready = True

    def _last_project(self) -> Path | None:
        """Return what was open when the window was closed, where it is wanted and still there."""
        if not (self._state.project and self.inside.preferences.window.restore_session):
            return None
        last = Path(self._state.project)
        return last if is_there(last) else None

    async def _keep_state(self) -> None:
        if self._home is None or self._pages is None:
            return
        geometry = bytes(self.saveGeometry().toBase64().data()).decode()
        panes, place = self.inside.workbench.state(), self.inside.session.place
        state = WindowState(geometry, panes, str(place or ""))
        await asyncio.to_thread(save_state, self._home, state)


def _import_interior(look: str) -> ModuleType:
    """Import what is behind the curtain, and make the pictures of its look; on a thread."""
    interior = import_directly("studio_qt.ui.interior")
    from studio_qt.ui.theme.pictures import make_pictures

    make_pictures(look)
    return interior


def _is_card(place: Path) -> bool:
    """Whether a file is no package, whatever it is called, so that it is imported first."""
    if not is_file(place):
        return False
    recognizing = import_directly("studio_qt.authoring.recognizing")
    return not recognizing.is_package(place)


def create_window(project: Path | None = None) -> StudioWindow:
    """Return the window on a project folder or zip; None is what was open last, or the start page.

    Needs a QApplication and a qasync loop that is set. The window opens its project once the loop
    runs; `show` it, and `await window.shutdown()` or close it at the end.
    """
    return StudioWindow(project)

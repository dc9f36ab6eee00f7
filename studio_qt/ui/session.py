"""`StudioSession`: the project behind the window and its player, up to date with every edit."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

from studio_qt.errors import (
    ClosedError,
    Fault,
    ModelError,
    PackageError,
    Problem,
    StorageError,
    StudioError,
)
from studio_qt.settings import PlayerSettings, home_folder
from studio_qt.ui.documents.documents import Documents
from studio_qt.ui.guarding import Gatekeeper, NotAgreed
from studio_qt.ui.importing import NETWORK, import_directly
from studio_qt.ui.preferences import Preferences
from studio_qt.ui.tasks import Tasks, sentence

if TYPE_CHECKING:
    from studio_qt.engine.player import CharacterPlayer
    from studio_qt.files.watching import FolderWatcher

__all__ = ["DATA_FOLDER", "Connection", "StudioSession"]

DATA_FOLDER = "conversations"
_SLOW = (
    "studio_qt.engine.player",
    "studio_qt.ui.prose.parse",
    "markdown_it",
    "studio_qt.providers.rehearsal.provider",
)
_WATCHING = "studio_qt.files.watching"
"""Imported in a thread after the first paint."""

_LATER = ("studio_qt.sandbox.typescript", "studio_qt.sandbox.arguments")
"""Imported when a character plays; the first call that needs them would have to wait."""

_QUIET_MS = 400
"""After the last key in an editor, before the package is loaded again by itself."""


@dataclass(frozen=True, slots=True)
class Connection:
    """Who answers; without an address it is the built-in Rehearsal."""

    base_url: str | None = None
    api_key: str | None = field(default=None, repr=False)
    model: str | None = None
    worker_model: str | None = None


class StudioSession(QObject):
    """Opens one project at a time, plays it, and loads it again when text or files change.

    In a folder unsaved text lies on top of the files and plays at the next call (STU-01); a zip
    is only played. `opening` carries the name: whoever has the player lets go of it, since it is
    closed next; `project_changed` comes when `root` is another, its unsaved text restored; then,
    after `before_player`,
    `opened` with an open `player`, or `failed` with name and reason, after which every change of
    the project tries again; or `untrusted`, where there is code of which `gate` has to ask first:
    `play` goes on once that is answered. `problems_changed` carries the list of what is wrong,
    `files_changed` the paths that changed on the disk (empty: any), `toast` a sentence and its
    kind.
    """

    opening = Signal(str)
    project_changed = Signal()
    opened = Signal()
    failed = Signal(str, str)
    untrusted = Signal()
    closed = Signal()
    toast = Signal(str, str)
    reloaded = Signal()
    problems_changed = Signal(object)
    files_changed = Signal(object)

    def __init__(
        self,
        connection: Connection,
        documents: Documents,
        tasks: Tasks,
        preferences: Preferences,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self.documents = documents
        self.place: Path | None = None
        self.root: Path | None = None
        self.before_player: Callable[[], Awaitable[None]] | None = None
        self._connection = connection
        self._tasks, self._preferences = tasks, preferences
        self.gate = Gatekeeper(documents, tasks, home_folder(), self)
        self.gate.notice.connect(self.toast)
        self.gate.adopted.connect(lambda: tasks.start(self.play(), name="reload"))
        self._player: CharacterPlayer | None = None
        self._watcher: FolderWatcher | None = None
        self._offs: list[Callable[[], None]] = []
        self._changing = asyncio.Lock()
        self._reloading = asyncio.Lock()
        self._stale = False
        self._quiet = QTimer(self)
        self._quiet.setSingleShot(True)
        self._quiet.timeout.connect(self._reload_now)
        documents.buffers_changed.connect(self._on_buffers)
        preferences.changed.connect(self._on_preferences)

    @property
    def player(self) -> CharacterPlayer | None:
        """The open player."""
        return self._player

    async def open(self, place: Path) -> None:
        """Close what is open, and open a folder or zip."""
        async with self._changing:
            self.opening.emit(_name_of(place))  # before the player closes under those who show it
            await self._close()
            self.place = place
            is_folder = await asyncio.to_thread(place.is_dir)
            self.root = place if is_folder else None
            self.gate.begin(place)
            await self.documents.set_project(self.root)
            self.project_changed.emit()
            if self.before_player is not None:
                await self.before_player()
            if self.root is not None:
                await self._watch(self.root)
            await self._open_player()

    async def close(self) -> None:
        """Close the project; unsaved text is kept for the next time. Twice is harmless."""
        async with self._changing:
            await self._close()
            self.closed.emit()

    async def use(self, connection: Connection) -> None:
        """Let another connection answer from the next response on."""
        self._connection = connection
        if connection.base_url is not None:
            await asyncio.to_thread(import_directly, NETWORK)
        if self._player is not None and self._connection is connection:
            await self._player.configure(
                base_url=connection.base_url,
                api_key=connection.api_key,
                model=connection.model,
                worker_model=connection.worker_model,
            )
            self.reloaded.emit()

    async def play(self) -> None:
        """Take up what the user has agreed to: open the player, or load again."""
        if self._player is None:
            await self._try_again()
            return
        self._stale = True
        await self._reload()

    async def stop_playing(self) -> None:
        """Close the player after agreement was withdrawn; the project stays open."""
        async with self._changing:
            if self.place is None:
                return
            self.opening.emit(_name_of(self.place))
            await self._close_player()
            await self._open_player()

    def take_settings(self) -> None:
        """Play with the settings of the user, and the choices for this character, as they are."""
        if self._player is not None:
            settings = self._settings()
            self._tasks.start(self._player.configure(settings=settings), name="take the settings")

    def wrote(self, paths: frozenset[str]) -> None:
        """Take files that the window itself has written, before the system tells of them."""
        self._on_files(paths)

    async def settle(self) -> None:
        """Have everything that is typed so far loaded; the player awaits it before each call.

        Loading goes on where the call is given up: agents would be exchanged by half.
        """
        self.documents.flush()
        loading = self._tasks.start(self._reload(), name="reload")
        if loading is not None:
            await asyncio.shield(loading)

    @asynccontextmanager
    async def at_rest(self) -> AsyncIterator[Path | None]:
        """Open no player meanwhile, and give the folder of conversations; None where one plays.

        Raises ClosedError where no folder is open.
        """
        if self._player is not None:
            yield None
            return
        async with self._changing:
            if self.root is None:
                raise ClosedError("No project is open.")
            yield self.root / DATA_FOLDER if self._player is None else None

    # Inside

    async def _open_player(self) -> None:
        assert self.place is not None
        self._stale = False
        try:
            served = self._connection.base_url is not None
            for module in (*_SLOW, NETWORK) if served else _SLOW:
                await asyncio.to_thread(import_directly, module)
            self._player = await self._make_player(self.place)
        except NotAgreed:
            self.problems_changed.emit(self.gate.problems)
            self.untrusted.emit()
        except StudioError as error:
            self.problems_changed.emit([_problem_of(error)] if self.root else [])
            self.failed.emit(_name_of(self.place), str(error))
        except Exception as error:
            self.failed.emit(_name_of(self.place), sentence(error))
            raise
        else:
            self.opened.emit()
            self.problems_changed.emit(self._player.problems())
            for module in _LATER:
                await asyncio.to_thread(import_directly, module)

    async def _make_player(self, place: Path) -> CharacterPlayer:
        from studio_qt.engine.places import default_data_folder, missing_languages
        from studio_qt.engine.player import CharacterPlayer
        from studio_qt.files import FolderSource, OverlaySource, Source
        from studio_qt.package.loader import open_source

        made, root = self._connection, self.root
        source: Source
        if root is not None:
            source = OverlaySource(self.documents.buffers, FolderSource(root))
        else:
            source = await asyncio.to_thread(open_source, place)
        await self.gate.refresh()
        player = CharacterPlayer(
            lambda: self.gate.load(source, missing_languages()),
            made.api_key,
            made.base_url,
            made.model,
            worker_model=made.worker_model,
            data_dir=root / DATA_FOLDER if root else default_data_folder(place),
            settings=self._settings(),
            before_call=self.settle,
        )
        self._offs = [
            player.on("agentToast", self._on_toast),
            player.on("error", self._on_error),
            player.on("reload", self._on_reload),
        ]
        try:
            await player.open()
        except BaseException:
            self._unsubscribe()
            await player.close()
            raise
        return player

    async def _close(self) -> None:
        self._quiet.stop()
        watcher, self._watcher = self._watcher, None
        if watcher is not None:
            await watcher.close()
        await self._close_player()
        self.place = self.root = None
        self.gate.begin(None)
        await self.documents.set_project(None)

    async def _close_player(self) -> None:
        player, self._player = self._player, None
        self._unsubscribe()
        if player is not None:
            await player.close()

    def _settings(self) -> PlayerSettings:
        """Return the user's settings, with what was chosen for this character alone."""
        settings, web = self._preferences.player, self.gate.web
        return settings if web is None else replace(settings, web_access=web)

    def _unsubscribe(self) -> None:
        for off in self._offs:
            off()
        self._offs.clear()

    async def _watch(self, root: Path) -> None:
        await asyncio.to_thread(import_directly, _WATCHING)
        from studio_qt.files.watching import FolderWatcher

        self._watcher = FolderWatcher(root, self._on_files, ignore=_is_ours)
        await self._watcher.start()
        self.files_changed.emit(frozenset())  # what changed since the project was shown
        await self.documents.files_changed(frozenset())

    # Loading again

    def _on_buffers(self, _paths: object) -> None:
        self._stale = True
        self._quiet.start(_QUIET_MS)

    def _on_files(self, paths: frozenset[str]) -> None:
        self._stale = True
        self.files_changed.emit(paths)
        self._tasks.start(self._after_files(paths), name="follow the disk")

    async def _after_files(self, paths: frozenset[str]) -> None:
        await self.documents.files_changed(paths)
        await self._reload()

    def _reload_now(self) -> None:
        self._tasks.start(self._reload(), name="reload")

    async def _reload(self) -> None:
        """Load the package again if something changed since; one that failed to open is tried."""
        async with self._reloading:
            if not self._stale or self.root is None:
                return
            if self._player is None:
                await self._try_again()
                return
            self._stale = False
            with suppress(ClosedError):
                await self._reload_player(self._player)

    async def _try_again(self) -> None:
        async with self._changing:
            if self._player is None and self.place is not None:
                await self._open_player()

    async def _reload_player(self, player: CharacterPlayer) -> None:
        try:
            await player.reload()
        except PackageError as error:
            found = [_problem_of(error), *player.problems()]
            self.problems_changed.emit(list(dict.fromkeys(found)))

    # What the player says

    def _on_toast(self, text: object) -> None:
        self.toast.emit(str(text), "info")

    def _on_error(self, error: object) -> None:
        """Tell of an agent's failure; what ends a turn is shown in the chat, with Retry."""
        if isinstance(error, Exception) and not isinstance(error, (ModelError, StorageError)):
            self.toast.emit(sentence(error), "error")

    def _on_reload(self, said: object) -> None:
        assert isinstance(said, Mapping)
        self.reloaded.emit()
        if self._player is not None:
            self.problems_changed.emit(self._player.problems())

    def _on_preferences(self) -> None:
        self.take_settings()


def _name_of(place: Path) -> str:
    """Return what a project is called; the top of a disk has no name of its own."""
    return place.name or str(place)


def _problem_of(error: StudioError) -> Problem:
    """Return what a project that cannot be loaded has in its list of problems."""
    file = getattr(error, "file", None) or "config.json"
    line = getattr(error, "line", None)
    fault = Fault("config-broken") if line is not None else None
    return Problem("error", file, line, str(error), fault)


def _is_ours(path: str) -> bool:
    """Whether a path is written by the player, or lies in a dot-folder of some tool."""
    folders = path.split("/")[:-1]
    inside = path == DATA_FOLDER or (folders and folders[0] == DATA_FOLDER)
    return bool(inside) or any(folder.startswith(".") for folder in folders)

"""`Connections`: who may answer and who does, as the window sees it."""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from PySide6.QtCore import QObject, Signal

from studio_qt.errors import StudioError
from studio_qt.providers.connections import ConnectionBook, ConnectionFile, SavedConnection
from studio_qt.providers.discovery import USUAL_DOORS, Door, FoundServer, find_servers
from studio_qt.providers.keys import KeptKey, KeyPlace, Keys, trimmed_key
from studio_qt.providers.model import ModelInfo
from studio_qt.providers.profiles import ProfileStore
from studio_qt.providers.trial import Trial, offered_models, try_connection
from studio_qt.ui.importing import NETWORK, import_directly
from studio_qt.ui.session import Connection
from studio_qt.ui.tasks import Tasks

__all__ = ["Connections", "model_words"]

_KEYCHAIN_SECONDS = 3.0
"""So long the start waits for a keychain, which may be asking its user to unlock it."""

_Result = TypeVar("_Result")


class Connections(QObject):
    """The saved connections, the one in use, and the servers found on this computer.

    `changed` follows every change of what is saved or chosen; `current_changed` comes when
    `current` has another value, which may be later, since a key may take a while; `found_changed`
    follows the search; `notice` carries a sentence and its kind. `home` None keeps nothing in
    files.
    """

    changed = Signal()
    current_changed = Signal()
    found_changed = Signal()
    notice = Signal(str, str)

    def __init__(
        self,
        home: Path | None,
        tasks: Tasks,
        parent: QObject | None = None,
        *,
        keys: Keys | None = None,
        doors: Sequence[Door] = USUAL_DOORS,
    ) -> None:
        super().__init__(parent)
        self._file = ConnectionFile(home)
        self._tasks = tasks
        self._doors = doors
        self._book = ConnectionBook()
        self._current = Connection()
        self._writing = asyncio.Lock()
        self._unwritten = 0
        self._looking = False
        self.keys = keys or Keys(home)
        self.profiles = ProfileStore(home / "profiles.json" if home else None)
        self.found: tuple[FoundServer, ...] = ()
        self.looked_at: float | None = None
        """When the search ended, in seconds of `time.time()`."""

    @property
    def saved(self) -> tuple[SavedConnection, ...]:
        """The saved connections in their order."""
        return self._book.connections

    @property
    def chosen(self) -> SavedConnection | None:
        """The connection that is chosen; None for Rehearsal."""
        return self._book.chosen

    @property
    def current(self) -> Connection:
        """Who answers now, with the key; what a session is given."""
        return self._current

    @property
    def looking(self) -> bool:
        """Whether servers are being looked for."""
        return self._looking

    async def load(self) -> None:
        """Read what is saved, and get the key; await it before the first project is opened.

        A keychain that does not answer is waited for only a moment: its key comes later.
        """
        async with self._writing:
            self._book = await asyncio.to_thread(self._file.load)
            for sentence in self._file.notices:
                self.notice.emit(sentence, "error")
        self._adopt(None)
        self.changed.emit()
        waiting = self._tasks.start(self._fetch_key(), name="key")
        if waiting is not None:
            await asyncio.wait([waiting], timeout=_KEYCHAIN_SECONDS)
            if not waiting.done():
                self.notice.emit(
                    "The keychain has not given the key yet. Unlock it; the key is taken as soon "
                    "as it comes.",
                    "warning",
                )

    # Changing -------------------------------------------------------------------------------

    def find(self, name: str | None) -> SavedConnection | None:
        """Return a saved connection by its name."""
        return self._book.find(name)

    def free_name(self, wish: str) -> str:
        """Return `wish`, with a number where that name is taken."""
        return self._book.free_name(wish)

    def choose(self, name: str | None) -> None:
        """Let another connection answer; None is Rehearsal. Raises StudioError for no such one."""
        self._change(lambda book: book.choosing(name))

    def save(
        self,
        saved: SavedConnection,
        *,
        instead_of: str | None = None,
        key: str | None = None,
        key_in_file: bool = False,
        choose: bool = False,
    ) -> None:
        """Keep a connection, in the place of the one of the name `instead_of`.

        `key` None leaves the key as it is (another address begins without one), "" removes it.
        `key_in_file`: the user agrees to a file where there is no keychain. Raises StudioError for
        what can be no connection or key; nothing has changed then.
        """
        wanted = trimmed_key(key)
        old = self.find(instead_of or saved.name)
        moved = old is not None and old.endpoint != saved.endpoint
        known = replace(saved, key=old.key if old and not moved else None)

        def keep(book: ConnectionBook, what: SavedConnection) -> ConnectionBook:
            book = book.keeping(what, instead_of)
            return book.choosing(what.name) if choose else book

        async def keep_key() -> Callable[[ConnectionBook], ConnectionBook]:
            place = known.key
            if wanted is not None:
                instead: KeyPlace = "file" if key_in_file else "session"
                place = await _aside(
                    lambda: self.keys.keep(saved.base_url, wanted, instead=instead)
                )
            elif key is not None:
                await _aside(lambda: self.keys.forget(saved.base_url))
                place = None
            if moved and old is not None:
                await self._forget_unused(old, instead_of)
            return lambda book: keep(book, replace(known, key=place))

        self._change(lambda book: keep(book, known), keep_key)

    def change(self, which: str, /, **values: str | None) -> None:
        """Change fields of a saved connection: `name`, `base_url`, `model`, `worker_model`.

        Raises StudioError for what can be no connection; nothing has changed then.
        """
        known = self.find(which)
        if known is None:
            raise StudioError(f'There is no connection "{which}".')
        given: dict[str, Any] = dict(values)  # each is checked by the class itself
        self.save(replace(known, **given), instead_of=which)

    def remove(self, name: str) -> None:
        """Forget a connection and its key; if it was chosen, Rehearsal answers."""
        gone = self.find(name)
        if gone is None:
            return

        async def forget_key() -> Callable[[ConnectionBook], ConnectionBook]:
            await self._forget_unused(gone, name)
            return lambda book: book.without(name)

        self._change(lambda book: book.without(name), forget_key)

    def use(
        self,
        server: FoundServer,
        *,
        model: str | None = None,
        key: str | None = None,
        key_in_file: bool = False,
    ) -> None:
        """Let a server answer that was found: the connection saved for it, else a new one.

        Without `model` the loaded one is taken, or the only one.
        """
        for one in self.saved:
            if one.base_url == server.base_url:
                known = replace(one, model=model or one.model)
                self.save(known, key=key, key_in_file=key_in_file, choose=True)
                return
        name = self.free_name(server.name or server.address)
        ready = [info.id for info in server.chats if info.id in (server.loaded or ())]
        likely = ready[:1] or [info.id for info in server.chats if len(server.chats) == 1]
        saved = SavedConnection(
            name=name, base_url=server.base_url, model=model or next(iter(likely), None)
        )
        self.save(saved, key=key, key_in_file=key_in_file, choose=True)

    # Asking ---------------------------------------------------------------------------------

    async def look(self) -> None:
        """Look for servers on this computer; `found_changed` comes at the start and at the end."""
        if self._looking:
            return
        self._looking = True
        self.found_changed.emit()
        try:
            await asyncio.to_thread(import_directly, NETWORK)
            self.found = await find_servers(self._doors)
            self.looked_at = time.time()
        finally:
            self._looking = False
            self.found_changed.emit()

    async def key_of(self, base_url: str) -> KeptKey | None:
        """Return the key that is kept for an address."""
        return await _aside(lambda: self.keys.find(base_url))

    async def keychain_name(self) -> str | None:
        """Return the name of the system's keychain; None where there is none."""
        return await _aside(self.keys.keychain_name)

    async def offered(self, base_url: str, key: str | None = None) -> tuple[ModelInfo, ...]:
        """Return the models of an address; without `key`, with the kept one. Raises StudioError."""
        await asyncio.to_thread(import_directly, NETWORK)
        return await offered_models(base_url, key or await self._kept(base_url))

    async def test(
        self,
        base_url: str,
        model: str,
        key: str | None = None,
        *,
        told: Callable[[str], None] | None = None,
    ) -> Trial:
        """Try a connection; without `key`, with the kept one. `told` gets reasons for waiting."""
        await asyncio.to_thread(import_directly, NETWORK)
        used = key or await self._kept(base_url)
        return await try_connection(base_url, used, model, profiles=self.profiles, told=told)

    # Helpers --------------------------------------------------------------------------------

    async def _kept(self, base_url: str) -> str | None:
        kept = await self.key_of(base_url)
        return kept.key if kept else None

    async def _forget_unused(self, gone: SavedConnection, name: str | None) -> None:
        """Remove the key of an address that no other connection has."""
        others = (one for one in self._book.connections if one.name not in {gone.name, name})
        if gone.key is not None and all(one.endpoint != gone.endpoint for one in others):
            await _aside(lambda: self.keys.forget(gone.base_url))

    def _change(
        self,
        change: Callable[[ConnectionBook], ConnectionBook],
        prepare: Callable[[], Coroutine[object, object, Callable[[ConnectionBook], ConnectionBook]]]
        | None = None,
    ) -> None:
        """Change what is shown at once, and what is kept after `prepare`, which may refine it."""
        self._book = change(self._book)
        self._unwritten += 1
        self.changed.emit()

        async def keep() -> None:
            book, trouble = None, None
            try:
                async with self._writing:
                    final = await prepare() if prepare else change
                    book = await asyncio.to_thread(self._file.change, final)
            except StudioError as error:
                trouble = error  # the choice holds all the same, as long as the program runs
            finally:
                self._unwritten -= 1
            if self._unwritten == 0:  # else a later change is shown already
                self._book = book or self._book
                await self._fetch_key()
                self.changed.emit()
            if trouble is not None:
                raise trouble

        self._tasks.start(keep(), name="keep connections")

    async def _fetch_key(self) -> None:
        """Give `current` the key of the connection that is chosen."""
        chosen = self.chosen
        kept = None
        if chosen is not None and (chosen.key is not None or not chosen.local):
            kept = await self.key_of(chosen.base_url)
            if kept is None and chosen.key is not None:
                self.notice.emit(_lost(chosen), "warning")
        if chosen is self.chosen:
            self._adopt(kept)

    def _adopt(self, kept: KeptKey | None) -> None:
        chosen = self.chosen
        made = Connection()
        if chosen is not None:
            key = kept.key if kept else None
            made = Connection(chosen.base_url, key, chosen.model, chosen.worker_model)
        if made != self._current:
            self._current = made
            self.current_changed.emit()
            self.changed.emit()


def model_words(info: ModelInfo) -> str:
    """Return what is known of a model: "32,768 tokens · tools"; "" for nothing."""
    parts = [f"{info.context_length:,} tokens"] if info.context_length else []
    if info.takes_tools is not None:
        parts.append("tools" if info.takes_tools else "no tools")
    return " · ".join(parts)


def _lost(chosen: SavedConnection) -> str:
    if chosen.key == "session":
        return (
            f"The key of {chosen.name} was kept only until the program ended. Enter it again in "
            "Settings, Connections."
        )
    return (
        f"The key of {chosen.name} is not there any more. Enter it again in Settings, Connections."
    )


async def _aside(work: Callable[[], _Result]) -> _Result:
    """Run `work` on a thread that nobody waits for at the end: a locked keychain may block long."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[_Result] = loop.create_future()

    def settle(result: _Result | None, error: Exception | None) -> None:
        if done.done():
            return
        if error is not None:
            done.set_exception(error)
        else:
            done.set_result(result)  # type: ignore[arg-type]

    def run() -> None:
        result, error = None, None
        try:
            result = work()
        except Exception as raised:  # noqa: BLE001 - it is raised again where it is awaited
            error = raised
        with contextlib.suppress(RuntimeError):  # the loop has ended meanwhile
            loop.call_soon_threadsafe(settle, result, error)

    threading.Thread(target=run, name="keychain", daemon=True).start()
    return await done

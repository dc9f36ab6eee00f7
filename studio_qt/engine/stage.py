"""The stage that a player plays on: a package, a data folder, a session, one turn at a time."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from studio_qt.engine.broker import Response
from studio_qt.engine.editing import Editing
from studio_qt.engine.events import (
    AgentToasted,
    EntriesChanged,
    ErrorRaised,
    Event,
    MessageDelivered,
    Reloaded,
    TurnChanged,
)
from studio_qt.engine.models import Connection, Models
from studio_qt.engine.places import PackageArgument, default_data_folder, open_package
from studio_qt.engine.requests import SentRequests
from studio_qt.engine.session import Session, uninterrupted
from studio_qt.engine.storage import Conversation, DataFolder
from studio_qt.engine.subscribers import Callback, Subscribers
from studio_qt.engine.turn import Turn
from studio_qt.engine.watching import PackageWatch
from studio_qt.engine.web import Web
from studio_qt.errors import ClosedError, ModelError, Problem, StorageError, StudioError
from studio_qt.jsontext import JsonObject
from studio_qt.package import CharacterPackage
from studio_qt.package.foreign import foreign_code_sentence
from studio_qt.package.model import Texts
from studio_qt.sandbox import SandboxHost
from studio_qt.settings import PlayerSettings

if TYPE_CHECKING:
    from studio_qt.web import WebReader

__all__ = ["Opened", "Stage"]

BeforeCall = Callable[[], Coroutine[object, object, None]]
_KEEP = object()
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Opened:
    """What an open player holds."""

    package: CharacterPackage
    texts: Texts
    folder: DataFolder
    session: Session
    editing: Editing
    models: Models


class Stage:
    """Opens and closes, changes package and connection, and runs one turn or edit at a time.

    `CharacterPlayer` is the stage together with everything that can be done on it; the arguments
    are described there.
    """

    def __init__(
        self,
        package: PackageArgument,
        api_key: str | None = None,
        base_url: str | None = None,
        model: str | None = None,
        *,
        worker_model: str | None = None,
        data_dir: str | Path | None = None,
        settings: PlayerSettings | None = None,
        watch: bool = False,
        web: WebReader | None = None,
        before_call: BeforeCall | None = None,
    ) -> None:
        self._before_call = before_call
        self._argument = package
        self._connection = Connection(base_url, api_key, model, worker_model)
        self._settings = settings or PlayerSettings()
        self._data_dir = Path(data_dir) if data_dir is not None else None
        self._subscribers = Subscribers()
        self._host = self._new_host()
        self._web = Web(web)
        self._requests = SentRequests(self._emit)
        self._turns = asyncio.Lock()
        self._opening = asyncio.Lock()
        self._reloading = asyncio.Lock()
        self._running: Turn | None = None
        self._opened: Opened | None = None
        self._closed = False
        self._watch = PackageWatch(self.reload, self._emit) if watch else None

    # Opening and closing --------------------------------------------------------------------

    async def open(self) -> None:
        """Load the package and its agents, and take up the conversation last played.

        Raises PackageError when the package cannot be played, StudioError for a connection that
        makes no sense. A data folder that cannot be written, or that another process has, opens
        for reading; sending then raises StorageError.
        """
        async with self._opening:
            self._check_not_closed()
            if self._opened is None:
                await self._open()

    async def _open(self) -> None:
        package = await open_package(self._argument)
        texts = await asyncio.to_thread(package.read_texts)
        models = Models(self._connection, self._settings, package.model)
        given = package if callable(self._argument) else self._argument
        place = self._data_dir or default_data_folder(given)
        folder: DataFolder | None = None
        try:
            folder = await DataFolder.open(
                place, package_hash=package.hash, package_version=package.version
            )
            conversation = await _resume(folder)
            await folder.mark_played(conversation.id)
            session = self._session(package, conversation, models)
            await session.load()
            self._check_not_closed()
        except BaseException:
            host, self._host = self._host, self._new_host()
            async with AsyncExitStack() as ends:
                ends.push_async_callback(host.close)
                ends.push_async_callback(models.close)
                if folder is not None:
                    ends.push_async_callback(folder.close)
            raise
        self._opened = Opened(package, texts, folder, session, Editing(session), models)
        self._tell_notices(conversation)
        if said := foreign_code_sentence(package):
            _log.warning("%s", said)
        if self._watch is not None:
            await self._watch.start(package.source, place)

    async def close(self) -> None:
        """Stop, save and end everything; afterwards no child process is left. Twice is harmless.

        Raises the StorageError of a conversation that could not be written, after all is closed.
        """
        if self._closed:
            return
        self._closed = True
        if self._opened is None:
            await self._host.close()  # so that an opening that runs comes to its end
        async with self._opening:
            if self._watch is not None:
                await self._watch.close()
        self.stop()
        async with AsyncExitStack() as ends:  # whatever fails, the rest is let go; last first
            ends.push_async_callback(self._subscribers.close)
            await ends.enter_async_context(self._turns)
            opened, self._opened = self._opened, None
            ends.push_async_callback(self._host.close)
            ends.push_async_callback(self._web.close)
            if opened is not None:
                ends.push_async_callback(opened.models.close)
                ends.push_async_callback(opened.folder.close)
                ends.push_async_callback(opened.session.conversation.close)
                ends.push_async_callback(opened.session.close)

    async def __aenter__(self) -> Self:
        await self.open()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    def on(self, event: str, callback: Callback) -> Callable[[], None]:
        """Subscribe to an event by name (see `studio_qt.engine.events`); also before `open()`.

        The callback gets the payload and may be async; the returned function unsubscribes.
        """
        return self._subscribers.on(event, callback)

    def stop(self) -> None:
        """End the running response; what has streamed is kept (LOOP-07)."""
        if self._running is not None:
            self._running.stop()

    def problems(self) -> list[Problem]:
        """Return every problem of the package and of loading its agents."""
        opened = self._now()
        found = (*opened.package.problems, *opened.texts.problems, *opened.session.problems())
        return list(dict.fromkeys(found))

    # Package and connection -----------------------------------------------------------------

    async def reload(self) -> None:
        """Load the package again; agents that changed are exchanged, the others keep running.

        Raises PackageError when the package cannot be opened any more; the old one then goes on.
        """
        self._now()
        async with self._reloading:
            argument = self._argument
            where = argument.source if isinstance(argument, CharacterPackage) else argument
            package = await open_package(where)
            texts = await asyncio.to_thread(package.read_texts)
            changed: tuple[str, ...] = ()
            while (session := self._now().session).package is not package:
                changed = await session.exchange(package)
            opened = self._now()
            opened.folder.set_package(package.hash, package.version)
            self._opened = replace(opened, package=package, texts=texts)
        self._emit(Reloaded(changed, tuple(self.problems())))

    async def configure(
        self,
        *,
        api_key: str | object | None = _KEEP,
        base_url: str | object | None = _KEEP,
        model: str | object | None = _KEEP,
        worker_model: str | object | None = _KEEP,
        settings: PlayerSettings | None = None,
    ) -> None:
        """Change connection, models or settings from the next response on; contexts stay.

        What is not given stays as it is. Raises StudioError for a connection that makes no sense.
        """
        given = {
            "api_key": api_key,
            "base_url": base_url,
            "model": model,
            "worker_model": worker_model,
        }
        changes = {name: value for name, value in given.items() if value is not _KEEP}
        connection = replace(self._connection, **changes)  # type: ignore[arg-type]
        chosen = settings or self._settings
        suggestion = self._opened.package.model if self._opened else None
        models = Models(connection, chosen, suggestion)
        self._connection, self._settings = connection, chosen
        if self._opened is None:
            await models.close()
            return
        async with self._turns:
            await self._now().models.close()
            opened = self._now()
            opened.session.use(models, chosen)
            self._opened = replace(opened, models=models)

    @property
    def refusal(self) -> str | None:
        """Why nothing can be written, naming the program that has the conversations, else None."""
        return self._now().folder.refusal

    # Inside ---------------------------------------------------------------------------------

    def _now(self) -> Opened:
        if self._opened is None:
            state = "closed" if self._closed else "not open yet: await player.open() first"
            raise ClosedError(f"This player is {state}.")
        return self._opened

    def _check_not_closed(self) -> None:
        if self._closed:
            raise ClosedError("This player is closed. Make a new one.")

    async def _prepare_call(self) -> None:
        """Let whoever holds unsaved text load it before it is played (STU-01)."""
        if self._before_call is not None:
            await self._before_call()

    def _check_writable(self) -> None:
        folder = self._now().folder
        if not folder.writable:
            raise StorageError(folder.refusal or "The data folder cannot be written.")

    def _new_host(self) -> SandboxHost:
        """Return a sandbox whose notices (what takes long while agents load) are toasts."""
        return SandboxHost(on_notice=lambda sentence: self._emit(AgentToasted(sentence)))

    def _emit(self, event: Event) -> None:
        self._subscribers.emit(event)

    def _session(
        self,
        package: CharacterPackage,
        conversation: Conversation,
        models: Models,
        *,
        quiet: bool = False,
    ) -> Session:
        """Return a session; a quiet one says nothing, for a conversation that nobody looks at."""
        emit: Callable[[Event], None] = (lambda _: None) if quiet else self._emit
        return Session(
            package,
            conversation,
            self._host,
            models,
            self._settings,
            emit,
            self._web,
            self._requests,
        )

    async def _in_turn(
        self, act: Callable[[Turn], Coroutine[object, object, Response]]
    ) -> JsonObject:
        """Run one turn that `stop` can end; turns queue in order."""
        self._now()
        await self._prepare_call()
        async with self._turns:
            self._check_not_closed()  # what waited here when the player was closed is not begun
            opened = self._now()
            self._check_writable()
            turn = self._running = Turn(opened.session)
            try:
                response = await act(turn)
                if response.text or not response.stopped:
                    self._emit(MessageDelivered(response.text))
            except (ModelError, StorageError) as error:
                self._emit(ErrorRaised(error))
                raise
            except StudioError:
                raise
            except Exception as error:  # a fault of ours ends this turn only, and is told whole
                _log.exception("A turn ended by a fault of the application.")
                raise StudioError(
                    "The reply was ended by a fault of this application; the log has the details. "
                    "Nothing was lost: send again."
                ) from error
            finally:
                self._running = None
                self._emit(TurnChanged("finished", stopped=turn.stopped))
        await self._subscribers.drain()
        return {"role": "assistant", "content": response.text}

    def _tell_notices(self, conversation: Conversation) -> None:
        """Say what was set aside or taken over while a conversation was opened."""
        for notice in conversation.notices:
            self._emit(AgentToasted(notice))

    async def _edit(self, act: Callable[[Editing], Coroutine[object, object, None]]) -> None:
        """Do one edit; sends wait meanwhile. Raises StudioError during a reply."""
        self._check_still()
        async with self._turns:
            opened = self._now()
            await uninterrupted(act(opened.editing))
            await opened.session.conversation.checkpoint()
        await self._subscribers.drain()

    async def _answer_again(self, index: int | None, text: str | None = None) -> JsonObject:
        self._check_still()
        editing = self._now().editing
        return await self._in_turn(lambda turn: turn.again(editing.make_way(index, text)))

    def _check_still(self) -> None:
        self._now()
        self._check_writable()
        if self._running is not None:
            raise StudioError("A reply is being written. Stop it first, then edit.")
        if self._turns.locked():
            raise StudioError("The conversation is being stored or changed. Edit in a moment.")

    async def _switch(
        self, open_next: Callable[[], Coroutine[object, object, Conversation]]
    ) -> str:
        """Leave the conversation for another; the old one is saved, contexts are made anew.

        The old one is there until the new one is ready, and a reload waits meanwhile.
        """
        self.stop()
        async with self._turns, self._reloading:
            opened = self._now()
            following = await open_next()
            session = self._session(opened.package, following, opened.models)
            await session.load()
            self._opened = replace(opened, session=session, editing=Editing(session))
            before = len(opened.session.conversation)
            await opened.session.close()
            if following is not opened.session.conversation:
                await opened.session.conversation.close()
            await opened.folder.mark_played(following.id)
            self._emit(EntriesChanged(0, before, len(following)))
            self._tell_notices(following)
        return following.id


async def _resume(folder: DataFolder) -> Conversation:
    """Return the conversation last played, else a new one, blank where nothing can be written.

    One that cannot be read is set aside by the folder, and the one changed before it is taken.
    """
    while (last := folder.last_played) is not None:
        try:
            return await folder.load(last)
        except StudioError as error:
            _log.warning("%s", error)
            if folder.last_played == last:
                break
    return await folder.create() if folder.writable else folder.blank()

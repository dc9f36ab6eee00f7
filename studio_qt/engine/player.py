"""`CharacterPlayer`: what programs, the window and the terminal play a character with."""

from __future__ import annotations

import asyncio
import copy
import json
import logging
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import Self, TypeVar

from studio_qt.engine.broker import Response
from studio_qt.engine.commands import CommandResult, call_by_hand, run_command
from studio_qt.engine.defaults import save_default
from studio_qt.engine.editing import Editing, Stores
from studio_qt.engine.edits import check_index
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
from studio_qt.engine.session import Session, uninterrupted
from studio_qt.engine.storage import Conversation, DataFolder
from studio_qt.engine.subscribers import Callback, Subscribers
from studio_qt.engine.turn import Turn
from studio_qt.errors import ClosedError, ModelError, Problem, StorageError, StudioError
from studio_qt.jsontext import JsonObject, decode_object, encode
from studio_qt.package import CharacterPackage
from studio_qt.package.model import Texts
from studio_qt.sandbox import SandboxHost
from studio_qt.settings import PlayerSettings

__all__ = ["Character", "CharacterPlayer", "CommandResult"]

T = TypeVar("T")
_KEEP = object()
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Character:
    """Who is played, for a title, a card and the first screen (STU-00)."""

    name: str
    description: str
    introduction: str
    model_label: str


class CharacterPlayer:
    """Plays one character package: conversations, tools, stores (CONS-01 to CONS-03).

    `package` is a folder or a zip, the https address of a zip, or a loaded `CharacterPackage`.
    `base_url` None or "rehearsal:" is the built-in offline model. `data_dir` defaults to
    `<project>/conversations`, for a zip to the user's data folder. Everything happens on one
    asyncio loop; sends queue in order.

    Every method raises only subclasses of `StudioError` for bad input or a failing world, and
    `ClosedError` before `open()` and after `close()`.
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
    ) -> None:
        self._argument = package
        self._connection = Connection(base_url, api_key, model, worker_model)
        self._settings = settings or PlayerSettings()
        self._data_dir = Path(data_dir) if data_dir is not None else None
        self._subscribers = Subscribers()
        self._host = SandboxHost()
        self._turns = asyncio.Lock()
        self._running: Turn | None = None
        self._opened: _Opened | None = None
        self._closed = False

    # Opening and closing --------------------------------------------------------------------

    async def open(self) -> None:
        """Load the package and its agents, and take up the conversation last played.

        Raises PackageError when the package cannot be played, StudioError for a connection that
        makes no sense. A data folder that cannot be written, or that another process has, opens
        for reading; sending then raises StorageError.
        """
        if self._closed:
            raise ClosedError("This player is closed. Make a new one.")
        if self._opened is not None:
            return
        package = await open_package(self._argument)
        texts = await asyncio.to_thread(package.read_texts)
        models = Models(self._connection, self._settings, package.model)
        place = self._data_dir or default_data_folder(self._argument)
        folder: DataFolder | None = None
        try:
            folder = await DataFolder.open(
                place, package_hash=package.hash, package_version=package.version
            )
            conversation = await _resume(folder)
            session = self._session(package, conversation, models)
            await session.load()
        except BaseException:
            if folder is not None:
                await folder.close()
            await models.close()
            await self._host.close()
            self._host = SandboxHost()
            raise
        self._opened = _Opened(package, texts, folder, session, Editing(session), models)
        self._tell_notices(conversation)

    async def close(self) -> None:
        """Stop, save and end everything; afterwards no child process is left. Twice is harmless."""
        if self._closed:
            return
        self._closed = True
        self.stop()
        async with self._turns:
            if (opened := self._opened) is not None:
                self._opened = None
                await opened.session.close()
                await opened.session.conversation.close()
                await opened.folder.close()
                await opened.models.close()
            await self._host.close()
        await self._subscribers.drain()

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

    # Talking --------------------------------------------------------------------------------

    async def send(self, text: str) -> JsonObject:
        """Send a message and return `{role, content}` after all tool work.

        After `stop()` and at a cap it returns what came. Raises ModelError when the provider
        fails (the message stays; `regenerate` asks again), StorageError where nothing can be
        written.
        """
        if not text.strip():
            raise StudioError("There is nothing to send. Write a message first.")
        return await self._in_turn(lambda turn: turn.send(text))

    def stop(self) -> None:
        """End the running response; what has streamed is kept (LOOP-07)."""
        if self._running is not None:
            self._running.stop()

    async def command(self, line: str) -> CommandResult:
        """Run an @ command at once, without a model; `ok` False comes with a sentence (EXP-03)."""
        session = self._now().session
        self._check_writable()
        result = await run_command(session, line)
        await session.conversation.checkpoint()
        await self._subscribers.drain()
        return result

    async def call_tool(self, name: str, args: JsonObject) -> str:
        """Run a tool by hand, as "direct"; it stays out of the history.

        Raises AgentError with the sentence that a model would get when the tool is unknown, the
        arguments do not fit or the agent fails.
        """
        session = self._now().session
        self._check_writable()
        try:
            return await call_by_hand(session, name, args)
        finally:
            await session.conversation.checkpoint()
            await self._subscribers.drain()

    # Conversations --------------------------------------------------------------------------

    @property
    def conversation_id(self) -> str:
        """The id of the conversation being played, for example conversation_01."""
        return self._now().session.conversation.id

    async def new_conversation(self) -> str:
        """Save the conversation, start a new one and return its id; stops a reply first."""
        return await self._switch(self._now().folder.create)

    async def load_conversation(self, conversation_id: str) -> None:
        """Save the conversation and take up another; raises StudioError for an unknown id."""
        await self._switch(lambda: self._now().folder.load(conversation_id))

    async def list_conversations(self) -> list[JsonObject]:
        """Return `{id, title, messages, updated}` of all conversations, the latest first."""
        return [summary.to_json() for summary in await self._now().folder.summaries()]

    def get_conversation(self) -> list[JsonObject]:
        """Return a copy of all entries."""
        conversation = self._now().session.conversation
        return copy.deepcopy(conversation.entries(0, len(conversation)))

    def entries(self, start: int, stop: int) -> list[JsonObject]:
        """Return copies of the entries from `start` up to `stop`, for views that show a part."""
        return [dict(entry) for entry in self._now().session.conversation.entries(start, stop)]

    def __len__(self) -> int:
        return len(self._now().session.conversation)

    def __bool__(self) -> bool:
        return True  # a player without entries is still a player

    # Editing --------------------------------------------------------------------------------

    async def regenerate(self) -> JsonObject:
        """Answer the last user message again; the earlier response stays in the file, rejected.

        Also the way to retry after a provider failed. Raises as `send` does, and StudioError
        during a reply.
        """
        return await self._answer_again(None)

    async def resubmit(self, index: int) -> JsonObject:
        """Answer a user message again; everything after it goes. Raises as `regenerate` does."""
        return await self._answer_again(index)

    async def edit(self, index: int, text: str, *, resubmit: bool = False) -> JsonObject | None:
        """Change an entry's text and nothing else; with `resubmit` also answer it again."""
        if resubmit:
            return await self._answer_again(index, text)
        await self._edit(lambda editing: editing.change_text(index, text))
        return None

    async def delete(self, index: int) -> None:
        """Remove an entry; a reply goes with its tool entries."""
        await self._edit(lambda editing: editing.delete(index))

    async def truncate(self, index: int, stores: Stores = "now") -> None:
        """Remove an entry and all after it; `stores="then"` also takes the stores back."""
        await self._edit(lambda editing: editing.truncate(index, stores))

    async def reject(self, index: int) -> None:
        """Mark the reply that the entry belongs to as unacceptable; it is never sent again."""
        await self._edit(lambda editing: editing.reject(index))

    async def clear(self) -> None:
        """Remove all entries; stores and the toolCallId counter stay, and no hook fires."""
        await self._edit(lambda editing: editing.clear())

    async def undo(self) -> None:
        """Take the last edit back, entries and stores; raises StudioError when there is none."""
        await self._edit(lambda editing: editing.undo())

    async def redo(self) -> None:
        """Do again what was undone last; raises StudioError when there is nothing."""
        await self._edit(lambda editing: editing.redo())

    def alternatives(self, index: int) -> list[JsonObject]:
        """Return the responses of a reply's turn: `{n, active, content, entries}` each."""
        return self._now().editing.alternatives(index)

    async def choose(self, index: int, n: int, stores: Stores = "keep") -> None:
        """Make response `n` of the turn active; `stores="then"` takes the stores after it."""
        await self._edit(lambda editing: editing.choose(index, n, stores))

    async def fork(self, index: int, stores: Stores = "now") -> str:
        """Start a conversation with the entries up to and including `index`; return its id.

        The player stays where it is.
        """
        made: list[str] = []

        async def perform(editing: Editing) -> None:
            opened = self._now()
            source = opened.session.conversation
            check_index(source.entries(), index)
            target = await opened.folder.create(title=source.title, fork_of=source)
            session = self._session(opened.package, target, opened.models, quiet=True)
            try:
                await editing.fork_into(session, index, stores)
            finally:
                await session.close()
                await target.close()
            made.append(target.id)

        await self._edit(perform)
        return made[0]

    # Package and connection -----------------------------------------------------------------

    async def reload(self) -> None:
        """Load the package again; agents that changed are exchanged, the others keep running.

        Raises PackageError when the package cannot be opened any more; the old one then goes on.
        """
        opened = self._now()
        argument = self._argument
        where = argument.source if isinstance(argument, CharacterPackage) else argument
        package = await open_package(where)
        texts = await asyncio.to_thread(package.read_texts)
        changed = await opened.session.exchange(package)
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
            opened = self._now()
            await opened.models.close()
            opened.session.use(models, chosen)
            self._opened = replace(opened, models=models)

    # Looking in -----------------------------------------------------------------------------

    @property
    def character(self) -> Character:
        """Name, description, introduction, and who answers."""
        opened = self._now()
        texts = opened.texts
        return Character(
            opened.package.name,
            (texts.description or "").strip(),
            texts.introduction or "",
            opened.models.label,
        )

    def problems(self) -> list[Problem]:
        """Return every problem of the package and of loading its agents."""
        opened = self._now()
        found = (*opened.package.problems, *opened.texts.problems, *opened.session.problems())
        return list(dict.fromkeys(found))

    def tools(self) -> list[JsonObject]:
        """Return the tools as they are offered: OpenAI form, load order (LOOP-01)."""
        return self._now().session.offered_tools()

    def commands(self) -> list[str]:
        """Return the commands with their @, in load order."""
        return list(self._now().session.registration.commands)

    async def prepare_request(self, text: str) -> JsonObject:
        """Return `{model, messages, tools}` as sending `text` would; changes nothing (SYS-08)."""
        opened = self._now()
        turn = Turn(opened.session)
        return await turn.look(text)

    def store_text(self, agent_id: str) -> str:
        """Return an agent's store as JSON text; raises StudioError for an unknown agent."""
        session = self._now().session
        known = (*session.agent_ids(), *session.conversation.store_ids)
        if agent_id not in known:
            raise StudioError(f"There is no agent called {agent_id}. Agents: {', '.join(known)}.")
        return session.store_text(agent_id)

    def store(self, agent_id: str) -> JsonObject:
        """Return an agent's store as a value of one's own; raises as `store_text` does."""
        return decode_object(self.store_text(agent_id))

    async def set_store(self, agent_id: str, value: JsonObject) -> None:
        """Replace an agent's store; raises StudioError when it is not a JSON object."""
        self.store_text(agent_id)
        self._check_writable()
        if not isinstance(value, dict):
            raise StudioError("A store must be an object: a dict with text keys.")
        try:
            json.dumps(value)  # stricter than our encoder, which takes sets and bytes
            text = encode(value)
        except (TypeError, ValueError, RecursionError) as error:
            raise StudioError(f"The store of {agent_id} is not JSON: {error}") from error
        session = self._now().session
        await session.put_store(agent_id, text, cause="edited")
        await session.conversation.checkpoint()

    async def save_default(self, agent_id: str) -> Path:
        """Write an agent's store as the package's default, every toolCallId stripped (PERS-03).

        Returns the file's path; raises StorageError where the package cannot be written.
        """
        text = self.store_text(agent_id)
        return await asyncio.to_thread(save_default, self._now().package, agent_id, text)

    def usage(self) -> dict[str, int]:
        """Return the tokens that agents have spent, in this response and in the conversation."""
        caps = self._now().session.caps
        return {
            "agentTokensThisResponse": caps.this_response,
            "agentTokensThisConversation": caps.this_conversation,
        }

    # Inside ---------------------------------------------------------------------------------

    def _now(self) -> _Opened:
        if self._opened is None:
            state = "closed" if self._closed else "not open yet: await player.open() first"
            raise ClosedError(f"This player is {state}.")
        return self._opened

    def _check_writable(self) -> None:
        folder = self._now().folder
        if not folder.writable:
            raise StorageError(folder.refusal or "The data folder cannot be written.")

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
        return Session(package, conversation, self._host, models, self._settings, emit)

    async def _in_turn(
        self, act: Callable[[Turn], Coroutine[object, object, Response]]
    ) -> JsonObject:
        """Run one turn that `stop` can end; turns queue in order."""
        self._now()
        async with self._turns:
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
        if self._turns.locked():
            raise StudioError("A reply is being written. Stop it first, then edit.")

    async def _switch(
        self, open_next: Callable[[], Coroutine[object, object, Conversation]]
    ) -> str:
        """Leave the conversation for another; the old one is saved, contexts are made anew."""
        self.stop()
        async with self._turns:
            opened = self._now()
            following = await open_next()
            await opened.session.close()
            before = len(opened.session.conversation)
            if following is not opened.session.conversation:
                await opened.session.conversation.close()
            session = self._session(opened.package, following, opened.models)
            self._opened = replace(opened, session=session, editing=Editing(session))
            await opened.folder.mark_played(following.id)
            await session.load()
            self._emit(EntriesChanged(0, before, len(following)))
            self._tell_notices(following)
        return following.id


@dataclass(frozen=True, slots=True)
class _Opened:
    """What an open player holds."""

    package: CharacterPackage
    texts: Texts
    folder: DataFolder
    session: Session
    editing: Editing
    models: Models


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

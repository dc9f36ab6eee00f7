"""`CharacterPlayer`: what programs, the window and the terminal play a character with."""

from __future__ import annotations

import asyncio
import copy
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from studio_qt.engine.asking import ask
from studio_qt.engine.commands import CommandResult, call_by_hand, run_command
from studio_qt.engine.defaults import save_default
from studio_qt.engine.editing import Editing, Stores
from studio_qt.engine.edits import check_index
from studio_qt.engine.events import ConversationsChanged
from studio_qt.engine.given import check_message, check_text, checked_store, store_of
from studio_qt.engine.going_on import unfinished_reply
from studio_qt.engine.inspecting import InspectedRequest, take_apart
from studio_qt.engine.library import Library
from studio_qt.engine.models import Lane
from studio_qt.engine.offers import Offer, offers
from studio_qt.engine.requests import SentRequest
from studio_qt.engine.roster import LoadedAgent, roster
from studio_qt.engine.session import Session
from studio_qt.engine.storage import AgentLogLine, Conversation
from studio_qt.engine.store_history import (
    StoreChange,
    StoreStep,
    read_store_history,
    read_store_step,
)
from studio_qt.engine.turn import Turn
from studio_qt.errors import StudioError
from studio_qt.jsontext import JsonObject, decode_object
from studio_qt.package.model import Language
from studio_qt.providers.model import StreamEvent

__all__ = ["Character", "CharacterPlayer", "CommandResult"]


@dataclass(frozen=True, slots=True)
class Character:
    """Who is played, for a title, a card and the first screen (STU-00).

    `foreign_languages` are those of agent code in the package that does not ship with the program
    (SUB-14).
    """

    name: str
    description: str
    introduction: str
    model_label: str
    foreign_languages: frozenset[Language] = frozenset()


class CharacterPlayer(Library):
    """Plays one character package: conversations, tools, stores (CONS-01 to CONS-03).

    `package` is a folder or a zip, the https address of a zip, a loaded `CharacterPackage`, or an
    async function that loads one, at opening and at each reload, and may raise a StudioError.
    Code that does not ship with the program is told to the log, one line at opening (SUB-14).
    `base_url` None or "rehearsal:" is the built-in offline model. `data_dir` defaults to
    `<project>/conversations`, for a zip to the user's data folder. Everything happens on one
    asyncio loop; sends queue in order. `watch` loads the package again when its files change.
    `web` reads pages for agents where the settings allow it; the player closes it with itself.
    `before_call` is awaited before each turn, command, call by hand and look at a request, so that
    an editor can have its unsaved text loaded (STU-01).

    Every method raises only subclasses of `StudioError` for bad input or a failing world, and
    `ClosedError` before `open()` and after `close()`.
    """

    # Talking --------------------------------------------------------------------------------

    async def send(self, text: str) -> JsonObject:
        """Send a message and return `{role, content}` after all tool work.

        After `stop()` and at a cap it returns what came. Raises ModelError when the provider
        fails (the message stays; `regenerate` asks again), StorageError where nothing can be
        written.
        """
        check_message(text)
        return await self._in_turn(lambda turn: turn.send(text))

    async def ready(self) -> None:
        """Have loaded what every call would wait for; what is called next begins at once."""
        self._now()
        await self._prepare_call()

    async def command(self, line: str) -> CommandResult:
        """Run an @ command at once, without a model; `ok` False comes with a sentence (EXP-03)."""
        check_text(line)
        await self._prepare_call()
        session = self._now().session
        self._check_writable()
        result = await run_command(session, line)
        await self._settle(session)
        return result

    async def call_tool(self, name: str, args: JsonObject) -> str:
        """Run a tool by hand, as "direct"; it stays out of the history.

        Raises AgentError with the sentence that a model would get when the tool is unknown, the
        arguments do not fit or the agent fails.
        """
        await self._prepare_call()
        session = self._now().session
        self._check_writable()
        try:
            return await call_by_hand(session, name, args)
        finally:
            await self._settle(session)

    def ask(
        self,
        messages: Sequence[JsonObject],
        *,
        max_tokens: int,
        lane: Lane = "worker",
    ) -> AsyncGenerator[StreamEvent, None]:
        """Ask a model something outside of the conversation, for the user: nothing is metered.

        Yields the answer as it comes, a `Completion` last; raises ModelError. Closing the iteration
        closes the connection.
        """
        models = self._now().session.models
        return ask(models, messages, lane=lane, max_tokens=max_tokens)

    @property
    def rehearses(self) -> bool:
        """Whether no language model is connected, and the built-in Rehearsal answers."""
        return self._now().session.models.connection.rehearses

    async def model_of(self, lane: Lane) -> str:
        """Return the id of the model that a lane means; raises ModelError where none is chosen."""
        return (await self._now().session.models.lane(lane)).id

    async def _settle(self, session: Session) -> None:
        """Save after a call by hand; its conversation may have been left, and saved, meanwhile."""
        if not session.conversation.closed:
            await session.conversation.checkpoint()
        await self._subscribers.drain()

    # Conversations --------------------------------------------------------------------------

    @property
    def conversation_id(self) -> str:
        """The id of the conversation being played, for example conversation_01."""
        return self._now().session.conversation.id

    async def new_conversation(self, *, unless_empty: bool = False) -> str:
        """Save the conversation, start a new one and return its id; stops a reply first.

        With `unless_empty` the open one is kept where nothing is in it yet: no entry, store, title.
        """
        fresh: list[Conversation] = []

        async def begin() -> Conversation:
            opened = self._now()
            now = opened.session.conversation
            if unless_empty and not (len(now) or now.store_ids or now.title):
                return now
            fresh.append(await opened.folder.create())
            return fresh[0]

        made = await self._switch(begin)
        if fresh:
            self._emit(ConversationsChanged(made, "made"))
        return made

    async def load_conversation(self, conversation_id: str) -> None:
        """Save the conversation and take up another; raises StudioError for an unknown id."""
        await self._switch(lambda: self._now().folder.load(conversation_id))

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

    async def continue_reply(self) -> JsonObject:
        """Let the last reply go on where it broke off; returns it, `{role, content}`, whole.

        For one that was stopped, or cut at the length limit. What comes becomes part of the same
        entry, without a repetition of the last words at its beginning. Raises StudioError when
        there is nothing to continue, and as `send` does.
        """
        self._check_still()
        unfinished_reply(self._now().session.conversation.entries())
        return await self._in_turn(lambda turn: turn.go_on())

    async def resubmit(self, index: int) -> JsonObject:
        """Answer a user message again; everything after it goes. Raises as `regenerate` does."""
        check_index(self._now().session.conversation.entries(), index)
        return await self._answer_again(index)

    async def edit(self, index: int, text: str, *, resubmit: bool = False) -> JsonObject | None:
        """Change an entry's text and nothing else; with `resubmit` also answer it again."""
        check_text(text)
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
            last = str(source.entry(index).get("id") or "")
            target = await opened.folder.create(title=source.title, fork_of=source, fork_entry=last)
            session = self._session(opened.package, target, opened.models, quiet=True)
            try:
                await editing.fork_into(session, index, stores)
            finally:
                await session.close()
                await target.close()
            made.append(target.id)

        await self._edit(perform)
        self._emit(ConversationsChanged(made[0], "made"))
        return made[0]

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
            opened.session.models.label,
            opened.package.foreign_languages,
        )

    def tools(self) -> list[JsonObject]:
        """Return the tools as they are offered: OpenAI form, load order (LOOP-01)."""
        return self._now().session.offered_tools()

    def agents(self) -> list[LoadedAgent]:
        """Return the agents that run, in load order, private instances after their sub-agent."""
        return list(roster(self._now().session.specs()))

    def offers(self) -> list[Offer]:
        """Return every tool and command of every loaded agent, with why one cannot be called."""
        session = self._now().session
        return list(offers(session.specs(), session.registration))

    def commands(self) -> list[str]:
        """Return the commands with their @, in load order."""
        return list(self._now().session.registration.commands)

    async def prepare_request(self, text: str) -> JsonObject:
        """Return `{model, messages, tools}` as sending `text` would; changes nothing (SYS-08).

        `turnsCut` counts the oldest turns that the context window has no room for;
        `estimatedTokens` and `contextWindow` say about how full it would be.
        """
        check_text(text)
        await self._prepare_call()
        opened = self._now()
        turn = Turn(opened.session)
        return await turn.look(text)

    def requests(self) -> list[SentRequest]:
        """Return the requests that went to a model in this conversation, the oldest first.

        Those of agents and of their inner rounds too. The newest are kept, in memory alone.
        """
        return self._requests.list(self.conversation_id)

    async def request(self, number: int) -> InspectedRequest:
        """Take a request apart that was sent; raises StudioError for one that is not kept."""
        record, entries = self._requests.find(number), self._entry_texts()
        bodies = tuple(record.bodies)

        def work() -> InspectedRequest:
            sent = bodies or (record.provider.body(record.request),)
            estimate = record.provider.estimate_tokens
            about, makeup = record.about, record.makeup
            return take_apart(about, record.request, makeup, sent, estimate, entries)

        return await asyncio.to_thread(work)

    async def inspect(self, text: str) -> InspectedRequest:
        """Take the request apart that sending `text` would make; changes nothing, as above."""
        check_text(text)
        await self._prepare_call()
        opened = self._now()
        built = await Turn(opened.session).examine(text)
        provider, entries = opened.models.provider, self._entry_texts()

        def work() -> InspectedRequest:
            body = provider.body(built.request)
            about = replace(built.about, size=len(body))
            estimate = provider.estimate_tokens
            return take_apart(about, built.request, built.makeup, (body,), estimate, entries)

        return await asyncio.to_thread(work)

    def _entry_texts(self) -> dict[str, str]:
        """Return the texts of the entries that are never sent, by id."""
        conversation = self._now().session.conversation
        return {
            str(entry["id"]): str(entry.get("content") or "")
            for entry in conversation.entries()
            if entry.get("rejected")
        }

    def store_text(self, agent_id: str) -> str:
        """Return an agent's store as JSON text; raises StudioError for an unknown agent."""
        session = self._now().session
        known = (*session.agent_ids(), *session.conversation.store_ids)
        if agent_id not in known:
            names = ", ".join(dict.fromkeys(known)) or "none"
            raise StudioError(f"There is no agent called {agent_id}. Agents: {names}.")
        return session.store_text(agent_id)

    def store(self, agent_id: str) -> JsonObject:
        """Return an agent's store as a value of one's own; raises as `store_text` does."""
        return decode_object(self.store_text(agent_id))

    async def set_store(self, agent_id: str, value: JsonObject) -> None:
        """Replace an agent's store; raises StudioError when it is not a JSON object."""
        self.store_text(agent_id)
        self._check_writable()
        text = store_of(agent_id, value)
        session = self._now().session
        await session.replace_store(agent_id, text)
        await session.conversation.checkpoint()

    async def set_store_text(
        self, agent_id: str, text: str, *, over: str | None = None, reset: bool = False
    ) -> bool:
        """Replace an agent's store by JSON text, once the call that runs has ended.

        For large stores: it is checked in a thread. With `over` nothing happens, and False is
        returned, where the store's text is another by then. `reset` is for the history. Raises as
        `set_store` does.
        """
        await asyncio.to_thread(self.store_text, agent_id)  # its default may be large
        self._check_writable()
        checked = await asyncio.to_thread(checked_store, agent_id, text)
        session = self._now().session
        cause = "reset" if reset else "edited"
        replaced = await session.replace_store(agent_id, checked, over=over, cause=cause)
        if replaced:
            await session.conversation.checkpoint()
        return replaced

    def default_text(self, agent_id: str) -> str | None:
        """Return the JSON text that an agent's store starts from; None where none is shipped."""
        return self._now().package.default_store(agent_id)

    async def store_history(self, agent_id: str, limit: int = 2_000) -> list[StoreChange]:
        """Return the newest changes of a store in this conversation, the oldest of them first.

        Raises StudioError for an unknown agent, StorageError where the journal cannot be read.
        """
        self.store_text(agent_id)
        conversation = self._now().session.conversation
        where = conversation.journal_folder(), conversation.id
        return await asyncio.to_thread(read_store_history, *where, agent_id, limit)

    async def store_step(self, agent_id: str, line: int) -> StoreStep:
        """Return a store's text before and after the change of a journal line.

        Raises StudioError where there is no such change, StorageError.
        """
        self.store_text(agent_id)
        conversation = self._now().session.conversation
        where = conversation.journal_folder(), conversation.id
        return await asyncio.to_thread(read_store_step, *where, agent_id, line)

    async def agent_log(self, limit: int = 500) -> list[AgentLogLine]:
        """Return the newest lines of the conversation's agent log, the oldest of them first."""
        conversation = self._now().session.conversation
        return await asyncio.to_thread(conversation.agent_log, limit)

    async def save_default(self, agent_id: str) -> Path:
        """Write an agent's store as the package's default, every toolCallId stripped (PERS-03).

        Returns the file's path; raises StorageError where the package cannot be written.
        """
        text = self.store_text(agent_id)
        return await asyncio.to_thread(save_default, self._now().package, agent_id, text)

    def walls(self) -> tuple[str, ...]:
        """Return sentences on the walls around running agents (BOX-01); () when none runs.

        One that begins with "Missing:" tells what this system does not offer.
        """
        self._now()
        return self._host.walls()

    def usage(self) -> dict[str, int]:
        """Return the tokens that agents have spent, in this response and in the conversation."""
        caps = self._now().session.caps
        return {
            "agentTokensThisResponse": caps.this_response,
            "agentTokensThisConversation": caps.this_conversation,
        }

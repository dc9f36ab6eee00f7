"""One conversation being played: its agents' contexts, their stores and the preload block."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from studio_qt.engine.bridge import Bridge
from studio_qt.engine.caller import Caller, InvokedBy
from studio_qt.engine.caps import TokenCaps
from studio_qt.engine.cast import Cast
from studio_qt.engine.events import (
    AgentNoted,
    AgentToasted,
    EntriesChanged,
    ErrorRaised,
    Event,
    StoreChanged,
)
from studio_qt.engine.exports import hook_handler
from studio_qt.engine.grants import find_granted_store, granted_tools
from studio_qt.engine.history import History
from studio_qt.engine.models import Models
from studio_qt.engine.prompt import INSTRUCTIONS_MACRO
from studio_qt.engine.requests import SentRequests
from studio_qt.engine.storage import AgentLogLine, Conversation
from studio_qt.engine.tools import offer
from studio_qt.engine.web import Web
from studio_qt.errors import AgentError, Problem, StudioError
from studio_qt.jsontext import JsonObject, JsonValue
from studio_qt.package import CharacterPackage, OwnedTool, Registration, register
from studio_qt.package.model import AgentSpec
from studio_qt.package.subagents import prompt_size
from studio_qt.sandbox import (
    BridgeCall,
    Cause,
    Limits,
    Outcome,
    SandboxHost,
)
from studio_qt.settings import PlayerSettings

__all__ = ["Session", "uninterrupted"]

Emit = Callable[[Event], None]
_REQUEST_TOKENS = 512
"""What a sub-agent's request and the tools that ride along are taken to need."""
T = TypeVar("T")


async def uninterrupted(work: Coroutine[object, object, T]) -> T:
    """Run `work` to its end even when the caller is cancelled, then pass the cancellation on."""
    task = asyncio.ensure_future(work)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait([task])
        raise


@dataclass(frozen=True, slots=True)
class _Call:
    """A call that was made; `started` is monotonic seconds."""

    spec: AgentSpec
    handler: str
    arguments: Sequence[JsonValue]
    caller: Caller
    started: float

    def log_line(self, outcome: Outcome) -> AgentLogLine:
        """Return the call's line in the agent log (STU-05)."""
        details: JsonObject = {
            "args": list(self.arguments),
            "invokedBy": self.caller.invoked_by,
            "toolCallId": self.caller.tool_call_id,
            "ms": round((time.monotonic() - self.started) * 1000, 1),
        }
        if outcome.ok:
            details["result"] = outcome.value
            return AgentLogLine(self.spec.id, "call", self.handler, details)
        return AgentLogLine(self.spec.id, "error", f"{self.handler}: {outcome.error}", details)


class Session:
    """A package and a conversation brought together; contexts belong to it and die with it."""

    def __init__(
        self,
        package: CharacterPackage,
        conversation: Conversation,
        host: SandboxHost,
        models: Models,
        settings: PlayerSettings,
        emit: Emit,
        web: Web,
        requests: SentRequests | None = None,
    ) -> None:
        self.package = package
        self.conversation = conversation
        self.models = models.preferring(lambda: conversation.main_model)
        self.settings = settings
        self.emit = emit
        self.web = web
        self.requests = requests or SentRequests(emit)
        self.caps = TokenCaps(conversation, settings)
        self.registration: Registration = register(())
        self.host = host
        self._bridge = Bridge(self)
        self._cast = Cast(host, self._limits)
        self._inner: list[JsonObject] = []
        self.revision = 0  # rises with every turn, command and change of a store or an entry
        self.history = History(models.provider.estimate_tokens)
        self._one_at_a_time = asyncio.Lock()
        self._preload: list[tuple[str, str]] | None = None

    # Agents -------------------------------------------------------------------------------

    async def load(self) -> None:
        """Build a context for every agent; one that fails becomes a problem and stays out."""
        await self._cast.load(self.package)
        await self._register()

    async def exchange(self, package: CharacterPackage) -> tuple[str, ...]:
        """Take a newly loaded package; returns the ids of the agents that changed.

        Agents that did not change keep their contexts. One that fails to load reports its problem
        while the old one keeps running.
        """
        self.package = package
        changed = await self._cast.exchange(package, self._one_at_a_time)
        await self._register()
        self.forget_preload()
        return changed

    def problems(self) -> tuple[Problem, ...]:
        """Return what loading found: failed agents, names taken twice, missing exports."""
        return (*self._cast.faults, *self.registration.problems, *self._cast.gaps)

    def spec(self, agent_id: str) -> AgentSpec | None:
        """Return a loaded agent's entry."""
        return self._cast.specs.get(agent_id)

    def offered_tools(self) -> list[JsonObject]:
        """Return the tools in the OpenAI function form, in load order (LOOP-01)."""
        return [offer(owned.tool) for owned in self.registration.tools.values()]

    def use(self, models: Models, settings: PlayerSettings) -> None:
        """Ask other models, under other settings, from the next response on."""
        self.models = models.preferring(lambda: self.conversation.main_model)
        self.settings = self.caps.settings = settings
        self.history = History(models.provider.estimate_tokens)

    def specs(self) -> tuple[AgentSpec, ...]:
        """Return the loaded agents in load order, with what their files can answer.

        While a new version of the package is taken, one that was just loaded is there already.
        """
        able = self._cast.able
        return tuple(able.get(agent_id, spec) for agent_id, spec in self._cast.specs.items())

    def agent_ids(self) -> tuple[str, ...]:
        """Return the ids of the loaded agents in load order."""
        return tuple(self._cast.specs)

    async def close(self) -> None:
        """Give up the contexts; the conversation is its owner's to close."""
        async with self._one_at_a_time:
            await self._cast.close()

    async def _register(self) -> None:
        """Offer what loaded agents declare and their files export (PKG-08).

        Private instances are offered to their sub-agent alone (SUB-04).
        """
        cast = self._cast
        offered = [spec for key, spec in cast.able.items() if not cast.is_private(key)]
        helpless = await self._helpless(offered)
        able = [spec for spec in offered if spec.id not in helpless]
        self.registration = register(able)
        await self._warn_of_size(able)

    async def _helpless(self, offered: Sequence[AgentSpec]) -> set[str]:
        """Return the sub-agents with grants whose model is known to take no tools (SUB-08)."""
        found: set[str] = set()
        for spec in offered:
            sub_agent = spec.sub_agent
            if sub_agent is None or not sub_agent.has_grants:
                continue
            try:
                model = await self.models.lane(sub_agent.meta.model)
            except StudioError:
                continue  # nobody knows yet; the call itself will say what is wrong
            if model.takes_tools is False:
                found.add(spec.id)
                self.emit(
                    AgentToasted(
                        f"{spec.id} is left out: it has granted tools, and its model "
                        f"({model.id}, {sub_agent.meta.model}) does not take tools. "
                        "Choose another model in the settings."
                    )
                )
        return found

    async def _warn_of_size(self, offered: Sequence[AgentSpec]) -> None:
        """Say once a conversation which sub-agents send much with every call (SUB-11)."""
        for spec in offered:
            if spec.sub_agent is None:
                continue
            size = await asyncio.to_thread(prompt_size, spec.sub_agent, self.package)
            if size.tokens <= self.settings.size_warning_tokens:
                continue
            warning = f"{spec.id} sends about {size.tokens:,} tokens with every call."
            logged = (entry.get("content") for entry in self.conversation.entries())
            if self.conversation.writable and warning not in logged:
                self.add_entry({"role": "log", "agentId": spec.id, "content": warning})
                self.emit(AgentToasted(warning))

    # Grants -------------------------------------------------------------------------------

    def tools_for(self, agent_id: str) -> dict[str, OwnedTool]:
        """Return the tools that a sub-agent is granted, by name; {} for any other agent."""
        spec = self._cast.specs.get(agent_id)
        return granted_tools(spec, self._cast.able) if spec is not None else {}

    def granted_store(self, agent_id: str, reference: str) -> str:
        """Return the JSON text of a granted agent's store; raises AgentError (BR-07)."""
        spec, able = self._cast.specs.get(agent_id), self._cast.able
        found = find_granted_store(spec, able, reference) if spec is not None else None
        if found is None:
            raise AgentError(
                f"grants.readStore({reference!r}): no grant of {agent_id} matches. Name an agent "
                "of its private-agents or shared-agents."
            )
        return self.store_text(found)

    async def call_granted(
        self, owned: OwnedTool, arguments: JsonObject, caller: Caller
    ) -> Outcome:
        """Run a granted tool inside the sub-agent's call that runs now (SUB-07)."""
        spec = self._cast.specs[owned.agent.id]
        await self._begin_store(spec, is_new=self.is_new)
        return await self._call(spec, "onToolCall", (owned.tool.handler_name, arguments), caller)

    def note_inner(self, call: JsonObject) -> None:
        """Keep an inner call for the tool entry of the call that runs."""
        self._inner.append(call)

    def take_inner(self) -> list[JsonObject]:
        """Return the inner calls noted since the last time."""
        noted, self._inner = self._inner, []
        return noted

    # Stores -------------------------------------------------------------------------------

    def store_text(self, agent_id: str) -> str:
        """Return a store's JSON text: the conversation's, else the default, else {} (PKG-09)."""
        text = self.conversation.store_text(agent_id)
        return text or self.package.default_store(agent_id) or "{}"

    async def put_store(
        self, agent_id: str, text: str, tool_call_id: int | None = None, cause: str = ""
    ) -> None:
        """Keep a store's new text, on disk before this returns (LOOP-06)."""
        before = self.conversation.store_text(agent_id)
        if text == before:
            return
        await self.conversation.put_store(agent_id, text, tool_call_id=tool_call_id, cause=cause)
        self._store_changed(agent_id)

    async def replace_store(
        self, agent_id: str, text: str, *, over: str | None = None, cause: str = "edited"
    ) -> bool:
        """Put another text in a store's place, once the call that runs now has ended.

        With `over`, only where the store's text still is this; False where it is another.
        """
        async with self._one_at_a_time:
            if over is not None and await asyncio.to_thread(self.store_text, agent_id) != over:
                return False
            await self.put_store(agent_id, text, cause=cause)
            return True

    async def between_calls(self, act: Callable[[], Awaitable[T]], agent_ids: Iterable[str]) -> T:
        """Do what changes the stores of these agents, once the call that runs now has ended."""
        async with self._one_at_a_time:
            try:
                return await act()
            finally:
                for agent_id in agent_ids:
                    self._store_changed(agent_id)

    async def remove_store(self, agent_id: str) -> None:
        """Remove a store, as when an edit is undone that was made before the store was."""
        await self.conversation.remove_store(agent_id, cause="put back")
        self._store_changed(agent_id)

    def _store_changed(self, agent_id: str) -> None:
        self.revision += 1
        self.forget_preload()
        self.emit(StoreChanged(agent_id))

    @property
    def is_new(self) -> bool:
        """Whether the conversation has no user message yet (HOOK-01)."""
        count = len(self.conversation)
        return not any(self.conversation.entry(at)["role"] == "user" for at in range(count))

    async def begin_stores(self, *, is_new: bool) -> None:
        """Make the stores that are missing, now that a turn begins (PKG-09)."""
        await self.conversation.foreign_store_changes()
        async with self._one_at_a_time:
            for spec in tuple(self._cast.specs.values()):
                await self._begin_store(spec, is_new=is_new)
        if not self.conversation.stores_started:
            self.conversation.mark_stores_started()

    async def _begin_store(self, spec: AgentSpec, *, is_new: bool) -> None:
        """Make an agent's store and tell the agent that a conversation starts (HOOK-01)."""
        if self.conversation.store_text(spec.id) is not None:
            return
        await self.put_store(spec.id, self.store_text(spec.id), cause="created")
        event: JsonObject = {"isNewConversation": is_new}
        if self._listens(spec, "conversationStart"):
            await self._call(
                spec, hook_handler("conversationStart"), (event,), Caller(spec.id, "hook")
            )

    # Preload ------------------------------------------------------------------------------

    def forget_preload(self) -> None:
        """Have the preload block rebuilt before the next request (SYS-06)."""
        self._preload = None

    async def preload(self, *, dry: bool = False) -> list[tuple[str, str]]:
        """Return what every @preload agent's onLoad gives: (agent id, text), in load order.

        It is rebuilt only after `forget_preload`. A dry run works on copies and is not kept.
        """
        if self._preload is not None:
            return self._preload
        built: list[tuple[str, str]] = []
        for spec in tuple(self._cast.specs.values()):
            if self._cast.is_private(spec.id):
                continue  # never a private instance's (SUB-07)
            if spec.manifest.preload and "onLoad" in self._cast.exports(spec.id):
                outcome = await self.call(spec.id, "onLoad", (), "preload", dry=dry)
                if outcome.ok and isinstance(outcome.value, str):
                    built.append((spec.id, outcome.value))
        if not dry:
            self._preload = built
        return built

    # Calls --------------------------------------------------------------------------------

    async def call(
        self,
        agent_id: str,
        handler: str,
        arguments: Sequence[JsonValue],
        invoked_by: InvokedBy,
        *,
        tool_call_id: int | None = None,
        dry: bool = False,
    ) -> Outcome:
        """Call an agent's handler, one call at a time; its store is saved before this returns.

        A failure is in the outcome, in the agent log and in an `error` event; it raises nothing.
        """
        caller = Caller(agent_id, invoked_by, tool_call_id, dry)
        async with self._one_at_a_time:
            spec = self._cast.specs.get(agent_id)
            if spec is None:
                return Outcome(Cause.FAILED, error=f"The agent {agent_id} is not loaded any more.")
            if not dry:
                self.revision += 1
                await self._begin_store(spec, is_new=self.is_new)
            return await self._call(spec, handler, arguments, caller)

    async def run_hooks(self, event: str, payload: JsonObject, *, skip: str = "") -> bool:
        """Tell an event to every agent that listens, one by one in load order (HOOK-06).

        `skip` is the id of an agent that is left out. Returns whether any agent was called; one
        that fails is logged and passed over.
        """
        listening = [spec for spec in self._cast.specs.values() if self._listens(spec, event)]
        told = [spec for spec in listening if spec.id != skip]
        for spec in told:
            await self.call(spec.id, hook_handler(event), (payload,), "hook")
        return bool(told)

    def _listens(self, spec: AgentSpec, event: str) -> bool:
        exports = self._cast.exports(spec.id)
        return event in spec.manifest.hooks and hook_handler(event) in exports

    async def _call(
        self, spec: AgentSpec, handler: str, arguments: Sequence[JsonValue], caller: Caller
    ) -> Outcome:
        made = _Call(spec, handler, arguments, caller, time.monotonic())
        context = await self._context(spec, caller)
        outcome = await self._cast.agent(spec.id).call(
            handler,
            arguments,
            self.store_text(spec.id),
            partial(self._answer, caller),
            self._limits(spec),
            context=context,
        )
        if not caller.dry:
            await uninterrupted(self._settle(made, outcome))
        return outcome

    async def _settle(self, made: _Call, outcome: Outcome) -> None:
        """Keep the store, write the agent log, and say what failed."""
        agent_id = made.spec.id
        if outcome.ok and outcome.store is not None:
            await self.put_store(agent_id, outcome.store, made.caller.tool_call_id, made.handler)
        for line in outcome.logs:
            self.log_agent(AgentLogLine(agent_id, "console", line))
        if not outcome.ok or made.spec.manifest.debug:
            self.log_agent(made.log_line(outcome))
        if not outcome.ok:
            self.emit(ErrorRaised(AgentError(f"{agent_id}: {outcome.error}")))

    async def _answer(self, caller: Caller, call: BridgeCall) -> JsonValue:
        return await self._bridge.answer(caller, call)

    def log_agent(self, line: AgentLogLine) -> None:
        """Write a line of the agent log and say so."""
        self.emit(AgentNoted(self.conversation.log_agent(line)))

    def add_entry(self, entry: JsonObject) -> None:
        """Append an entry to the conversation and say so."""
        self.revision += 1
        self.conversation.append(entry)
        self.emit(EntriesChanged(len(self.conversation) - 1, 0, 1))

    async def _context(self, spec: AgentSpec, caller: Caller) -> JsonObject:
        """Return the context object, fresh for each call (CTX-01)."""
        config = spec.config if spec.sub_agent is None else await self._prompt(spec)
        context: JsonObject = {
            "invokedBy": caller.invoked_by,
            "conversationLength": len(self.conversation),
            "characterName": self.package.name,
            "agentId": spec.id,
            "config": config,
        }
        if caller.tool_call_id is not None:
            context["toolCallId"] = caller.tool_call_id
        return context

    async def _prompt(self, spec: AgentSpec) -> JsonObject:
        """Return a sub-agent's `{meta, promptBody}`, its file read now (SUB-10, SUB-13)."""
        now, problems = await asyncio.to_thread(self.package.read_sub_agent, spec)
        for problem in problems:
            self.log_agent(AgentLogLine(spec.id, "notice", str(problem)))
        meta: JsonObject = now.meta.as_json()
        texts = await asyncio.to_thread(self.package.read_texts)
        if INSTRUCTIONS_MACRO in now.body:
            meta["characterInstructions"] = texts.instructions or ""
        model = await self.models.lane(now.meta.model)
        estimate = self.models.provider.estimate_tokens
        files = [self.package.read_context_file(name) or "" for name in now.meta.context_files]
        taken = sum(estimate(text) for text in (now.body, texts.instructions or "", *files))
        room = self.models.window(model) - now.meta.max_tokens - taken - _REQUEST_TOKENS
        meta["historyTokens"] = max(_REQUEST_TOKENS, room)
        return {"meta": meta, "promptBody": now.body}

    def call_seconds(self, agent_id: str) -> float:
        """Return how long a call of an agent may take (BR-11)."""
        return self._limits(self._cast.specs[agent_id]).call_seconds

    def _limits(self, spec: AgentSpec) -> Limits:
        patient = "studio.model" in spec.manifest.apis
        seconds = self.settings.model_call_timeout if patient else self.settings.call_timeout
        return Limits(call_seconds=seconds, memory_mb=self.settings.agent_memory_mb)

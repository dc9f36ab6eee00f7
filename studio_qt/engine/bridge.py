"""What agent code may ask of the application: every method of `studio`, answered here.

The sandbox has checked `@api` in the guest and at its gate; this module answers. Whatever it
raises as `AgentError` becomes the guest's rejection.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol

from studio_qt.engine.caller import Caller
from studio_qt.engine.events import AgentLogged, AgentToasted
from studio_qt.engine.model_calls import ModelCall, ModelCalls, ModelScene
from studio_qt.engine.web import Web
from studio_qt.errors import AgentError, StudioError
from studio_qt.jsontext import JsonObject, JsonValue, decode, encode
from studio_qt.package import CharacterPackage
from studio_qt.sandbox import BridgeCall
from studio_qt.settings import PlayerSettings

__all__ = ["Bridge", "Scene"]

_ROLES = ("user", "assistant", "system")
_LONGEST_REPLY = 8192
_SEARCH_ON_LOOP = 1000
"""Entries up to which a search of the history is quick enough for the event loop."""


class Scene(ModelScene, Protocol):
    """What the bridge reaches: the parts of the session that it may touch."""

    package: CharacterPackage
    settings: PlayerSettings
    web: Web

    def call_seconds(self, agent_id: str) -> float:
        """Return how long a call of an agent may take."""
        ...

    def granted_store(self, agent_id: str, reference: str) -> str:
        """Return the store that a reference means for an agent; raises AgentError."""
        ...

    def add_entry(self, entry: JsonObject) -> None:
        """Append an entry to the conversation."""
        ...


Method = Callable[[Caller, Sequence[JsonValue]], Awaitable[JsonValue]]


class Bridge:
    """Answers bridge calls of one session (BR-01 to BR-08)."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._model_calls = ModelCalls(scene)
        self._methods: dict[str, Method] = {
            "toast": self._toast,
            "log": self._log,
            "history.search": self._search,
            "history.range": self._range,
            "context.readFile": self._read_file,
            "callModel": self._call_model,
            "grants.readStore": self._read_store,
            "web.fetch": self._fetch,
        }

    async def answer(self, caller: Caller, call: BridgeCall) -> JsonValue:
        """Return the answer to one call; raises AgentError for the guest."""
        method = self._methods.get(call.method)
        if method is None:
            raise AgentError(f"studio.{call.method} is not known to this player.")
        try:
            return await method(caller, call.arguments)
        except StudioError as error:  # a failing provider, a spent cap: the guest's rejection
            raise AgentError(str(error)) from error

    async def _toast(self, caller: Caller, arguments: Sequence[JsonValue]) -> JsonValue:
        if not caller.dry:
            self._scene.emit(AgentToasted(_text(arguments, 0)))
        return None

    async def _log(self, caller: Caller, arguments: Sequence[JsonValue]) -> JsonValue:
        if not caller.dry:
            text = _text(arguments, 0)
            self._scene.add_entry({"role": "log", "agentId": caller.agent_id, "content": text})
            self._scene.emit(AgentLogged(text))
        return None

    async def _search(self, _caller: Caller, arguments: Sequence[JsonValue]) -> JsonValue:
        query = _text(arguments, 0).lower()
        turns = await self._turns(0, len(self._scene.conversation))
        return [turn for turn in turns if query in str(turn["content"]).lower()]

    async def _range(self, _caller: Caller, arguments: Sequence[JsonValue]) -> JsonValue:
        count = len(self._scene.conversation)
        start, end = _position(arguments, 0, 0, count), _position(arguments, 1, count, count)
        return list(await self._turns(start, end))

    async def _turns(self, start: int, stop: int) -> list[JsonObject]:
        entries = self._scene.conversation.entries(start, stop)
        if len(entries) > _SEARCH_ON_LOOP:
            return await asyncio.to_thread(_turns_of, entries, start)
        return _turns_of(entries, start)

    async def _read_file(self, _caller: Caller, arguments: Sequence[JsonValue]) -> JsonValue:
        name = _text(arguments, 0)
        return await asyncio.to_thread(self._scene.package.read_context_file, name)

    async def _read_store(self, caller: Caller, arguments: Sequence[JsonValue]) -> JsonValue:
        return decode(self._scene.granted_store(caller.agent_id, _text(arguments, 0)))

    async def _fetch(self, caller: Caller, arguments: Sequence[JsonValue]) -> JsonValue:
        if not self._scene.settings.web_access:
            raise AgentError("studio.web.fetch is not implemented in this player.")
        if caller.dry:
            raise AgentError("No page is read while a prompt is only being looked at.")
        options = arguments[1] if len(arguments) > 1 and isinstance(arguments[1], dict) else {}
        wanted = _number(options.get("maxChars"))
        return await self._scene.web.fetch(
            _text(arguments, 0),
            None if wanted is None else int(wanted),
            self._scene.call_seconds(caller.agent_id),
        )

    async def _call_model(self, caller: Caller, arguments: Sequence[JsonValue]) -> JsonValue:
        if caller.dry:
            raise AgentError("No model is asked while a prompt is only being looked at.")
        options = arguments[3] if len(arguments) > 3 and isinstance(arguments[3], dict) else {}
        call = ModelCall(
            messages=_messages(_text(arguments, 0), arguments[1] if len(arguments) > 1 else []),
            lane="main" if options.get("model") == "main" else "worker",
            max_tokens=_reply_cap(arguments[2] if len(arguments) > 2 else None),
            temperature=_number(options.get("temperature")),
            top_p=_number(options.get("topP")),
        )
        return await self._model_calls.answer(caller, call)


def _turns_of(entries: Sequence[JsonObject], start: int) -> list[JsonObject]:
    """Return what history methods give of entries that begin at position `start` (BR-03, BR-04)."""
    return [
        {"role": entry["role"], "content": entry["content"], "index": start + offset}
        for offset, entry in enumerate(entries)
        if entry.get("role") in ("user", "assistant")
        and not entry.get("rejected")
        and isinstance(entry.get("content"), str)
        and entry["content"]
    ]


def _messages(system_prompt: str, messages: JsonValue) -> list[JsonObject]:
    kept: list[JsonObject] = []
    if system_prompt:
        kept.append({"role": "system", "content": system_prompt})
    for message in messages if isinstance(messages, list) else []:
        if not isinstance(message, dict) or message.get("role") not in _ROLES:
            continue
        if isinstance(message.get("content"), str):
            kept.append({"role": message["role"], "content": message["content"]})
    return kept


def _reply_cap(value: JsonValue) -> int:
    number = _number(value)
    return 1024 if number is None else max(1, min(_LONGEST_REPLY, int(number)))


def _number(value: JsonValue) -> float | None:
    """Return a finite number, None for anything else."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or abs(value) > 1e300:
        return None
    return value


def _position(arguments: Sequence[JsonValue], at: int, missing: int, count: int) -> int:
    number = _number(arguments[at]) if len(arguments) > at else None
    return missing if number is None else max(0, min(count, int(number)))


def _text(arguments: Sequence[JsonValue], at: int) -> str:
    """Return an argument as text, as JavaScript's String() would for plain values."""
    value = arguments[at] if len(arguments) > at else ""
    return value if isinstance(value, str) else encode(value)

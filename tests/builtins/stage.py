"""Plays one shipped agent in a real sandbox; conversation and context files are given as data."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from studio_qt.jsontext import JsonObject, JsonValue
from studio_qt.package.model import Language
from studio_qt.resources import resource_text
from studio_qt.sandbox import AgentCode, BridgeCall, Limits, SandboxHost
from studio_qt.sandbox.host import SandboxedAgent

__all__ = ["LIMITS", "Opener", "Stage", "turns"]

LIMITS = Limits(call_seconds=8)
_LANGUAGES: dict[str, Language] = {
    "js": "javascript",
    "ts": "typescript",
    "py": "python",
    "lua": "lua",
}
Opener = Callable[..., Awaitable["Stage"]]


def turns(*texts: str) -> list[JsonObject]:
    """Entries in turn of the user and the character; "" takes up an index and is never returned."""
    roles = ("user", "assistant")
    return [{"role": roles[i % 2], "content": text, "index": i} for i, text in enumerate(texts)]


@dataclass
class Stage:
    """An agent with its store, and what it said to the player.

    `history` answers studio.history as the bridge does (BR-03, BR-04), `files` studio.context.
    """

    agent: SandboxedAgent
    store: dict[str, Any] = field(default_factory=dict)
    history: Sequence[Any] = ()
    files: Mapping[str, str] = field(default_factory=dict)
    config: JsonObject = field(default_factory=dict)
    length: int | None = None
    logs: list[str] = field(default_factory=list)
    toasts: list[str] = field(default_factory=list)

    @classmethod
    async def open(
        cls, host: SandboxHost, path: str, apis: Sequence[str], libs: Sequence[str], **given: Any
    ) -> Stage:
        """Load the agent in `resources/` + `path`."""
        libraries = tuple(
            (f"lib/{name}.js", resource_text(f"agents/lib/{name}.js")) for name in libs
        )
        file = path.rsplit("/", 1)[-1]
        name, ending = file.rsplit(".", 1)
        code = AgentCode(
            name, _LANGUAGES[ending], file, resource_text(path), libraries, frozenset(apis)
        )
        return cls(await host.load(code, LIMITS), **given)

    async def tool(self, name: str, args: JsonValue = None, *, call: int | None = None) -> str:
        """The result of a tool call of the model; `call` is its toolCallId."""
        result = await self._call("onToolCall", [name, args], "model", call)
        assert isinstance(result, str)
        return result

    async def command(self, handler: str, text: str) -> JsonValue:
        """What a command handler returns: None for success, else its sentence."""
        return await self._call(handler, [text], "direct")

    async def hook(self, handler: str, event: JsonObject) -> None:
        """Call a hook's handler."""
        await self._call(handler, [event], "hook")

    async def remove_calls(self, *ids: int) -> None:
        """What the player does after an edit that took these calls out (HOOK-05)."""
        last = min(ids, default=1) - 1
        await self.hook(
            "onAfterUserEdit", {"deletedToolCallIds": list(ids), "lastViableToolCallId": last}
        )

    async def preload(self) -> JsonValue:
        """The text for the preload block, or None."""
        return await self._call("onLoad", [], "preload")

    async def _call(
        self, handler: str, arguments: list[JsonValue], by: str, call: int | None = None
    ) -> JsonValue:
        context: JsonObject = {
            "invokedBy": by,
            "conversationLength": len(self.history) if self.length is None else self.length,
            "characterName": "Test",
            "agentId": "test",
            "config": self.config,
        }
        if call is not None:
            context["toolCallId"] = call
        outcome = await self.agent.call(
            handler, arguments, json.dumps(self.store), self._answer, LIMITS, context=context
        )
        assert outcome.ok, outcome.error
        if outcome.store is not None:
            self.store = json.loads(outcome.store)
        return outcome.value

    async def _answer(self, call: BridgeCall) -> JsonValue:
        match call.method, call.arguments:
            case "log", (str(text),):
                self.logs.append(text)
            case "toast", (str(text),):
                self.toasts.append(text)
            case "history.search", (str(query),):
                return [t for t in self.history if query.lower() in t["content"].lower()]
            case "history.range", (int(start), int(end)):
                return [t for t in self.history[max(0, start) : end] if t["content"]]
            case "context.readFile", (str(name),):
                return self.files.get(name)
            case _:
                raise AssertionError(f"unexpected call: {call}")
        return None

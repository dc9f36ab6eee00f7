"""Real agents in real workers, with the few lines that each test would repeat."""

from __future__ import annotations

import json
from collections.abc import Sequence

from studio_qt.errors import AgentError
from studio_qt.jsontext import JsonObject, JsonValue
from studio_qt.sandbox import AgentCode, BridgeCall, Limits, Outcome, SandboxedAgent, SandboxHost

__all__ = ["SHORT", "Bridge", "Guest", "code", "load"]

SHORT = Limits(call_seconds=0.4, memory_mb=64)
ROOMY = Limits(call_seconds=20.0, memory_mb=64)


def code(source: str, *apis: str, file: str = "t.agent.js", **more: object) -> AgentCode:
    """An agent of this source that declares `apis`, for example "history"."""
    names = frozenset(f"studio.{api}" for api in apis)
    return AgentCode("t.agent", "javascript", file, source, namespaces=names, **more)


class Bridge:
    """Records what agents ask; answers by method, with an error where the answer is one."""

    def __init__(self, **answers: object) -> None:
        self.answers = {name.replace("_", "."): answer for name, answer in answers.items()}
        self.calls: list[BridgeCall] = []

    async def __call__(self, call: BridgeCall) -> JsonValue:
        self.calls.append(call)
        answer = self.answers.get(call.method)
        if isinstance(answer, AgentError):
            raise answer
        return answer(*call.arguments) if callable(answer) else answer

    @property
    def said(self) -> list[str]:
        """What toasts and log entries said, in order."""
        return [f"{call.method}: {call.arguments[0]}" for call in self.calls]


class Guest:
    """A loaded agent with its store, kept from call to call as the engine does."""

    def __init__(self, agent: SandboxedAgent, store: str = "{}") -> None:
        self.agent = agent
        self.store = store
        self.bridge = Bridge()

    async def call(
        self,
        handler: str,
        *arguments: JsonValue,
        limits: Limits = ROOMY,
        context: JsonObject | None = None,
    ) -> Outcome:
        """Call a handler and take its store over when it finished."""
        given: Sequence[JsonValue] = arguments
        outcome = await self.agent.call(
            handler, given, self.store, self.bridge, limits, context=context or {}
        )
        if outcome.store is not None:
            self.store = outcome.store
        return outcome

    async def value(self, handler: str, *arguments: JsonValue) -> JsonValue:
        """Call a handler that must finish, and return its value."""
        outcome = await self.call(handler, *arguments)
        assert outcome.ok, outcome
        return outcome.value

    @property
    def kept(self) -> JsonValue:
        """The store as a value."""
        return json.loads(self.store)


async def load(host: SandboxHost, source: str, *apis: str, **more: object) -> Guest:
    """Load an agent with room to work in."""
    return Guest(await host.load(code(source, *apis, **more), ROOMY))

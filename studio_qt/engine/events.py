"""What a player says: frozen events, each with the name and the payload that subscribers get.

Names and payloads of the first group are the consumer interface (CONS-02); the second group is
what a live view needs besides, and is just as public.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, fields
from typing import ClassVar, Literal

from studio_qt.engine.storage.values import AgentLogLine
from studio_qt.errors import Problem
from studio_qt.jsontext import JsonObject

__all__ = [
    "AgentLogged",
    "AgentNoted",
    "AgentToasted",
    "ConversationsChanged",
    "EntriesChanged",
    "ErrorRaised",
    "Event",
    "MessageDelivered",
    "ReasoningStreamed",
    "Reloaded",
    "RequestSent",
    "StoreChanged",
    "TokenStreamed",
    "ToolCalled",
    "ToolStarted",
    "TurnChanged",
]


@dataclass(frozen=True, slots=True)
class Event:
    """The root of all events.

    `name` is what `CharacterPlayer.on` takes; `bare` is the field that is the whole payload, None
    where the payload holds all fields under their names in camelCase.
    """

    name: ClassVar[str] = ""
    bare: ClassVar[str | None] = None

    def payload(self) -> object:
        """Return what a subscriber is called with."""
        return getattr(self, self.bare) if self.bare else _named(self)


@dataclass(frozen=True, slots=True)
class MessageDelivered(Event):
    """The final answer of a turn: `{role, content}`."""

    name: ClassVar[str] = "message"
    content: str
    role: str = "assistant"


@dataclass(frozen=True, slots=True)
class TokenStreamed(Event):
    """A piece of the answer's text, as it came."""

    name: ClassVar[str] = "token"
    bare: ClassVar[str | None] = "text"
    text: str


@dataclass(frozen=True, slots=True)
class AgentLogged(Event):
    """An agent called `studio.log`; the entry stands in the conversation as well."""

    name: ClassVar[str] = "agentLog"
    bare: ClassVar[str | None] = "message"
    message: str


@dataclass(frozen=True, slots=True)
class AgentToasted(Event):
    """An agent called `studio.toast`, or loading has something to say."""

    name: ClassVar[str] = "agentToast"
    bare: ClassVar[str | None] = "message"
    message: str


@dataclass(frozen=True, slots=True)
class ToolCalled(Event):
    """A tool call has been answered: `{agentId, toolName, args, result, toolCallId}`.

    `agent_id` is "" where no agent was reached. Inner calls of a sub-agent name their
    `parent_tool_call_id`.
    """

    name: ClassVar[str] = "toolCall"
    agent_id: str
    tool_name: str
    args: JsonObject
    result: str
    tool_call_id: int | None
    parent_tool_call_id: int | None = None

    def payload(self) -> object:
        """Return the call; `parentToolCallId` is there for inner calls only."""
        said = _named(self)
        if self.parent_tool_call_id is None:
            del said["parentToolCallId"]
        return said


@dataclass(frozen=True, slots=True)
class ErrorRaised(Event):
    """A provider or an agent failed; after an agent's failure the turn goes on."""

    name: ClassVar[str] = "error"
    bare: ClassVar[str | None] = "error"
    error: Exception


@dataclass(frozen=True, slots=True)
class Reloaded(Event):
    """The package was loaded again: `{agents, problems}`; `agents` are the exchanged ids."""

    name: ClassVar[str] = "reload"
    agents: tuple[str, ...]
    problems: tuple[Problem, ...]


@dataclass(frozen=True, slots=True)
class TurnChanged(Event):
    """A turn began, waits or ended: `{state, stopped, detail}`.

    `state` is "started", "thinking" (a request has left), "waiting" (the provider asked for
    patience, `detail` says how long), "finished".
    """

    name: ClassVar[str] = "turn"
    state: Literal["started", "thinking", "waiting", "finished"]
    stopped: bool = False
    detail: str = ""


@dataclass(frozen=True, slots=True)
class EntriesChanged(Event):
    """Entries came, changed or went: `{start, removed, added}`, positions in the conversation.

    From `start` on, `removed` entries were replaced by `added` ones; read them with
    `CharacterPlayer.entries(start, start + added)`. A change of conversation says start 0 and all.
    """

    name: ClassVar[str] = "entries"
    start: int
    removed: int
    added: int


@dataclass(frozen=True, slots=True)
class ConversationsChanged(Event):
    """The list of conversations is another: `{conversationId, change}`.

    `change` is "made", "renamed", "removed", "returned" or "model".
    """

    name: ClassVar[str] = "conversations"
    conversation_id: str
    change: Literal["made", "renamed", "removed", "returned", "model"]


@dataclass(frozen=True, slots=True)
class ReasoningStreamed(Event):
    """A piece of the model's reasoning, as it came; it is never stored."""

    name: ClassVar[str] = "reasoning"
    bare: ClassVar[str | None] = "text"
    text: str


@dataclass(frozen=True, slots=True)
class ToolStarted(Event):
    """A tool call goes to its agent: `{agentId, toolName, args, toolCallId}`."""

    name: ClassVar[str] = "toolStart"
    agent_id: str
    tool_name: str
    args: JsonObject
    tool_call_id: int | None


@dataclass(frozen=True, slots=True)
class StoreChanged(Event):
    """An agent's store has new content: `{agentId}`."""

    name: ClassVar[str] = "store"
    agent_id: str


@dataclass(frozen=True, slots=True)
class AgentNoted(Event):
    """The agent log has one more line: an `AgentLogLine` (STU-05)."""

    name: ClassVar[str] = "agentNote"
    bare: ClassVar[str | None] = "line"
    line: AgentLogLine


@dataclass(frozen=True, slots=True)
class RequestSent(Event):
    """A request to a model went out, or has come to its end: `{number, state}`.

    `CharacterPlayer.request(number)` tells what it held; `state` is "sent" at first, then
    "answered", "stopped" or "failed".
    """

    name: ClassVar[str] = "request"
    number: int
    state: Literal["sent", "answered", "stopped", "failed"]


def _named(event: Event) -> dict[str, object]:
    values = ((item.name, getattr(event, item.name)) for item in fields(event))
    return {
        re.sub(r"_(\w)", lambda found: found[1].upper(), name): list(value)
        if isinstance(value, tuple)
        else value
        for name, value in values
    }

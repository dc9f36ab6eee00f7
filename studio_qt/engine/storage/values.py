"""The frozen values that storage hands out and takes."""

from __future__ import annotations

from dataclasses import dataclass, field

from studio_qt.jsontext import JsonObject

__all__ = ["AgentLogLine", "ConversationSummary"]


@dataclass(frozen=True, slots=True)
class ConversationSummary:
    """One conversation of a folder, for lists.

    `messages` counts every entry; `updated` is UTC in ISO form with seconds. `readable` is False
    for a file that is no conversation: loading it says why.
    """

    id: str
    title: str
    messages: int
    updated: str
    readable: bool = True

    def to_json(self) -> JsonObject:
        """Return `{id, title, messages, updated}`."""
        return {
            "id": self.id,
            "title": self.title,
            "messages": self.messages,
            "updated": self.updated,
        }


@dataclass(frozen=True, slots=True)
class AgentLogLine:
    """One line of the agent log: `{time, agentId, kind, message, ...details}` (STU-05).

    `kind` is a short word ("call", "command", "error", "notice", "sub-agent", ...). `time` is UTC
    in ISO form with milliseconds; "" stands for now.
    """

    agent_id: str
    kind: str
    message: str = ""
    details: JsonObject = field(default_factory=dict)
    time: str = ""

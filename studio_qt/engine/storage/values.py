"""The frozen values that storage hands out and takes."""

from __future__ import annotations

from dataclasses import dataclass, field

from studio_qt.jsontext import JsonObject

__all__ = ["AgentLogLine", "ConversationSummary"]


@dataclass(frozen=True, slots=True)
class ConversationSummary:
    """One conversation of a folder, for lists.

    `messages` counts every entry; `updated` is UTC in ISO form with seconds. `readable` is False
    for a file that is no conversation: loading it says why. Of a fork, `origin` is the id of the
    conversation that it came from and the id of the last entry that it took along ("" where that
    is not known). `model` is the main model that was chosen for it, "" for none.
    """

    id: str
    title: str
    messages: int
    updated: str
    readable: bool = True
    origin: tuple[str, str] | None = None
    model: str = ""

    def to_json(self) -> JsonObject:
        """Return `{id, title, messages, updated, readable, origin, model}`.

        `origin` is `{conversation, entry}` of a fork, else None; its entry and `model` are None
        where there is none.
        """
        origin: JsonObject | None = None
        if self.origin is not None:
            origin = {"conversation": self.origin[0], "entry": self.origin[1] or None}
        return {
            "id": self.id,
            "title": self.title,
            "messages": self.messages,
            "updated": self.updated,
            "readable": self.readable,
            "origin": origin,
            "model": self.model or None,
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

"""What may go into a sandbox and what comes out of it: plain frozen values."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from enum import Enum

from studio_qt.jsontext import JsonValue

__all__ = ["AgentCode", "BridgeCall", "BridgeHandler", "Cause", "Limits", "Outcome"]


@dataclass(frozen=True, slots=True)
class Limits:
    """What one call may use: wall seconds (bridge waits included) and mebibytes."""

    call_seconds: float = 8.0
    memory_mb: int = 256


@dataclass(frozen=True, slots=True)
class AgentCode:
    """Everything that a worker needs to build an agent's context.

    `file` is the name in stack traces; `libraries` are pairs of file name and source, evaluated
    first, in order; `namespaces` are the declared bridge namespaces ("studio.history").
    `source_map` is that of a compiled source, as JSON text; errors then name places in `file`.
    """

    agent_id: str
    language: str
    file: str
    source: str
    libraries: tuple[tuple[str, str], ...] = ()
    namespaces: frozenset[str] = frozenset()
    source_map: str | None = None


class Cause(Enum):
    """Why a call ended; the value is the sentence for the log."""

    FINISHED = "finished"
    FAILED = "failed"
    OUT_OF_TIME = "ran past its time limit and was stopped"
    OUT_OF_MEMORY = "used more memory than it may and was stopped"
    STOPPED = "was stopped by the user"
    LOST = "was lost with its worker process"


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a call ended.

    `value` is what the handler returned, as JSON (None for null and undefined). `store` is the new
    store text, or None when nothing changed or the call did not finish. `error` is a sentence,
    None when finished. `logs` are console lines, oldest first; they come with failures as well.
    """

    cause: Cause
    value: JsonValue = None
    store: str | None = None
    error: str | None = None
    logs: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether the handler settled by itself and its store was taken."""
        return self.cause is Cause.FINISHED


@dataclass(frozen=True, slots=True)
class BridgeCall:
    """A request of agent code: `method` such as "history.search", "toast", "callModel"."""

    method: str
    arguments: tuple[JsonValue, ...]


BridgeHandler = Callable[[BridgeCall], Awaitable[JsonValue]]
"""Answers a bridge call; an `AgentError` that it raises becomes the guest's rejection."""

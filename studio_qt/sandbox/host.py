"""The sandbox as the engine sees it: a host of killable workers, and agents living in them."""

from __future__ import annotations

from collections.abc import Sequence
from types import TracebackType
from typing import Literal, Self

from studio_qt.jsontext import JsonObject, JsonValue
from studio_qt.sandbox.outcome import AgentCode, BridgeHandler, Limits, Outcome

__all__ = ["Role", "SandboxHost", "SandboxedAgent"]

Role = Literal["agents", "sub-agents"]


class SandboxHost:
    """Owns the worker processes of one open conversation; used on one asyncio loop.

    Workers start on first need. After `close()` no child process is left and every method raises
    `ClosedError`.
    """

    def __init__(
        self, *, grace_seconds: float = 2.0, utc_offset_minutes: int | None = None
    ) -> None:
        self._grace = grace_seconds
        self._offset = utc_offset_minutes

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    async def load(
        self, code: AgentCode, limits: Limits, *, role: Role = "agents"
    ) -> SandboxedAgent:
        """Build the context of an agent: libraries first, then its module.

        Raises `AgentError` naming file, line and reason: a syntax error, a throw or an endless
        loop at top level, an import, no memory.
        """
        raise NotImplementedError

    async def check_arguments(self, schema: JsonObject, arguments: JsonObject) -> str | None:
        """Return None when `arguments` fit `schema`, else a sentence for the model (LOOP-04)."""
        raise NotImplementedError

    async def close(self) -> None:
        """End every worker; twice is harmless."""

    def walls(self) -> tuple[str, ...]:
        """Return sentences on the walls around the workers that run; () before the first."""
        return ()


class SandboxedAgent:
    """An agent with a context of its own in a worker; made by `SandboxHost.load`."""

    @property
    def exports(self) -> frozenset[str]:
        """The names of the exported functions (EXP-05)."""
        raise NotImplementedError

    @property
    def notices(self) -> tuple[str, ...]:
        """What went wrong while loading without being fatal: a library that failed."""
        raise NotImplementedError

    async def call(
        self,
        handler: str,
        arguments: Sequence[JsonValue],
        store: str,
        bridge: BridgeHandler,
        limits: Limits,
        *,
        context: JsonObject,
    ) -> Outcome:
        """Call `handler(*arguments, store, studio, context)` and return how it ended.

        `store` is JSON text of an object. `bridge` answers the guest's calls while this one runs;
        `toast` and `log` reach it in order, before the outcome returns. Cancelling stops the call
        and drops its outcome. Raises `ClosedError` after `unload` or the host's `close`.
        """
        raise NotImplementedError

    async def unload(self) -> None:
        """Drop the context; twice is harmless."""
        raise NotImplementedError

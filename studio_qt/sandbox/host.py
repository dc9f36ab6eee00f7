"""The sandbox as the engine sees it: a host of killable workers, and agents living in them."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable
from dataclasses import replace
from types import TracebackType
from typing import TYPE_CHECKING, Literal, Self

from studio_qt.errors import AgentError, ClosedError
from studio_qt.jsontext import JsonObject, encode
from studio_qt.sandbox.agent import AgentLoadError, SandboxedAgent
from studio_qt.sandbox.frames import FrameError
from studio_qt.sandbox.interpreter import Interpreter
from studio_qt.sandbox.lane import Lane, WorkerLostError
from studio_qt.sandbox.languages import missing_lua
from studio_qt.sandbox.outcome import AgentCode, Limits

if TYPE_CHECKING:
    from studio_qt.sandbox.typescript import TypeScriptCompiler

__all__ = ["Role", "SandboxHost", "SandboxedAgent"]

Role = Literal["agents", "sub-agents"]

_PYTHON_ROLES = {"agents": "python", "sub-agents": "python sub-agents"}

_CHECK_SECONDS = 1.0


class SandboxHost:
    """Owns the worker processes of one open conversation; used on one asyncio loop.

    Workers start on first need. After `close()` no child process is left and every method raises
    `ClosedError`. `utc_offset_minutes` (east is positive) is what agents see as local time; None
    leaves them the machine's time zone (Python agents live in UTC). So many `spare_seconds` after
    the first use of a worker for agents another is started (12 MB, 30 for Python), which takes over
    if the first has to be killed; None starts none. `on_notice` gets sentences for
    the user about what takes long.
    """

    def __init__(
        self,
        *,
        grace_seconds: float = 2.0,
        utc_offset_minutes: int | None = None,
        spare_seconds: float | None = 5.0,
        on_notice: Callable[[str], None] | None = None,
    ) -> None:
        self._grace = grace_seconds
        self._time_zone = _time_zone(utc_offset_minutes)
        self._spare_seconds = spare_seconds
        self._lanes: dict[str, Lane] = {}
        self._compiler: TypeScriptCompiler | None = None
        self._interpreter = Interpreter(on_notice)
        self._keys = itertools.count(1)
        self._closed = False

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
        """Build the context of an agent: libraries first, then its module, compiled at need.

        Raises `AgentLoadError` naming file, line and reason: a syntax error, a throw or an endless
        loop at top level, an import, no memory.
        """
        if code.language == "typescript":
            code = await self._compile(code)
        if code.language == "lua" and (reason := missing_lua()):
            raise AgentLoadError(code.file, None, f"Lua agents cannot run here: {reason}")
        lane = self._lane(_PYTHON_ROLES[role] if code.language == "python" else role)
        agent = SandboxedAgent(lane, next(self._keys), code)
        await agent.build(limits)
        return agent

    async def prepare_python(self, progress: Callable[[str], None] | None = None) -> None:
        """Compile the interpreter of Python agents where that has not been done (8 to 12 s).

        `progress` gets sentences; agents that are loaded meanwhile wait for it by themselves.
        Raises `AgentError` when Python agents cannot run here.
        """
        if self._closed:
            raise ClosedError("the sandbox has been closed")
        try:
            await self._interpreter.prepare(progress)
        except WorkerLostError as error:
            raise AgentError(str(error)) from error

    async def check_arguments(self, schema: JsonObject, arguments: JsonObject) -> str | None:
        """Return None when `arguments` fit `schema`, else a sentence for the model (LOOP-04)."""
        from studio_qt.sandbox.arguments import check_in_host, needs_worker

        if self._closed:
            raise ClosedError("the sandbox has been closed")
        if not needs_worker(schema):
            return check_in_host(schema, arguments)
        text = encode(schema).encode()
        lane = self._lane("schemas", grace=0.0)
        try:
            async with lane.turn() as turn:
                header: JsonObject = {"op": "check", "split": len(text)}
                blob = text + encode(arguments).encode()
                ending = await turn.exchange(header, blob, seconds=_CHECK_SECONDS)
        except FrameError:
            return "The arguments could not be checked: they are too large."
        except WorkerLostError as error:
            raise AgentError(f"The arguments could not be checked: {error}.") from error
        if ending.cause != "finished":
            return "The arguments could not be checked in time."
        answer = ending.header.get("value")
        return answer if isinstance(answer, str) else None

    async def close(self) -> None:
        """End every worker; twice is harmless."""
        self._closed = True
        lanes = [lane.close() for lane in self._lanes.values()]
        await asyncio.gather(*lanes, self._interpreter.close())
        if self._compiler is not None:
            await self._compiler.close()

    def walls(self) -> tuple[str, ...]:
        """Return sentences on the walls around the workers that run; () before the first."""
        found: dict[str, None] = {}
        for lane in self._lanes.values():
            found |= dict.fromkeys(lane.walls)
        return tuple(found)

    async def _compile(self, code: AgentCode) -> AgentCode:
        from studio_qt.sandbox.typescript import ROLE, TypeScriptCompiler

        if self._compiler is None:
            self._compiler = TypeScriptCompiler(self._lane(ROLE, grace=0.0))
        script = await self._compiler.compile(code.source, code.file)
        return replace(code, language="javascript", source=script.js, source_map=script.source_map)

    def _lane(self, role: str, *, grace: float | None = None) -> Lane:
        if self._closed:
            raise ClosedError("the sandbox has been closed")
        if role not in self._lanes:
            used = self._grace if grace is None else grace
            runs_python = role in _PYTHON_ROLES.values()
            self._lanes[role] = Lane(
                role,
                grace=used,
                time_zone=self._time_zone,
                prepare=self._interpreter.arguments if runs_python else None,
                spare=self._spare_seconds if runs_python or role in _PYTHON_ROLES else None,
            )
        return self._lanes[role]


def _time_zone(minutes: int | None) -> str | None:
    """Spell an offset as POSIX does: the sign is that of the way back to UTC."""
    if minutes is None:
        return None
    sign, back = ("+", "-") if minutes >= 0 else ("-", "+")
    hours, rest = divmod(abs(minutes), 60)
    return f"<{sign}{hours:02}{rest:02}>{back}{hours}:{rest:02}"

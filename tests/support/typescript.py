"""Agents in TypeScript, and what shows whether the compiler was at work."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

from studio_qt.sandbox import SandboxHost
from studio_qt.sandbox.lane import Lane
from studio_qt.sandbox.typescript import ROLE, TypeScriptCompiler
from tests.support.sandbox import ROOMY, Guest, code

__all__ = ["compiler", "compiler_ended", "compiler_runs", "load_typescript"]


async def load_typescript(
    host: SandboxHost, source: str, *apis: str, file: str = "t.agent.ts", **more: object
) -> Guest:
    """Load an agent in TypeScript with room to work in."""
    made = replace(code(source, *apis, file=file, **more), language="typescript")
    return Guest(await host.load(made, ROOMY))


@asynccontextmanager
async def compiler(**limits: float) -> AsyncIterator[TypeScriptCompiler]:
    """A compiler on a lane of its own."""
    lane = Lane(ROLE, grace=0.0, time_zone=None)
    made = TypeScriptCompiler(lane, **limits)
    try:
        yield made
    finally:
        await lane.close()
        await made.close()


def compiler_runs() -> bool:
    """Whether a process with the compiler is there."""
    return bool(_threads())


async def compiler_ended() -> None:
    """Wait until no process with the compiler is there."""
    for thread in _threads():
        await asyncio.to_thread(thread.join, 20)


def _threads() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == f"{ROLE} worker"]

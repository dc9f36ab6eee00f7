"""Lua agents in real workers."""

from __future__ import annotations

from studio_qt.sandbox import AgentCode, SandboxHost
from tests.support.sandbox import ROOMY, Guest

__all__ = ["code", "load"]


def code(source: str, *apis: str, file: str = "t.agent.lua") -> AgentCode:
    """An agent of this source that declares `apis`, for example "history"."""
    names = frozenset(f"studio.{api}" for api in apis)
    return AgentCode("t.agent", "lua", file, source, namespaces=names)


async def load(host: SandboxHost, source: str, *apis: str, file: str = "t.agent.lua") -> Guest:
    """Load a Lua agent with room to work in."""
    return Guest(await host.load(code(source, *apis, file=file), ROOMY))

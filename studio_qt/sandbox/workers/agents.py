"""The service of the native agent workers."""

from __future__ import annotations

from collections.abc import Callable

from studio_qt.jsontext import JsonObject
from studio_qt.sandbox.workers.channel import Channel
from studio_qt.sandbox.workers.javascript import JavaScriptAgent
from studio_qt.sandbox.workers.service import Agent, Service

try:
    from studio_qt.sandbox.workers.lua import LuaAgent
except ImportError:  # the host tells, and sends no Lua agent
    LuaAgent = None  # type: ignore[assignment,misc]

__all__ = ["serve"]

_BUILDERS: dict[str, Callable[[JsonObject], Agent]] = {
    "javascript": JavaScriptAgent,
    "lua": LuaAgent,
}


def serve(channel: Channel) -> None:
    """Answer load and call frames until the host closes."""
    Service(channel, _build).serve()


def _build(code: JsonObject) -> Agent:
    return _BUILDERS[str(code["language"])](code)

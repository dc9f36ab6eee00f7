"""The sandbox: agent code in killable worker processes, reached by messages alone.

The public names are imported on first use, because the worker processes live in this package too
and must not load what only the host needs.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from studio_qt.sandbox.agent import AgentLoadError, SandboxedAgent
    from studio_qt.sandbox.host import Role, SandboxHost
    from studio_qt.sandbox.outcome import (
        AgentCode,
        BridgeCall,
        BridgeHandler,
        Cause,
        Limits,
        Outcome,
    )
    from studio_qt.sandbox.typescript import CompiledScript, compile_typescript

_HOMES = {
    "AgentLoadError": "studio_qt.sandbox.agent",
    "SandboxedAgent": "studio_qt.sandbox.agent",
    "Role": "studio_qt.sandbox.host",
    "SandboxHost": "studio_qt.sandbox.host",
    "CompiledScript": "studio_qt.sandbox.typescript",
    "compile_typescript": "studio_qt.sandbox.typescript",
}
_VALUES = "studio_qt.sandbox.outcome"

__all__ = [
    "AgentCode",
    "AgentLoadError",
    "BridgeCall",
    "BridgeHandler",
    "Cause",
    "CompiledScript",
    "Limits",
    "Outcome",
    "Role",
    "SandboxHost",
    "SandboxedAgent",
    "compile_typescript",
]


def __getattr__(name: str) -> object:
    """Import a public name on first use; raises AttributeError for any other."""
    if name not in __all__:
        raise AttributeError(f"module 'studio_qt.sandbox' has no attribute {name!r}")
    return getattr(import_module(_HOMES.get(name, _VALUES)), name)

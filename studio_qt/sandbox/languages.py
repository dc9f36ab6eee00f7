"""In which languages agents can run on this machine."""

from __future__ import annotations

from importlib.util import find_spec

from studio_qt.sandbox import carrier
from studio_qt.sandbox.compiler import CompilerMissingError, find_compiler

__all__ = ["available_languages", "missing_lua"]


def available_languages() -> dict[str, str | None]:
    """Return for each language None when its agents can run here, else the reason (LANG-01)."""
    return {
        "javascript": _javascript(),
        "typescript": _javascript() or _typescript(),
        "python": carrier.missing(),
        "lua": missing_lua(),
    }


def _javascript() -> str | None:
    return _missing("_quickjs", "quickjs-ng")


def _typescript() -> str | None:
    try:
        find_compiler()
    except CompilerMissingError as error:
        return str(error)
    return None


def missing_lua() -> str | None:
    """Return what keeps Lua agents from running here, None when nothing does."""
    reason = _missing("lupa", "lupa")
    return reason or _missing("lupa.lua54", "lupa with Lua 5.4")


def _missing(module: str, package: str) -> str | None:
    """Return a reason when a module that a runtime needs is not there, without importing it."""
    if find_spec(module) is not None:
        return None
    return f"the package {package} is not installed"

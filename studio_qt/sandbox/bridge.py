"""The bridge methods that agents can ask for, and the namespace that each one needs (BR-09)."""

from __future__ import annotations

from types import MappingProxyType

__all__ = ["FIRE_AND_FORGET", "METHODS", "missing_api"]

METHODS = MappingProxyType(
    {
        "toast": None,
        "log": None,
        "history.search": "studio.history",
        "history.range": "studio.history",
        "context.readFile": "studio.context",
        "callModel": "studio.model",
        "grants.readStore": "studio.grants",
        "web.fetch": "studio.web",
    }
)
"""Each method with its namespace, None where none is needed."""

FIRE_AND_FORGET = frozenset({"toast", "log"})
"""Methods that the guest does not wait for; they are answered in the order they came."""


def missing_api(method: str, namespaces: frozenset[str]) -> str | None:
    """Return why `method` may not be used with these declared namespaces, None if it may."""
    if method not in METHODS:
        return f"studio.{method} does not exist in this player"
    needed = METHODS[method]
    if needed is None or needed in namespaces:
        return None
    return f'studio.{method} needs the line "@api {needed}" in the agent\'s manifest'

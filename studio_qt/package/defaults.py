"""Default stores: `{agentId}.agent.json` in the package's root (PKG-09)."""

from __future__ import annotations

from studio_qt.errors import Problem
from studio_qt.files.source import Source

__all__ = ["read_default_store"]


def read_default_store(source: Source, agent_id: str) -> tuple[str | None, tuple[Problem, ...]]:
    """Return the text of the agent's default store, None when absent or no JSON object."""
    raise NotImplementedError

"""Who calls: the agent, and what its chain of calls is rooted in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["Caller", "InvokedBy"]

InvokedBy = Literal["model", "direct", "preload", "hook"]


@dataclass(frozen=True, slots=True)
class Caller:
    """Which agent calls, and what its chain is rooted in.

    A `dry` call only looks: it writes nothing, says nothing and asks no model. A `granted` one is
    made by a sub-agent's model: it has the chain's root, and asks no model either (SUB-07).
    """

    agent_id: str
    invoked_by: InvokedBy
    tool_call_id: int | None = None
    dry: bool = False
    granted: bool = False

    @property
    def metered(self) -> bool:
        """Whether its model calls count against the caps: not in a chain of the user's (CAP-02)."""
        return self.invoked_by != "direct"

"""Agent ids: what one may look like, since it becomes part of file names (PKG-14)."""

from __future__ import annotations

import re

__all__ = ["id_fault", "tool_name_of"]

_LONGEST = 120
_LONGEST_BYTES = 200
_FORBIDDEN = re.compile(r"""[/\\:*?"<>|\x00-\x1f\x7f\ud800-\udfff]""")


def id_fault(agent_id: str) -> str | None:
    """Return why `agent_id` cannot be an id, as the end of a sentence; None when it can."""
    if not agent_id.strip():
        return "is empty"
    if len(agent_id) > _LONGEST or len(agent_id.encode("utf-8", "replace")) > _LONGEST_BYTES:
        return f"is too long; use at most {_LONGEST} characters ({_LONGEST_BYTES} bytes)"
    if ".." in agent_id:
        return "holds '..'; use a name such as namespace.agent"
    if found := _FORBIDDEN.search(agent_id):
        return f"holds {found[0]!r}, which cannot be in a file name; use letters, digits, . - _"
    if agent_id != agent_id.strip() or agent_id.endswith("."):
        return "begins or ends with a blank or a dot; take it off"
    return None


def tool_name_of(agent_id: str) -> str:
    """Return the tool name of a composed instance: the last dot-part, `-` as `_` (PKG-07)."""
    return re.sub(r"[-\s]", "_", agent_id.rsplit(".", 1)[-1])

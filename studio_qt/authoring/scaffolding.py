"""The text of a new file of an agent or sub-agent, valid from the first moment."""

from __future__ import annotations

import re

from studio_qt.package.ids import tool_name_of
from studio_qt.resources import resource_text

__all__ = ["scaffold_text"]

_TOOL_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")


def scaffold_text(source: str, stem: str) -> str:
    """Return what `resources/scaffolds/{source}` says for a file called `stem` without its ending.

    Raises StudioError for a scaffold that is none.
    """
    text = resource_text(f"scaffolds/{source}")
    for placeholder, value in (
        ("scaffold.agent-name", stem),
        ("scaffold_tool", _tool_name(stem)),
        ("scaffold-name", stem),
    ):
        text = text.replace(placeholder, value)
    return text


def _tool_name(stem: str) -> str:
    name = re.sub(r"[^A-Za-z0-9_-]", "_", tool_name_of(stem))[:64]
    return name if _TOOL_NAME.fullmatch(name) and name.strip("_") else "new_tool"

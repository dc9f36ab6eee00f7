"""How a file is shown by its kind: icon and colour; and what opens as a picture."""

from __future__ import annotations

from pathlib import PurePosixPath

__all__ = ["IMAGES", "icon_of", "is_image"]

IMAGES = (".png", ".jpg", ".jpeg", ".webp", ".gif", ".svg")
"""The endings of files that are shown as pictures."""

_ICONS = {
    ".json": ("braces", "warn"),
    ".jsonl": ("braces", "warn"),
    ".yaml": ("braces", "warn"),
    ".yml": ("braces", "warn"),
    ".csv": ("braces", "warn"),
    ".js": ("code", "quote"),
    ".mjs": ("code", "quote"),
    ".ts": ("code", "info"),
    ".py": ("code", "ok"),
    ".lua": ("code", "accent2"),
    **dict.fromkeys(IMAGES, ("image", "fg2")),
}


def icon_of(path: str) -> tuple[str, str]:
    """Return the icon's name and its colour's token."""
    name = path.lower()
    if name.endswith(".subagent.md"):
        return "sub-agent", "accent2"
    if name.endswith(".agent.json"):
        return "database", "warn"
    return _ICONS.get(PurePosixPath(name).suffix, ("file-text", "key"))


def is_image(path: str) -> bool:
    """Return whether a file is shown as a picture."""
    return path.lower().endswith(IMAGES)

"""The kinds of files: icon, colour and word of each, told by the name alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

__all__ = ["KINDS", "Kind", "icon_of", "kind_of"]


class Kind(NamedTuple):
    """How a kind of file looks: icon, token, and the word that assistive technology says."""

    icon: str
    token: str
    words: str
    mark: str = ""


KINDS: Mapping[str, Kind] = {
    "group": Kind("", "fg2", "group"),
    "more": Kind("more", "fg3", "more files"),
    "folder": Kind("folder", "fg2", "folder"),
    "config": Kind("braces", "warn", "configuration"),
    "text": Kind("file-text", "key", "text"),
    "data": Kind("braces", "warn", "data"),
    "javascript": Kind("code", "quote", "JavaScript", "JS"),
    "typescript": Kind("code", "info", "TypeScript", "TS"),
    "python": Kind("code", "ok", "Python", "PY"),
    "lua": Kind("code", "accent2", "Lua", "LUA"),
    "subagent": Kind("sub-agent", "accent2", "sub-agent"),
    "store": Kind("database", "fg2", "default data"),
    "image": Kind("image", "em", "picture"),
    "other": Kind("file", "fg3", "file"),
}

_ENDINGS: Mapping[str, str] = {
    **dict.fromkeys((".txt", ".md", ".markdown", ".rst"), "text"),
    **dict.fromkeys((".json", ".jsonl", ".yaml", ".yml", ".csv", ".tsv", ".toml", ".xml"), "data"),
    **dict.fromkeys((".js", ".mjs", ".cjs"), "javascript"),
    **dict.fromkeys((".ts", ".mts"), "typescript"),
    **dict.fromkeys((".png", ".jpg", ".jpeg", ".gif", ".webp", ".svg", ".bmp", ".ico"), "image"),
    ".py": "python",
    ".lua": "lua",
}


def kind_of(path: str, *, is_folder: bool = False) -> str:
    """Return the kind of a file, by its name alone."""
    if is_folder:
        return "folder"
    name = path.rsplit("/", 1)[-1].lower()
    if path == "config.json":
        return "config"
    if name.endswith(".subagent.md"):
        return "subagent"
    if name.endswith(".agent.json"):
        return "store"
    dot = name.rfind(".")
    return _ENDINGS.get(name[dot:], "other") if dot >= 0 else "other"


def icon_of(path: str) -> tuple[str, str]:
    """Return the icon's name and its colour's token for a file."""
    kind = KINDS[kind_of(path)]
    return kind.icon, kind.token

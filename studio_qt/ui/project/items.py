"""What the tree shows, as frozen values: groups, folders, files, each with its kind and mark."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

__all__ = ["CONTEXT_GROUP", "KINDS", "ROOT", "Group", "Item", "Kind", "kind_of", "walk_items"]

ROOT = ""
"""The key of the item that holds the groups."""

CONTEXT_GROUP = "group:context"


@dataclass(frozen=True, slots=True)
class Kind:
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
    **dict.fromkeys((".json", ".yaml", ".yml", ".csv", ".tsv", ".toml", ".xml"), "data"),
    **dict.fromkeys((".js", ".mjs", ".cjs"), "javascript"),
    **dict.fromkeys((".ts", ".mts"), "typescript"),
    **dict.fromkeys((".png", ".jpg", ".jpeg", ".gif", ".webp", ".svg", ".bmp", ".ico"), "image"),
    ".py": "python",
    ".lua": "lua",
}


@dataclass(frozen=True, slots=True)
class Item:
    """A row of the tree.

    `key` is unique in the tree: the path, or `group:…`. `path` is the file or folder that the row
    stands for, a group's own folder included ("" for the root). `mark` is what stands at the
    right; `apart` says that the file stays out of the prompt. `count` is that of a group's files.
    """

    key: str
    path: str
    name: str
    kind: str
    mark: str = ""
    apart: bool = False
    count: int = 0
    children: tuple[Item, ...] = ()

    @property
    def is_folder(self) -> bool:
        """Whether it is a folder on disk."""
        return self.kind == "folder"

    @property
    def is_file(self) -> bool:
        """Whether it is a file."""
        return self.kind not in ("folder", "group", "more")

    @property
    def bare(self) -> Item:
        """The row alone, without what is below it."""
        return Item(self.key, self.path, self.name, self.kind, self.mark, self.apart, self.count)


@dataclass(frozen=True, slots=True)
class Group:
    """A group of the tree; `adds` names the actions that its + offers."""

    key: str
    name: str
    always: bool = False
    adds: tuple[str, ...] = field(default=())


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


def walk_items(item: Item) -> Iterator[Item]:
    """Yield an item and everything below it."""
    pending = [item]
    while pending:
        found = pending.pop()
        yield found
        pending.extend(reversed(found.children))

"""What the tree shows, as frozen values: groups, folders, files, each with its kind and mark."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

__all__ = ["CONTEXT_GROUP", "ROOT", "Group", "Item", "walk_items"]

ROOT = ""
"""The key of the item that holds the groups."""

CONTEXT_GROUP = "group:context"


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


class Group(NamedTuple):
    """A group of the tree; `adds` names the actions that its + offers."""

    key: str
    name: str
    always: bool = False
    adds: tuple[str, ...] = ()


def walk_items(item: Item) -> Iterator[Item]:
    """Yield an item and everything below it."""
    pending = [item]
    while pending:
        found = pending.pop()
        yield found
        pending.extend(reversed(found.children))

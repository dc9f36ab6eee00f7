"""From the files of a folder to the rows of the tree: which group each belongs to, and its order.

Pure functions of what was found; they run in a thread.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from studio_qt.files.pace import Pace
from studio_qt.files.tree import Found
from studio_qt.package.resolver import (
    CONTEXT,
    DEFAULTS,
    DESCRIPTION,
    INSTRUCTIONS,
    INTRODUCTION,
    SYSTEM_PROMPT,
)
from studio_qt.ui.project.items import CONTEXT_GROUP, ROOT, Group, Item
from studio_qt.ui.widgets.filekinds import KINDS, kind_of

__all__ = ["GROUPS", "PAGE", "SUB_AGENTS", "Layout", "arrange", "matches"]

SUB_AGENTS = "group:subagents"

PAGE = 300
"""Rows that a folder shows at once; the rest comes when it is asked for."""

GROUPS: Sequence[Group] = (
    Group("group:character", "Character", always=True),
    Group(CONTEXT_GROUP, "Context", always=True, adds=("newContextFile",)),
    Group(
        "group:agents",
        "Agents",
        always=True,
        adds=("newAgentJavascript", "newAgentTypescript", "newAgentPython", "newAgentLua"),
    ),
    Group(SUB_AGENTS, "Sub-Agents", always=True, adds=("newSubAgent",)),
    Group("group:defaults", "Defaults"),
    Group("group:other", "Other files"),
)

_TEXT_ORDER = (INSTRUCTIONS, SYSTEM_PROMPT, INTRODUCTION, DESCRIPTION)


class Layout(NamedTuple):
    """Where config.json says that things lie; `context` is None where its mapping was refused."""

    texts: tuple[str, ...] = tuple(map(DEFAULTS.__getitem__, _TEXT_ORDER))
    context: str | None = DEFAULTS[CONTEXT]

    @classmethod
    def of(cls, paths: Mapping[str, str | None]) -> Layout:
        """Take the paths of a resolver."""
        texts = tuple(path for key in _TEXT_ORDER if (path := paths[key]) is not None)
        return cls(texts, paths[CONTEXT])

    def group_of(self, path: str) -> str:
        """Return the key of the group that a file belongs to."""
        if path == "config.json" or path in self.texts:
            return "group:character"
        if self.context and path.startswith(f"{self.context}/"):
            return CONTEXT_GROUP
        if path.startswith("agents/"):
            in_agents = path.count("/") == 1 and kind_of(path) == "subagent"
            return SUB_AGENTS if in_agents else "group:agents"
        if "/" not in path and kind_of(path) == "store":
            return "group:defaults"
        return "group:other"

    def folder_of(self, group: str) -> str:
        """Return the folder that a group's new files go to; "" is the root."""
        if group == CONTEXT_GROUP:
            return self.context or ""
        return "agents" if group in ("group:agents", SUB_AGENTS) else ""


class _Paging(NamedTuple):
    """How many rows are shown, and how fast they are put together."""

    limits: Mapping[str, int]
    pinned: Collection[str]
    pace: Pace


class _Branch:
    """A folder while the tree is put together."""

    __slots__ = ("files", "folders", "item")

    def __init__(self, item: Item) -> None:
        self.item = item
        self.files: list[Item] = []
        self.folders: dict[str, _Branch] = {}


def arrange(
    found: Sequence[Found],
    layout: Layout,
    *,
    tokens: Mapping[str, int],
    words: str = "",
    shown: Mapping[str, int] | None = None,
    pinned: Collection[str] = (),
) -> Item:
    """Return the root item with its groups.

    `tokens` are the counts of context files, by path. Only files that have every word of `words`
    in their path stay. `shown` gives for some keys how many rows they show instead of `PAGE`;
    what is `pinned` is shown in any case.
    """
    branches = {
        group.key: _Branch(Item(group.key, layout.folder_of(group.key), group.name, "group"))
        for group in GROUPS
    }
    wanted = words.casefold().split()
    bases = {key: _base(layout, key) for key in branches}
    grouped: defaultdict[str, set[str]] = defaultdict(set)
    pace = Pace()
    for one in found:
        pace.rest()
        if one.is_folder:
            continue
        group = layout.group_of(one.path)
        for folder in _folders_above(one.path):
            grouped[folder].add(group)
        if matches(one.path, wanted):
            _place(branches[group], bases[group], _file_item(one.path, group, layout, tokens))
    if not wanted:
        _add_empty_folders(found, layout, branches, bases, grouped)
    paging = _Paging(shown or {}, pinned, pace)
    groups = [_finish(branches[group.key], layout, paging) for group in GROUPS]
    stay = [
        item
        for group, item in zip(GROUPS, groups, strict=True)
        if item.children or (group.always and not wanted)
    ]
    return Item(ROOT, "", "", "group", children=tuple(stay))


def matches(path: str, words: Collection[str]) -> bool:
    """Whether a path has all of these words, which are case-folded."""
    if not words:
        return True
    folded = path.casefold()
    return all(word in folded for word in words)


def _base(layout: Layout, group: str) -> str:
    """Return the folder whose content a group shows without the folder itself."""
    if group == "group:character":
        return "\0"  # texts stand in it by their whole path, without folders
    return layout.folder_of(group)


def _file_item(path: str, group: str, layout: Layout, tokens: Mapping[str, int]) -> Item:
    kind = kind_of(path)
    name = path if group == "group:character" else path.rsplit("/", 1)[-1]
    if group != CONTEXT_GROUP:
        is_agent = group == "group:agents" and path.count("/") == 1
        return Item(path, path, name, kind, KINDS[kind].mark if is_agent else "")
    inside = path.removeprefix(f"{layout.context}/")
    apart = "/" in inside or inside.startswith(".")
    count = tokens.get(path)
    mark = "" if apart or count is None else _thousands(count)
    return Item(path, path, name, kind, mark, apart)


def _thousands(count: int) -> str:
    if count < 100:
        return str(count)
    return f"{count / 1000:.1f}k" if count < 99_950 else f"{count // 1000}k"


def _folders_above(path: str) -> list[str]:
    parts = path.split("/")[:-1]
    return ["/".join(parts[: end + 1]) for end in range(len(parts))]


def _place(branch: _Branch, base: str, item: Item) -> None:
    """Put a file into its folder, making the folders on the way."""
    if base != "\0":
        branch = _branch_at(branch, base, item.path.rpartition("/")[0])
    branch.files.append(item)


def _branch_at(branch: _Branch, base: str, folder: str) -> _Branch:
    inside = folder.removeprefix(base).strip("/") if base else folder
    path = base
    for name in inside.split("/") if inside else ():
        path = f"{path}/{name}" if path else name
        if name not in branch.folders:
            branch.folders[name] = _Branch(Item(path, path, name, "folder"))
        branch = branch.folders[name]
    return branch


def _add_empty_folders(
    found: Sequence[Found],
    layout: Layout,
    branches: Mapping[str, _Branch],
    bases: Mapping[str, str],
    grouped: Mapping[str, set[str]],
) -> None:
    """Show folders without files; one whose files all stand in other groups stays away."""
    special = {layout.context, "agents"}
    pace = Pace()
    for one in found:
        pace.rest()
        if not one.is_folder or one.path in special or grouped.get(one.path):
            continue
        group = layout.group_of(f"{one.path}/x")
        if layout.context and layout.context.startswith(f"{one.path}/"):
            continue
        _branch_at(branches[group], bases[group], one.path)


def _finish(branch: _Branch, layout: Layout, paging: _Paging) -> Item:
    paging.pace.rest()
    folders = [
        _finish(inner, layout, paging)
        for _, inner in sorted(branch.folders.items(), key=lambda pair: _order(pair[0]))
    ]
    if branch.item.key == "group:character":
        order = {path: place for place, path in enumerate(("config.json", *layout.texts))}
        files = sorted(branch.files, key=lambda item: order[item.path])
    else:
        files = sorted(branch.files, key=lambda item: _order(item.name))
    children = [*folders, *files]
    count = sum(inner.count for inner in folders) + len(files)
    children = _first(children, branch.item, paging)
    item = branch.item
    return Item(item.key, item.path, item.name, item.kind, count=count, children=tuple(children))


def _first(children: list[Item], folder: Item, paging: _Paging) -> list[Item]:
    """Return the first children and the pinned ones, and a row that tells of the others."""
    limit = paging.limits.get(folder.key, PAGE)
    if len(children) <= limit:
        return children
    stay = children[:limit] + [item for item in children[limit:] if item.key in paging.pinned]
    left = len(children) - len(stay)
    if not left:
        return stay
    words = f"Show more: {left:,} {'are' if left > 1 else 'is'} left"
    return [*stay, Item(f"more:{folder.key}", folder.path, words, "more")]


def _order(name: str) -> tuple[bool, list[tuple[int, int | str]]]:
    """Sort names as people do: dot-files last, numbers by value, case aside."""
    parts: list[tuple[int, int | str]] = []
    digits = ""
    for sign in name.casefold() + "\0":
        if sign.isdecimal() and sign.isascii():
            digits += sign
            continue
        if digits:
            parts.append((0, int(digits[:18])))
            digits = ""
        parts.append((1, sign))
    return name.startswith("."), parts

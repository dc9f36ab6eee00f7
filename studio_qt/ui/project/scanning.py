"""Reading a project's folder: files, the layout of config.json, tokens of context files.

Everything here runs in a thread.
"""

from __future__ import annotations

import codecs
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from studio_qt.errors import StudioError
from studio_qt.files.folder import FolderSource
from studio_qt.files.overlay import OverlaySource
from studio_qt.files.tree import Found, is_leftover, is_out_of_sight, walk_tree
from studio_qt.ui.project.arranging import Layout

__all__ = ["Count", "Scan", "count_tokens", "read_layout", "scan_folder", "to_count"]

_LARGEST = 4 * 1024 * 1024
"""Bytes of a context file that is still counted."""

_PIECE = 32 * 1024
"""Characters that are counted in one go: the interpreter is held meanwhile."""


class Count(NamedTuple):
    """The tokens of a file as it was at a time of change and a size."""

    changed: int
    size: int
    tokens: int


class Scan(NamedTuple):
    """What a folder holds; `root` tells whose it is."""

    root: Path
    found: Sequence[Found]
    layout: Layout
    sizes: Mapping[str, Found]


def scan_folder(
    root: Path, buffers: Mapping[str, str], before: Layout, *, hidden: bool
) -> Scan | None:
    """Return what the folder holds, None where there is no such folder.

    With `hidden`, what is not the author's own work comes too. A config.json that cannot be
    read at the moment leaves the layout as it was `before`.
    """
    layout = read_layout(root, buffers, before)
    context = layout.context

    def leave_out(path: str) -> bool:
        if hidden:
            return path == ".git/objects" or is_leftover(path)
        return is_out_of_sight(path, context)

    try:
        found = list(walk_tree(root, leave_out))
    except OSError:
        return None
    return Scan(root, found, layout, {one.path: one for one in found if not one.is_folder})


def read_layout(root: Path, buffers: Mapping[str, str], before: Layout) -> Layout:
    """Return where config.json says that things lie; unsaved text counts."""
    source = OverlaySource(buffers, FolderSource(root))
    try:
        if not source.exists("config.json"):
            return Layout()
        if _maps_nothing(source.read_bytes("config.json")):
            return Layout()
        from studio_qt.package.config import read_unchecked
        from studio_qt.package.resolver import build_resolver

        config = read_unchecked(source)
    except (StudioError, OSError):
        return before
    resolver, _ = build_resolver(source, config.data.get("fileMappings"), config.places)
    return Layout.of(resolver.paths)


def _maps_nothing(config: bytes) -> bool:
    """Whether config.json says that all lies where it lies by itself, as nearly all do.

    Else, and for what is no plain JSON, it is read as a package is, whose import takes longer than
    the whole folder.
    """
    try:
        data = json.loads(config)
    except (ValueError, RecursionError):
        return False
    return isinstance(data, dict) and not data.get("fileMappings")


def to_count(scan: Scan, known: Mapping[str, Count]) -> list[Found]:
    """Return the context files of the prompt whose tokens are not known."""
    folder = scan.layout.context
    if folder is None:
        return []
    missing = []
    for one in scan.found:
        inside = one.path.removeprefix(f"{folder}/")
        if one.is_folder or inside == one.path or "/" in inside or inside.startswith("."):
            continue
        count = known.get(one.path)
        if count is None or (count.changed, count.size) != (one.changed, one.size):
            missing.append(one)
    return missing


def count_tokens(root: Path, files: Sequence[Found]) -> Iterator[tuple[str, Count]]:
    """Yield the counts of these files one by one; one that is no text is passed over."""
    for one in files:
        if one.size > _LARGEST:
            continue
        try:
            content = (root / one.path).read_bytes()
        except OSError:
            continue
        if b"\0" in content[:1024] and not content.startswith(
            (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
        ):
            continue
        text = content.decode("utf-8", "replace")
        yield one.path, Count(one.changed, one.size, text_tokens(text))


def text_tokens(text: str) -> int:
    """Return the estimate for a text, taken in pieces."""
    from studio_qt.providers.tokens import estimate  # slow to import

    return sum(estimate(text[start : start + _PIECE]) for start in range(0, len(text), _PIECE))

"""Walking a project's folder: every file and folder below it, without following links."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from studio_qt.files.pace import Pace

__all__ = ["MOST_FOUND", "Found", "is_leftover", "is_out_of_sight", "walk_tree"]

MOST_FOUND = 100_000
"""Files and folders after which a walk ends."""

_TEMPORARY = re.compile(r"\.[0-9a-f]{16}\.tmp")
_RUBBISH = frozenset({"__pycache__", "node_modules", ".DS_Store", "Thumbs.db", "desktop.ini"})


class Found(NamedTuple):
    """A file or folder; `path` is relative with forward slashes, `changed` in nanoseconds."""

    path: str
    is_folder: bool
    size: int
    changed: int


def walk_tree(
    root: Path, leave_out: Callable[[str], bool] = lambda _path: False, *, inside: str = ""
) -> Iterator[Found]:
    """Yield what is below `root`, folder by folder; what is left out is not entered.

    Links to folders are yielded as folders and not entered. Pipes, devices, names that are not
    UTF-8, and what vanishes meanwhile are passed over. Raises OSError only when `root` itself
    cannot be listed.
    """
    pending = [inside]
    count = 0
    pace = Pace()
    while pending:
        folder = pending.pop()
        try:
            with os.scandir(root / folder) as listed:
                entries = sorted(listed, key=lambda entry: entry.name)
        except OSError:
            if folder == inside:
                raise
            continue
        for entry in entries:
            pace.rest()
            path = f"{folder}/{entry.name}" if folder else entry.name
            if not _is_text(entry.name) or leave_out(path):
                continue
            found = _look(entry, path)
            if found is None:
                continue
            count += 1
            if count > MOST_FOUND:
                return
            yield found
            if found.is_folder and not entry.is_symlink():
                pending.append(path)


def is_out_of_sight(path: str, context: str | None = "context") -> bool:
    """Whether a path is not the author's own work: conversations, folders of tools, leftovers.

    Dot-files of the context folder are content; other dot-files and dot-folders are of tools.
    """
    parts = path.split("/")
    name = parts[-1]
    if name in _RUBBISH or is_leftover(path) or path == "conversations":
        return True
    if not name.startswith("."):
        return False
    return not (context and path.startswith(f"{context}/"))


def is_leftover(path: str) -> bool:
    """Whether a file is one that is just being written, or that a killed writer left."""
    return _TEMPORARY.fullmatch(path.rpartition("/")[2]) is not None


def _look(entry: os.DirEntry[str], path: str) -> Found | None:
    try:
        found = entry.stat()
        if not (entry.is_dir() or stat.S_ISREG(found.st_mode)):
            return None  # a pipe or a device: whoever opened it could wait for ever
        return Found(path, entry.is_dir(), found.st_size, found.st_mtime_ns)
    except OSError:
        try:  # a link that leads nowhere
            found = entry.stat(follow_symlinks=False)
        except OSError:
            return None
        return Found(path, False, 0, found.st_mtime_ns)


def _is_text(name: str) -> bool:
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True

"""`FolderSource`: a package that is a folder on disk."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

from studio_qt.files.paths import find_inside

__all__ = ["FILE_LIMIT", "FolderSource"]

FILE_LIMIT = 512 * 1024 * 1024
"""Bytes that one file of a package may have."""


class FolderSource:
    """The files below `root`, read at each call; symlinks count only while they stay inside.

    Only regular files are opened, so that a pipe or a device cannot block the reader.
    """

    def __init__(self, root: Path) -> None:
        self._root = Path(root)

    @property
    def root(self) -> Path:
        """The folder as it was given."""
        return self._root

    @property
    def name(self) -> str:
        """The folder's own name, also where it was given as `.`."""
        return self._root.resolve().name

    def exists(self, path: str) -> bool:
        """Whether `path` is a regular file; raises `UnsafePathError`."""
        try:
            return stat.S_ISREG(find_inside(self._root, path).stat().st_mode)
        except (OSError, ValueError):
            return False

    def read_bytes(self, path: str) -> bytes:
        """Return a file's content; raises OSError or `UnsafePathError`."""
        place = find_inside(self._root, path)
        found = place.stat()
        if stat.S_ISDIR(found.st_mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
        if not stat.S_ISREG(found.st_mode):
            raise OSError(errno.EINVAL, "not an ordinary file", path)
        if found.st_size > FILE_LIMIT:
            raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), path)
        return place.read_bytes()

    def list_folder(self, path: str) -> tuple[str, ...]:
        """Return the sorted names of the regular files directly in `path`; () when absent.

        A link that leads out is listed, so that reading it can say what is wrong.
        """
        place = find_inside(self._root, path)
        if not place.is_dir():
            return ()
        return tuple(sorted(entry.name for entry in place.iterdir() if entry.is_file()))

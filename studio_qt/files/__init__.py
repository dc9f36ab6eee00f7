"""Files: sources to read packages from, atomic replacement, the lock of a data folder.

The names are imported on first use: who writes one file needs no reader of zips.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from studio_qt.files.archive import ZipLimits, ZipSource
    from studio_qt.files.atomic import remove_leftovers, storage_errors, sync_folder, write_atomic
    from studio_qt.files.folder import FolderSource
    from studio_qt.files.lock import FolderLock, Holder
    from studio_qt.files.overlay import OverlaySource, folder_of
    from studio_qt.files.paths import UnsafePathError, find_inside, safe_path, same_name
    from studio_qt.files.source import Source

_HOMES = {
    "FolderLock": "lock",
    "FolderSource": "folder",
    "Holder": "lock",
    "OverlaySource": "overlay",
    "Source": "source",
    "UnsafePathError": "paths",
    "ZipLimits": "archive",
    "ZipSource": "archive",
    "find_inside": "paths",
    "folder_of": "overlay",
    "remove_leftovers": "atomic",
    "safe_path": "paths",
    "same_name": "paths",
    "storage_errors": "atomic",
    "sync_folder": "atomic",
    "write_atomic": "atomic",
}

__all__ = [
    "FolderLock",
    "FolderSource",
    "Holder",
    "OverlaySource",
    "Source",
    "UnsafePathError",
    "ZipLimits",
    "ZipSource",
    "find_inside",
    "folder_of",
    "remove_leftovers",
    "safe_path",
    "same_name",
    "storage_errors",
    "sync_folder",
    "write_atomic",
]


def __getattr__(name: str) -> object:
    """Import a name on first use; raises AttributeError for any other."""
    if name not in _HOMES:
        raise AttributeError(f"module 'studio_qt.files' has no attribute {name!r}")
    return getattr(import_module(f"studio_qt.files.{_HOMES[name]}"), name)

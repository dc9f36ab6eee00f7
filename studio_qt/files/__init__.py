"""Files: sources to read packages from, atomic replacement, the lock of a data folder."""

from __future__ import annotations

from studio_qt.files.archive import ZipLimits, ZipSource
from studio_qt.files.atomic import remove_leftovers, storage_errors, sync_folder, write_atomic
from studio_qt.files.folder import FolderSource
from studio_qt.files.lock import FolderLock, Holder
from studio_qt.files.overlay import OverlaySource, folder_of
from studio_qt.files.paths import UnsafePathError, find_inside, safe_path, same_name
from studio_qt.files.source import Source

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

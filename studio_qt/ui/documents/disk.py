"""What a file of the project holds: read, and written, on other threads than the window's."""

from __future__ import annotations

import hashlib
import stat
from pathlib import Path
from typing import NamedTuple

from studio_qt.errors import StorageError, StudioError
from studio_qt.files.atomic import storage_errors, write_atomic
from studio_qt.files.encoding import TEXT_LIMIT, FileText, decode_text, too_large
from studio_qt.files.paths import find_inside

__all__ = [
    "ForeignChange",
    "OnDisk",
    "digest_of",
    "read_bytes",
    "read_text",
    "replace_file",
    "with_folders",
]


class OnDisk(NamedTuple):
    """A text as the disk has it, and the SHA-256 of its bytes."""

    file: FileText
    digest: str


class ForeignChange(StudioError):  # noqa: N818  (it tells what happened)
    """Another program wrote a file since it was last seen."""


def digest_of(data: bytes) -> str:
    """Return the SHA-256 of bytes in hexadecimal digits."""
    return hashlib.sha256(data).hexdigest()


def read_bytes(root: Path, path: str) -> bytes | None:
    """Return what a file below `root` holds, None where there is none; raises StudioError.

    Raises StudioError too where it is larger than a text may be.
    """
    place = find_inside(root, path)
    try:
        found = place.stat()
        if not stat.S_ISREG(found.st_mode):
            raise StudioError(f"{path} is not a file that can be edited.")
        if found.st_size > TEXT_LIMIT:
            raise too_large(path, found.st_size)
        return place.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        reason = error.strerror or str(error)
        raise StudioError(f"{path} cannot be read: {reason}. Check its permissions.") from error


def read_text(root: Path, path: str) -> OnDisk | None:
    """Return the text of a file, None where there is no file; raises StudioError for no text."""
    data = read_bytes(root, path)
    return None if data is None else OnDisk(decode_text(data, path), digest_of(data))


def replace_file(root: Path, path: str, data: bytes) -> None:
    """Write a file atomically, and the folders that it is in; raises StorageError.

    A project that is gone altogether is not made again: its folder may only be away.
    """
    if not root.is_dir():
        raise StorageError(
            f"{root} is not there any more. Bring the folder back, or copy the text elsewhere."
        )
    place = find_inside(root, path)
    with storage_errors(place.parent):
        place.parent.mkdir(parents=True, exist_ok=True)
        if place.exists() and not place.stat().st_mode & 0o222:
            raise StorageError(f"{path} is read-only; change its permissions, then save again.")
    write_atomic(place, data)


def with_folders(path: str) -> list[str]:
    """Return a path and the folders that it is in, the outermost first."""
    parts = path.split("/")
    return ["/".join(parts[:count]) for count in range(1, len(parts) + 1)]

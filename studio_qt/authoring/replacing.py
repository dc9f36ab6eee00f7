"""What a file that is exported may take the place of: nothing that somebody has written."""

from __future__ import annotations

from pathlib import Path

from studio_qt.authoring.incoming import open_file
from studio_qt.errors import PackageError

__all__ = ["replacing_fault"]


def replacing_fault(place: Path) -> str:
    """Return why a file cannot be written over what is there, "" where it can; for a thread.

    Characters and cards may be written anew, and empty files; no other file, and no device.
    """
    try:
        if not place.exists() or (place.is_file() and place.stat().st_size == 0):
            return ""
        open_file(place)
    except (OSError, PackageError):
        return (
            f"{place} is there and holds no character. Choose another name, so that it is not lost."
        )
    return ""

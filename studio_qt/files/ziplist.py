"""Opening a zip for whoever only looks at it: neither its size nor its list can be a burden."""

from __future__ import annotations

import zipfile
from pathlib import Path

__all__ = ["open_list"]

_MOST_LISTED = 8 * 1024 * 1024
"""Bytes of a list with more entries than any character has."""

_END = b"PK\x05\x06"
_MOST_AFTER = 65_557
"""Bytes that the end of a zip may take: its record and a comment."""


def open_list(place: Path) -> zipfile.ZipFile:
    """Open a zip, of which only the list is read, for a thread; whoever gets it closes it.

    Raises OSError where it cannot be read, and BadZipFile for what is none, for what is no
    ordinary file, such as a pipe that would never end, and for a list that is too long.
    """
    if not place.is_file():
        raise zipfile.BadZipFile(f"{place} is no file")
    with place.open("rb") as file:
        file.seek(max(0, place.stat().st_size - _MOST_AFTER))
        last = file.read(_MOST_AFTER)
    end = last.rfind(_END)
    listed = int.from_bytes(last[end + 12 : end + 16], "little")
    if end < 0 or listed > _MOST_LISTED:
        raise zipfile.BadZipFile(f"{place} has no list, or one that is too long")
    return zipfile.ZipFile(place)

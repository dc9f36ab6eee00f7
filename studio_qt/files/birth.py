"""When a file or folder was made: numbers of a file system are given again, moments are not."""

from __future__ import annotations

import os
import struct
import sys
from pathlib import Path

__all__ = ["birth_of"]

_SECOND = 1_000_000_000
_HERE = -100
_BORN = 0x800
_SIZE, _FLAGS_AT, _BORN_AT = 256, 0, 80


def birth_of(place: Path) -> int:
    """Return when a file or folder was made, in nanoseconds; 0 where the system does not tell.

    Links are followed. Where it is not there it is 0 too.
    """
    try:
        found = place.stat()
        if sys.platform == "win32":
            return found.st_ctime_ns
        born = getattr(found, "st_birthtime", 0)
        return int(born * _SECOND) if born else _from_linux(place)
    except (OSError, ValueError):
        return 0


def _from_linux(place: Path) -> int:
    """Ask the system itself, since Python's `os.stat` leaves it out."""
    import ctypes

    try:
        ask = ctypes.CDLL(None).statx
    except (AttributeError, OSError, TypeError):
        return 0
    answer = ctypes.create_string_buffer(_SIZE)
    if ask(_HERE, os.fsencode(place), 0, _BORN, answer) != 0:
        return 0
    (told,) = struct.unpack_from("=I", answer, _FLAGS_AT)
    seconds, parts = struct.unpack_from("=qI", answer, _BORN_AT)
    return seconds * _SECOND + parts if told & _BORN else 0

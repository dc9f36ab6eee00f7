"""Reading what the program kept for itself: whatever lies there, the program starts.

Light: it is used before the first paint.
"""

from __future__ import annotations

import json
import stat
from pathlib import Path

__all__ = ["read_kept"]

_MOST = 8 * 1024 * 1024
"""Bytes; what we write is a thousand times smaller."""


def read_kept(place: Path) -> object:
    """Return the JSON of a small file of ours.

    Raises FileNotFoundError where there is none, else OSError or ValueError for what cannot be
    read: a folder, a pipe, no UTF-8, no JSON, nested without end, or far too large.
    """
    found = place.stat()
    if not stat.S_ISREG(found.st_mode):
        raise ValueError("it is not a file")
    if found.st_size > _MOST:
        raise ValueError(f"it is too large ({found.st_size:,} bytes)")
    try:
        kept: object = json.loads(place.read_bytes())
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error
    return kept

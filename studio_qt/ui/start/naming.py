"""Where a new character goes, and what is wrong with a place. No Qt in here."""

from __future__ import annotations

import os
import re
from pathlib import Path

__all__ = ["LONGEST", "folder_name", "free_place", "name_fault", "place_fault"]

LONGEST = 80
"""Letters of a character's name that the sheet takes."""

_UNSAFE = re.compile(r"[^\w-]+")
_RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)", re.IGNORECASE)


def folder_name(name: str) -> str:
    """Return a folder's name for a character's, one that every system takes: "ada-byron"."""
    safe = _UNSAFE.sub("-", name.strip().lower()).strip("-_")[:60].rstrip("-_")
    if not safe:
        return "character"
    return f"{safe}-character" if _RESERVED.fullmatch(safe) else safe


def free_place(parent: Path, name: str) -> Path:
    """Return a folder below `parent` for a character of that name, that is not there yet."""
    base = folder_name(name)
    for number in range(1, 1000):
        place = parent / (base if number == 1 else f"{base}-{number}")
        if not _there(place):
            return place
    return parent / base


def name_fault(name: str) -> str:
    """Return what is wrong with a name, "" when nothing is."""
    if not name.strip():
        return "Give the character a name."
    if len(name.strip()) > LONGEST:
        return f"A name has {LONGEST} letters at most."
    return ""


def place_fault(text: str) -> str:
    """Return what is wrong with the folder that was written, "" when nothing is.

    It looks at the disk, so call it in a thread.
    """
    if not text.strip():
        return "Name the folder for the character."
    try:
        place = Path(text.strip()).expanduser()
    except RuntimeError:
        return "There is no such user; write the whole path."
    if not place.is_absolute():
        return f"Write the whole path, such as {Path.home() / 'characters' / 'ada'}."
    try:
        if place.is_dir():
            return "" if not any(place.iterdir()) else _full(place)
        if place.exists():
            return "There is a file of this name; choose another one."
        return _parent_fault(place)
    except (OSError, ValueError) as error:
        return f"This folder cannot be used: {getattr(error, 'strerror', None) or error}."


def _parent_fault(place: Path) -> str:
    """Return what keeps a folder from being made below the nearest one that is there."""
    parent = next(above for above in place.parents if above.exists())
    if not parent.is_dir():
        return f"{parent} is a file; choose a place in a folder."
    if not os.access(parent, os.W_OK | os.X_OK):
        return f"{parent} cannot be written; choose another place."
    return ""


def _full(place: Path) -> str:
    if (place / "config.json").exists():
        return "There is a character in this folder already; open it, or choose another one."
    return "This folder is not empty; choose another one."


def _there(place: Path) -> bool:
    try:
        return place.exists()
    except OSError:
        return True

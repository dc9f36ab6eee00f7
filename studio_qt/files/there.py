"""What a place is, for whoever only asks: one that may not be looked at is as if not there."""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["is_file", "is_folder", "is_there"]


def is_there(place: Path) -> bool:
    """Whether there is something; unlike `Path.exists` it raises nothing, also without rights."""
    return os.path.exists(place)  # noqa: PTH110


def is_folder(place: Path) -> bool:
    """Whether it is a folder; raises nothing."""
    return os.path.isdir(place)  # noqa: PTH112


def is_file(place: Path) -> bool:
    """Whether it is an ordinary file, no pipe or device; raises nothing."""
    return os.path.isfile(place)  # noqa: PTH113

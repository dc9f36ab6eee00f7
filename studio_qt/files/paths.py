"""Safe relative paths: what a package may name, and where that lies below a root (PKG-04, PKG-14).

Paths have forward slashes on every system, so that a package plays alike everywhere.
"""

from __future__ import annotations

import os
import re
import unicodedata
from pathlib import Path

from studio_qt.errors import StudioError

__all__ = ["UnsafePathError", "find_inside", "inner_path", "safe_path", "same_name"]

_DRIVE = re.compile(r"[A-Za-z]:")
_DEVICES = frozenset(
    ["con", "prn", "aux", "nul", "conin$", "conout$"]
    + [f"{port}{digit}" for port in ("com", "lpt") for digit in "123456789¹²³"]
)


class UnsafePathError(StudioError):
    """A path that would leave its root, or that names no ordinary file on some system."""


def safe_path(path: str) -> str:
    """Return `path` without `.` segments and doubled or final slashes; "" is the root itself.

    Raises `UnsafePathError` for an absolute path, a drive letter, a UNC prefix, a backslash,
    `..`, a NUL, and for names that Windows would take for a device or for another file.
    """
    inside = inner_path(path)
    for part in inside.split("/"):
        if reason := _unportable(part):
            raise UnsafePathError(f"{path!r} {reason}")
    return inside


def inner_path(path: str) -> str:
    """As `safe_path`, but lets names pass that only some systems cannot have."""
    if reason := _way_out(path):
        raise UnsafePathError(f"{path!r} {reason}")
    return "/".join(part for part in path.split("/") if part not in ("", "."))


def same_name(name: str) -> str:
    """Return the form that is equal for names that one of the three systems holds to be the same.

    Letter case and the composition of accents do not count.
    """
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


def find_inside(root: Path, path: str) -> Path:
    """Return the real place of `path` below `root`, which need not exist.

    The result holds no symlinks. Where no file has exactly this name, one whose accents are only
    composed differently is taken (macOS writes them apart). Raises `UnsafePathError` when the
    path is unsafe or a symlink leads out of the root.
    """
    relative = safe_path(path)
    base = root.resolve()
    place = _resolve(base, relative, path)
    if not relative.isascii() and not place.exists():
        place = _resolve(base, _composed_alike(base, relative), path)
    return place


def _resolve(base: Path, relative: str, shown: str) -> Path:
    try:
        place = Path(os.path.realpath(base / relative))
    except ValueError as error:
        raise UnsafePathError(f"{shown!r} is not a path: {error}.") from error
    if place != base and base not in place.parents:
        raise UnsafePathError(
            f"{shown!r} leads out of the package through a link; copy the file into the package."
        )
    return place


def _composed_alike(base: Path, relative: str) -> str:
    found: list[str] = []
    for part in relative.split("/"):
        folder = _resolve(base, "/".join(found), relative)
        wanted = unicodedata.normalize("NFC", part)
        names = [entry.name for entry in folder.iterdir()] if folder.is_dir() else []
        alike = (name for name in names if unicodedata.normalize("NFC", name) == wanted)
        found.append(part if part in names else next(alike, part))
    return "/".join(found)


def _way_out(path: str) -> str | None:
    if "\0" in path:
        return "holds a NUL character; take it out."
    if any("\ud800" <= character <= "\udfff" for character in path):
        return "has a name that is not UTF-8; rename it."
    if "\\" in path:
        return "holds a backslash; write folders with /."
    if path.startswith("/"):
        return "is absolute; give a path inside the package."
    if _DRIVE.match(path):
        return "begins with a drive letter; give a path inside the package."
    if ".." in path.split("/"):
        return "holds '..'; give a path inside the package."
    return None


def _unportable(part: str) -> str | None:
    if part != part.rstrip(". "):
        return "has a name that ends in a dot or a space, which Windows drops; rename it."
    if part.partition(".")[0].rstrip().lower() in _DEVICES:
        return "has a name that Windows keeps for a device; rename it."
    if ":" in part and os.name == "nt":
        return "holds a colon, which a Windows file name cannot; rename it."
    return None

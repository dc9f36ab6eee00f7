"""Icons as files, for the stylesheet: Qt reads the pictures of arrows and check marks by path."""

from __future__ import annotations

import hashlib
import tempfile
from functools import cache
from pathlib import Path

from studio_qt.errors import StorageError
from studio_qt.files.atomic import write_atomic
from studio_qt.settings import cache_folder
from studio_qt.ui.theme.icons import icon_source

__all__ = ["icon_file"]

_SIZE = 12
"""Pixels that such pictures mostly have; decides how thick the strokes are."""


def icon_file(name: str, colour: str) -> Path:
    """Return an SVG file of the icon `name` in `colour`, made in the cache where it is not there.

    Its name tells its content, so that a file of an older version is never taken for a new one.
    """
    source = icon_source(name, colour, _SIZE)
    digest = hashlib.sha256(source.encode()).hexdigest()[:12]
    path = cache_folder() / "icons" / f"{name}-{digest}.svg"
    if _reads(path, source):
        return path
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_atomic(path, source, durable=False)
    except (OSError, StorageError):  # a cache that cannot be written: the pictures go elsewhere
        path = _elsewhere() / path.name
        path.write_text(source, encoding="utf-8")
    return path


@cache
def _elsewhere() -> Path:
    """Return a folder of this run alone."""
    return Path(tempfile.mkdtemp(prefix="studio-icons-"))


def _reads(path: Path, source: str) -> bool:
    try:
        return path.read_text(encoding="utf-8") == source
    except (OSError, UnicodeDecodeError):
        return False

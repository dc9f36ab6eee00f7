"""Icons as files, for the stylesheet: Qt reads the pictures of arrows and check marks by path."""

from __future__ import annotations

import hashlib
import re
import tempfile
from functools import cache
from pathlib import Path

from studio_qt.errors import StorageError
from studio_qt.files.atomic import write_atomic
from studio_qt.resources import resource_names, resource_text
from studio_qt.settings import cache_folder
from studio_qt.ui.theme.icons import icon_source
from studio_qt.ui.theme.tokens import load_tokens

__all__ = ["LOOKS", "icon_file", "make_pictures"]

LOOKS = ("light", "dark", "high-contrast-light", "high-contrast-dark")
"""The token tables of all themes."""

_WANTED = re.compile(r"\{\{icon:([\w-]+):(\w+)\}\}")

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


def make_pictures(*looks: str) -> None:
    """Make what the stylesheets want in these looks (names of token tables); call it on a thread.

    Else the window would wait for the disk when it is first seen in a look.
    """
    folder = "themes/style"
    sheets = [resource_text(f"{folder}/{name}") for name in resource_names(folder)]
    wanted = {found.groups() for sheet in sheets for found in _WANTED.finditer(sheet)}
    for tokens in map(load_tokens, looks):
        for name, token in wanted:
            icon_file(name, tokens[token])


@cache
def _elsewhere() -> Path:
    """Return a folder of this run alone."""
    return Path(tempfile.mkdtemp(prefix="studio-icons-"))


def _reads(path: Path, source: str) -> bool:
    try:
        return path.read_text(encoding="utf-8") == source
    except (OSError, UnicodeDecodeError):
        return False

"""`OverlaySource`: open editors on top of what is on disk (STU-01)."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from pathlib import Path

from studio_qt.files.folder import FolderSource
from studio_qt.files.paths import safe_path
from studio_qt.files.source import Source

__all__ = ["OverlaySource", "folder_of"]


class OverlaySource:
    """Unsaved text wins over the file below it.

    `buffers` maps paths, as `safe_path` gives them, to text; it is looked at anew at each call,
    so that its owner may change it at any time.
    """

    def __init__(self, buffers: Mapping[str, str], below: Source) -> None:
        self._buffers = buffers
        self._below = below

    @property
    def name(self) -> str:
        """The name of the source below."""
        return self._below.name

    @property
    def below(self) -> Source:
        """What the open editors lie on."""
        return self._below

    def exists(self, path: str) -> bool:
        """Whether there is a buffer or a file; raises `UnsafePathError`."""
        return self._text(path) is not None or self._below.exists(path)

    def read_bytes(self, path: str) -> bytes:
        """Return the buffer as UTF-8, else the file; lone surrogates become `?`."""
        text = self._text(path)
        return self._below.read_bytes(path) if text is None else text.encode("utf-8", "replace")

    def list_folder(self, path: str) -> tuple[str, ...]:
        """Return the sorted names of files and buffers directly in `path`."""
        folder = safe_path(path)
        prefix = f"{folder}/" if folder else ""
        below = self._below.list_folder(path)
        known = {unicodedata.normalize("NFC", name) for name in below}
        names = set(below)
        for key in list(self._buffers):
            name = key.removeprefix(prefix)
            inside = key.startswith(prefix) and "/" not in name
            if inside and unicodedata.normalize("NFC", name) not in known:
                names.add(name)
        return tuple(sorted(names))

    def _text(self, path: str) -> str | None:
        relative = safe_path(path)
        text = self._buffers.get(relative)
        if text is not None or relative.isascii():
            return text
        wanted = unicodedata.normalize("NFC", relative)
        for key in list(self._buffers):
            if unicodedata.normalize("NFC", key) == wanted:
                return self._buffers.get(key)
        return None


def folder_of(source: Source) -> Path | None:
    """Return the folder on disk that a source reads, also below open editors; None for a zip.

    What lies on another source has that as `below`.
    """
    while isinstance(below := getattr(source, "below", None), Source):
        source = below
    return source.root if isinstance(source, FolderSource) else None

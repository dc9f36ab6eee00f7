"""Which files loading read, and the hash over them (INTERFACES, `package.hash`)."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from studio_qt.files.paths import safe_path
from studio_qt.files.source import Source

__all__ = ["RecordingSource"]


class RecordingSource:
    """Reads from `below` and remembers the SHA-256 of each file that it read."""

    def __init__(self, below: Source) -> None:
        self._below = below
        self._hashes: dict[str, str] = {}

    @property
    def name(self) -> str:
        """The name of the source below."""
        return self._below.name

    def exists(self, path: str) -> bool:
        """As below."""
        return self._below.exists(path)

    def read_bytes(self, path: str) -> bytes:
        """As below; what was read counts in `hash`."""
        content = self._below.read_bytes(path)
        self._hashes[safe_path(path)] = hashlib.sha256(content).hexdigest()
        return content

    def list_folder(self, path: str) -> Sequence[str]:
        """As below."""
        return self._below.list_folder(path)

    def hash(self) -> str:
        """Return the SHA-256, in hex, over the sorted pairs of path and hash."""
        whole = hashlib.sha256()
        for path, content in sorted(self._hashes.items()):
            whole.update(f"{path}\0{content}\n".encode())
        return whole.hexdigest()

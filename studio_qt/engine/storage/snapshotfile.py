"""The snapshot file of an open conversation: when it is due, and how it is replaced."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

from studio_qt.engine.storage import names
from studio_qt.engine.storage.chains import fingerprint
from studio_qt.engine.storage.storefiles import FileStamp, stamp_of
from studio_qt.files import write_atomic

__all__ = ["SnapshotFile"]

_SMALL = 256 * 1024
_PAUSE = 30.0


@dataclass(slots=True)
class SnapshotFile:
    """`line` is the journal line up to which the file holds everything; -1: it holds nothing."""

    path: Path
    line: int = -1
    sha: str | None = None
    size: int = 0
    written: float = 0.0
    stamp: FileStamp | None = None

    def due(self) -> bool:
        """Whether the end of a turn is a time to write it: it is small, or 30 s old."""
        return self.size < _SMALL or time.monotonic() - self.written >= _PAUSE

    def replace(self, data: bytes, sha: str, line: int) -> Path | None:
        """Replace the file, durably; blocks; raises StorageError.

        What another program has put there since is copied to a new name, which is returned.
        """
        aside = self._keep_foreign(sha)
        write_atomic(self.path, data)
        self.line, self.sha, self.size = line, sha, len(data)
        self.written, self.stamp = time.monotonic(), stamp_of(self.path)
        return aside

    def _keep_foreign(self, coming: str) -> Path | None:
        stamp = stamp_of(self.path)
        if stamp is None or self.sha is None or stamp == self.stamp:
            return None
        found = self.path.read_bytes()
        if fingerprint(found) in {self.sha, coming}:
            return None
        aside = names.set_aside_path(self.path)
        write_atomic(aside, found)
        return aside

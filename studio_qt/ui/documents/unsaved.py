"""`UnsavedStore`: the copies of unsaved text that survive a kill (hot exit)."""

from __future__ import annotations

import asyncio
import contextlib
import json
import threading
from itertools import count
from pathlib import Path
from typing import NamedTuple

from studio_qt.errors import StorageError
from studio_qt.files.atomic import remove_leftovers, storage_errors, write_atomic
from studio_qt.files.encoding import TEXT_LIMIT
from studio_qt.files.lock import FolderLock
from studio_qt.ui.documents.disk import digest_of

__all__ = ["Unsaved", "UnsavedStore", "open_store"]


_MOST_WINDOWS = 9

_LARGEST = 4 * TEXT_LIMIT + 4096
"""Bytes of a copy: in UTF-8 a text takes more of them than in some other encodings."""


class Unsaved(NamedTuple):
    """The unsaved text of a file, how it is to be written, and what it was made from.

    `base` is the SHA-256 of what the disk had, None when it had no such file; `written` is that
    of what a save was about to put there.
    """

    path: str
    text: str
    encoding: str
    line_end: str
    base: str | None
    written: str | None = None


class UnsavedStore:
    """One file a document in `folder`; None keeps nothing.

    `note` is cheap and only remembers the latest; `write` does the work on another thread. Copies
    are handed to the system without waiting for the disk: a kill loses nothing, and every key
    press need not cost a flush.
    """

    def __init__(self, folder: Path | None, lock: FolderLock | None = None) -> None:
        self._folder, self._lock = folder, lock
        self._waiting: dict[str, tuple[int, Unsaved | None]] = {}
        self._latest: dict[str, Unsaved] = {}
        self._numbers = count(1)
        self._written: dict[str, int] = {}
        self._disk = threading.Lock()
        self._turn = asyncio.Lock()

    @property
    def idle(self) -> bool:
        """Whether everything that was noted is on the disk."""
        return not self._waiting and not self._turn.locked()

    def keeps(self, path: str) -> bool:
        """Whether the latest copy of a path is on the disk."""
        return path in self._latest and path not in self._waiting

    def note(self, path: str, unsaved: Unsaved | None) -> None:
        """Take the latest copy of a path; None when it needs none any more."""
        if self._folder is None or unsaved == self._latest.get(path):
            return
        if unsaved is None:
            del self._latest[path]
        else:
            self._latest[path] = unsaved
        self._waiting[path] = (next(self._numbers), unsaved)

    async def write(self) -> None:
        """Bring what was noted to the disk; raises StorageError, and tries that again next time."""
        async with self._turn:
            while self._waiting:
                path = next(iter(self._waiting))
                number, unsaved = self._waiting[path]
                await asyncio.to_thread(self._apply, path, number, unsaved)
                if self._waiting.get(path) == (number, unsaved):
                    del self._waiting[path]

    def read(self) -> tuple[list[Unsaved], list[str]]:
        """Return the copies that are there, and what is wrong with others, which are left alone.

        Waits for the disk; raises StorageError.
        """
        if self._folder is None or not self._folder.is_dir():
            return [], []
        broken = []
        found = []
        for place in sorted(self._folder.glob("*.unsaved")):
            try:
                head, _, text = _content(place).partition(b"\n")
                one = Unsaved(text=text.decode("utf-8", "surrogatepass"), **json.loads(head))
            except (OSError, ValueError, TypeError, RecursionError) as error:
                broken.append(f"{place} cannot be read as unsaved text: {error}")
                continue
            found.append(one)
            self._latest[one.path] = one
        return found, broken

    def close(self) -> None:
        """Let another window have the folder; call it when everything is written."""
        if self._lock is not None:
            self._lock.release()

    def adopt(self, other: UnsavedStore) -> None:
        """Take over the copies of a window that was killed; waits for the disk.

        Where both have a copy of one file, the other's stays where it is.
        """
        mine = {unsaved.path for unsaved in self.read()[0]}
        for unsaved in other.read()[0]:
            if unsaved.path not in mine:
                self._write(unsaved)
                with storage_errors(other._place(unsaved.path).parent):
                    other._place(unsaved.path).unlink(missing_ok=True)

    def _apply(self, path: str, number: int, unsaved: Unsaved | None) -> None:
        """Write or remove a copy, unless a later one came first: a cancelled write goes on."""
        with self._disk:
            if number <= self._written.get(path, 0):
                return
            if unsaved is None:
                with storage_errors(self._place(path).parent):
                    self._place(path).unlink(missing_ok=True)
            else:
                self._write(unsaved)
            self._written[path] = number

    def _write(self, unsaved: Unsaved) -> None:
        head = unsaved._asdict()
        text = head.pop("text").encode("utf-8", "surrogatepass")
        place = self._place(unsaved.path)
        with storage_errors(place.parent):
            place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_atomic(place, json.dumps(head).encode() + b"\n" + text, durable=False)

    def _place(self, path: str) -> Path:
        if self._folder is None:
            raise StorageError("No project is open.")
        name = digest_of(path.encode("utf-8", "surrogatepass"))[:24]
        return self._folder / f"{name}.unsaved"


def _content(place: Path) -> bytes:
    """Return what a copy has; raises OSError, and ValueError for what we cannot have written."""
    if (size := place.stat().st_size) > _LARGEST:
        raise ValueError(f"it is too large ({size:,} bytes)")
    return place.read_bytes()


def open_store(memory: Path) -> UnsavedStore:
    """Return the store of a window on the project whose memory this is; waits for the disk.

    A second window on the same project has a folder of its own, and whoever comes later takes
    over what a killed one left there. Raises StorageError.
    """
    folders = [memory / "unsaved"]
    folders += [memory / f"unsaved-{number}" for number in range(2, _MOST_WINDOWS + 1)]
    mine: UnsavedStore | None = None
    for folder in folders:
        if mine is not None and not folder.is_dir():
            continue
        lock = FolderLock(folder, process="another window")
        if lock.try_acquire() is not None:
            continue
        remove_leftovers(folder)
        if mine is None:
            mine = UnsavedStore(folder, lock)
            continue
        with contextlib.closing(UnsavedStore(folder, lock)) as other:
            mine.adopt(other)
    if mine is None:
        raise StorageError(f"{memory} is in use by {_MOST_WINDOWS} windows; close one of them.")
    return mine

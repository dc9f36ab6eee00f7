"""`FolderLock`: one writer a data folder, by a lock that ends with its process."""

from __future__ import annotations

import contextlib
import os
import sys
from pathlib import Path
from types import TracebackType
from typing import NamedTuple

from studio_qt.errors import StorageError
from studio_qt.files.atomic import storage_errors

__all__ = ["FolderLock", "Holder"]

_FILE = ".lock"
_BYTE = 1 << 30
"""The byte that is locked on Windows: past the text, so that others can read who has it."""


class Holder(NamedTuple):
    """The process that has a folder; `pid` is None where it could not be read."""

    pid: int | None
    process: str

    def __str__(self) -> str:
        return self.process if self.pid is None else f"{self.process} (process {self.pid})"


class FolderLock:
    """The right to write in a folder; also two locks of one process exclude each other.

    The system drops it when the process ends, however it ends. The file `.lock` stays behind.
    """

    def __init__(self, folder: Path, *, process: str | None = None) -> None:
        """`process` is how others are told about this one; by default the program's name."""
        self._folder = folder
        self._process = process or _program()
        self._descriptor: int | None = None

    @property
    def held(self) -> bool:
        """Whether this object has the folder."""
        return self._descriptor is not None

    def try_acquire(self) -> Holder | None:
        """Take the folder, making it where it is missing; returns None, else who has it.

        Never waits. Raises `StorageError` when the folder cannot be written.
        """
        if self.held:
            return None
        with storage_errors(self._folder):
            self._folder.mkdir(parents=True, exist_ok=True)
            flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0)
            descriptor = os.open(self._folder / _FILE, flags, 0o666)
            try:
                if not _lock(descriptor):
                    return _read_holder(descriptor)
                _write_holder(descriptor, Holder(os.getpid(), self._process))
                self._descriptor, descriptor = descriptor, -1
            finally:
                if descriptor >= 0:
                    os.close(descriptor)
        return None

    def acquire(self) -> None:
        """As `try_acquire`, and raises `StorageError` naming the process that has the folder."""
        if holder := self.try_acquire():
            raise StorageError(
                f"{self._folder} is being written by {holder}; close the character there, or "
                f"open it for reading only."
            )

    def release(self) -> None:
        """Give the folder free; harmless when it is not held."""
        descriptor, self._descriptor = self._descriptor, None
        if descriptor is None:
            return
        try:
            with contextlib.suppress(OSError):  # who had it does not matter any more
                os.ftruncate(descriptor, 0)
            _unlock(descriptor)
        finally:
            os.close(descriptor)

    def __enter__(self) -> FolderLock:
        self.acquire()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.release()


def _program() -> str:
    path = Path(sys.argv[0] if sys.argv and sys.argv[0] else sys.executable)
    return path.parent.name if path.stem == "__main__" else path.name


def _read_holder(descriptor: int) -> Holder:
    os.lseek(descriptor, 0, os.SEEK_SET)
    pid, _, process = os.read(descriptor, 4096).decode("utf-8", "replace").partition("\n")
    known = pid.isascii() and pid.isdigit()
    return Holder(int(pid) if known else None, process.strip() or "another program")


def _write_holder(descriptor: int, holder: Holder) -> None:
    os.ftruncate(descriptor, 0)
    os.lseek(descriptor, 0, os.SEEK_SET)
    os.write(descriptor, f"{holder.pid}\n{holder.process}\n".encode())


if sys.platform == "win32":
    import msvcrt

    def _lock(descriptor: int) -> bool:
        os.lseek(descriptor, _BYTE, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except PermissionError:
            return False
        return True

    def _unlock(descriptor: int) -> None:
        os.lseek(descriptor, _BYTE, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def _lock(descriptor: int) -> bool:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def _unlock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_UN)

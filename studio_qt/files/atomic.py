"""Writing a file so that it is the old or the new one at any instant, never half (PERS-04)."""

from __future__ import annotations

import contextlib
import errno
import os
import re
import secrets
import stat
import time
from collections.abc import Iterator
from pathlib import Path

from studio_qt.errors import StorageError

__all__ = ["remove_leftovers", "storage_errors", "sync_folder", "write_atomic"]

_TEMPORARY = re.compile(r"\.[0-9a-f]{16}\.tmp")
_PRIVATE = 0o600
_PATIENCE = 2.0 if os.name == "nt" else 0.0
_SENTENCES = {
    errno.ENOSPC: "the disk is full; free some space and try again",
    errno.EDQUOT: "your quota on this disk is used up; free some space and try again",
    errno.EROFS: "the disk is read-only; choose a folder that can be written",
    errno.EACCES: "it may not be written; change its permissions or choose another folder",
    errno.EPERM: "it may not be written; change its permissions or choose another folder",
    errno.ENOENT: "it does not exist; make it or choose another folder",
}


@contextlib.contextmanager
def storage_errors(folder: Path) -> Iterator[None]:
    """Turn an OSError of the body into a `StorageError` that names `folder` and what to do."""
    try:
        yield
    except OSError as error:
        reason = _SENTENCES.get(error.errno or 0, error.strerror or str(error))
        raise StorageError(f"{folder} cannot be written: {reason}.") from error


def write_atomic(
    path: Path, data: bytes | str, *, durable: bool = True, private: bool = False
) -> None:
    """Replace the file at `path`, keeping its mode; text is written as UTF-8, line ends as given.

    The new content lies beside it under a temporary name until it is whole. With `durable` it is
    on the disk on return; without, only with the operating system, for files that a journal backs.
    `private` makes it readable for its owner alone, from its first byte on (on Windows the user's
    folder sees to that). A link is followed, so that it stays one. Raises `StorageError`; then the
    old file is there.
    """
    content = data.encode("utf-8", "replace") if isinstance(data, str) else data
    target = Path(os.path.realpath(path))
    with storage_errors(target.parent):
        temporary = target.parent / f".{secrets.token_hex(8)}.tmp"
        try:
            mode = _PRIVATE if private else _mode_of(target)
            _write_new(temporary, content, mode, durable=durable)
            _replace(temporary, target)
        except BaseException:
            with contextlib.suppress(OSError):
                temporary.unlink()
            raise
        if durable:
            sync_folder(target.parent)


def sync_folder(folder: Path) -> None:
    """Make names that were made, replaced or removed in `folder` durable; POSIX only.

    Where the file system cannot do that for folders nothing happens.
    """
    if os.name != "posix":
        return
    try:
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP, errno.EACCES):
            raise


def remove_leftovers(folder: Path) -> None:
    """Remove the temporary files that a killed writer left; only for who holds the folder."""
    with storage_errors(folder):
        for entry in folder.iterdir():
            if _TEMPORARY.fullmatch(entry.name):
                entry.unlink(missing_ok=True)


def _mode_of(target: Path) -> int | None:
    try:
        return stat.S_IMODE(target.stat().st_mode)
    except FileNotFoundError:
        return None


def _write_new(path: Path, content: bytes, mode: int | None, *, durable: bool) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    made = mode if mode == _PRIVATE else 0o666
    with open(os.open(path, flags, made), "wb") as file:  # noqa: PTH123 - a descriptor
        file.write(content)
        file.flush()
        if durable:
            os.fsync(file.fileno())
    if mode is not None and mode != stat.S_IMODE(path.stat().st_mode):
        path.chmod(mode)


def _replace(temporary: Path, target: Path) -> None:
    """Replace; on Windows wait a little for a scanner or a reader that holds the old file."""
    until = time.monotonic() + _PATIENCE
    while True:
        try:
            temporary.replace(target)
        except PermissionError:
            if time.monotonic() >= until:
                raise
            time.sleep(0.01)
        else:
            return

"""Removing all files of a conversation as one step, and bringing them back.

The file that makes it a conversation goes first and comes back last: killed in between, it is
there with all its files or it is in no list, and a copy of everything was made before.
"""

from __future__ import annotations

import contextlib
import logging
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from studio_qt.engine.storage import names
from studio_qt.errors import StorageError, StudioError
from studio_qt.files import operations, storage_errors

__all__ = ["Removed", "Trash", "put_files_back", "remove_files"]

_log = logging.getLogger(__name__)

Trash = Callable[[Path, str], None]
"""Takes a folder and the name of a file in it away; raises StorageError."""


@dataclass(frozen=True, slots=True)
class Removed:
    """A conversation that was removed. `copies` are its files, its own first; () keeps none."""

    conversation_id: str
    copies: Sequence[Path] = ()


def remove_files(folder: Path, conversation_id: str, keep_in: Path | None, trash: Trash) -> Removed:
    """Take every file of a conversation away, after a copy of all in `keep_in`.

    Blocks. A copy that cannot be made, for want of room, keeps nothing from going. Raises
    StudioError where there is no such conversation, StorageError where a file cannot be taken
    away; then the conversation is there as before, as far as there are copies.
    """
    with storage_errors(folder):
        files = names.conversation_files(folder, conversation_id)
    if f"{conversation_id}.json" not in files:
        raise StudioError(f"There is no conversation {conversation_id} in {folder}.")
    shelf = keep_in if keep_in is not None else folder / f".{conversation_id}.removing"
    try:
        removed = Removed(conversation_id, _copies(folder, files, shelf))
        try:
            for name in files:
                trash(folder, name)
        except BaseException:
            _put_missing_back(folder, removed)
            raise
    finally:
        if keep_in is None:
            shutil.rmtree(shelf, ignore_errors=True)
    return removed if keep_in is not None else Removed(conversation_id)


def _copies(folder: Path, files: Sequence[str], shelf: Path) -> Sequence[Path]:
    try:
        return tuple(operations.keep_copy(folder, name, shelf) for name in files)
    except StorageError as error:
        _log.warning("No copy for undo: %s", error)
        return ()


def put_files_back(folder: Path, removed: Removed) -> None:
    """Bring a conversation back; blocks; raises StorageError, and then nothing has come."""
    if not removed.copies:
        raise StorageError(
            f"{removed.conversation_id} was removed without a copy; look in the system's trash."
        )
    come: list[str] = []
    try:
        for copy in reversed(removed.copies):
            operations.put_back(copy, folder, copy.name)
            come.append(copy.name)
    except StorageError:
        for name in come:
            operations.remove_for_good(folder, name)
        raise


def _put_missing_back(folder: Path, removed: Removed) -> None:
    for copy in reversed(removed.copies):
        if not (folder / copy.name).exists():
            with contextlib.suppress(StorageError):  # the first error is the one to tell
                operations.put_back(copy, folder, copy.name)

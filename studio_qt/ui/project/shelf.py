"""`Shelf`: copies of what was deleted or replaced, so that it can be brought back."""

from __future__ import annotations

import asyncio
import logging
import secrets
import shutil
import time
from pathlib import Path

from studio_qt.errors import StorageError
from studio_qt.files import operations
from studio_qt.ui.keeping import project_memory

__all__ = ["Kept", "Shelf"]

Kept = list[tuple[Path, str]]
"""Copies, each with the path where it was."""

_KEPT_SECONDS = 7 * 24 * 3600
_log = logging.getLogger(__name__)


class Shelf:
    """A folder of one session below the application's own; those of older sessions go in time."""

    def __init__(self) -> None:
        self._session = secrets.token_hex(4)

    async def keep(self, root: Path, path: str) -> Path:
        """Copy a file or folder of the project; raises StorageError."""
        return await asyncio.to_thread(
            lambda: operations.keep_copy(root, path, self._place(root) / self._session)
        )

    async def try_to_keep(self, root: Path, path: str) -> Path | None:
        """Copy it if that can be."""
        try:
            return await self.keep(root, path)
        except StorageError as error:
            _log.warning("No copy for undo: %s", error)
            return None

    async def tidy(self, root: Path) -> None:
        """Remove what sessions of more than a week ago have left."""
        await asyncio.to_thread(lambda: _remove_old(self._place(root)))

    @staticmethod
    def _place(root: Path) -> Path:
        return project_memory(root) / "removed"


def _remove_old(place: Path) -> None:
    try:
        old = [one for one in place.iterdir() if time.time() - one.stat().st_mtime > _KEPT_SECONDS]
    except FileNotFoundError:
        return
    except OSError as error:
        _log.warning("%s cannot be tidied: %s", place, error)
        return
    for one in old:
        shutil.rmtree(one, ignore_errors=True)

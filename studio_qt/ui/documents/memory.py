"""`Memory`: what is kept of a project outside of it: copies of unsaved text, earlier versions."""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from studio_qt.errors import StorageError
from studio_qt.files.encoding import encode_text
from studio_qt.ui.documents.document import Document
from studio_qt.ui.documents.history import LocalHistory
from studio_qt.ui.documents.unsaved import Unsaved, UnsavedStore, open_store
from studio_qt.ui.keeping import project_memory

__all__ = ["Memory"]

_log = logging.getLogger(__name__)


class Memory(QObject):
    """Copies and versions of one project at a time. What fails is told by `notice`, not raised.

    `history_changed` carries a path that has one more earlier version.
    """

    history_changed = Signal(str)
    notice = Signal(str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._store = UnsavedStore(None)
        self._fails = False
        self.history = LocalHistory(None)

    @property
    def idle(self) -> bool:
        """Whether every copy that was noted is on the disk."""
        return self._store.idle

    async def open(self, root: Path) -> list[Unsaved]:
        """Go to a project; returns the unsaved texts that were kept of it."""
        memory = await asyncio.to_thread(project_memory, root)
        self.history = LocalHistory(memory / "history")
        try:
            broken = await asyncio.to_thread(self.history.load)
            self._store = await asyncio.to_thread(open_store, memory)
            copies, more = await asyncio.to_thread(self._store.read)
        except StorageError as error:
            self.notice.emit(f"Unsaved text is not kept for a crash. {error}")
            return []
        for trouble in broken + more:
            _log.warning("%s", trouble)
        return copies

    async def close(self) -> None:
        """Write what is noted, and leave the project."""
        await self.write()
        await asyncio.to_thread(self._store.close)
        self._store, self.history = UnsavedStore(None), LocalHistory(None)

    def keeps(self, path: str) -> bool:
        """Whether the latest text that was noted of a path is on the disk."""
        return self._store.keeps(path)

    def note(self, document: Document) -> None:
        """Note the copy that a document needs, or that it needs none."""
        self._store.note(document.path, document.unsaved)

    def forget(self, path: str) -> None:
        """Note that a path needs no copy."""
        self._store.note(path, None)

    async def write(self) -> None:
        """Bring the copies that were noted to the disk."""
        try:
            await self._store.write()
            self._fails = False
        except StorageError as error:
            if not self._fails:  # told once, not with each key
                self.notice.emit(f"Unsaved text could not be kept for a crash. {error}")
            self._fails = True

    async def keep(self, path: str, data: bytes, reason: str) -> None:
        """Keep what a file was as an earlier version."""
        try:
            await asyncio.to_thread(self.history.keep, path, data, reason)
            self.history_changed.emit(path)
        except StorageError as error:
            self.notice.emit(f"An earlier version of {path} could not be kept. {error}")

    async def keep_text(self, document: Document, reason: str) -> None:
        """Keep a text as it is in the window, saved or not."""
        path, like = document.path, document.written_like
        encoded = await asyncio.to_thread(encode_text, document.plain, like)
        await self.keep(path, encoded.data, reason)

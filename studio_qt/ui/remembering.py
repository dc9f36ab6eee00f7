"""`ProjectMemory`: the small facts of one project that outlive the window, and also a kill."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable, Mapping
from pathlib import Path

from PySide6.QtCore import QObject, QTimer

from studio_qt.errors import StorageError
from studio_qt.files.atomic import write_atomic
from studio_qt.ui.keeping import project_memory
from studio_qt.ui.keptfile import read_kept
from studio_qt.ui.tasks import Tasks

__all__ = ["ProjectMemory"]

_FILE = "session.json"
_SOON_MS = 500
_log = logging.getLogger(__name__)

Facts = Mapping[str, object]


class ProjectMemory(QObject):
    """Keeps what `facts` returns (open tabs, the half-written message) in the project's memory.

    `mark` says that something changed; half a second later it is on the disk, written off the
    loop. What `facts` returns has to be JSON.
    """

    def __init__(self, tasks: Tasks, facts: Callable[[], Facts], parent: QObject) -> None:
        super().__init__(parent)
        self._tasks, self._facts = tasks, facts
        self._place: Path | None = None
        self._written = ""
        self._writing = asyncio.Lock()
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.timeout.connect(self._on_soon)

    @property
    def begun(self) -> bool:
        """Whether a project's facts are kept now."""
        return self._place is not None

    async def begin(self, project: Path) -> Facts:
        """Take up a project; returns what was kept of it, {} where nothing readable is."""
        place = project_memory(project) / _FILE
        try:
            kept = await asyncio.to_thread(read_kept, place)
        except FileNotFoundError:
            kept = {}
        except (OSError, ValueError) as error:
            _log.warning("%s is not readable: %s", place, error)
            kept = {}
        self._place, self._written = place, ""
        return kept if isinstance(kept, dict) else {}

    def mark(self) -> None:
        """Something changed."""
        if self._place is not None and not self._soon.isActive():
            self._soon.start(_SOON_MS)

    async def end(self) -> None:
        """Write what is not written yet, and let the project go. Twice is harmless."""
        self._soon.stop()
        await self._write()
        self._place = None

    def _on_soon(self) -> None:
        self._tasks.start(self._write(), name="remember the project")

    async def _write(self) -> None:
        async with self._writing:
            place = self._place
            if place is None:
                return
            text = json.dumps(self._facts(), indent=2) + "\n"
            if text == self._written:
                return
            try:
                await asyncio.to_thread(_put, place, text)
            except (OSError, StorageError) as error:
                _log.warning("%s cannot be written: %s", place, error)
                return
            self._written = text


def _put(place: Path, text: str) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    write_atomic(place, text, durable=False)

"""`ProjectMemory`: the small facts of one project that outlive the window, and also a kill.

Several windows on one project keep them apart; whoever comes later takes over a message that was
half written in a window that is not there any more.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from PySide6.QtCore import QObject, QTimer

from studio_qt.errors import StorageError
from studio_qt.files.atomic import write_atomic
from studio_qt.files.lock import FolderLock
from studio_qt.ui.keeping import project_memory
from studio_qt.ui.keptfile import read_kept
from studio_qt.ui.tasks import Tasks

__all__ = ["ProjectMemory"]

_FILE = "session.json"
_MOST_WINDOWS = 9
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
        self._lock: FolderLock | None = None
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
        memory = await asyncio.to_thread(project_memory, project)
        number, self._lock = await asyncio.to_thread(_take_number, memory)
        kept = await asyncio.to_thread(_kept, memory, number)
        self._place, self._written = _file(memory, number), ""
        return kept

    def mark(self) -> None:
        """Something changed."""
        if self._place is not None and not self._soon.isActive():
            self._soon.start(_SOON_MS)

    async def end(self) -> None:
        """Write what is not written yet, and let the project go. Twice is harmless."""
        self._soon.stop()
        await self._write()
        self._place = None
        lock, self._lock = self._lock, None
        if lock is not None:
            await asyncio.to_thread(lock.release)

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


def _file(memory: Path, number: int) -> Path:
    return memory / (_FILE if number == 1 else f"session-{number}.json")


def _hold(memory: Path, number: int) -> FolderLock | None:
    """Return the right to the file of a number; None while another window has it."""
    lock = FolderLock(memory / f"window-{number}", process="another window")
    return lock if lock.try_acquire() is None else None


def _take_number(memory: Path) -> tuple[int, FolderLock | None]:
    """Return the first number that no other window has; waits for the disk."""
    try:
        for number in range(1, _MOST_WINDOWS + 1):
            if (lock := _hold(memory, number)) is not None:
                return number, lock
    except StorageError as error:
        _log.warning("Windows on one project are not told apart: %s", error)
        return 1, None
    return _MOST_WINDOWS, None


def _kept(memory: Path, number: int) -> dict[str, object]:
    """Return what was kept for a window; what closed ones have left is taken over."""
    place = _file(memory, number)
    kept = _read(place)
    if number > 1 and not kept:  # a second window shows what the first one did
        kept = {key: value for key, value in _read(memory / _FILE).items() if key != "draft"}
    for other in _left(memory, number):
        drafts = (str(one.get("draft") or "") for one in (kept, _read(other)))
        kept["draft"] = "\n\n".join(dict.fromkeys(filter(None, drafts)))
        try:
            _put(place, json.dumps(kept, indent=2) + "\n")
            other.unlink(missing_ok=True)
        except (OSError, StorageError) as error:
            _log.warning("%s cannot be taken over: %s", other, error)
    return kept


def _left(memory: Path, mine: int) -> Iterator[Path]:
    """Yield the files of later windows that are closed, each while nobody else can have it."""
    for number in range(2, _MOST_WINDOWS + 1):
        place = _file(memory, number)
        if number == mine or not place.exists():
            continue
        try:
            lock = _hold(memory, number)
        except StorageError:
            continue
        if lock is not None:
            with lock:
                yield place


def _read(place: Path) -> dict[str, object]:
    try:
        kept = read_kept(place)
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        _log.warning("%s is not readable: %s", place, error)
        return {}
    return kept if isinstance(kept, dict) else {}

"""Changes in a folder: noticed by watchdog, gathered, told on the event loop."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Callable
from pathlib import Path

from watchdog.events import FileSystemEvent, FileSystemEventHandler
from watchdog.observers import Observer
from watchdog.observers.api import BaseObserver

__all__ = ["FolderWatcher"]

_QUIET_SECONDS = 0.06
_LONGEST_SECONDS = 0.5
_ROOT_SECONDS = 1.0
_MOST_PATHS = 200
_CHANGES = ("created", "modified", "moved", "deleted", "closed")

_log = logging.getLogger(__name__)


class FolderWatcher:
    """Watches a folder and everything below it, on the loop that runs when it is started.

    `on_change` is called on that loop with the changed paths, relative and with forward slashes,
    60 ms after the last change and at most 500 ms after the first. An empty set means: anything
    may have changed; that is told for more than 200 paths, and when the folder itself was
    replaced, renamed away or came back. Paths for which `ignore` is true are never told.
    """

    def __init__(
        self,
        root: Path,
        on_change: Callable[[frozenset[str]], None],
        *,
        ignore: Callable[[str], bool] = lambda _: False,
    ) -> None:
        self._root = root
        self._on_change = on_change
        self._ignore = ignore
        self._loop: asyncio.AbstractEventLoop | None = None
        self._observer: BaseObserver | None = None
        self._paths: set[str] = set()
        self._first = 0.0
        self._due: asyncio.TimerHandle | None = None
        self._rounds: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Begin; a folder that cannot be watched is only looked at once a second."""
        self._loop = asyncio.get_running_loop()
        known = await asyncio.to_thread(_identity, self._root)
        await asyncio.to_thread(self._observe)
        self._rounds = self._loop.create_task(self._look_after_root(known), name="folder watcher")

    async def close(self) -> None:
        """Stop; afterwards nothing is told and no thread is left. Twice is harmless."""
        self._loop = None
        if self._due is not None:
            self._due.cancel()
        if self._rounds is not None:
            self._rounds.cancel()
            await asyncio.wait([self._rounds])
            self._rounds = None
        await asyncio.to_thread(self._stop_observing)

    def _observe(self) -> None:
        logging.getLogger("watchdog.observers.inotify").addFilter(_is_news)  # one, however often
        observer = Observer()
        try:
            observer.schedule(_Handler(self._heard), str(self._root), recursive=True)
            observer.start()
        except OSError as error:
            _log.warning("%s cannot be watched: %s", self._root, error)
            return
        self._observer = observer

    def _stop_observing(self) -> None:
        observer, self._observer = self._observer, None
        if observer is not None:
            observer.stop()
            observer.join()

    async def _look_after_root(self, known: tuple[int, int] | None) -> None:
        """Notice a root that was renamed, removed or replaced: the system does not tell."""
        while True:
            await asyncio.sleep(_ROOT_SECONDS)
            now = await asyncio.to_thread(_identity, self._root)
            if now != known:
                known = now
                await asyncio.to_thread(self._stop_observing)
                if now is not None:
                    await asyncio.to_thread(self._observe)
                self._on_change(frozenset())

    def _heard(self, path: str) -> None:
        """Take a path from the observer's thread over to the loop."""
        loop = self._loop
        if loop is not None and not loop.is_closed():
            loop.call_soon_threadsafe(self._gather, path)

    def _gather(self, path: str) -> None:
        if self._loop is None:
            return
        try:
            relative = Path(path).relative_to(self._root).as_posix()
        except ValueError:
            return
        if relative == "." or self._ignore(relative):
            return
        now = self._loop.time()
        if not self._paths:
            self._first = now
        self._paths.add(relative)
        if self._due is not None:
            self._due.cancel()
        at = min(now + _QUIET_SECONDS, self._first + _LONGEST_SECONDS)
        self._due = self._loop.call_at(at, self._tell)

    def _tell(self) -> None:
        paths, self._paths = self._paths, set()
        self._on_change(frozenset(paths) if len(paths) <= _MOST_PATHS else frozenset())


class _Handler(FileSystemEventHandler):
    """Passes on what changes files; opening and reading do not."""

    def __init__(self, heard: Callable[[str], None]) -> None:
        self._heard = heard

    def on_any_event(self, event: FileSystemEvent) -> None:
        if event.event_type not in _CHANGES or (
            event.is_directory and event.event_type == "modified"
        ):
            return
        for path in (event.src_path, event.dest_path):
            if path:
                self._heard(os.fsdecode(path))


def _is_news(record: logging.LogRecord) -> bool:
    """Whether the user is to know: a change in the moment in which watching ends is no error."""
    return "when the thread is inactive" not in record.getMessage()


def _identity(root: Path) -> tuple[int, int] | None:
    """Return what tells this folder from another at the same path; None where there is none."""
    try:
        found = root.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino

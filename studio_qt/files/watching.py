"""Changes in a folder: noticed by watchdog, gathered on its thread, told on the event loop."""

from __future__ import annotations

import asyncio
import logging
import os
import threading
import time
from collections.abc import Callable
from pathlib import Path

from watchdog.events import (
    DirCreatedEvent,
    DirDeletedEvent,
    DirMovedEvent,
    FileClosedEvent,
    FileCreatedEvent,
    FileDeletedEvent,
    FileModifiedEvent,
    FileMovedEvent,
    FileSystemEvent,
    FileSystemEventHandler,
)
from watchdog.observers import Observer
from watchdog.observers.api import BaseObserver

__all__ = ["FolderWatcher"]

_QUIET_SECONDS = 0.06
_LONGEST_SECONDS = 0.5
_ROOT_SECONDS = 1.0
_LATER_SECONDS = 0.001
"""A timer of the window may come a millisecond early."""
_MOST_PATHS = 200
_CHANGES: list[type[FileSystemEvent]] = [
    DirCreatedEvent,
    DirDeletedEvent,
    DirMovedEvent,
    FileClosedEvent,
    FileCreatedEvent,
    FileDeletedEvent,
    FileModifiedEvent,
    FileMovedEvent,
]
"""What changes files; the system is not even asked to tell of opening and reading."""

_log = logging.getLogger(__name__)


class FolderWatcher:
    """Watches a folder and everything below it, on the loop that runs when it is started.

    `on_change` is called on that loop with the changed paths, relative and with forward slashes,
    60 ms after the last change and at most 500 ms after the first. An empty set means: anything
    may have changed; that is told for more than 200 paths, and when the folder itself was
    replaced, renamed away or came back. Paths for which `ignore` is true are never told;
    it is called on another thread.
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
        self._loop: asyncio.AbstractEventLoop | None = None
        self._observer: BaseObserver | None = None
        self._burst = _Burst(root, ignore, self._wake)
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
            root = str(self._root)
            observer.schedule(_Handler(self._burst), root, recursive=True, event_filter=_CHANGES)
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

    def _wake(self) -> None:
        """Tell the loop, from the observer's thread, that a burst of changes has begun."""
        loop = self._loop
        if loop is not None and not loop.is_closed():
            loop.call_soon_threadsafe(self._wait)

    def _wait(self) -> None:
        if self._loop is None:
            return
        if (left := self._burst.left()) > 0:
            self._due = self._loop.call_later(left + _LATER_SECONDS, self._wait)
        else:
            self._on_change(self._burst.take())


class _Burst:
    """Changed paths, gathered on the observer's thread until the loop takes them.

    `begun` is called for the first one, and not again before `take`. Many changes at once are to
    cost the loop nothing: it has the window to look after.
    """

    def __init__(
        self, root: Path, ignore: Callable[[str], bool], begun: Callable[[], None]
    ) -> None:
        self._prefix = str(root).rstrip(os.sep) + os.sep
        self._ignore, self._begun = ignore, begun
        self._lock = threading.Lock()
        self._paths: set[str] = set()
        self._first = self._last = 0.0

    def add(self, path: str) -> None:
        """Take a path as the observer tells it."""
        if not path.startswith(self._prefix):
            return
        relative = path[len(self._prefix) :].replace(os.sep, "/")
        if not relative or self._ignore(relative):
            return
        with self._lock:
            begins = not self._paths
            self._last = time.monotonic()
            if begins:
                self._first = self._last
            if len(self._paths) <= _MOST_PATHS:
                self._paths.add(relative)
        if begins:
            self._begun()

    def left(self) -> float:
        """Return the seconds until these changes are to be told."""
        with self._lock:
            due = min(self._last + _QUIET_SECONDS, self._first + _LONGEST_SECONDS)
        return due - time.monotonic()

    def take(self) -> frozenset[str]:
        """Return what has changed and begin anew; an empty set for more than is told one by one."""
        with self._lock:
            paths, self._paths = self._paths, set()
        return frozenset(paths) if len(paths) <= _MOST_PATHS else frozenset()


class _Handler(FileSystemEventHandler):
    """Passes on what changes files."""

    def __init__(self, burst: _Burst) -> None:
        self._burst = burst

    def dispatch(self, event: FileSystemEvent) -> None:
        """Take an event; not by one of the methods of its kind, which would be looked for twice."""
        if event.is_directory and event.event_type == "modified":
            return
        for path in (event.src_path, event.dest_path):
            if path:
                self._burst.add(os.fsdecode(path))


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

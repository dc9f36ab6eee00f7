"""What a test may not leave behind: threads, child processes, windows, asyncio tasks.

Each check waits a short while for what is already ending, then reports the rest and clears it
away, so that one careless test fails alone and not its neighbours with it.
"""

from __future__ import annotations

import asyncio
import gc
import os
import sys
import threading
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import TypeVar

import psutil

__all__ = ["Bed", "unfinished_tasks"]

T = TypeVar("T")
_GRACE = 3.0
"""Seconds that threads and processes which are already ending get."""


@dataclass(frozen=True, slots=True)
class Bed:
    """What was there before a test; timers (10 ms to find) only in tests of Qt, else None."""

    threads: frozenset[threading.Thread]
    processes: frozenset[psutil.Process]
    windows: frozenset[int]
    timers: frozenset[int] | None

    @classmethod
    def now(cls, *, qt: bool) -> Bed:
        """Take down what is there at this moment; `qt` says whether timers count."""
        return cls(
            frozenset(_threads()),
            frozenset(_children()),
            frozenset(id(window) for window in _windows()),
            frozenset(id(timer) for timer in _timers()) if qt else None,
        )

    def left_behind(self) -> list[str]:
        """Return a sentence for each thing that is there now and was not before; clears it away."""
        windows = [window for window in _windows() if id(window) not in self.windows]
        found = [f"the window {window!r} is still visible" for window in windows]
        for window in windows:
            window.close()
        timers = [] if self.timers is None else _timers()
        timers = [timer for timer in timers if id(timer) not in self.timers]
        found += [
            f"the timer of {timer.parent()!r} still runs, every {timer.interval()} ms"
            for timer in timers
        ]
        for timer in timers:
            timer.stop()
        threads = _wait(lambda: _threads() - self.threads)
        found += [f"the thread {thread.name!r} still runs" for thread in threads]
        processes = _wait(lambda: set(_children()) - self.processes)
        found += [f"the process {_describe(process)} is still there" for process in processes]
        for process in processes:
            with suppress(psutil.NoSuchProcess):
                process.kill()
        return found


def _threads() -> set[threading.Thread]:
    """Return the threads of Python; those of Qt, on which it only ran something, are Qt's."""
    known = threading.enumerate()
    return {thread for thread in known if not isinstance(thread, threading._DummyThread)}


async def unfinished_tasks() -> list[str]:
    """Return a sentence for each task of the running loop that is neither done nor ending."""
    tasks = asyncio.all_tasks() - {asyncio.current_task()}
    if tasks:
        _, tasks = await asyncio.wait(tasks, timeout=0.5)
    return [f"the task {task.get_name()} has not ended: {task.get_coro()!r}" for task in tasks]


def _wait(remaining: Callable[[], Iterable[T]]) -> list[T]:
    """Poll until nothing remains or the grace is over; there is no event to wait for."""
    deadline = time.monotonic() + _GRACE
    while (left := list(remaining())) and time.monotonic() < deadline:
        time.sleep(0.01)
    return left


def _children() -> list[psutil.Process]:
    return psutil.Process().children(recursive=True) if _has_children() else []


def _has_children() -> bool:
    """Whether there can be any; psutil looks at every process of the machine to find them."""
    if not hasattr(os, "waitid"):
        return True
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return False
    return True


def _describe(process: psutil.Process) -> str:
    try:
        return f"{process.pid} ({process.status()}): {' '.join(process.cmdline())}"
    except psutil.Error:
        return str(process.pid)


def _timers() -> list:
    """Return the repeating QTimers that run; looks only where there is an application."""
    core, shiboken = sys.modules.get("PySide6.QtCore"), sys.modules.get("shiboken6")
    if core is None or shiboken is None or core.QCoreApplication.instance() is None:
        return []
    core.QCoreApplication.sendPostedEvents(None, core.QEvent.Type.DeferredDelete.value)
    timers = [thing for thing in gc.get_objects() if issubclass(type(thing), core.QTimer)]
    return [
        timer
        for timer in timers
        if shiboken.isValid(timer) and timer.isActive() and not timer.isSingleShot()
    ]


def _windows() -> list:
    widgets = sys.modules.get("PySide6.QtWidgets")
    if widgets is None or widgets.QApplication.instance() is None:
        return []
    return [widget for widget in widgets.QApplication.topLevelWidgets() if widget.isVisible()]

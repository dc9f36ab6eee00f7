"""The one door from slots to coroutines."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from functools import partial

from PySide6.QtCore import QObject, Signal

from studio_qt.errors import ClosedError, StudioError

__all__ = ["Tasks", "sentence"]

_log = logging.getLogger(__name__)

OnError = Callable[[Exception], None]


class Tasks(QObject):
    """Starts coroutines, names and holds them, shows their errors, and ends them on closing.

    `failed` carries the exception of a task that was started without `on_error`.
    """

    failed = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._running: set[asyncio.Task[None]] = set()
        self._closed = False

    @property
    def names(self) -> list[str]:
        """The names of the tasks that run, sorted."""
        return sorted(task.get_name() for task in self._running)

    def start(
        self,
        coroutine: Coroutine[object, object, object],
        *,
        name: str,
        on_error: OnError | None = None,
    ) -> asyncio.Task[None] | None:
        """Run a coroutine; returns its task, or None (and runs nothing) after `close`.

        An exception goes to `on_error`, else to `failed`; a fault of ours is logged whole. That
        something was closed meanwhile is none: whoever goes to another project knows.
        """
        if self._closed:
            coroutine.close()
            return None
        task = _loop().create_task(self._watch(coroutine, on_error), name=name)
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        task.add_done_callback(partial(_close_unstarted, coroutine))
        return task

    async def close(self) -> None:
        """Cancel every task and wait until all have ended; nothing starts afterwards."""
        self._closed = True
        mine = asyncio.current_task()
        others = [task for task in self._running if task is not mine]
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)

    async def _watch(
        self, coroutine: Coroutine[object, object, object], on_error: OnError | None
    ) -> None:
        try:
            await coroutine
        except Exception as error:  # noqa: BLE001 - the border: whatever it is, the user sees it
            if not isinstance(error, StudioError):
                _log.exception("A task of the window failed")
            if on_error is not None:
                on_error(error)
            elif isinstance(error, ClosedError):
                _log.info("What a task worked on was closed meanwhile: %s", error)
            else:
                self.failed.emit(error)


def sentence(error: Exception) -> str:
    """Return what to tell the user about an error."""
    if isinstance(error, StudioError):
        return str(error)
    return f"The Studio itself made a mistake ({type(error).__name__}: {error}). Please report it."


def _loop() -> asyncio.AbstractEventLoop:
    """Return the running loop, or the one that is set and will run."""
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.get_event_loop()


def _close_unstarted(
    coroutine: Coroutine[object, object, object], _task: asyncio.Task[None]
) -> None:
    """Close a coroutine whose task was cancelled before its first step; else it does nothing."""
    coroutine.close()

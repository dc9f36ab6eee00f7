"""The loop that tests marked `qt_loop` run on."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import TypeVar

from PySide6.QtWidgets import QApplication
from qasync import QEventLoop

__all__ = ["Loop", "new_loop"]

T = TypeVar("T")


class Loop(QEventLoop):
    """qasync's loop, without its last look at the events once a coroutine is done.

    asyncio has no running loop any more at that moment, so that tasks which go on behind a test,
    for example a save in the background, would fail there. They go on with the next run instead.
    """

    def run_until_complete(self, future: Awaitable[T]) -> T:
        task = asyncio.ensure_future(future, loop=self)
        task.add_done_callback(self._end)
        try:
            self.run_forever()
        finally:
            task.remove_done_callback(self._end)
        if not task.done():
            raise RuntimeError("The loop was stopped before its coroutine was done.")
        return task.result()

    def _end(self, _done: object) -> None:
        self.stop()


def new_loop() -> Loop:
    """Return a loop on the application that is there."""
    app = QApplication.instance()
    app.setQuitOnLastWindowClosed(False)  # the loop ends when its coroutine does
    return Loop(app)

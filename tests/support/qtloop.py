"""The loop that tests marked `qt_loop` run on."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import TypeVar

import qasync
from PySide6.QtCore import QTimerEvent
from PySide6.QtWidgets import QApplication

__all__ = ["Loop", "new_loop"]

T = TypeVar("T")


class _HeldTimer(qasync._SimpleTimer):
    """Runs what the loop has to run only while the loop runs; what is due before waits.

    So does what is due while QTest looks at Qt's events in the midst of a task's step: no other
    step can be made then, and qasync would forget it, for which its task and all who wait for it
    would wait for ever.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__()
        self._loop = loop

    def timerEvent(self, event: QTimerEvent) -> None:
        running = self._loop.is_running() and asyncio.current_task(self._loop) is None
        if self._stopped or running:
            super().timerEvent(event)


class Loop(qasync.QEventLoop):
    """qasync's loop, which runs nothing while asyncio has no running loop.

    pytest-qt looks at Qt's events between the parts of a test, and qasync once more when its
    coroutine is done. Tasks that go on behind a test, for example a save in the background, would
    then find no running loop and fail; here they go on with the next part.
    """

    def __init__(self, app: QApplication) -> None:
        super().__init__(app)
        self._timer = _HeldTimer(self)

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

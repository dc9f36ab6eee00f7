"""`Leisure`: does what can wait in a turn of the loop that has time left for it."""

from __future__ import annotations

import time
from collections.abc import Callable

from PySide6.QtCore import QAbstractEventDispatcher, QObject, Qt, QTimer

__all__ = ["Leisure"]

_ROOM = 0.005
"""Seconds of computing in a turn after which nothing is begun in it that can wait."""

_PATIENCE = 8
"""Turns in a row that may be too full; what waits is done in the next one, full or not."""

_AGAIN = 1
"""Milliseconds until the next turn is looked at."""


class Leisure(QObject):
    """Calls `work` once for each `start`, as a timer of a single shot does, but in good time.

    Much of what a window does in pieces is small, and yet the pieces of several, and a frame, may
    fall into one turn. So the call waits for a turn in which little has been done before it.
    `clock` tells what the thread has computed.
    """

    def __init__(
        self,
        work: Callable[[], None],
        parent: QObject,
        *,
        clock: Callable[[], float] = time.thread_time,
    ) -> None:
        super().__init__(parent)
        self._work, self._clock = work, clock
        self._begun = 0.0
        self._gone_by = 0
        self._dispatcher: QAbstractEventDispatcher | None = None
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._on_time)

    @property
    def waits(self) -> bool:
        """Whether the call is still to come."""
        return self._timer.isActive()

    def start(self, pause: int) -> None:
        """Call after so many milliseconds; what was started before is forgotten."""
        self._gone_by = 0
        self._watch()
        self._timer.start(pause)

    def stop(self) -> None:
        """Do not call."""
        self._timer.stop()
        self._rest()

    def _on_time(self) -> None:
        if self._clock() - self._begun > _ROOM and self._gone_by < _PATIENCE:
            self._gone_by += 1
            self._timer.start(_AGAIN)
            return
        try:
            self._work()
        finally:
            self._rest()

    def _on_turn(self) -> None:
        self._begun = self._clock()

    def _watch(self) -> None:
        """Note when turns begin, as long as something waits."""
        if self._dispatcher is None:
            self._begun = self._clock()
            self._dispatcher = QAbstractEventDispatcher.instance()
            if self._dispatcher is not None:
                self._dispatcher.aboutToBlock.connect(self._on_turn)

    def _rest(self) -> None:
        if self._dispatcher is not None and not self.waits:
            self._dispatcher.aboutToBlock.disconnect(self._on_turn)
            self._dispatcher = None

"""`Rest`: when nobody uses a window, so that work which nobody waits for may be done."""

from __future__ import annotations

import time
from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, QTimer
from PySide6.QtGui import QInputEvent, QInputMethodEvent, QWindow
from PySide6.QtWidgets import QWidget
from shiboken6 import Shiboken

__all__ = ["LOOKS", "Rest"]

LOOKS = 5
"""How many looks in succession find a window at rest before any work is done."""

_LOOK_MS, _STEP_MS = 100, 20
_LOOK_SECONDS, _STEP_SECONDS = 0.01, 0.004
"""Computing from one look to the next that tells of scrolling, an answer or an opening."""

Spent = Callable[[], float]


class Rest(QObject):
    """Does `work` step by step while one window rests.

    It rests when for half a second no key, mouse or wheel came, the window's thread computed next
    to nothing, and whoever gave `may` saw nothing under way. Between two steps the same has to
    hold, or the half second begins anew. `work` says whether more is to be done.

    The window's events are looked at only while there is something to do: Python takes part in
    each of them.
    """

    def __init__(
        self, window: QWidget, work: Callable[[], bool], spent: Spent = time.thread_time
    ) -> None:
        super().__init__(window)
        self._window, self._work, self._spent = window, work, spent
        self._may: Callable[[], bool] = lambda: True
        self._handle: QWindow | None = None
        self._begun, self._quiet, self._ended = 0.0, 0, False
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self.look)

    @property
    def wanted(self) -> bool:
        """Whether something is still to be done."""
        return self._timer.isActive()

    def only_when(self, may: Callable[[], bool]) -> None:
        """Ask whether nothing is under way in the window; called at each look."""
        self._may = may

    def want(self) -> None:
        """Do work when the window rests; nothing changes where that is known."""
        if not self._ended and not self._timer.isActive():
            self._watch(on=True)
            self._wait_again()

    def disturb(self) -> None:
        """Wait the half second from now on."""
        self._quiet = 0

    def stop(self) -> None:
        """Do nothing any more: the window closes."""
        self._ended = True
        self._timer.stop()
        self._watch(on=False)

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        """Note that somebody uses the window."""
        if isinstance(event, QInputEvent | QInputMethodEvent):
            self._quiet = 0
        return False

    def look(self) -> None:
        """Do a step of the work where the window has rested long enough."""
        resting = self._quiet >= LOOKS
        used = self._spent() - self._begun
        if used > (_STEP_SECONDS if resting else _LOOK_SECONDS) or not self._may():
            self._quiet = -1
        if not resting or self._quiet < LOOKS:
            self._quiet += 1
            self._wait_again()
        elif self._work():
            self._begun = self._spent()
            self._timer.start(_STEP_MS)
        else:
            self._quiet = 0
            self._watch(on=False)

    def _wait_again(self) -> None:
        self._watch(on=True)
        self._begun = self._spent()
        self._timer.start(_LOOK_MS)

    def _watch(self, *, on: bool) -> None:
        """Look at what comes to the window, once it has been shown, or no longer."""
        handle = self._window.windowHandle() if on else None
        if handle is not self._handle:
            if self._handle is not None and Shiboken.isValid(self._handle):
                self._handle.removeEventFilter(self)
            if handle is not None:
                handle.installEventFilter(self)
            self._handle = handle

"""`Rubbish`: Python's garbage, collected in small steps while the window has nothing else to do."""

from __future__ import annotations

import gc
import time

from PySide6.QtCore import QObject, QTimer

from studio_qt.ui.leisure import Leisure

__all__ = ["Rubbish"]

_LOOK_MS = 250
_SETTLE_SECONDS = 10.0
_WHOLE_SECONDS = 60.0
_QUIET_SECONDS = 2.0
_DEEP_SECONDS = 30.0
_FLOOD = 20_000
"""Objects that came between two looks, and stayed."""

_MIDDLE = 40_000
"""Objects that may have come through one look, at most, before they are looked at once more: ten
looks, as Python has it, may let through two hundred thousand, which take more than a frame."""

_BUSY_SECONDS = 0.02
"""Of computing between two looks: somebody types, scrolls, or is answered."""


class Rubbish(QObject):
    """Takes the collector over from Python, which runs it in the midst of a key press.

    A whole collection takes 60 ms when everything is loaded. So what is there ten seconds after
    the start, and after the first whole collection, is never looked at again: modules, for the
    most part. Young objects are looked at four times a second, and all others once a minute, when
    the window has rested for two seconds. Qt's objects then end on the window's thread only.
    `stop` gives the collector back.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._was_enabled = gc.isenabled()
        self._begun = self._whole = self._used = time.monotonic()
        self._spent = time.thread_time()
        self._settled = 0
        self._flooded = False
        self._middle = 0  # at most so many have come through one look
        self._leisure = Leisure(self._look, self)
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._on_time)
        if self._was_enabled:
            gc.disable()
            self._timer.start(_LOOK_MS)

    def stop(self) -> None:
        """Let Python collect by itself again; twice is harmless."""
        self._timer.stop()
        self._leisure.stop()
        if self._settled or self._flooded:
            gc.unfreeze()
            self._settled, self._flooded = 0, False
        if self._was_enabled:
            gc.enable()

    def _on_time(self) -> None:
        self._leisure.start(0)

    def _look(self) -> None:
        now, spent = time.monotonic(), time.thread_time()
        if spent - self._spent > _BUSY_SECONDS:
            self._used = now
        self._spent = spent
        if not self._settled and now - self._begun > _SETTLE_SECONDS:
            self._settle()
        young, looks, _old = gc.get_count()
        if young > _FLOOD:
            gc.freeze()
            self._flooded = True
        elif self._flooded and now - self._used > _DEEP_SECONDS:
            self._flooded = False
            gc.unfreeze()
            gc.collect()
            gc.freeze()
        elif now - self._whole > _WHOLE_SECONDS and now - self._used > _QUIET_SECONDS:
            self._whole = now
            gc.collect()
            self._settle()
        elif young > gc.get_threshold()[0]:
            self._collect(young, looks)

    def _collect(self, young: int, looks: int) -> None:
        """Look at what is young, and at what was lately, before that is too much for one turn."""
        both = looks > gc.get_threshold()[1] or self._middle + young > _MIDDLE
        gc.collect(1 if both else 0)
        self._middle = 0 if both else self._middle + young

    def _settle(self) -> None:
        """Leave what is there now alone for good; not more often than twice, lest it piles up."""
        if self._settled < 2:
            gc.freeze()
            self._settled += 1

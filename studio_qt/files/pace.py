"""`Pace`: long computing in a thread that lets the other threads go first.

A thread that computes keeps the interpreter for 5 ms at a time, and the thread of the window asks
for it many times in one turn of its loop.
"""

from __future__ import annotations

import time

__all__ = ["Pace"]

_WORK_SECONDS = 0.001
_REST_SECONDS = 0.0001


class Pace:
    """Call `rest` in every round of a loop: about once a millisecond it waits for an instant."""

    def __init__(self) -> None:
        self._due = time.perf_counter() + _WORK_SECONDS

    def rest(self) -> None:
        """Wait, where it is time to."""
        if time.perf_counter() > self._due:
            time.sleep(_REST_SECONDS)
            self._due = time.perf_counter() + _WORK_SECONDS

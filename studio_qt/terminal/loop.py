"""An asyncio loop on a thread of its own, so that the main thread is free for the keyboard.

The main thread waits with `input()` or in `LoopThread.run`; that way line editing, Ctrl-C and
piped input work alike on every system.
"""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import wait
from contextlib import contextmanager
from types import TracebackType
from typing import Self, TypeVar

__all__ = ["LoopThread"]

T = TypeVar("T")
_LOOK = 0.1
"""Seconds between two looks for Ctrl-C; waiting for a lock is not interrupted everywhere."""


class LoopThread:
    """A running loop, as a context manager; leaving cancels what still runs on it."""

    def __init__(self) -> None:
        self._runner = asyncio.Runner()
        self._loop = self._runner.get_loop()
        self._thread = threading.Thread(target=self._serve, name="player-loop", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()

    def run(
        self, work: Coroutine[object, object, T], on_interrupt: Callable[[], None] | None = None
    ) -> T:
        """Run `work` on the loop and return what it returns.

        The first Ctrl-C calls `on_interrupt` on the loop and goes on waiting; without one, and at
        the second, the work is cancelled and KeyboardInterrupt raised.
        """
        with _interrupts() as pressed:
            future = asyncio.run_coroutine_threadsafe(work, self._loop)
            while not future.done():
                wait([future], timeout=_LOOK)
                if not pressed or future.done():
                    continue
                pressed.pop()
                if on_interrupt is None:
                    future.cancel()
                    raise KeyboardInterrupt
                self._loop.call_soon_threadsafe(on_interrupt)
                on_interrupt = None
        return future.result()

    def _serve(self) -> None:
        with self._runner:
            self._loop.run_forever()


@contextmanager
def _interrupts() -> Iterator[list[int]]:
    """Gather presses of Ctrl-C in a list, instead of having one raised between any two steps."""
    pressed: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _: pressed.append(number))
    try:
        yield pressed
    finally:
        signal.signal(signal.SIGINT, before or signal.default_int_handler)

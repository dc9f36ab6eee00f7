"""Who listens to a player: plain and async callbacks that can never break a turn."""

from __future__ import annotations

import asyncio
import inspect
import logging
from collections.abc import Awaitable, Callable
from contextvars import ContextVar

from studio_qt.engine.events import Event

__all__ = ["Callback", "Subscribers"]

Callback = Callable[..., object]
"""Called with an event's payload; what an async one returns is awaited."""

_log = logging.getLogger(__name__)
_PATIENCE = 5.0
"""Seconds that closing waits for async callbacks."""

_told: ContextVar[Subscribers | None] = ContextVar("told", default=None)
"""Whose callback is running, also in the tasks that it starts."""


class Subscribers:
    """Hands events to callbacks in the order in which they subscribed.

    A plain callback runs inside `emit`. Async ones run one after another on a task of their own,
    in the order of the events, so that no listener can hold up a turn.
    """

    def __init__(self) -> None:
        self._callbacks: dict[str, list[Callback]] = {}
        self._waiting: list[tuple[str, Awaitable[object]]] = []
        self._worker: asyncio.Task[None] | None = None

    def on(self, name: str, callback: Callback) -> Callable[[], None]:
        """Subscribe to events called `name`; the returned function unsubscribes, also twice."""
        entries = self._callbacks.setdefault(name, [])
        entries.append(callback)

        def off() -> None:
            if callback in entries:
                entries.remove(callback)

        return off

    def emit(self, event: Event) -> None:
        """Tell everyone who subscribed to the event's name."""
        for callback in tuple(self._callbacks.get(event.name, ())):
            try:
                answer = callback(event.payload())
            except Exception:  # noqa: BLE001 - a listener's fault must not end a turn
                _log.exception("A subscriber of %r failed.", event.name)
                continue
            if inspect.isawaitable(answer):
                self._waiting.append((event.name, answer))
                self._start()

    async def drain(self) -> None:
        """Wait until the async callbacks have seen everything; returns at once inside one.

        One that takes longer than some seconds goes on by itself: it holds up nobody.
        """
        worker = self._worker
        if worker is not None and _told.get() is not self:
            await asyncio.wait([worker], timeout=_PATIENCE)

    async def close(self) -> None:
        """Drain, but end a callback that does not come to its end in time."""
        worker = self._worker
        if worker is None or _told.get() is self:
            return
        _, late = await asyncio.wait([worker], timeout=_PATIENCE)
        if late:
            _log.warning("A subscriber was ended: it held up the closing of the player.")
            worker.cancel()
            await asyncio.wait([worker])

    def _start(self) -> None:
        if self._worker is None or self._worker.done():
            self._worker = asyncio.get_running_loop().create_task(
                self._work(), name="player-subscribers"
            )

    async def _work(self) -> None:
        _told.set(self)
        while self._waiting:
            name, answer = self._waiting.pop(0)
            try:
                await answer
            except Exception:  # noqa: BLE001 - a listener's fault must not end a turn
                _log.exception("A subscriber of %r failed.", name)

"""A lane: the place of one worker process, with a fair queue before it and a respawn behind."""

from __future__ import annotations

import asyncio
import itertools
import logging
from collections.abc import Awaitable, Callable, Coroutine, Iterator

from studio_qt.errors import ClosedError
from studio_qt.jsontext import JsonObject, JsonValue
from studio_qt.sandbox.exchange import Ending, Exchange, ending_of
from studio_qt.sandbox.frames import Frame, FrameError, pack
from studio_qt.sandbox.outcome import BridgeHandler
from studio_qt.sandbox.process import WorkerProcess

__all__ = ["Lane", "Turn", "WorkerLostError"]

_log = logging.getLogger(__name__)
_START_SECONDS = 30.0
_BREATH_SECONDS = 0.008

Prepare = Callable[[bool], Awaitable[tuple[str, ...]]]
"""Returns what a process is started with; True asks for it to be made anew."""


class WorkerLostError(Exception):
    """A worker process could not be started; the text says why."""


class _StaleError(WorkerLostError):
    """A worker process could not use what it was started with."""


class Lane:
    """At most one process and one exchange at a time; who asks first is served first.

    So many `spare` seconds after its first use another process is started, unless that is None:
    when the first has to be killed, nobody waits for a new one.
    """

    def __init__(
        self,
        role: str,
        *,
        grace: float,
        time_zone: str | None,
        prepare: Prepare | None = None,
        spare: float | None = None,
    ) -> None:
        self._role = role
        self._prepare = prepare
        self._grace = grace
        self._time_zone = time_zone
        self._lock = asyncio.Lock()
        self._living: _Living | None = None
        self._spare_seconds = spare
        self._spare: _Living | None = None
        self._spare_timer: asyncio.TimerHandle | None = None
        self._given: tuple[str, ...] = ()
        self._calls = itertools.count(1)
        self._loop = asyncio.get_running_loop()
        self._breathed = 0.0
        self._closing: set[asyncio.Task[None]] = set()
        self._closed = False

    @property
    def walls(self) -> tuple[str, ...]:
        """What the running process says of its walls."""
        return self._living.walls if self._living is not None else ()

    def turn(self) -> Turning:
        """Return what waits in the queue, then holds the lane; raises WorkerLostError, ClosedError.

        When the holder is cancelled in the middle of an exchange, the lane stays taken until the
        worker has come to its end or was killed; nobody waits for that but the next in the queue.
        """
        return Turning(self)

    def forget(self, process: object, agent: int) -> None:
        """Have `process` drop a context; it hears of it with the next request."""
        if self._living is process and self._living is not None:
            self._living.forgotten.append(agent)

    async def rest(self) -> None:
        """End the process once nobody uses it; the next turn starts another."""
        async with self._lock:
            if self._living is not None:
                self._living.process.kill()
                await self._living.gone.wait()

    async def close(self) -> None:
        """End the process and wait until it has gone; twice is harmless."""
        self._closed = True
        if self._spare_timer is not None:
            self._spare_timer.cancel()
        await asyncio.gather(*(one.end() for one in (self._living, self._spare) if one is not None))
        await asyncio.gather(*self._closing, return_exceptions=True)

    async def take(self) -> Turn:
        """Wait in the queue and return the right to use the process; `give_back` must follow."""
        await self._lock.acquire()
        try:
            living = self._living
            if living is None or not living.is_ready or self._closed:
                living = await self._ready()
            elif self._loop.time() - self._breathed > _BREATH_SECONDS:
                await asyncio.sleep(0)  # calls that are answered on the spot never wait otherwise
                self._breathed = self._loop.time()
            return Turn(living, self._calls, self._grace)
        except BaseException:
            self._lock.release()
            raise

    def give_back(self, turn: Turn) -> None:
        """Let the next in the queue have the process, once a running exchange has ended."""
        if turn.running is not None and not self._closed:
            self._wind_down(turn.running)
        else:
            self._lock.release()
        if self._spare is None and self._spare_timer is None and self._spare_seconds is not None:
            self._spare_timer = self._loop.call_later(self._spare_seconds, self._start_spare)

    def _start_spare(self) -> None:
        self._spare_timer = None
        if not self._closed:
            self._spare = _Living(self._role, self._given, self._time_zone)

    async def _new(self, *, fresh: bool) -> _Living:
        """Return the spare process, or another."""
        spare, self._spare = self._spare, None
        if spare is not None and not fresh and not spare.gone.is_set():
            return spare
        if spare is not None:
            self._look_after(spare.end(), "end a spare")
        self._given = await self._prepare(fresh) if self._prepare is not None else ()
        self._check_open()
        return _Living(self._role, self._given, self._time_zone)

    async def _ready(self) -> _Living:
        self._breathed = self._loop.time()
        try:
            return await self._start(fresh=False)
        except _StaleError as error:
            _log.warning("a %s worker is prepared anew: %s", self._role, error)
            return await self._start(fresh=True)

    async def _start(self, *, fresh: bool) -> _Living:
        self._check_open()
        living = self._living
        if living is None or living.gone.is_set():
            living = self._living = await self._new(fresh=fresh)
        try:
            async with asyncio.timeout(_START_SECONDS):
                await living.started()
        except TimeoutError as error:
            living.process.kill()
            raise WorkerLostError("a worker process did not start in time") from error
        except WorkerLostError:
            self._check_open()
            raise
        self._check_open()
        return living

    def _check_open(self) -> None:
        if self._closed:
            raise ClosedError("the sandbox has been closed")

    def _wind_down(self, exchange: Exchange) -> None:
        exchange.abandon()
        self._look_after(self._finish(exchange), "wind down")

    def _look_after(self, work: Coroutine[object, object, None], name: str) -> None:
        task = self._loop.create_task(work, name=name)
        self._closing.add(task)
        task.add_done_callback(self._closing.discard)

    async def _finish(self, exchange: Exchange) -> None:
        try:
            await exchange.finished()
        finally:
            self._lock.release()


class Turning:
    """Holds a lane for the length of an `async with` block."""

    __slots__ = ("_lane", "_turn")

    def __init__(self, lane: Lane) -> None:
        self._lane = lane
        self._turn: Turn | None = None

    async def __aenter__(self) -> Turn:
        self._turn = await self._lane.take()
        return self._turn

    async def __aexit__(self, *_: object) -> None:
        if self._turn is not None:
            self._lane.give_back(self._turn)


class Turn:
    """The right to use a lane's process, one exchange after the other."""

    def __init__(self, living: _Living, calls: Iterator[int], grace: float) -> None:
        self._living = living
        self._calls = calls
        self._grace = grace
        self.running: Exchange | None = None

    @property
    def process(self) -> object:
        """The identity of the process: contexts live and die with it."""
        return self._living

    async def exchange(
        self,
        header: JsonObject,
        blob: bytes,
        *,
        seconds: float,
        bridge: BridgeHandler | None = None,
        namespaces: frozenset[str] = frozenset(),
        on_end: Callable[[Ending], None] | None = None,
        at_once: bool = True,
    ) -> Ending:
        """Send a request and return how it ended; the time limit counts from now.

        With `at_once` the loop waits for an answer on the spot, a few milliseconds at most. That
        is for calls, which are short.
        """
        call = next(self._calls)
        forgotten, self._living.forgotten = self._living.forgotten, []
        asked: JsonObject = {**header, "call": call}
        if forgotten:
            asked["forget"] = forgotten
        frame = None
        if at_once:
            frame = self._living.process.ask(pack(asked, blob))
        else:
            self._living.process.send(pack(asked, blob), idle=True)
        if frame is not None and (ending := _end_at_once(frame, call)):
            if on_end is not None:
                on_end(ending)
            return ending
        exchange = Exchange(
            self._living.process,
            call,
            seconds=seconds,
            grace=self._grace,
            bridge=bridge,
            namespaces=namespaces,
            on_end=on_end,
        )
        self.running = self._living.exchange = exchange
        if frame is not None:
            exchange.on_frame(frame)
        if self._living.gone.is_set():
            exchange.on_exit(self._living.reason)
        ending = await exchange.finished()
        self.running = None
        return ending


def _end_at_once(frame: Frame, call: int) -> Ending | None:
    """Return the ending of a call whose first frame is its last; None for any other frame."""
    if frame.op != "done" or frame.header.get("call") != call:
        return None
    try:
        return ending_of(frame)
    except FrameError:
        return None  # an exchange makes it cost the worker its life


class _Living:
    """A process with what is known of it on the loop."""

    def __init__(self, role: str, given: tuple[str, ...], time_zone: str | None) -> None:
        self.walls: tuple[str, ...] = ()
        self.reason = ""
        self.failure = ""
        self.stale = False
        self.exchange: Exchange | None = None
        self.forgotten: list[JsonValue] = []
        self.ready: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self.gone = asyncio.Event()
        self.process = WorkerProcess(
            role, *given, on_frame=self._on_frame, on_exit=self._on_exit, time_zone=time_zone
        )

    @property
    def is_ready(self) -> bool:
        """Whether it has started and is still there."""
        return self.ready.done() and not self.ready.result() and not self.gone.is_set()

    async def end(self) -> None:
        """End the process and wait until it has gone; twice is harmless."""
        self.process.kill()
        await self.gone.wait()
        self.process.join()

    async def started(self) -> None:
        """Wait for the ready frame; raises WorkerLostError when the process ended instead."""
        if reason := await asyncio.shield(self.ready):
            raise _StaleError(reason) if self.stale else WorkerLostError(reason)

    def _on_frame(self, frame: Frame) -> None:
        if frame.op == "ready":
            walls = frame.header.get("walls")
            self.walls = tuple(str(wall) for wall in walls) if isinstance(walls, list) else ()
            if not self.ready.done():
                self.ready.set_result("")
        elif frame.op == "failed":
            self.failure = str(frame.header.get("reason"))
            self.stale = frame.header.get("stale") is True
        elif self.exchange is not None:
            self.exchange.on_frame(frame)

    def _on_exit(self, reason: str) -> None:
        self.reason = self.failure or reason
        self.gone.set()
        if not self.ready.done():
            self.ready.set_result(self.reason)
        if self.exchange is not None:
            self.exchange.on_exit(self.reason)

"""One activity of a worker, from the request to its end, with its time limit and its bridge.

States: running, then ending (told to stop, or over its deadline), then ended. Only the end frame
or the death of the process ends an exchange, so the channel is never left in the middle of one.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum

import msgspec

from studio_qt.errors import AgentError
from studio_qt.jsontext import JsonObject, JsonValue, decode, encode
from studio_qt.sandbox.bridge import FIRE_AND_FORGET, missing_api
from studio_qt.sandbox.frames import Frame, FrameError, pack
from studio_qt.sandbox.outcome import BridgeCall, BridgeHandler
from studio_qt.sandbox.process import WorkerProcess

__all__ = ["Ending", "Exchange", "ending_of"]

_log = logging.getLogger(__name__)
_REQUEST_CAP = 12_000

_store_decoder = msgspec.json.Decoder(dict[str, msgspec.Raw])


@dataclass(frozen=True, slots=True)
class Ending:
    """How an exchange ended: the header and blob of its last frame.

    `cause` is that of the frame, "time" when the process had to be killed at the deadline, "lost"
    when it died, "stopped" when it was killed after a stop.
    """

    cause: str
    header: JsonObject = field(default_factory=dict)
    blob: bytes = b""
    error: str | None = None

    @property
    def dropped(self) -> bool:
        """Whether the agent's context is gone."""
        return not self.header or self.header.get("dropped") is True


class _State(Enum):
    RUNNING = "running"
    ENDING = "ending"
    ENDED = "ended"


class Exchange:
    """Feeds on the frames of its call; `finished()` returns the ending."""

    def __init__(
        self,
        process: WorkerProcess,
        call: int,
        *,
        seconds: float,
        grace: float,
        bridge: BridgeHandler | None = None,
        namespaces: frozenset[str] = frozenset(),
        on_end: Callable[[Ending], None] | None = None,
    ) -> None:
        self._process = process
        self._call = call
        self._grace = grace
        self._bridge = bridge
        self._namespaces = namespaces
        self._on_end = on_end
        self._loop = asyncio.get_running_loop()
        self._waiter: asyncio.Future[None] | None = None
        self._state = _State.RUNNING
        self._cause_of_kill = "lost"
        self._fault = ""
        self._until = self._loop.time() + seconds
        self._deadline: asyncio.TimerHandle | None = None  # once somebody waits
        self._wake: asyncio.TimerHandle | None = None
        self._requests = 0
        self._queue: deque[tuple[int, BridgeCall]] = deque()
        self._pump: asyncio.Task[None] | None = None
        self._answers: set[asyncio.Task[None]] = set()
        self._ending: Ending | None = None

    async def finished(self) -> Ending:
        """Wait for the end; everything that was told before it has been delivered by then."""
        if self._state is _State.RUNNING:
            self._deadline = self._loop.call_at(self._until, self._stop, "time")
        while self._ending is None or self._pump is not None:
            self._waiter = self._loop.create_future()
            await self._waiter
        if self._answers:
            await asyncio.gather(*self._answers, return_exceptions=True)
        return self._ending

    def abandon(self) -> None:
        """Stop for the user: no more bridge answers, and a kill if the end does not come."""
        self._bridge = None
        self._queue.clear()
        self._drop_answers()
        self._stop("user")

    # ---- fed by the lane

    def on_frame(self, frame: Frame) -> None:
        """Take a frame of this call; a malformed one costs the worker its life."""
        try:
            self._take(frame)
        except FrameError as error:
            _log.warning("an agent worker was ended: %s", error)
            self._fault = str(error)
            self._process.kill()

    def on_exit(self, reason: str) -> None:
        """The process has gone."""
        if self._state is not _State.ENDED:
            self._end(Ending(self._cause_of_kill, error=self._fault or reason))

    # ---- inside

    def _take(self, frame: Frame) -> None:
        if self._state is _State.ENDED:
            return
        if frame.integer("call") != self._call:
            raise FrameError("a worker spoke of a call that does not run")
        match frame.op:
            case "bridge":
                self._take_request(frame)
            case "wait":
                self._wait(frame.number("ms"))
            case "done":
                self._end(ending_of(frame))
            case _:
                raise FrameError(f"a worker may not send {frame.op!r}")

    def _wait(self, milliseconds: float) -> None:
        if self._wake is not None:
            self._wake.cancel()
        self._wake = self._loop.call_later(milliseconds / 1000, self._wake_up)

    def _wake_up(self) -> None:
        self._send({"op": "wake"})

    def _send(self, header: JsonObject, blob: bytes = b"") -> None:
        self._process.send(pack({**header, "call": self._call}, blob))

    def _stop(self, why: str) -> None:
        if self._state is _State.ENDED:
            return
        self._cancel_deadline()
        self._state = _State.ENDING
        self._send({"op": "stop", "why": why})
        self._cause_of_kill = "time" if why == "time" else "stopped"
        self._deadline = self._loop.call_later(self._grace, self._process.kill)

    def _cancel_deadline(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()

    def _end(self, ending: Ending) -> None:
        self._state = _State.ENDED
        self._ending = ending
        self._cancel_deadline()
        if self._wake is not None:
            self._wake.cancel()
        for task in self._answers:
            task.cancel()
        if self._on_end is not None:
            self._on_end(ending)
        if self._pump is None:
            self._resolve()

    def _resolve(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    # ---- the bridge

    def _take_request(self, frame: Frame) -> None:
        self._requests += 1
        if self._requests > _REQUEST_CAP:
            raise FrameError("an agent asked for more than it may in one call")
        try:
            arguments = decode(frame.blob)
        except ValueError as error:
            raise FrameError(f"the arguments of a bridge call are not JSON: {error}") from error
        if not isinstance(arguments, list):
            raise FrameError("the arguments of a bridge call are not a list")
        self._queue.append(
            (frame.integer("id"), BridgeCall(frame.text("method"), tuple(arguments)))
        )
        self._start_pump()

    def _start_pump(self) -> None:
        if self._pump is None and self._queue:
            self._pump = self._loop.create_task(self._deliver(), name="bridge")
            # Not in a finally of the coroutine: it has none if it is cancelled before it begins.
            self._pump.add_done_callback(self._on_pumped)

    def _on_pumped(self, _pump: asyncio.Task[None]) -> None:
        self._pump = None
        self._start_pump()  # for what came between its last look and now
        if self._state is _State.ENDED and self._pump is None:
            self._resolve()

    async def _deliver(self) -> None:
        """Hand requests to the host in order; only what the guest waits for runs side by side."""
        while self._queue:
            number, call = self._queue.popleft()
            if call.method in FIRE_AND_FORGET:
                await self._answer(call)
            elif self._state is not _State.ENDED:
                task = self._loop.create_task(self._reply(number, call), name=call.method)
                self._answers.add(task)
                task.add_done_callback(self._answers.discard)

    async def _reply(self, number: int, call: BridgeCall) -> None:
        ok, value = await self._answer(call)
        if self._state is _State.ENDED:
            return
        try:
            frame: JsonObject = {"op": "reply", "id": number, "ok": ok}
            self._send(frame, encode(value).encode())
        except (FrameError, ValueError) as error:
            refusal = encode(f"the answer to studio.{call.method} cannot be passed on: {error}")
            self._send({"op": "reply", "id": number, "ok": False}, refusal.encode())

    async def _answer(self, call: BridgeCall) -> tuple[bool, JsonValue]:
        """Return whether the host answered, and its value or why not (BR-09: the gate)."""
        if reason := missing_api(call.method, self._namespaces):
            return False, reason
        if self._bridge is None:
            return False, "the call was stopped"
        try:
            return True, await self._bridge(call)
        except AgentError as error:
            return False, str(error)
        except Exception:  # noqa: BLE001 - a bug of ours must not take the agent's call with it
            _log.exception("the host failed to answer studio.%s", call.method)
            return False, f"the player failed to answer studio.{call.method}"

    def _drop_answers(self) -> None:
        for task in self._answers:
            task.cancel()
        if self._pump is not None:
            self._pump.cancel()


def ending_of(frame: Frame) -> Ending:
    """Return what a last frame tells; raises FrameError.

    Its store is saved as it is: nobody after this asks whether it is one line of JSON.
    """
    place = frame.header.get("place")
    if place is not None and not (isinstance(place, list) and len(place) == 2):
        raise FrameError("the place of an error is not a file and a line")
    if frame.header.get("store") is True:
        try:
            frame.blob.decode()
            _store_decoder.decode(frame.blob)
        except (UnicodeDecodeError, msgspec.DecodeError, RecursionError) as error:
            raise FrameError(f"a store is not a JSON object: {error}") from error
        if b"\n" in frame.blob or b"\r" in frame.blob:
            raise FrameError("a store has line breaks between its parts")
    return Ending(frame.text("cause"), frame.header, frame.blob)

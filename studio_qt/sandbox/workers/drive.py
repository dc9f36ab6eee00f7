"""Drives a guest through one activity: run, hand out its requests, park, resume, end.

Every language has its own `Guest`; this loop is the same for all. The guest never blocks and never
calls out: it reports what it wants, and the loop carries that over the channel.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

from studio_qt.jsontext import JsonValue
from studio_qt.sandbox.workers.channel import Channel

__all__ = ["End", "Guest", "Report", "Request", "drive"]

STUCK = "it awaits something that can never finish"


class Request(NamedTuple):
    """A bridge call of a guest; `payload` is the JSON text of its argument array."""

    id: int
    method: str
    payload: str


class End(NamedTuple):
    """How an activity ended.

    `store` is the new text, as bytes in UTF-8 where they are at hand; `dropped` tells that the
    guest must be built anew; `place` is the file and line of an error.
    """

    cause: str
    value: JsonValue = None
    error: str | None = None
    store: str | bytes | None = None
    dropped: bool = False
    place: tuple[str, int] | None = None


class Report(NamedTuple):
    """What a guest wants after a run: `timer` is in milliseconds, `open` counts its requests."""

    requests: tuple[Request, ...] = ()
    open: int = 0
    timer: float | None = None
    end: End | None = None
    logs: tuple[str, ...] = ()


class Guest(Protocol):
    """An agent's context while an activity runs in it; each step ends with a report."""

    def reply(self, request: int, *, ok: bool, value: str) -> Report:
        """Settle a request with JSON text and run on."""
        ...

    def wake(self) -> Report:
        """Run the timer that is due, if any."""
        ...

    def abandon(self, end: End) -> Report:
        """Give the activity up; the report's end is `end`."""
        ...


def drive(guest: Guest, channel: Channel, call: int, report: Report) -> Report | None:
    """Carry an activity from its first report to its last; None when the host has gone."""
    while True:
        _hand_out(channel, call, report)
        if report.end is not None:
            return report
        if report.timer is not None and report.timer <= 0:
            report = guest.wake()
            continue
        if report.timer is None and report.open == 0:
            report = guest.abandon(End("failed", error=STUCK))
            continue
        if report.timer is not None:
            channel.send({"op": "wait", "call": call, "ms": report.timer})
        frame = channel.read_for(call)
        if frame is None:
            return None
        if frame.op == "reply":
            value = frame.blob.decode()
            ok = frame.header.get("ok") is True
            report = guest.reply(frame.integer("id"), ok=ok, value=value)
        elif frame.op == "wake":
            report = guest.wake()
        elif frame.op == "stop":
            report = guest.abandon(_stop(frame.text("why")))


def _stop(why: str) -> End:
    return End("time", dropped=True) if why == "time" else End("stopped")


def _hand_out(channel: Channel, call: int, report: Report) -> None:
    for request in report.requests:
        header: dict[str, JsonValue] = {
            "op": "bridge",
            "call": call,
            "id": request.id,
            "method": request.method,
        }
        channel.send(header, request.payload.encode())

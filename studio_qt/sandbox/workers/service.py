"""What all agent workers do: contexts by number, one activity at a time, whatever the language."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from studio_qt.jsontext import JsonObject, JsonValue, decode_object
from studio_qt.sandbox.frames import Frame, FrameError
from studio_qt.sandbox.workers.channel import Channel
from studio_qt.sandbox.workers.drive import End, Guest, Report, drive

__all__ = ["Agent", "Service"]


class Agent(Guest, Protocol):
    """An agent's context from its building to its end.

    `exports` are the names of its functions as its own language spells them, `notices` what went
    wrong while loading without being fatal; both are there once loading has finished.
    """

    exports: tuple[str, ...]
    notices: list[str]

    def allow(self, seconds: float, memory_mb: int) -> None:
        """Set what the next activity may use, counted from now."""
        ...

    def load(self, seconds: float, memory_mb: int) -> Report:
        """Begin to run the module."""
        ...

    def finish_loading(self, end: End) -> End:
        """Collect what the module has left behind; return how loading ended."""
        ...

    def call(self, head: str, store: str, keep: int) -> Report:
        """Start a handler: `head` is JSON text, `keep` tells which held store text stands in."""
        ...

    def close(self) -> None:
        """Give back what it holds; twice is harmless."""
        ...


@dataclass(slots=True)
class Service:
    """Answers load and call frames; `build` makes an agent of its recipe."""

    channel: Channel
    build: Callable[[JsonObject], Agent]
    agents: dict[int, Agent] = field(default_factory=dict)

    def serve(self) -> None:
        """Answer frames until the host closes."""
        while (frame := self.channel.read()) is not None:
            self.answer(frame)

    def answer(self, frame: Frame) -> None:
        """Do what a frame asks; raises FrameError for one that asks nothing."""
        for key in _integers(frame.header.get("forget")):
            self._forget(key)
        match frame.op:
            case "load":
                self._load(frame)
            case "call":
                self._call(frame)
            case "stop" | "reply" | "wake":
                pass  # for a call that has ended meanwhile
            case _:
                raise FrameError(f"a worker does not know the op {frame.op!r}")

    def _forget(self, key: int) -> None:
        if (agent := self.agents.pop(key, None)) is not None:
            agent.close()

    def _load(self, frame: Frame) -> None:
        key = frame.integer("agent")
        self._forget(key)
        agent = self.build(decode_object(frame.blob))
        report = agent.load(frame.number("seconds"), frame.integer("memory"))
        last = drive(agent, self.channel, frame.integer("call"), report)
        if last is None:
            return
        end = agent.finish_loading(last.end or End("lost"))
        extra: JsonObject = {}
        if end.cause == "finished":
            self.agents[key] = agent
            extra = {"exports": list(agent.exports), "notices": list(agent.notices)}
        self._done(frame, end, last, extra)

    def _call(self, frame: Frame) -> None:
        key = frame.integer("agent")
        agent = self.agents.get(key)
        if agent is None:
            self._done(frame, End("unbuilt", dropped=True), Report(), {})
            return
        split = frame.integer("split")
        head, store = frame.blob[:split].decode(), frame.blob[split:].decode()
        agent.allow(frame.number("seconds"), frame.integer("memory"))
        report = agent.call(head, store, frame.integer("keep"))
        last = drive(agent, self.channel, frame.integer("call"), report)
        if last is not None:
            end = last.end or End("lost")
            if end.dropped:
                self._forget(key)
            self._done(frame, end, last, {})

    def _done(self, frame: Frame, end: End, last: Report, extra: JsonObject) -> None:
        header: JsonObject = {
            "op": "done",
            "call": frame.integer("call"),
            "cause": end.cause,
            "error": end.error,
            "value": end.value,
            "store": end.store is not None,
            "dropped": end.dropped,
            "logs": list(last.logs),
            "place": list(end.place) if end.place else None,
        }
        blob = b"" if end.store is None else end.store.encode()
        self.channel.send(header | extra, blob)


def _integers(value: JsonValue) -> list[int]:
    return [item for item in value if isinstance(item, int)] if isinstance(value, list) else []

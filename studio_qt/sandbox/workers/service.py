"""What all agent workers do: contexts by number, one activity at a time, whatever the language."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Protocol

from studio_qt.jsontext import JsonObject, JsonValue, decode_object
from studio_qt.sandbox.frames import Frame, FrameError
from studio_qt.sandbox.workers.channel import Channel
from studio_qt.sandbox.workers.drive import End, Guest, Report, drive

__all__ = ["Agent", "Service"]

# What a call frame says; the host is believed, and every microsecond counts here.
_asked = itemgetter("call", "agent", "seconds", "memory", "split", "keep")


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

    def prepare(self) -> None:
        """Do what can be done ahead of the next call; the answer to the last has been sent."""
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
        if "forget" in frame.header:
            for key in _integers(frame.header["forget"]):
                self._forget(key)
        match frame.op:
            case "call":
                self._call(frame)
            case "load":
                self._load(frame)
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
        self._done(frame.integer("call"), end, last.logs, extra)

    def _call(self, frame: Frame) -> None:
        call, key, seconds, memory, split, keep = _asked(frame.header)
        agent = self.agents.get(key)
        if agent is None:
            self._done(call, End("unbuilt", dropped=True), (), {})
            return
        head, store = frame.blob[:split].decode(), frame.blob[split:].decode()
        agent.allow(seconds, memory)
        report = agent.call(head, store, keep)
        at_once = report.end is not None and not report.requests
        last = report if at_once else drive(agent, self.channel, call, report)
        if last is not None:
            end = last.end or End("lost")
            if end.dropped:
                self._forget(key)
            self._done(call, end, last.logs, {})
            if not end.dropped:
                agent.prepare()

    def _done(self, call: int, end: End, logs: tuple[str, ...], extra: JsonObject) -> None:
        header: JsonObject = {"op": "done", "call": call, "cause": end.cause, "value": end.value}
        if end.error is not None:
            header |= {"error": end.error, "place": list(end.place) if end.place else None}
        if logs:
            header["logs"] = list(logs)
        if end.dropped:
            header["dropped"] = True
        if end.store is None:
            self.channel.send(header | extra)
            return
        header["store"] = True
        store = end.store.encode() if isinstance(end.store, str) else end.store
        self.channel.send(header, store)


def _integers(value: JsonValue) -> list[int]:
    return [item for item in value if isinstance(item, int)] if isinstance(value, list) else []

"""The service of the agent workers: contexts by number, one activity at a time."""

from __future__ import annotations

from dataclasses import dataclass, field

from studio_qt.jsontext import JsonObject, JsonValue, decode_object
from studio_qt.sandbox.frames import Frame, FrameError
from studio_qt.sandbox.workers.channel import Channel
from studio_qt.sandbox.workers.drive import End, Report, drive
from studio_qt.sandbox.workers.javascript import JavaScriptAgent

__all__ = ["serve"]


def serve(channel: Channel) -> None:
    """Answer load and call frames until the host closes."""
    service = _Service(channel)
    while (frame := channel.read()) is not None:
        service.answer(frame)


@dataclass(slots=True)
class _Service:
    channel: Channel
    agents: dict[int, JavaScriptAgent] = field(default_factory=dict)

    def answer(self, frame: Frame) -> None:
        for key in _integers(frame.header.get("forget")):
            self.agents.pop(key, None)
        match frame.op:
            case "load":
                self._load(frame)
            case "call":
                self._call(frame)
            case "stop" | "reply" | "wake":
                pass  # for a call that has ended meanwhile
            case _:
                raise FrameError(f"a worker does not know the op {frame.op!r}")

    def _load(self, frame: Frame) -> None:
        key = frame.integer("agent")
        self.agents.pop(key, None)
        agent = JavaScriptAgent(decode_object(frame.blob))
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
                del self.agents[key]
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

"""What the scripted server can answer: text, tool calls, failures, raw bytes, and their troubles.

A `Reply` is a value; `Reply.answer` renders it for a request as a status, headers and the pieces
that are written one by one. Each piece is an HTTP chunk of its own, so that a client reads it
alone; a piece can also be a `Wait` for an event.
"""

from __future__ import annotations

import gzip
import itertools
import json
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

__all__ = [
    "DONE",
    "Answer",
    "Reply",
    "Wait",
    "blocked",
    "chunk",
    "compressed",
    "drop_after",
    "event",
    "failure",
    "plain",
    "raw",
    "sse",
    "text",
    "tool_call",
    "tool_calls",
]

DONE = b"data: [DONE]\n\n"
_numbers = itertools.count(1)


@dataclass(frozen=True)
class Wait:
    """Write nothing more until `event` is set (or the server closes, or the client is gone)."""

    event: threading.Event


@dataclass(frozen=True)
class Answer:
    """A rendered reply; with `broken` the connection ends without the end of the body."""

    status: int
    headers: Mapping[str, str]
    pieces: Sequence[bytes | Wait]
    broken: bool = False
    wait_first: Wait | None = None


@dataclass(frozen=True)
class Reply:
    """What is answered to one request. `render` gives the answer for the request's body."""

    render: Callable[[dict[str, Any]], Answer]

    def answer(self, body: dict[str, Any]) -> Answer:
        """Return the answer to a request with this body."""
        return self.render(body)

    def changed(self, change: Callable[[Answer], Answer]) -> Reply:
        """Return a reply whose answer is `change` of this one's."""
        return Reply(lambda body: change(self.render(body)))


@dataclass(frozen=True)
class _Message:
    """An answer of a model that behaves: what text() and tool_calls() are made of."""

    content: str | None
    calls: Sequence[dict[str, Any]] = ()
    finish: str | None = "stop"
    usage: tuple[int, int] | None = (10, 5)
    pieces: Sequence[str] = ()
    reasoning: str = ""
    extra: dict[str, Any] = field(default_factory=dict)

    def render(self, body: dict[str, Any]) -> Answer:
        return self._streamed(body) if body.get("stream") else self._whole(body)

    def _usage(self) -> dict[str, int] | None:
        if self.usage is None:
            return None
        asked, said = self.usage
        return {
            "prompt_tokens": asked,
            "completion_tokens": said,
            "total_tokens": asked + said,
        }

    def _whole(self, body: dict[str, Any]) -> Answer:
        message: dict[str, Any] = {"role": "assistant", "content": self.content, **self.extra}
        if self.calls:
            message["tool_calls"] = list(self.calls)
        if self.reasoning:
            message["reasoning_content"] = self.reasoning
        said: dict[str, Any] = {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "model": body.get("model"),
            "choices": [{"index": 0, "message": message, "finish_reason": self.finish}],
        }
        if usage := self._usage():
            said["usage"] = usage
        return plain(said).answer(body)

    def _streamed(self, body: dict[str, Any]) -> Answer:
        pieces = [chunk({"role": "assistant", "content": ""})]
        if self.reasoning:
            pieces.append(chunk({"reasoning_content": self.reasoning}))
        pieces += [chunk({"content": piece}) for piece in self.pieces]
        for index, call in enumerate(self.calls):
            pieces += _call_pieces(index, call)
        pieces.append(chunk(dict(self.extra), self.finish))
        wanted = body.get("stream_options") or {}
        if wanted.get("include_usage") and (usage := self._usage()):
            pieces.append(event({"id": "chatcmpl-1", "choices": [], "usage": usage}))
        return sse(*pieces, DONE).answer(body)


def _call_pieces(index: int, call: dict[str, Any]) -> list[bytes]:
    arguments = call["function"]["arguments"]
    cut = len(arguments) // 2
    opened = {**call, "index": index, "function": {**call["function"], "arguments": ""}}
    pieces = [chunk({"tool_calls": [opened]})]
    for part in (arguments[:cut], arguments[cut:]):
        if part:
            piece = {"index": index, "function": {"arguments": part}}
            pieces.append(chunk({"tool_calls": [piece]}))
    return pieces


def text(
    content: str,
    *,
    finish: str | None = "stop",
    usage: tuple[int, int] | None = (10, 5),
    pieces: Sequence[str] | None = None,
    reasoning: str = "",
) -> Reply:
    """A text, streamed word by word unless `pieces` says how; usage is (prompt, completion)."""
    parts = _words(content) if pieces is None else pieces
    return Reply(_Message(content, (), finish, usage, parts, reasoning).render)


def tool_call(
    name: str,
    arguments: Mapping[str, Any] | str | None = None,
    *,
    content: str = "",
    call_id: str | None = None,
    finish: str | None = "tool_calls",
    usage: tuple[int, int] | None = (10, 5),
) -> Reply:
    """One tool call, beside `content`; `arguments` may be a text that is no JSON."""
    call = (name, {} if arguments is None else arguments)
    ids = None if call_id is None else (call_id,)
    return tool_calls(call, content=content, ids=ids, finish=finish, usage=usage)


def tool_calls(
    *calls: tuple[str, Mapping[str, Any] | str],
    content: str = "",
    ids: Sequence[str] | None = None,
    finish: str | None = "tool_calls",
    usage: tuple[int, int] | None = (10, 5),
) -> Reply:
    """Several calls `(name, arguments)` in one message, with ids unless `ids` gives them."""
    given = ids if ids is not None else [f"call_{next(_numbers)}" for _ in calls]
    made = [_call(call_id, *call) for call_id, call in zip(given, calls, strict=True)]
    message = _Message(content or None, made, finish, usage, _words(content))
    return Reply(message.render)


def _call(call_id: str, name: str, arguments: Mapping[str, Any] | str) -> dict[str, Any]:
    spelled = arguments if isinstance(arguments, str) else json.dumps(arguments)
    function = {"name": name, "arguments": spelled}
    return {"id": call_id, "type": "function", "function": function}


def failure(
    status: int,
    body: object = "",
    headers: Mapping[str, str] | None = None,
) -> Reply:
    """A refusal: a text body is sent as it is, anything else as JSON."""
    kind = "text/plain" if isinstance(body, str) else "application/json"
    data = (body if isinstance(body, str) else json.dumps(body)).encode()
    named = {"Content-Type": kind, **(headers or {})}
    return Reply(lambda _: Answer(status, named, [data] if data else []))


def raw(
    chunks: bytes | Sequence[bytes | Wait],
    headers: Mapping[str, str] | None = None,
    status: int = 200,
) -> Reply:
    """Exactly these bytes, one chunk each, as an event stream unless the headers say otherwise."""
    pieces = [chunks] if isinstance(chunks, bytes) else list(chunks)
    named = {"Content-Type": "text/event-stream", **(headers or {})}
    return Reply(lambda _: Answer(status, named, pieces))


def sse(*pieces: bytes | Wait) -> Reply:
    """An event stream of these pieces; make them with `chunk`, `event` and `DONE`."""
    return raw(pieces)


def plain(body: object, status: int = 200) -> Reply:
    """A JSON body in one piece, whether a stream was asked for or not."""
    data = json.dumps(body).encode()
    return Reply(lambda _: Answer(status, {"Content-Type": "application/json"}, [data]))


def event(value: object) -> bytes:
    """One event of a stream that holds `value` as JSON."""
    return b"data: " + json.dumps(value, ensure_ascii=False).encode() + b"\n\n"


def chunk(delta: object, finish: str | None = None, **more: object) -> bytes:
    """One `chat.completion.chunk` with this delta; `more` goes to the top level."""
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    made = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "choices": [choice]}
    return event({**made, **more})


def blocked(
    gate: threading.Event, reply: Reply | None = None, *, after: int | None = None
) -> Reply:
    """`reply` held until `gate` is set: before its headers, or `after` so many pieces."""
    held = reply or text("Late.")
    if after is None:
        return held.changed(lambda answer: replace(answer, wait_first=Wait(gate)))
    return held.changed(
        lambda answer: replace(
            answer, pieces=[*answer.pieces[:after], Wait(gate), *answer.pieces[after:]]
        )
    )


def drop_after(pieces: int, reply: Reply | None = None) -> Reply:
    """`reply` whose connection is cut after `pieces` pieces, in the middle of the body."""
    return (reply or text("This breaks off soon.")).changed(
        lambda answer: replace(answer, pieces=answer.pieces[:pieces], broken=True)
    )


def compressed(reply: Reply) -> Reply:
    """`reply` with its body as gzip, cut in two."""

    def squeeze(answer: Answer) -> Answer:
        data = gzip.compress(b"".join(p for p in answer.pieces if isinstance(p, bytes)))
        headers = {**answer.headers, "Content-Encoding": "gzip"}
        half = len(data) // 2
        return replace(answer, headers=headers, pieces=[data[:half], data[half:]])

    return reply.changed(squeeze)


def _words(content: str) -> list[str]:
    return [part for part in content.replace(" ", " \0").split("\0") if part]

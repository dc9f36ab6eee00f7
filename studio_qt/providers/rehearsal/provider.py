"""The provider itself: reads a request, decides on a reply, streams it."""

from __future__ import annotations

import asyncio
import re
import zlib
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, replace

from studio_qt.errors import ClosedError, ModelError
from studio_qt.jsontext import JsonObject, JsonValue, encode
from studio_qt.providers.model import (
    GO_ON,
    ChatRequest,
    Completion,
    ModelInfo,
    StreamEvent,
    TextDelta,
    ToolCallRequest,
    Usage,
)
from studio_qt.providers.rehearsal.choosing import choose
from studio_qt.providers.rehearsal.directives import (
    CallStep,
    Directives,
    FailStep,
    SayStep,
    SlowStep,
    parse_arguments,
    parse_directives,
)
from studio_qt.providers.rehearsal.reading import Turn, message_text, read_turn
from studio_qt.providers.rehearsal.voice import answer

__all__ = ["RehearsalProvider", "ScriptedCall", "ScriptedReply"]

_MODEL = "rehearsal"
_WINDOW = 32_768
_PIECE = re.compile(r"\s*\S{1,80}|\s+")


@dataclass(frozen=True, slots=True)
class ScriptedCall:
    """A tool call in a script; `arguments` as a text goes out as it is, valid JSON or not."""

    name: str
    arguments: JsonObject | str


@dataclass(frozen=True, slots=True)
class ScriptedReply:
    """One reply of a script: text, calls, or both."""

    text: str = ""
    calls: tuple[ScriptedCall, ...] = ()


@dataclass(frozen=True, slots=True)
class _Reply:
    """What is to be sent; with `failure`, `text` goes out first and then the error is raised."""

    text: str = ""
    calls: tuple[CallStep, ...] = ()
    seconds: float = 0.0
    failure: FailStep | None = None


class _Pace:
    """Spreads a stream over some seconds from now on."""

    def __init__(self, seconds: float) -> None:
        self._clock = asyncio.get_running_loop()
        self._begun = self._clock.time()
        self._seconds = seconds

    async def reach(self, part: float) -> None:
        """Wait until this part of the time, 0 to 1, has passed; always lets others run."""
        due = self._begun + self._seconds * part
        await asyncio.sleep(max(due - self._clock.time(), 0))


class RehearsalProvider:
    """A `Provider` without a network and without a language model (see the package's docstring).

    With a `script` it answers request after request with the script's replies (a plain string is
    a reply of text, a `ScriptedCall` one of a single call), and raises `ModelError` when they are
    used up.
    """

    def __init__(self, script: Sequence[str | ScriptedCall | ScriptedReply] | None = None) -> None:
        self._script = None if script is None else [_scripted(line) for line in script]
        self._said = 0
        self._closed = False

    @property
    def left(self) -> int:
        """The number of scripted replies that nobody has asked for yet; 0 without a script."""
        return max(len(self._script) - self._said, 0) if self._script is not None else 0

    async def stream(self, request: ChatRequest) -> AsyncIterator[StreamEvent]:
        """Yield the reply in pieces of a word, then the `Completion`; see `Provider.stream`.

        A request with `stream=False` gets the `Completion` alone.
        """
        if self._closed:
            raise ClosedError("This rehearsal is closed; make a new one.")
        messages, before = _to_answer(request.messages)
        turn = read_turn(messages)
        if self._script is not None:
            reply = self._scripted_reply()
        else:
            reply = _rest(_decide(turn, request), before)
        said, cut = _within(reply.text, request.max_tokens)
        pace = _Pace(reply.seconds)
        pieces = _PIECE.findall(said) if request.stream else []
        for at, piece in enumerate(pieces):
            await pace.reach(at / len(pieces))
            yield TextDelta(piece)
        await pace.reach(1)
        if reply.failure is not None and not cut:
            raise _failed(reply.failure)
        yield self._completion(request, turn, said, reply.calls, cut=cut)

    async def list_models(self) -> Sequence[ModelInfo]:
        """Return the one model there is."""
        return (ModelInfo(_MODEL, context_length=_WINDOW, takes_tools=True),)

    def body(self, request: ChatRequest) -> bytes:
        """Return the request as JSON: all that a rehearsal reads, `isFile` included."""
        told: JsonObject = {"model": request.model, "messages": list(request.messages)}
        if request.tools:
            told["tools"] = list(request.tools)
        numbers: dict[str, JsonValue] = {
            "temperature": request.temperature,
            "top_p": request.top_p,
            "max_tokens": request.max_tokens,
        }
        told |= {key: value for key, value in numbers.items() if value is not None}
        told["stream"] = request.stream
        return encode(told).encode()

    def estimate_tokens(self, text: str) -> int:
        """Return a quarter of the characters, rounded up."""
        return _tokens(len(text))

    async def close(self) -> None:
        """Refuse every later request; twice is harmless."""
        self._closed = True

    def _scripted_reply(self) -> _Reply:
        script = self._script or []
        if self._said >= len(script):
            raise ModelError(
                f"The script is over: all {len(script)} replies have been said. "
                "Add a reply for each request that is made."
            )
        self._said += 1
        return script[self._said - 1]

    def _completion(
        self, request: ChatRequest, turn: Turn, text: str, calls: Sequence[CallStep], *, cut: bool
    ) -> Completion:
        prompt = _tokens(sum(len(message_text(one)) for one in request.messages))
        length = len(text) + sum(len(call.name) + len(call.arguments_text) for call in calls)
        spent = _tokens(length)
        made = () if cut else tuple(self._call(turn, call, at) for at, call in enumerate(calls))
        reason = "length" if cut else "tool_calls" if made else "stop"
        notice = f"The answer was cut at the limit of {request.max_tokens} tokens."
        return Completion(
            text,
            made,
            finish_reason=reason,
            usage=Usage(prompt, spent, prompt + spent, estimated=True),
            notices=(notice,) if cut else (),
        )

    def _call(self, turn: Turn, call: CallStep, at: int) -> ToolCallRequest:
        seed = f"{turn.length}\n{turn.text[:4000]}\n{call.name}\n{self._said}"
        mark = zlib.crc32(seed.encode("utf-8", "replace"))
        return ToolCallRequest(
            f"rehearsal_{mark:08x}_{at}", call.name, call.arguments, call.arguments_text
        )


def _to_answer(messages: Sequence[JsonObject]) -> tuple[Sequence[JsonObject], str]:
    """Return the messages to answer, and what of the answer was said before it broke off."""
    if len(messages) > 2 and message_text(messages[-1]) == GO_ON:
        return messages[:-2], message_text(messages[-2])
    return messages, ""


def _rest(reply: _Reply, before: str) -> _Reply:
    return replace(reply, text=reply.text.removeprefix(before))


def _decide(turn: Turn, request: ChatRequest) -> _Reply:
    told = parse_directives(turn.text)
    if not turn.called:
        calls = told.calls if told.decides else _chosen(turn, told, request)
        if calls:
            return _Reply(calls=calls)
    return _told(turn, told)


def _chosen(turn: Turn, told: Directives, request: ChatRequest) -> tuple[CallStep, ...]:
    return tuple(
        CallStep(choice.name, choice.arguments, encode(choice.arguments))
        for choice in choose(told.rest, request.tools, turn.background)
    )


def _told(turn: Turn, told: Directives) -> _Reply:
    """Return the answer that the directives leave to be given once the calls are made."""
    lines: list[str] = []
    seconds = 0.0
    for step in told.others:
        match step:
            case SayStep(text):
                lines.append(text)
            case SlowStep(some):
                seconds += some
            case FailStep():
                return _Reply("\n".join(lines), seconds=seconds, failure=step)
    text = "\n".join(lines) if lines else answer(turn, told.rest, told.malformed)
    return _Reply(text, seconds=told.seconds)


def _scripted(line: str | ScriptedCall | ScriptedReply) -> _Reply:
    if isinstance(line, str):
        return _Reply(line)
    if isinstance(line, ScriptedCall):
        line = ScriptedReply(calls=(line,))
    return _Reply(line.text, tuple(map(_scripted_call, line.calls)))


def _scripted_call(call: ScriptedCall) -> CallStep:
    if isinstance(call.arguments, str):
        return CallStep(call.name, parse_arguments(call.arguments), call.arguments)
    return CallStep(call.name, call.arguments, encode(call.arguments))


def _within(text: str, max_tokens: int | None) -> tuple[str, bool]:
    """Return what of `text` the limit allows, and whether it was cut."""
    most = None if max_tokens is None else max(max_tokens, 0) * 4
    return (text, False) if most is None or len(text) <= most else (text[:most], True)


def _tokens(characters: int) -> int:
    return -(-characters // 4)


def _failed(step: FailStep) -> ModelError:
    said = f": {step.text}" if step.text else ""
    return ModelError(
        f"The model answered with status {step.status}{said} (as [[fail]] in the message told it)",
        status=step.status,
    )

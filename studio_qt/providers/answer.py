"""The state machine that turns chunks, or a whole body, into deltas and one completion."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, TypeAlias

from studio_qt.jsontext import JsonObject, JsonValue, decode
from studio_qt.providers.calls import CallCollector
from studio_qt.providers.lenient import as_count, as_object, as_text, dig, objects_in
from studio_qt.providers.model import Completion, ReasoningDelta, TextDelta, Usage
from studio_qt.providers.names import ToolNames
from studio_qt.providers.refusal import Refusal, RefusedError, refusal_in
from studio_qt.providers.sse import ServerEvent
from studio_qt.providers.thinking import Piece, ThinkSplitter

__all__ = ["Answer", "Delta", "UnreadableError"]

Delta: TypeAlias = TextDelta | ReasoningDelta

_REASONING_FIELDS = ("reasoning_content", "reasoning")
_ORDINARY_ENDS = {"stop", "tool_calls", "function_call", "end_turn", "eos", "stop_sequence"}
_NOTICES = {
    "length": "The reply was cut at the length limit.",
    "max_tokens": "The reply was cut at the length limit.",
    "content_filter": "The provider's content filter stopped the reply.",
    "insufficient_system_resource": "The provider ran out of capacity and cut the reply.",
}


class UnreadableError(RefusedError):
    """A part of the stream is no JSON."""


class Answer:
    """One answer as it comes.

    States: "open", "ended" (a finish reason came; usage may follow), "done" ([DONE], or a whole
    body). A stream that stops while "open" is broken. `said` is true once a delta was given.
    """

    def __init__(self, names: ToolNames, *, opens_thinking: bool = False) -> None:
        self.state: Literal["open", "ended", "done"] = "open"
        self.said = False
        self._content: list[str] = []
        self._reasoning: list[str] = []
        self._names = names
        self._calls = CallCollector(names)
        self._splitter = ThinkSplitter(opened=opens_thinking)
        self._finish: str | None = None
        self._usage: Usage | None = None
        self._refused = ""
        self._thoughts = ""  # reasoning_content as it came, for servers that want it back
        self._details: list[JsonObject] = []
        self._extra_content: JsonObject = {}

    @property
    def opens_thinking(self) -> bool | None:
        """Whether the reply began inside a reasoning block without a tag; None: it did not tell."""
        return self._splitter.lone_close

    def take_event(self, event: ServerEvent) -> Iterator[Delta]:
        """Take a server-sent event; raises RefusedError when it is an error, or is no JSON."""
        try:
            values = [decode(event.data)] if event.data.strip() != "[DONE]" else ["[DONE]"]
        except ValueError:
            values = [_value(line) for line in event.lines if line.strip()]
        for value in values:
            if value == "[DONE]":
                self.state = "done"
            elif isinstance(value, (dict, list)):
                yield from self._take(value, failed=event.name == "error")
            elif event.name == "error":
                raise RefusedError(Refusal(None, str(value)))

    def take_whole(self, body: JsonValue) -> Iterator[Delta]:
        """Take a whole JSON answer; raises RefusedError when it holds an error or no answer."""
        value = as_object(body)
        if not refusal_in(body) and not objects_in(value.get("choices")):
            raise RefusedError(Refusal(None, "the answer holds no choices"))
        yield from self._take(body, failed=False)
        self.state = "done"

    def finish(self) -> Iterator[Delta]:
        """Give what was held back: the beginnings of tags that turned out to be text."""
        cut = self._finish in {"length", "max_tokens"}
        yield from self._pieces(self._splitter.finish(cut=cut))

    def completion(self, endpoint: str, model: str) -> Completion:
        """Return the whole answer; call it after `finish`."""
        calls = self._calls.finish()
        content, reasoning = "".join(self._content), "".join(self._reasoning).strip()
        thought_only = bool(reasoning) and not calls and not content.strip()
        return Completion(
            content=content,
            tool_calls=calls,
            reasoning=reasoning,
            finish_reason=self._finish,
            usage=self._usage,
            extras=self._extras(endpoint, model),
            notices=tuple(self._notices(thought_only=thought_only)),
        )

    def _take(self, value: JsonValue, *, failed: bool) -> Iterator[Delta]:
        refusal = refusal_in(value, wholly=failed)
        if refusal:
            raise RefusedError(refusal)
        chunk = as_object(value)
        self._take_usage(chunk.get("usage") or dig(chunk, "x_groq.usage"))
        for choice in objects_in(chunk.get("choices"))[:1]:
            yield from self._take_choice(choice)

    def _take_choice(self, choice: JsonObject) -> Iterator[Delta]:
        if refusal := refusal_in(choice):
            raise RefusedError(refusal)
        said = as_object(choice.get("delta")) or as_object(choice.get("message"))
        yield from self._take_reasoning(said)
        content = said.get("content") if "content" in said else choice.get("text")
        yield from self._take_content(content)
        self._take_calls(said)
        if refused := as_text(said.get("refusal")):
            self._refused += refused
            yield from self._say(refused)
        if finish := as_text(choice.get("finish_reason")):
            self._end(finish)

    def _end(self, finish: str) -> None:
        if finish == "error":
            raise RefusedError(Refusal(None, "the provider reported an error in its answer"))
        self._finish = finish
        self.state = "ended" if self.state == "open" else self.state

    def _take_content(self, content: JsonValue) -> Iterator[Delta]:
        if isinstance(content, str):
            yield from self._pieces(self._splitter.feed(content))
        for part in objects_in(content):
            if part.get("type") == "thinking":
                yield from self._think(_flat(part.get("thinking")))
            elif text := as_text(part.get("text")):
                yield from self._say(text)

    def _take_reasoning(self, said: JsonObject) -> Iterator[Delta]:
        details = objects_in(said.get("reasoning_details"))
        self._add_details(details)
        self._thoughts += as_text(said.get("reasoning_content"))
        texts = [as_text(said.get(name)) for name in _REASONING_FIELDS]
        texts.append("".join(as_text(d.get("text") or d.get("summary")) for d in details))
        yield from self._think(next((text for text in texts if text), ""))

    def _take_calls(self, said: JsonObject) -> None:
        self._extra_content |= as_object(said.get("extra_content"))
        for piece in objects_in(said.get("tool_calls")):
            self._calls.feed(piece)
        if legacy := as_object(said.get("function_call")):
            self._calls.feed({"index": 0, "function": legacy})

    def _take_usage(self, usage: JsonValue) -> None:
        """Replace what was known: some servers report with each chunk, counted from the start."""
        report = as_object(usage)
        asked = _count(report, "prompt_tokens", "input_tokens")
        answered = _count(report, "completion_tokens", "output_tokens")
        if asked is None and answered is None:
            return
        total = _count(report, "total_tokens") or (asked or 0) + (answered or 0)
        self._usage = Usage(asked or 0, answered or 0, total)

    def _pieces(self, pieces: list[Piece]) -> Iterator[Delta]:
        for piece in pieces:
            if piece.recast and piece.reasoning:
                self._reasoning += self._content
                self._content.clear()
            elif piece.recast:
                self._reasoning.clear()
            yield from (self._think if piece.reasoning else self._say)(piece.text)

    def _say(self, text: str) -> Iterator[Delta]:
        if text:
            self._content.append(text)
            self.said = True
            yield TextDelta(text)

    def _think(self, text: str) -> Iterator[Delta]:
        if text:
            self._reasoning.append(text)
            self.said = True
            yield ReasoningDelta(text)

    def _add_details(self, details: list[JsonObject]) -> None:
        """Join the pieces of one reasoning detail, as it must be sent back whole."""
        for detail in details:
            last = self._details[-1] if self._details else {}
            same = all(last.get(key) == detail.get(key) for key in ("type", "index"))
            if not (last and same):
                self._details.append(dict(detail))
                continue
            for key, value in detail.items():
                grows = key in {"text", "summary", "data"} and isinstance(value, str)
                if grows:
                    last[key] = as_text(last.get(key)) + as_text(value)
                elif value is not None:
                    last[key] = value

    def _extras(self, endpoint: str, model: str) -> JsonObject:
        parts: JsonObject = {
            "reasoning_content": self._thoughts,
            "reasoning_details": [*self._details],
            "extra_content": self._extra_content,
        }
        message: JsonObject = {key: value for key, value in parts.items() if value}
        calls = self._calls.extras()
        if not message and not calls:
            return {}
        return {"endpoint": endpoint, "model": model, "message": message, "calls": calls}

    def _notices(self, *, thought_only: bool) -> Iterator[str]:
        if self._finish in _NOTICES:
            yield _NOTICES[self._finish]
        elif self._finish and self._finish not in _ORDINARY_ENDS:
            yield f'The provider ended the reply with "{self._finish[:60]}".'
        if self._refused:
            yield "The model refused to answer."
        if thought_only:
            yield "The model thought, but gave no answer."


def _value(line: str) -> JsonValue:
    """Read one data line of an event whose lines together are no JSON."""
    if line.strip() == "[DONE]":
        return "[DONE]"
    try:
        return decode(line)
    except ValueError as error:
        raise UnreadableError(
            Refusal(None, f"a part of the answer is no JSON: {line[:120]}")
        ) from error


def _flat(content: JsonValue) -> str:
    """Return the text of a thinking part: a string, or parts again."""
    if isinstance(content, str):
        return content
    return "".join(as_text(part.get("text")) for part in objects_in(content))


def _count(report: JsonObject, *names: str) -> int | None:
    counts: Iterator[int | None] = (as_count(report.get(name)) for name in names)
    return next((count for count in counts if count is not None), None)

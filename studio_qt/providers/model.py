"""What every provider takes and gives: requests, stream events, completions (DESIGN section 3)."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol, TypeAlias

from studio_qt.jsontext import JsonObject

__all__ = [
    "GO_ON",
    "ChatRequest",
    "Completion",
    "ModelInfo",
    "Provider",
    "ReasoningDelta",
    "StreamEvent",
    "TextDelta",
    "ToolCallRequest",
    "Usage",
    "Waiting",
]


GO_ON = (
    "Your last message broke off. Go on from exactly where it ends, as if it had never stopped: "
    "repeat nothing of it, say nothing about the break, and begin with the very next character, "
    "with a space where one is due."
)
"""What the last message of a request says, behind an unfinished answer that is to go on."""


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """One request before it is adapted to an endpoint.

    `messages` are in the OpenAI form: role, content, and for the current turn `tool_calls` and
    `tool_call_id`; our own `isFile` stands on file blocks, and assistant messages of the current
    turn may carry `extras` (see `Completion.extras`). `tools` are in the OpenAI function form,
    empty when there are none. A sampling field that is None is not sent. `on_sent` is called with
    the bytes of each try just before they go out; it copies nothing and raises nothing.
    """

    model: str
    messages: Sequence[JsonObject]
    tools: Sequence[JsonObject] = ()
    temperature: float | None = None
    top_p: float | None = None
    max_tokens: int | None = None
    stream: bool = True
    on_sent: Callable[[bytes], None] | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class TextDelta:
    """A piece of the reply's text."""

    text: str


@dataclass(frozen=True, slots=True)
class ReasoningDelta:
    """A piece of reasoning: shown apart, never part of the conversation's text."""

    text: str


@dataclass(frozen=True, slots=True)
class Waiting:
    """The provider asked for patience (429, 503): it is asked again after `seconds`."""

    seconds: float
    reason: str


@dataclass(frozen=True, slots=True)
class ToolCallRequest:
    """A tool call as the model made it.

    `id` is never empty (made up where the provider gave none). `arguments` is the object, or None
    when the text did not parse to one; `arguments_text` is the text as it came. `name` is what the
    request offered, or what the model wrote when nothing matches.
    """

    id: str
    name: str
    arguments: JsonObject | None
    arguments_text: str


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one request; `estimated` when the provider reported none."""

    prompt_tokens: int
    completion_tokens: int
    total_tokens: int
    estimated: bool = False


@dataclass(frozen=True, slots=True)
class Completion:
    """A whole answer; always the last event of a stream that did not fail.

    `finish_reason` is the raw word of the provider, None where it gave none. `extras` holds opaque
    fields (thought signatures, reasoning details) with the endpoint that they came from; the
    engine puts them back on the assistant message within the turn, and only that endpoint and
    model get them again. `notices` are sentences for the user (cut at the length limit, content
    filter, a tool-less retry). `tools_offered` is False when the request's tools were left out
    because the model does not take any.
    """

    content: str
    tool_calls: tuple[ToolCallRequest, ...] = ()
    reasoning: str = ""
    finish_reason: str | None = None
    usage: Usage | None = None
    extras: JsonObject = field(default_factory=dict)
    notices: tuple[str, ...] = ()
    tools_offered: bool = True


StreamEvent: TypeAlias = TextDelta | ReasoningDelta | Waiting | Completion


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """A model that an endpoint offers; None where the endpoint does not say."""

    id: str
    context_length: int | None = None
    takes_tools: bool | None = None
    kind: Literal["chat", "other"] = "chat"


class Provider(Protocol):
    """An endpoint that answers chats. One object serves a connection; it is used on one loop."""

    def stream(self, request: ChatRequest) -> AsyncIterator[StreamEvent]:
        """Yield the answer as it comes, a `Completion` last; raises `ModelError`.

        Cancelling the task that iterates closes the connection at once. A stream that breaks off
        raises `ModelError` after the deltas that came. Nothing is asked again once a delta was
        yielded.
        """
        ...

    async def list_models(self) -> Sequence[ModelInfo]:
        """Return the models on offer, () where the endpoint has no list; raises `ModelError`."""
        ...

    def body(self, request: ChatRequest) -> bytes:
        """Return the bytes that `stream` would send: the request adapted to the endpoint."""
        ...

    def estimate_tokens(self, text: str) -> int:
        """Return the estimated number of tokens of `text` for this endpoint, at least 0."""
        ...

    async def close(self) -> None:
        """Close connections; twice is harmless."""
        ...

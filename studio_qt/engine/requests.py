"""`SentRequests`: every request that went to a model, kept in memory for the prompt inspector.

What is kept are references to messages and bytes that were made anyway, so that recording a request
costs the same at ten and at ten thousand messages.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import islice
from typing import Literal

from studio_qt.engine.events import Event, RequestSent
from studio_qt.engine.history import Source
from studio_qt.engine.prompt import Block
from studio_qt.errors import StudioError
from studio_qt.jsontext import JsonObject
from studio_qt.providers.lenient import as_list, as_object, as_text
from studio_qt.providers.model import (
    ChatRequest,
    Completion,
    Provider,
    ReasoningDelta,
    StreamEvent,
    TextDelta,
    Usage,
)

__all__ = [
    "Built",
    "Makeup",
    "Recording",
    "RequestState",
    "SentRequest",
    "SentRequests",
    "answered_tools",
]

RequestState = Literal["next", "sent", "answered", "stopped", "failed"]

MOST_REQUESTS = 300
MOST_BYTES = 24_000_000
"""Of the bodies that are kept; the newest request stays whatever its size."""


@dataclass(frozen=True, slots=True)
class SentRequest:
    """What a list of requests tells of one.

    `number` rises with each request of a player; 0 is one that has not been sent. `turn` is that
    of the entries; `agent_id` is "" for the character's own requests; `round` counts the model
    calls of the response, or of the agent's call, from 1; `tool_call_id` is that of the call from
    which the agent asked. `time` is UNIX time; `first_token` and `seconds` count from it. `tokens`
    is what `usage` tells of the prompt, else the estimate. `tries` counts how often it went out.
    """

    number: int
    conversation_id: str
    turn: int
    lane: Literal["main", "worker"]
    agent_id: str
    round: int
    model: str
    time: float
    state: RequestState
    tokens: int
    tool_call_id: int | None = None
    usage: Usage | None = None
    finish_reason: str | None = None
    first_token: float | None = None
    seconds: float | None = None
    size: int | None = None
    tries: int = 1
    error: str = ""
    after: tuple[str, ...] = ()
    """The tools whose answers it brings along."""


@dataclass(frozen=True, slots=True)
class Makeup:
    """How the messages of a request came together: `blocks`, `past`, then `running` messages.

    `blocks` and `left_out` are what precedes the turns; `asked` is the entry that is answered.
    `earlier` counts the responses of this turn that are not sent. `reserve` are the tokens kept
    for the answer.
    """

    turn: int
    running: int
    blocks: tuple[Block, ...] = ()
    left_out: tuple[Block, ...] = ()
    past: tuple[Source, ...] | list[Source] = ()
    rejected: tuple[Source, ...] | list[Source] = ()
    asked: str = ""
    earlier: int = 0
    turns_cut: int = 0
    messages_cut: int = 0
    tokens_cut: int = 0
    last_cut: int = 0
    window: int = 0
    reserve: int = 0


@dataclass(frozen=True, slots=True)
class Built:
    """A request, how it came together, and what is told of it."""

    request: ChatRequest
    makeup: Makeup
    about: SentRequest


class Recording:
    """One request from its sending to its end; `request` is what has to be given to the provider.

    `bodies` holds the bytes of each try that differ from those of the one before.
    """

    def __init__(self, built: Built, provider: Provider) -> None:
        self.about, self.makeup, self.provider = built.about, built.makeup, provider
        self.bodies: list[bytes] = []
        self.request = replace(built.request, on_sent=self._sent)
        self._tries = 0
        self._began = time.monotonic()

    @property
    def size(self) -> int:
        """The bytes that are kept of it."""
        return sum(map(len, self.bodies))

    def hear(self, event: StreamEvent) -> None:
        """Take in what the provider says."""
        if isinstance(event, Completion):
            usage = event.usage
            told = usage is not None and not usage.estimated
            self._note(
                state="answered",
                usage=usage,
                finish_reason=event.finish_reason,
                tokens=usage.prompt_tokens if usage and told else self.about.tokens,
            )
        elif self.about.first_token is None and isinstance(event, TextDelta | ReasoningDelta):
            self._note(first_token=time.monotonic() - self._began)

    def end(self, state: RequestState, error: str = "") -> None:
        """It has come to its end; one that was answered stays so."""
        if self.about.state == "sent":
            self._note(state=state, error=error)
        self._note(seconds=time.monotonic() - self._began)

    def _sent(self, body: bytes) -> None:
        self._tries += 1
        if not self.bodies or self.bodies[-1] != body:
            self.bodies.append(body)
        self._note(size=len(body), tries=self._tries)

    def _note(self, **changes: object) -> None:
        self.about = replace(self.about, **changes)  # type: ignore[arg-type]


class SentRequests:
    """The newest requests of a player, bounded in number and in bytes."""

    def __init__(
        self, tell: Callable[[Event], None], most: int = MOST_REQUESTS, most_bytes: int = MOST_BYTES
    ) -> None:
        self._tell, self._most, self._most_bytes = tell, most, most_bytes
        self._kept: deque[Recording] = deque()
        self._last = 0

    @contextmanager
    def recording(self, built: Built, provider: Provider) -> Iterator[Recording]:
        """Keep a request while it is asked; whatever the way out, its end is noted and told."""
        self._last += 1
        about = replace(built.about, number=self._last, state="sent", time=time.time())
        record = Recording(replace(built, about=about), provider)
        self._kept.append(record)
        self._tell(RequestSent(self._last, "sent"))
        try:
            yield record
        except asyncio.CancelledError:
            record.end("stopped")
            raise
        except BaseException as error:
            record.end("failed", str(error))
            raise
        finally:
            record.end("stopped")
            self._forget_oldest()
            state = record.about.state
            self._tell(RequestSent(about.number, "stopped" if state == "next" else state))

    def list(self, conversation_id: str) -> list[SentRequest]:
        """Return what is kept of a conversation's requests, the oldest first."""
        kept = (record.about for record in self._kept)
        return [about for about in kept if about.conversation_id == conversation_id]

    def find(self, number: int) -> Recording:
        """Return a request; raises StudioError for one that is not kept."""
        for record in self._kept:
            if record.about.number == number:
                return record
        raise StudioError(
            f"Request {number} is not kept any more. The newest ones are; send again to see it."
        )

    def _forget_oldest(self) -> None:
        """Let go of the oldest until the rest is within bounds; the newest stays."""
        room, kept = self._most_bytes, 0
        for record in islice(reversed(self._kept), self._most):
            room -= record.size
            if room < 0 and kept:
                break
            kept += 1
        while len(self._kept) > kept:
            self._kept.popleft()


def answered_tools(messages: Sequence[JsonObject]) -> tuple[str, ...]:
    """Return the names of the tools whose answers stand at the end of `messages`, in order."""
    for message in reversed(messages):
        if message.get("role") == "tool":
            continue
        calls = map(as_object, as_list(message.get("tool_calls")))
        return tuple(as_text(as_object(call.get("function")).get("name")) for call in calls)
    return ()

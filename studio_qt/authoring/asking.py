"""Talking with a model about a piece of writing: rounds, progress, and an end in any case."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass

from studio_qt.errors import StudioError
from studio_qt.jsontext import JsonObject
from studio_qt.providers import tokens
from studio_qt.providers.model import (
    Completion,
    ReasoningDelta,
    StreamEvent,
    TextDelta,
    Waiting,
)

__all__ = ["Answer", "Progress", "RefusedError", "Stream", "Talk", "message"]

Stream = Callable[[Sequence[JsonObject], int], AsyncIterator[StreamEvent]]
"""Sends messages to a model, with the most tokens that it may answer, and yields its answer."""

_CHARACTERS_PER_TOKEN = 12
"""More than any script or model needs: a server that ignores the limit does not run for ever."""

_MORE = 4_096
_THOUGHTS = 8
"""So many times the answer's room may be thought before it."""


class RefusedError(StudioError):
    """What the model wrote cannot be used; says why, and what to do.

    `answer` is what it wrote, to be shown to who wants to see it.
    """

    def __init__(self, message: str, answer: str = "") -> None:
        super().__init__(message)
        self.answer = answer


@dataclass(frozen=True, slots=True)
class Progress:
    """A step of a talk. `piece` is new text of the answer; "" with a `step` begins anew.

    `tokens` are those that have been written in all, an estimate until a round ends; `waiting` is
    the sentence of an endpoint that asks for patience, `thinking` says that no text comes yet.
    """

    step: str
    piece: str = ""
    tokens: int = 0
    thinking: bool = False
    waiting: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a model wrote; `cut` when it had no room to end."""

    text: str
    cut: bool = False


def message(role: str, content: str) -> JsonObject:
    """Return a message in the OpenAI form."""
    return {"role": role, "content": content}


class Talk:
    """The rounds of one deed. `told` gets each step; `tokens` counts what was written in all."""

    def __init__(self, stream: Stream, told: Callable[[Progress], None] | None = None) -> None:
        self._stream = stream
        self._told = told
        self.tokens = 0

    async def ask(self, messages: Sequence[JsonObject], max_tokens: int, step: str) -> Answer:
        """Return the whole answer; raises ModelError, and RefusedError for one without an end.

        `step` names the round for people.
        """
        return await _Round(self, step, max_tokens).run(self._stream(messages, max_tokens))

    def tell(self, progress: Progress) -> None:
        """Pass a step on to whoever shows it."""
        if self._told is not None:
            self._told(progress)


class _Round:
    def __init__(self, talk: Talk, step: str, max_tokens: int) -> None:
        self._talk, self._step = talk, step
        self._before = talk.tokens
        self._most = self._room = max_tokens * _CHARACTERS_PER_TOKEN + _MORE
        self._thoughts = self._room * _THOUGHTS
        self._pieces: list[str] = []

    async def run(self, stream: AsyncIterator[StreamEvent]) -> Answer:
        self._tell()
        completion: Completion | None = None
        async with aclosing(stream) as events:  # type: ignore[type-var]
            async for event in events:
                if isinstance(event, Completion):
                    completion = event
                else:
                    self._take(event)
        if completion is None:
            raise RefusedError("The model gave no answer. Try again.")
        if completion.usage is not None:
            self._talk.tokens = self._before + completion.usage.completion_tokens
            self._tell()
        text = completion.content or "".join(self._pieces)
        if len(text) > self._most:
            raise self._endless(text)
        return Answer(text, cut=completion.finish_reason == "length")

    def _take(self, event: StreamEvent) -> None:
        if isinstance(event, TextDelta):
            self._room -= len(event.text)
            self._pieces.append(event.text)
            self._count(event.text)
            self._tell(piece=event.text)
            if self._room < 0:
                raise self._endless("".join(self._pieces))
            return
        if isinstance(event, ReasoningDelta):
            self._thoughts -= len(event.text)
            self._count(event.text)
            self._tell(thinking=True)
            if self._thoughts < 0:
                raise self._endless("")
        elif isinstance(event, Waiting):
            self._tell(waiting=event.reason)

    def _count(self, text: str) -> None:
        self._talk.tokens += tokens.estimate(text)

    def _tell(self, *, piece: str = "", thinking: bool = False, waiting: str = "") -> None:
        self._talk.tell(Progress(self._step, piece, self._talk.tokens, thinking, waiting))

    @staticmethod
    def _endless(text: str) -> RefusedError:
        return RefusedError(
            "The model did not come to an end, and was stopped. Try again, or choose another "
            "worker model in Settings, Connections.",
            text[:20_000],
        )

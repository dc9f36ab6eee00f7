"""From the bytes of an answer to its deltas: a stream, a whole JSON body, or neither."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterator
from contextlib import aclosing, suppress
from typing import Literal, Protocol, TypeAlias

from studio_qt.errors import ModelError
from studio_qt.jsontext import decode
from studio_qt.providers.answer import Answer, Delta, UnreadableError
from studio_qt.providers.refusal import RefusedError, read_refusal
from studio_qt.providers.sse import SseDecoder
from studio_qt.providers.trouble import BrokenError

__all__ = ["Incoming", "receive"]

_Form: TypeAlias = Literal["stream", "json", "page"]


class Incoming(Protocol):
    """What `receive` reads: the body of an answer with status 200."""

    def pieces(self) -> AsyncGenerator[bytes, None]:
        """Yield the body as it arrives; raises ModelError when it breaks or stalls."""
        ...

    def hurry(self) -> None:
        """Wait only a moment for what may still follow."""
        ...


async def receive(incoming: Incoming, answer: Answer) -> AsyncGenerator[Delta, None]:
    """Feed `answer` and yield its deltas; raises RefusedError, and ModelError for a broken end.

    What the body is shows in its first character, since servers and proxies label it wrongly.
    """
    decoder = SseDecoder()
    form: _Form | None = None
    body = b""
    try:
        async with aclosing(incoming.pieces()) as pieces:
            async for piece in pieces:
                body = piece if form == "stream" else body + piece
                form = form or _form_of(body)
                if form == "stream":
                    for delta in _streamed(decoder, answer, body):
                        yield delta
                if answer.state != "open":
                    incoming.hurry()
    except ModelError:
        for delta in answer.finish():
            yield delta
        if answer.state == "open":
            raise
        return
    for delta in _ending(form, decoder, answer, body):
        yield delta


def _form_of(body: bytes) -> _Form | None:
    first = body.removeprefix(b"\xef\xbb\xbf").lstrip()[:1]
    if not first:
        return None
    return "page" if first == b"<" else "json" if first in b"{[" else "stream"


def _streamed(decoder: SseDecoder, answer: Answer, piece: bytes) -> Iterator[Delta]:
    for event in decoder.feed(piece):
        if answer.state != "done":
            yield from answer.take_event(event)


def _ending(
    form: _Form | None, decoder: SseDecoder, answer: Answer, body: bytes
) -> Iterator[Delta]:
    """Give the last deltas, then raise what the end of the body means when it is not good."""
    if form is None:
        raise BrokenError("The answer was empty. Try again; if it stays so, check the base URL.")
    if form == "page":
        raise RefusedError(read_refusal(200, body, {}))
    if form == "json":
        yield from _whole(answer, body)
    else:
        with suppress(UnreadableError):  # a line that was cut
            for event in decoder.close():
                yield from answer.take_event(event)
    yield from answer.finish()
    if answer.state == "open":
        raise BrokenError(
            "The answer broke off before its end. Try again, or go on from what came."
        )


def _whole(answer: Answer, body: bytes) -> Iterator[Delta]:
    try:
        value = decode(body)
    except ValueError as error:
        raise ModelError(f"The answer is no JSON: {error}. Try again.") from error
    yield from answer.take_whole(value)

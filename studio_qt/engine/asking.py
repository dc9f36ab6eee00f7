"""Asking a model outside of any conversation, on the user's own behalf: nothing is metered."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing

from studio_qt.engine.models import Lane, Models
from studio_qt.jsontext import JsonObject
from studio_qt.providers.model import ChatRequest, StreamEvent

__all__ = ["ask"]


async def ask(
    models: Models,
    messages: Sequence[JsonObject],
    *,
    lane: Lane,
    max_tokens: int,
) -> AsyncGenerator[StreamEvent, None]:
    """Yield a model's answer as `Provider.stream` does, a `Completion` last; raises ModelError.

    Leaving the iteration closes the connection at once. The request is kept in no list.
    """
    model = await models.lane(lane)
    request = ChatRequest(model=model.id, messages=messages, max_tokens=max_tokens)
    stream = models.provider.stream(request)
    async with aclosing(stream) as events:  # type: ignore[type-var]
        async for event in events:
            yield event

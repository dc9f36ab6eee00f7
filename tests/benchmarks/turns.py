"""What a turn costs beside the model: in a short conversation and in one of 10,000 messages."""

from __future__ import annotations

import json
import statistics
import tempfile
import time
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from unittest import mock

from studio_qt import CharacterPlayer
from studio_qt.providers.model import ChatRequest, Completion, ModelInfo, StreamEvent, TextDelta
from tests.support.packages import agent, build

__all__ = ["bench_turns"]

NOTE = agent(
    "t.note",
    "export const onLoad = (store) => `turns: ${store.n ?? 0}`;"
    "export const onToolCall = () => 'x';",
    tools=["note"],
    tags="@preload true",
)


class InstantProvider:
    """Answers at once without reading the request, so that only the engine's time is left."""

    async def stream(self, request: ChatRequest) -> AsyncIterator[StreamEvent]:
        """Say one word."""
        yield TextDelta("Yes.")
        yield Completion("Yes.", finish_reason="stop")

    async def list_models(self) -> Sequence[ModelInfo]:
        """Offer one model with a usual window."""
        return (ModelInfo("instant", 32_768, True),)

    def body(self, request: ChatRequest) -> bytes:
        """Return nothing: nothing is sent."""
        return b""

    def estimate_tokens(self, text: str) -> int:
        """Four characters a token."""
        return len(text) // 4

    async def close(self) -> None:
        """Hold nothing."""


async def bench_turns() -> dict[str, float]:
    """Interleave turns in both conversations and return their medians and the ratio."""
    with (
        tempfile.TemporaryDirectory() as folder,
        mock.patch("studio_qt.engine.models.open_provider", lambda *_, **__: InstantProvider()),
    ):
        short, open_short = await _opened(Path(folder) / "short", 10)
        long, open_long = await _opened(Path(folder) / "long", 10_000)
        times: dict[str, list[float]] = {"short": [], "long": []}
        for _ in range(40):
            for name, player in (("short", short), ("long", long)):
                began = time.perf_counter()
                await player.send("And then?")
                times[name].append(time.perf_counter() - began)
        await short.close()
        await long.close()
    few, many = (1000 * statistics.median(times[name][5:]) for name in ("short", "long"))
    return {
        "turn_10_messages_ms": few,
        "turn_10000_messages_ms": many,
        "turn_ratio": many / few,
        "open_10_messages_ms": 1000 * open_short,
        "open_10000_messages_ms": 1000 * open_long,
    }


async def _opened(root: Path, count: int) -> tuple[CharacterPlayer, float]:
    """Return a player on a conversation of `count` messages, and the seconds that opening took.

    It is opened twice, since the first time takes over a file that another program wrote.
    """
    words = "The lamp turns, and the boats come in one after another. " * 4
    messages = [
        {"role": "assistant" if at % 2 else "user", "content": f"{at}: {words}"}
        for at in range(count)
    ]
    stored = {"conversations/conversation_01.json": json.dumps(messages)}
    build(root, {"agents/t.note.js": NOTE, **stored})
    async with _player(root):
        pass
    player = _player(root)
    started = time.perf_counter()
    await player.open()
    return player, time.perf_counter() - started


def _player(root: Path) -> CharacterPlayer:
    return CharacterPlayer(root, base_url="http://127.0.0.1:9/v1", model="instant")

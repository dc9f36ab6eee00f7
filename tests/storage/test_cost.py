"""What a change costs does not depend on how long the conversation is."""

from __future__ import annotations

import json
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from statistics import median

import pytest

from studio_qt.engine.storage import Conversation, DataFolder

ENTRY = {"role": "user", "content": "It was a dark and stormy night. " * 12}


async def measure(work: Callable[[int], Awaitable[object]], times: int = 60) -> float:
    """The median of the seconds that one piece of work takes."""
    taken = []
    for number in range(times):
        start = time.perf_counter()
        await work(number)
        taken.append(time.perf_counter() - start)
    return median(taken)


async def costs(conversation: Conversation) -> dict[str, float]:
    """Seconds of the things that a turn does."""
    text = json.dumps({"pad": "p" * 20_000, "n": 0})

    async def append(_: int) -> None:
        conversation.append(ENTRY)

    async def draft(_: int) -> None:
        conversation.draft("token")

    async def look(_: int) -> None:
        conversation.entry(len(conversation) - 1)

    return {
        "append": await measure(append),
        "draft": await measure(draft),
        "look": await measure(look),
        "put": await measure(lambda n: conversation.put_store("t.a", text[:-1] + f',"m":{n}}}')),
        "issue": await measure(lambda _: conversation.issue_tool_call_id()),
    }


def written(place: Path) -> int:
    """Bytes in the journal."""
    return sum(path.stat().st_size for path in place.glob("*.journal.*"))


async def test_a_turn_costs_the_same_at_ten_and_ten_thousand_entries(
    folder: DataFolder, place: Path
) -> None:
    short, long = await folder.create(), await folder.create()
    for _ in range(10):
        short.append(ENTRY)
    for _ in range(10_000):
        long.append(ENTRY)
    for _ in range(3):  # a busy machine may disturb one look
        few, many = await costs(short), await costs(long)
        dear = {k: (few[k], v) for k, v in many.items() if v > 1.3 * few[k] + 100e-6}
        if not dear:
            break
    assert not dear


async def test_the_end_of_a_turn_rewrites_a_long_conversation_at_most_every_30_seconds(
    conversation: Conversation, place: Path
) -> None:
    snapshot = place / "conversation_01.json"
    for _ in range(1000):
        conversation.append(ENTRY)
    await conversation.checkpoint()
    await conversation.snapshot_done()
    before = snapshot.stat()
    assert before.st_size > 256 * 1024
    conversation.append(ENTRY)
    await conversation.checkpoint()
    await conversation.snapshot_done()
    assert snapshot.stat().st_mtime_ns == before.st_mtime_ns


async def test_ten_thousand_entries_open_within_150_milliseconds(
    folder: DataFolder, place: Path
) -> None:
    conversation = await folder.create()
    for _ in range(10_000):
        conversation.append(ENTRY)
    taken = []
    for _ in range(5):
        await conversation.close()
        start = time.perf_counter()
        conversation = await folder.load("conversation_01")
        taken.append(time.perf_counter() - start)
        assert len(conversation) == 10_000
    assert min(taken) < 0.15


@pytest.mark.clause("PERS-04")
async def test_ten_thousand_entries_of_the_journal_alone_open_quickly(
    folder: DataFolder, place: Path, tmp_path: Path
) -> None:
    conversation = await folder.create()
    for _ in range(10_000):
        conversation.append(ENTRY)
    copy = tmp_path / "killed"
    copy.mkdir()
    for path in place.glob("conversation*"):
        (copy / path.name).write_bytes(path.read_bytes())
    async with await DataFolder.open(copy, package_hash="p1") as killed:
        start = time.perf_counter()
        assert len(await killed.load("conversation_01")) == 10_000
        assert time.perf_counter() - start < 1.0

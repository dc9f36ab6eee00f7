"""Data, time and numbers, played by Rehearsal through a whole player: calls, preload, edits."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from studio_qt import CharacterPlayer
from tests.support.packages import build

CARS = [{"name": "Wren", "year": 1931, "fuel": "petrol"}, {"name": "Heron", "fuel": "diesel"}]
STATS = {"stats": {"health": {"value": 80, "max": 100}}}
AGENTS = [
    {"id": "garage.cars", "implementation": "studio.agent-db", "contextFile": ".cars.json"},
    "studio.event-scheduler",
    "studio.stat-tracker",
]


@pytest_asyncio.fixture(loop_scope="module")
async def player(tmp_path: Path) -> AsyncIterator[CharacterPlayer]:
    files: dict[str, str | bytes] = {
        "context/.cars.json": json.dumps(CARS),
        "studio.stat-tracker.agent.json": json.dumps(STATS),
        "instructions.txt": "You are a driver.",
    }
    build(tmp_path / "package", files, agents=AGENTS)
    async with CharacterPlayer(tmp_path / "package", base_url="rehearsal:") as player:
        yield player


async def _background(player: CharacterPlayer) -> str:
    request: Any = await player.prepare_request("Hello")
    return "\n".join(str(message["content"]) for message in request["messages"])


@pytest.mark.clause("PKG-05", "PKG-07", "EXP-02", "MAN-01")
async def test_plain_words_find_the_tools_and_fill_them(player: CharacterPlayer) -> None:
    calls: list[tuple[str, str]] = []
    player.on("toolCall", lambda call: calls.append((call["toolName"], call["result"])))
    expected = {
        "Which cars run on diesel?": ("cars", "name: Heron"),
        "Find a random car": ("cars", "1 shown"),
        "What time is it?": ("get_time", "day 1, 08:00"),
        "Set the time to 18:30.": ("set_time", "It is now day 1, 18:30."),
        "Schedule an event: the ferry comes in 2 hours.": ("schedule_event", "day 1, 20:30"),
        "Advance the time by 3 hours.": ("advance_time", "Now due: #1"),
        "Cancel the event ferry": ("cancel_event", "Ticked off: #1"),
        "Change the stat health by -10": ("change_stat", "health: 80 → 70 of 100."),
        "Add a silver key to the inventory": ("add_item", "added silver key."),
    }
    for text in expected:
        await player.send(text)
    assert [name for name, _ in calls] == [name for name, _ in expected.values()]
    for (_, result), (_, part) in zip(calls, expected.values(), strict=True):
        assert part in result
    background = await _background(player)
    assert "It is day 1, 21:30." in background
    assert "- health: 70 of 100\n- inventory: silver key" in background
    assert player.problems() == []


@pytest.mark.clause("HOOK-05", "PERS-05", "SYS-06")
async def test_deleting_a_reply_takes_its_calls_back(player: CharacterPlayer) -> None:
    await player.send('[[call change_stat {"name": "health", "amount": -30}]]')
    await player.send('[[call advance_time {"time": "2 hours"}]] [[call add_item {"item": "key"}]]')
    assert "It is day 1, 10:00." in await _background(player)
    second = [entry["role"] for entry in player.get_conversation()].index("user", 1)
    await player.truncate(second)
    background = await _background(player)
    assert "- health: 50 of 100" in background
    assert "key" not in background
    assert "Story time" not in background


@pytest.mark.clause("HOOK-02", "HOOK-03", "CTX-01")
async def test_the_clock_of_a_composed_entry_goes_on_by_itself(tmp_path: Path) -> None:
    clock = {"id": "t.clock", "implementation": "studio.event-scheduler", "minutesPerResponse": 5}
    build(tmp_path / "package", {"instructions.txt": "You wait."}, agents=[clock])
    async with CharacterPlayer(tmp_path / "package", base_url="rehearsal:") as player:
        await player.send("[[say Tick]]")
        await player.send("[[say Tock]]")
        assert await player.call_tool("clock", {}) == "It is day 1, 08:10.\nNothing is planned."
        await player.regenerate()
        assert "08:10" in await player.call_tool("clock", {})
        assert "now day 1, 09:10" in await player.call_tool("clock_advance_time", {"time": "1 h"})

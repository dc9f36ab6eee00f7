"""The Lantern Keeper's herring boats: a Lua agent."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from .stage import Opener

LUA = "keeper.boats.lua"
PLACES = ["at the nets", "standing in", "on the bar", "home"]


def _places(store: dict[str, Any]) -> list[int]:
    return [PLACES.index(boat["place"]) for boat in store["boats"]]


@pytest.mark.clause("EXP-01", "LANG-01")
async def test_the_boats_are_counted_and_found_by_name_or_skipper(sample: Opener) -> None:
    stage = await sample(LUA)
    counted = await stage.tool("count_boats", {})
    assert counted.startswith("6 of 6 boats still out.\n- Provider (Amos Trew), at the nets\n")
    assert await stage.tool("count_boats", {"boat": "the boats"}) == counted
    assert "Constant Ann (" in await stage.tool("count_boats", {"boat": "the constant ann"})
    assert "Two Brothers (" in await stage.tool("count_boats", {"boat": "Garrick"})
    unknown = await stage.tool("count_boats", {"boat": "Annis Rowe"})
    assert unknown == f"No boat of Graypoint is called Annis Rowe.\n{counted}"
    assert stage.store == {}


@pytest.mark.clause("HOOK-03")
async def test_boats_only_come_nearer_until_all_are_home(sample: Opener) -> None:
    stage = await sample(LUA)
    await stage.hook("onConversationStart", {})
    before = _places(stage.store)
    for _ in range(400):
        await stage.hook("onAfterResponse", {})
        after = _places(stage.store)
        assert all(0 <= new - old <= 1 for old, new in zip(before, after, strict=True))
        if min(before := after) == 3:
            break
    assert await stage.tool("count_boats", {"boat": "all"}) == (
        "All 6 boats are home.\n" + (await stage.tool("count_boats", {})).split("\n", 1)[1]
    )
    assert len(stage.logs) == 6
    assert str(await stage.preload()).endswith("All 6 boats are home.")


async def test_the_siren_is_sounded_and_brings_boats_in_sooner(sample: Opener) -> None:
    stage = await sample(LUA)
    said = await stage.tool("sound_horn", {"turns": 12}, call=1)
    assert said.startswith("The siren goes out over the water, 12 long turns. ")
    assert "Constant Ann" in said or "Morning Star" in said
    assert stage.store["blown"] == [{"turns": 12, "toolCallId": 1}]
    heard = quiet = 0
    for _ in range(60):
        called = await sample(LUA, store={"blown": [{"turns": 12}]})
        await called.hook("onAfterResponse", {})
        assert not called.store["blown"]
        heard += sum(_places(called.store))
        alone = await sample(LUA)
        await alone.hook("onAfterResponse", {})
        quiet += sum(_places(alone.store))
    assert heard > quiet + 25  # 101 expected; 30 would be five times the spread below


@pytest.mark.parametrize("turns", [0, 13, 2.5, "many", [], True])
async def test_what_the_crank_cannot_do_is_refused(sample: Opener, turns: Any) -> None:
    stage = await sample(LUA)
    assert "in figures" in await stage.tool("sound_horn", {"turns": turns})
    assert stage.store == {}


@pytest.mark.clause("HOOK-02")
async def test_a_message_answered_again_finds_the_boats_where_they_were(sample: Opener) -> None:
    stage = await sample(LUA)
    await stage.hook("onConversationStart", {})
    await stage.tool("sound_horn", {"turns": 12}, call=1)
    before = copy.deepcopy(stage.store)
    for _ in range(5):
        await stage.hook("onAfterResponse", {})
        await stage.hook("onBeforeResponse", {"regenerate": True})
        assert stage.store == before


@pytest.mark.clause("HOOK-05")
async def test_a_siren_of_a_removed_call_was_not_heard(sample: Opener) -> None:
    stage = await sample(LUA)
    await stage.tool("sound_horn", {"turns": 2}, call=1)
    await stage.command("horn_command", "4")
    await stage.tool("sound_horn", {"turns": 6}, call=3)
    await stage.hook("onAfterResponse", {})
    await stage.remove_calls(1, 3)
    await stage.hook("onBeforeResponse", {"regenerate": True})
    assert stage.store["blown"] == [{"turns": 4}]


@pytest.mark.clause("EXP-03")
async def test_the_commands_show_move_and_sound(sample: Opener) -> None:
    stage = await sample(LUA)
    assert await stage.command("boats_command", "") is None
    assert stage.toasts[0].startswith("6 of 6 boats")
    assert await stage.command("boats_command", "The Girl Ida  home") is None
    assert stage.logs == ["Girl Ida (Silas Dole), home."]
    assert "5 of 6 boats" in str(await stage.preload())
    assert await stage.command("horn_command", "") is None
    assert stage.store["blown"] == [{"turns": 3}]
    for text in ("Girl Ida", "home", "Annis Rowe home", "Provider sunk"):
        assert str(await stage.command("boats_command", text)).startswith("Name a boat and a place")
    assert isinstance(await stage.command("horn_command", "loud"), str)


@pytest.mark.clause("EXP-07")
@pytest.mark.parametrize(
    "store",
    [
        {"boats": 3, "blown": "x", "last": []},
        {"boats": [None, 4, {"name": 1, "place": "home"}, {"name": "Provider"}], "blown": {}},
        {"boats": {"name": "x"}, "blown": [{"turns": "a"}, {"turns": -1}, 7], "last": 3},
        {"last": {"boats": "x", "blown": 3}},
    ],
)
async def test_a_damaged_store_is_a_fleet_at_sea(sample: Opener, store: Any) -> None:
    for hook in ("onConversationStart", "onBeforeResponse", "onAfterUserEdit"):
        stage = await sample(LUA, store=copy.deepcopy(store))
        await stage.hook(hook, {"regenerate": True, "deletedToolCallIds": [1]})
        assert "6 of 6 boats still out." in str(await stage.preload())
        assert "3 long turns" in await stage.tool("sound_horn", None)
    await stage.hook("onAfterResponse", {})
    assert len(stage.store["boats"]) == 6

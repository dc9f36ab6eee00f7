"""The Lantern Keeper's own agent: lamp, clock, weather and log."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from .stage import Opener


@pytest.mark.clause("PKG-09", "EXP-01")
async def test_the_night_begins_as_it_was_shipped(keeper: Opener) -> None:
    stage = await keeper()
    await stage.hook("onConversationStart", {"isNewConversation": True})
    text = await stage.preload()
    assert isinstance(text, str)
    assert "The clock says 17:12. Wick 6, oil 82 of 100: a clear light, eleven miles." in text
    assert "Outside: " in text
    assert text.endswith("- 17:12 Lamp lit. Someone on the stairs.")


async def test_an_entry_is_written_at_the_hour_and_read_again(keeper: Opener) -> None:
    stage = await keeper()
    written = await stage.tool("write_log", {"text": "A  visitor,\ndripping."}, call=1)
    assert written == "Written at 17:12: A visitor, dripping."
    assert stage.logs == ["Log 17:12: A visitor, dripping."]
    assert stage.store["entries"][-1]["toolCallId"] == 1
    assert await stage.tool("read_log", {"query": "VISITOR"}) == "- 17:12 A visitor, dripping."
    assert len((await stage.tool("read_log", {"limit": 2})).splitlines()) == 2
    assert "No entry has “zebra”" in await stage.tool("read_log", {"query": "zebra"})


@pytest.mark.parametrize(
    ("hour", "clock"),
    [("18:05", "18:05"), ("02:40", "02:40"), ("16:00", "17:12"), ("99:99", "17:12"), (7, "17:12")],
)
async def test_an_entry_sets_the_clock_forward_only(keeper: Opener, hour: Any, clock: str) -> None:
    stage = await keeper()
    await stage.tool("write_log", {"text": "x", "hour": hour})
    assert stage.store["clock"] == clock


async def test_the_lamp_is_tended(keeper: Opener) -> None:
    stage = await keeper()
    assert await stage.tool("tend_lamp", {}) == (
        "17:12. Wick 6, oil 82 of 100: a clear light, eleven miles."
    )
    assert "low light, four miles" in await stage.tool("tend_lamp", {"wick": 3})
    assert "the rest stayed in the can" in await stage.tool("tend_lamp", {"oil": 30})
    assert "OUT" in await stage.tool("tend_lamp", {"wick": 0})
    assert "smokes" in await stage.tool("tend_lamp", {"wick": 10})
    assert stage.store["lamp"] == {"wick": 10, "oil": 100}


@pytest.mark.parametrize("args", [{"wick": 11}, {"wick": "eleven"}, {"oil": 0}, {"oil": []}])
async def test_what_the_lamp_cannot_do_is_refused(keeper: Opener, args: Any) -> None:
    stage = await keeper()
    assert "in figures" in await stage.tool("tend_lamp", args)
    assert stage.store["lamp"] == {"wick": 6, "oil": 82}


@pytest.mark.clause("EXP-03")
@pytest.mark.parametrize("text", ["wick eleven", "wick 11", "wick -1", "wick"])
async def test_the_command_refuses_a_wick_that_is_no_mark(keeper: Opener, text: str) -> None:
    stage = await keeper()
    answer = await stage.command("logCommand", text)
    assert answer == "The wick goes from 0 to 10, in figures. For example @log wick 4"


@pytest.mark.clause("EXP-03")
async def test_the_command_turns_fills_and_writes(keeper: Opener) -> None:
    stage = await keeper()
    assert await stage.command("logCommand", "wick 4") is None
    assert await stage.command("logCommand", "oil +8") is None
    assert await stage.command("logCommand", "The bell buoy is silent.") is None
    assert stage.store["lamp"] == {"wick": 4, "oil": 90}
    assert stage.store["entries"][-1]["text"] == "The bell buoy is silent."
    assert len(stage.toasts) == 3
    for refused in ("", "oil", "oil lots", "oil +900"):
        assert isinstance(await stage.command("logCommand", refused), str)


@pytest.mark.clause("HOOK-03")
async def test_time_passes_with_every_answer(keeper: Opener) -> None:
    stage = await keeper()
    await stage.hook("onAfterResponse", {"responseText": "x"})
    assert stage.store["clock"] in ("17:16", "17:19", "17:24")
    assert 80 < stage.store["lamp"]["oil"] < 82
    assert stage.store["weather"]["sky"]


@pytest.mark.clause("HOOK-02")
async def test_a_message_answered_again_is_answered_at_the_same_hour(keeper: Opener) -> None:
    stage = await keeper()
    await stage.hook("onConversationStart", {"isNewConversation": True})
    before = copy.deepcopy({**stage.store, "tended": []})
    await stage.hook("onAfterResponse", {})
    await stage.hook("onBeforeResponse", {"regenerate": True})
    assert stage.store == before
    await stage.hook("onAfterResponse", {})
    after = copy.deepcopy(stage.store)
    await stage.hook("onBeforeResponse", {"regenerate": False})
    assert stage.store == after


async def test_a_lamp_without_oil_goes_out_once(keeper: Opener) -> None:
    stage = await keeper(store={"lamp": {"wick": 10, "oil": 0.1}})
    for _ in range(3):
        await stage.hook("onAfterResponse", {})
    assert stage.toasts == ["The lamp has burned dry. The light is out."]
    assert "OUT" in str(await stage.preload())


@pytest.mark.clause("HOOK-05")
async def test_removed_calls_are_taken_back(keeper: Opener) -> None:
    stage = await keeper()
    await stage.tool("write_log", {"text": "kept", "hour": "18:00"}, call=1)
    await stage.tool("write_log", {"text": "removed", "hour": "19:30"}, call=2)
    await stage.tool("tend_lamp", {"wick": 2, "oil": 5}, call=3)
    await stage.tool("tend_lamp", {"wick": 9}, call=4)
    await stage.remove_calls(2, 3, 4)
    assert stage.store["clock"] == "18:00"
    assert stage.store["lamp"] == {"wick": 6, "oil": 82}
    assert [entry["text"] for entry in stage.store["entries"]][2:] == ["kept"]


@pytest.mark.clause("HOOK-05")
async def test_a_wick_that_was_turned_since_stays(keeper: Opener) -> None:
    stage = await keeper()
    await stage.tool("tend_lamp", {"wick": 2, "oil": 5}, call=1)
    await stage.command("logCommand", "wick 8")
    await stage.remove_calls(1)
    assert stage.store["lamp"] == {"wick": 8, "oil": 82}


async def test_the_sea_is_never_the_same_for_long(keeper: Opener) -> None:
    stage = await keeper()
    seen = {await stage.tool("watch_sea", {}) for _ in range(40)}
    assert len(seen) > 3
    skies = set()
    for _ in range(60):
        await stage.hook("onAfterResponse", {})
        skies.add(stage.store["weather"]["sky"])
    assert len(skies) > 1


@pytest.mark.clause("LIB-01")
async def test_it_works_in_a_player_without_libraries(keeper: Opener) -> None:
    stage = await keeper(libs=[])
    assert (await stage.tool("watch_sea", {})).startswith("17:12. Driving rain.")
    await stage.hook("onAfterResponse", {})
    assert stage.store["clock"] == "17:19"


@pytest.mark.clause("EXP-07")
@pytest.mark.parametrize(
    "store",
    [
        {},
        {"lamp": 3, "clock": "99:99", "weather": [], "entries": {}, "tended": "x", "last": 3},
        {"lamp": {"wick": "a", "oil": None}, "entries": [None, {"text": 4}], "tended": {}},
        {"last": {"minutes": "x", "burned": 1e99, "weather": 3}, "nextId": -4},
    ],
)
async def test_a_damaged_store_gives_a_lit_lamp(keeper: Opener, store: Any) -> None:
    for hook in ("onConversationStart", "onBeforeResponse", "onAfterResponse", "onAfterUserEdit"):
        stage = await keeper(store=copy.deepcopy(store))
        await stage.hook(hook, {"regenerate": True, "deletedToolCallIds": [1]})
        assert "a clear light" in str(await stage.preload())
        assert (await stage.tool("write_log", {"text": "x"})).startswith("Written at ")
        assert stage.store["entries"][-1]["id"] == 1


async def test_the_book_is_bounded(keeper: Opener) -> None:
    entries = [{"text": f"entry {n}"} for n in range(400)]
    stage = await keeper(store={"entries": entries})
    assert "full" in await stage.tool("write_log", {"text": "one more"})
    assert len(stage.store["entries"]) == 400

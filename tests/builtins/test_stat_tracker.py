"""Numbers, states and things: changing them, showing them, and taking calls back."""

from __future__ import annotations

from typing import Any

import pytest

from .stage import Opener, Stage

STATS = "studio.stat-tracker"
STATE: dict[str, Any] = {
    "stats": {"health": {"value": 80, "min": 0, "max": 100}, "coins": 12, "mood": "wary"},
    "lists": {"inventory": ["rope", {"name": "Silver key", "count": 2}]},
}


async def _lines(stage: Stage) -> list[str]:
    text = await stage.preload()
    return [] if text is None else str(text).splitlines()[1:]


@pytest.mark.clause("EXP-01", "EXP-02", "PKG-09")
async def test_what_is_kept_stands_in_every_request(opened: Opener) -> None:
    stage = await opened(STATS, store=STATE)
    assert await stage.preload() == (
        "## State\n- health: 80 of 100\n- coins: 12\n- mood: wary\n- inventory: rope, Silver key ×2"
    )
    assert await (await opened(STATS)).preload() is None


async def test_a_number_is_changed_within_its_limits_and_told(opened: Opener) -> None:
    stage = await opened(STATS, store=STATE)
    args = {"name": "Health", "amount": -30.5, "reason": "the fall"}
    assert await stage.tool("change_stat", args) == "health: 80 → 49.5 of 100, the fall."
    assert stage.logs == ["State: health: 80 → 49.5 of 100, the fall."]
    result = await stage.tool("change_stat", {"name": "health", "amount": 60})
    assert result == "health: 49.5 → 100 of 100. It cannot go higher."
    await stage.tool("change_stat", {"name": "health", "amount": -900})
    await stage.tool("change_stat", {"name": "coin", "amount": -15})
    assert (await _lines(stage))[:2] == ["- health: 0 of 100", "- coins: −3"]


async def test_names_are_found_among_words_around_them(opened: Opener) -> None:
    stage = await opened(STATS, store=STATE)
    await stage.tool("change_stat", {"name": "the health of the keeper", "amount": -10})
    await stage.tool("set_stat", {"name": "stat mana", "value": 3})
    await stage.tool("add_item", {"item": "an old map into the inventory"})
    await stage.tool("remove_item", {"item": "the rope"})
    assert await _lines(stage) == [
        "- health: 70 of 100",
        "- coins: 12",
        "- mood: wary",
        "- mana: 3",
        "- inventory: Silver key ×2, old map",
    ]


async def test_fractions_do_not_grow_tails(opened: Opener) -> None:
    stage = await opened(STATS, store={"stats": {"mana": 0.1}})
    await stage.tool("change_stat", {"name": "mana", "amount": 0.2})
    assert await _lines(stage) == ["- mana: 0.3"]


@pytest.mark.parametrize(
    ("args", "said"),
    [
        ({"name": "Mana", "value": 5, "max": 10}, "Mana is 5 of 10."),
        ({"name": "mana", "value": 50, "max": 10}, "mana is 10 of 10."),
        ({"name": "debt", "value": 3, "min": -5, "max": 5}, "debt is 3 (−5 to 5)."),
        ({"name": "age", "value": 3, "min": 2}, "age is 3 (at least 2)."),
        ({"name": "mood", "text": "calm  now"}, "mood is calm now."),
        ({"name": "mood", "text": "7"}, "mood is 7."),
        ({"name": "health", "max": 60}, "health is 60 of 60."),
        ({"name": "new", "min": 2}, "new is 2 (at least 2)."),
        ({"name": "health", "value": 0}, "health is 0 of 100."),
    ],
)
async def test_a_stat_is_set_begun_or_given_limits(
    opened: Opener, args: dict[str, Any], said: str
) -> None:
    stage = await opened(STATS, store=STATE)
    assert await stage.tool("set_stat", args) == said


async def test_things_are_counted_in_lists(opened: Opener) -> None:
    stage = await opened(STATS, store=STATE)
    assert await stage.tool("add_item", {"item": "rope"}) == "inventory: added rope, now 2."
    await stage.tool("add_item", {"item": "Map", "list": "Desk", "count": 3})
    assert await stage.tool("remove_item", {"item": "maps"}) == "Desk: removed Map, 2 left."
    await stage.tool("remove_item", {"item": "silver key", "count": 2})
    assert (await _lines(stage))[3:] == ["- inventory: rope ×2", "- Desk: Map ×2"]


@pytest.mark.parametrize(
    ("tool", "args", "said"),
    [
        ("change_stat", {"name": "helth", "amount": 1}, "Kept are: health, coins, mood."),
        ("change_stat", {"name": "mood", "amount": 1}, "not a number"),
        ("change_stat", {"name": "health"}, "amount must be a number"),
        ("change_stat", {"name": "health", "amount": "x"}, "amount must be a number"),
        ("change_stat", None, "There is no stat"),
        ("set_stat", {"name": "health"}, "give a number"),
        ("set_stat", {"value": 3}, "name must say"),
        ("set_stat", {"name": "!!", "value": 3}, "name must say"),
        ("set_stat", {"name": "x", "value": 3, "min": 5, "max": 2}, "min (5) is above max (2)"),
        ("add_item", {}, "item must say what"),
        ("remove_item", {"item": "lamp"}, "There is: inventory: rope, Silver key ×2."),
        ("remove_item", {"item": "rope", "count": 2}, "has only 1 of rope"),
        ("remove_item", {"item": "rope", "list": "desk"}, "no rope in desk"),
        ("remove_item", [], "There is no such thing"),
    ],
)
async def test_what_cannot_be_done_changes_nothing_and_says_why(
    opened: Opener, tool: str, args: Any, said: str
) -> None:
    stage = await opened(STATS, store=STATE)
    assert said in await stage.tool(tool, args, call=1)
    assert stage.store == STATE
    assert stage.logs == []


@pytest.mark.clause("HOOK-05")
async def test_removed_calls_are_taken_back_and_later_changes_stay(opened: Opener) -> None:
    stage = await opened(STATS, store=STATE)
    await stage.tool("change_stat", {"name": "health", "amount": -50}, call=1)
    await stage.tool("change_stat", {"name": "health", "amount": -20}, call=2)
    await stage.command("statCommand", "health +5")
    await stage.remove_calls(1)
    assert (await _lines(stage))[0] == "- health: 65 of 100"
    await stage.remove_calls(2)
    assert (await _lines(stage))[0] == "- health: 85 of 100"
    assert stage.store["stats"]["health"] == {"name": "health", "value": 85, "min": 0, "max": 100}
    assert "health went back" in stage.logs[-1]


@pytest.mark.clause("HOOK-05")
async def test_what_removed_calls_began_set_added_or_removed_is_as_before(opened: Opener) -> None:
    stage = await opened(STATS, store=STATE)
    before = await _lines(stage)
    await stage.tool("set_stat", {"name": "mana", "value": 3}, call=1)
    await stage.tool("change_stat", {"name": "mana", "amount": 3}, call=2)
    await stage.tool("set_stat", {"name": "health", "value": 5, "max": 10}, call=3)
    await stage.tool("set_stat", {"name": "mood", "text": "calm"}, call=4)
    await stage.tool("add_item", {"item": "lamp", "list": "desk"}, call=5)
    await stage.tool("remove_item", {"item": "rope"}, call=6)
    assert await _lines(stage) == [
        "- health: 5 of 10",
        "- coins: 12",
        "- mood: calm",
        "- mana: 6",
        "- inventory: Silver key ×2",
        "- desk: lamp",
    ]
    await stage.remove_calls(1, 2, 3, 4, 5, 6)
    assert await _lines(stage) == before
    assert "toolCallId" not in str(stage.store)


@pytest.mark.clause("HOOK-05")
async def test_a_change_on_what_a_removed_call_began_falls_with_it(opened: Opener) -> None:
    stage = await opened(STATS)
    await stage.tool("set_stat", {"name": "mana", "value": 3}, call=1)
    await stage.command("statCommand", "mana +3")
    await stage.remove_calls(1)
    assert await stage.preload() is None


@pytest.mark.clause("HOOK-05")
async def test_other_removed_calls_change_nothing(opened: Opener) -> None:
    stage = await opened(STATS, store=STATE)
    await stage.remove_calls(7, 8)
    await stage.hook("onAfterUserEdit", {})
    assert stage.store == STATE
    assert stage.logs == []


@pytest.mark.clause("PERS-03", "HOOK-05")
async def test_a_default_without_call_ids_is_never_taken_back(opened: Opener) -> None:
    log = [{"add": 3}, {"add": 4}]
    store = {"stats": {"mana": {"name": "mana", "value": 7, "base": 0, "log": log}}}
    stage = await opened(STATS, store=store)
    await stage.remove_calls(1, 2)
    assert await _lines(stage) == ["- mana: 7"]


async def test_old_changes_are_folded_so_that_the_store_stays_small(opened: Opener) -> None:
    stage = await opened(STATS, store=STATE)
    for call in range(1, 41):
        await stage.tool("change_stat", {"name": "coins", "amount": 1}, call=call)
    assert len(stage.store["stats"]["coins"]["log"]) == 30
    await stage.remove_calls(*range(1, 41))
    assert (await _lines(stage))[1] == "- coins: 22"


@pytest.mark.clause("EXP-03")
@pytest.mark.parametrize(
    ("line", "toast"),
    [
        ("health 40", "health is 40 of 100."),
        ("health = 40", "health is 40 of 100."),
        ("health +5", "health: 80 → 85 of 100."),
        ("health - 5", "health: 80 → 75 of 100."),
        ("health 0..50", "health is 50 of 50."),
        ("mood = very calm", "mood is very calm."),
        ("fear of heights: great", "fear of heights is great."),
        ("add a lamp", "inventory: added lamp."),
        ("add 12 candles to the desk", "desk: added candles ×12."),
        ("drop silver key x2", "inventory: removed Silver key ×2."),
        ("remove health", "health is not kept any more."),
        ("remove inventory", "inventory is not kept any more."),
    ],
)
async def test_the_command_changes_what_is_kept(opened: Opener, line: str, toast: str) -> None:
    stage = await opened(STATS, store=STATE)
    assert await stage.command("statCommand", line) is None
    assert stage.toasts == [toast]
    assert stage.logs == [f"State: {toast}"]


@pytest.mark.clause("EXP-03")
async def test_the_command_shows_all_or_one(opened: Opener) -> None:
    stage = await opened(STATS, store=STATE)
    for line in ("", "list", "health", "inv"):
        assert await stage.command("statCommand", line) is None
    assert stage.logs[2:] == [
        "State:\n- health: 80 of 100",
        "State:\n- inventory: rope, Silver key ×2",
    ]
    assert stage.logs[0] == stage.logs[1]
    assert stage.toasts == []


@pytest.mark.clause("EXP-03")
@pytest.mark.parametrize("line", ["nothing", "drop lamp", "remove lamp", "lamp +5", "mood +5"])
async def test_a_command_that_cannot_be_done_is_answered(opened: Opener, line: str) -> None:
    stage = await opened(STATS, store=STATE)
    assert isinstance(await stage.command("statCommand", line), str)
    assert stage.toasts == []


@pytest.mark.clause("EXP-07")
@pytest.mark.parametrize(
    "part", [None, [], {}, "x", 7, [None, [], {}], {"": 1, "a": None, "b": []}]
)
async def test_a_damaged_store_is_as_good_as_none(opened: Opener, part: Any) -> None:
    stage = await opened(STATS, store={"stats": part, "lists": part})
    await stage.preload()
    await stage.remove_calls(1)
    await stage.tool("set_stat", {"name": "new", "value": 1})
    await stage.tool("add_item", {"item": "lamp"})
    assert stage.store["stats"]["new"] == {"name": "new", "value": 1}
    assert stage.store["lists"]["inventory"]["items"]["lamp"] == {"name": "lamp", "count": 1}


@pytest.mark.parametrize(
    "stat",
    [
        {"value": 5, "log": "x", "min": "a", "max": None},
        {"value": 5, "log": [None, 5, {}, {"add": "x"}, {"set": None}]},
        {"value": {"a": 1}, "base": 5, "log": [{"add": 0, "toolCallId": 1}]},
        {"value": 5, "log": [{"set": 5, "toolCallId": {}}], "base": []},
    ],
)
async def test_a_damaged_stat_is_mended(opened: Opener, stat: Any) -> None:
    stage = await opened(STATS, store={"stats": {"a": stat}})
    assert await _lines(stage) == ["- a: 5"]


async def test_everything_is_bounded_and_other_fields_are_kept(opened: Opener) -> None:
    stats = {f"stat {n}": {"value": n, "note": "mine"} for n in range(100)}
    items = {f"thing {n} {'x' * 40}": 1 for n in range(200)}
    stage = await opened(STATS, store={"stats": stats, "lists": {"inventory": items}})
    assert len(str(await stage.preload())) < 4100
    assert "100 places" in await stage.tool("set_stat", {"name": "more", "value": 1})
    assert "is full" in await stage.tool("add_item", {"item": "one more"})
    args = {"name": "stat 5", "amount": 1e300, "reason": "r" * 9999}
    assert "must be a number" in await stage.tool("change_stat", args)
    await stage.tool("change_stat", {**args, "amount": 1})
    assert stage.store["stats"]["stat_5"] == {"value": 6, "note": "mine", "name": "stat 5"}
    assert max(map(len, stage.logs)) < 400


async def test_names_of_javascript_are_names_like_others(opened: Opener) -> None:
    stage = await opened(STATS)
    for name in ("constructor", "__proto__", "toString"):
        assert "There is no stat" in await stage.tool("change_stat", {"name": name, "amount": 1})
        assert await stage.tool("set_stat", {"name": name, "value": 1}) == f"{name} is 1."
        assert await stage.tool("add_item", {"item": name}) == f"inventory: added {name}."
    assert len(await _lines(stage)) == 4

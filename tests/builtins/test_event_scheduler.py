"""The story's clock: setting it, letting time pass, what comes due, and taking calls back."""

from __future__ import annotations

from typing import Any

import pytest

from .stage import Opener, Stage

CLOCK = "studio.event-scheduler"
NOON: dict[str, Any] = {"now": 12 * 60}
AUTUMN: dict[str, Any] = {"now": "1911-11-09 17:12"}


async def _time(stage: Stage) -> str:
    return (await stage.tool("get_time")).splitlines()[0].removeprefix("It is ").rstrip(".")


async def _plan(
    stage: Stage, event: str, when: str, *, call: int | None = None, **more: Any
) -> str:
    return await stage.tool("schedule_event", {"event": event, "when": when, **more}, call=call)


async def _advance(stage: Stage, time: str, *, call: int | None = None) -> str:
    return await stage.tool("advance_time", {"time": time}, call=call)


@pytest.mark.clause("EXP-01", "EXP-02")
async def test_what_is_due_and_soon_stands_in_every_request(opened: Opener) -> None:
    stage = await opened(CLOCK)
    assert await stage.preload() is None
    assert await stage.tool("set_time", {"time": "17:12"}) == "It is now day 1, 17:12."
    assert await _plan(stage, "The ferry comes", "in 2 hours") == (
        "Planned: #1 The ferry comes (day 1, 19:12, in 2 h)"
    )
    await _plan(stage, "Breakfast", "tomorrow 8:00", every="1 day")
    await _plan(stage, "The trial", "day 9")
    assert await _advance(stage, "150 minutes") == (
        "It is now day 1, 19:42, 2 h 30 min later.\nNow due: #1 The ferry comes\n"
        "Next: #2 Breakfast (day 2, 08:00, in 12 h 18 min, every day)"
    )
    assert await stage.preload() == (
        "## Story time\nIt is day 1, 19:42.\nDue now, to be played out and ticked off:\n"
        "- #1 The ferry comes (30 min ago)\nSoon:\n"
        "- #2 Breakfast (day 2, 08:00, in 12 h 18 min, every day)\n"
        "(1 more planned: get_time shows them)"
    )
    assert stage.logs[-1] == (
        "It is now day 1, 19:42, 2 h 30 min later.\nNow due: #1 The ferry comes"
    )


@pytest.mark.parametrize(
    ("said", "time"),
    [
        ("90 minutes", "day 1, 13:30"),
        ("90", "day 1, 13:30"),
        ("an hour and a half", "day 1, 13:30"),
        ("half an hour", "day 1, 12:30"),
        ("two hours and 5 min", "day 1, 14:05"),
        ("1h 10m", "day 1, 13:10"),
        ("a couple of days", "day 3, 12:00"),
        ("a week later", "day 8, 12:00"),
        ("2 days at 18:00", "day 3, 18:00"),
        ("let three hours pass", "day 1, 15:00"),
        ("until 18:30", "day 1, 18:30"),
        ("6 pm", "day 1, 18:00"),
        ("6:45 p.m.", "day 1, 18:45"),
        ("8:00", "day 2, 08:00"),
        ("12 am", "day 2, 00:00"),
        ("midnight", "day 2, 00:00"),
        ("dawn", "day 2, 06:00"),
        ("tonight", "day 1, 20:00"),
        ("tomorrow", "day 2, 08:00"),
        ("tomorrow evening", "day 2, 19:00"),
        ("the day after tomorrow at 9 o'clock", "day 3, 09:00"),
        ("day 4", "day 4, 08:00"),
        ("Day 4, 23:59", "day 4, 23:59"),
        ("now", "day 1, 12:00"),
        ("today", "day 1, 20:00"),
    ],
)
async def test_times_are_understood_in_words(opened: Opener, said: str, time: str) -> None:
    stage = await opened(CLOCK, store=NOON)
    await _advance(stage, said)
    assert await _time(stage) == time


@pytest.mark.parametrize(
    ("said", "time"),
    [
        ("1911-12-24", "Sunday 24 December 1911, 08:00"),
        ("1911-11-10 at 6:30", "Friday 10 November 1911, 06:30"),
        ("24th of December 1911, 18:00", "Sunday 24 December 1911, 18:00"),
        ("December 24", "Sunday 24 December 1911, 08:00"),
        ("Jan 2nd, noon", "Tuesday 2 January 1912, 12:00"),
        ("29 February", "Thursday 29 February 1912, 08:00"),
        ("thursday", "Thursday 16 November 1911, 08:00"),
        ("on Friday evening", "Friday 10 November 1911, 19:00"),
        ("2 weeks", "Thursday 23 November 1911, 17:12"),
        ("day 3", "Saturday 11 November 1911, 08:00"),
    ],
)
async def test_with_a_date_the_clock_is_a_calendar(opened: Opener, said: str, time: str) -> None:
    stage = await opened(CLOCK, store=AUTUMN)
    assert await _time(stage) == "Thursday 9 November 1911, 17:12"
    await _advance(stage, said)
    assert await _time(stage) == time


async def test_a_date_can_be_given_to_a_story_under_way(opened: Opener) -> None:
    stage = await opened(CLOCK, store={"now": "day 3 9:00"})
    await _plan(stage, "The trial", "day 5 10:00")
    assert "no calendar date yet" in await _plan(stage, "x", "1911-11-09")
    await stage.tool("set_time", {"time": "1911-11-09 11:00"})
    assert "#1 The trial (Saturday 11 November 1911, 10:00, in 1 day 23 h)" in (
        await stage.tool("get_time")
    )
    assert stage.store["date"] == "1911-11-07"


@pytest.mark.parametrize(
    "said",
    ["", "soon", "25:00", "13:99", "1911-02-30", "31 november", "x" * 5000, None, {}, [], "9" * 99],
)
async def test_what_says_no_time_changes_nothing_and_shows_how(opened: Opener, said: Any) -> None:
    stage = await opened(CLOCK, store=NOON)
    for tool in ("advance_time", "set_time"):
        assert "The clock was not" in await stage.tool(tool, {"time": said})
    assert "Nothing was planned" in await _plan(stage, "x", said)
    assert stage.store == NOON
    assert stage.logs == []


async def test_the_past_is_refused_unless_the_clock_is_set(opened: Opener) -> None:
    stage = await opened(CLOCK, store={"now": "day 2 12:00"})
    assert "earlier than now" in await _advance(stage, "day 1")
    assert "past already. It is day 2, 12:00." in await _plan(stage, "x", "2 hours ago")
    assert await stage.tool("set_time", {"time": "day 1 9:00"}) == "It is now day 1, 09:00."
    assert "too far" in await stage.tool("set_time", {"time": "yesterday"})
    assert "too far" in await _advance(stage, "99999 weeks")


async def test_what_was_due_is_planned_again_when_the_clock_goes_back(opened: Opener) -> None:
    stage = await opened(CLOCK, store=NOON)
    await _plan(stage, "Tea", "16:00", every="1 day")
    await _advance(stage, "2 days at 17:00")
    assert "#1 Tea (1 h ago)" not in await stage.tool("get_time")
    listed = await stage.tool("get_time")
    assert "- #1 Tea (2 days 1 h ago)" in listed
    assert "- #1 Tea (day 4, 16:00, in 23 h, every day)" in listed
    await stage.tool("set_time", {"time": "day 1 12:00"})
    assert await stage.tool("get_time") == (
        "It is day 1, 12:00.\nPlanned:\n- #1 Tea (day 1, 16:00, in 4 h, every day)"
    )


async def test_events_are_ticked_off_or_cancelled_by_number_or_words(opened: Opener) -> None:
    stage = await opened(CLOCK, store=NOON)
    for event, when in {"The ferry comes": "13:00", "The ferry leaves": "15:00"}.items():
        await _plan(stage, event, when)
    await _advance(stage, "1 hour")
    cancel = stage.tool
    assert "Say the number" in await cancel("cancel_event", {"event": "ferry"})
    assert await cancel("cancel_event", {"event": "#1"}) == "Ticked off: #1 The ferry comes"
    assert await cancel("cancel_event", {"event": "leaves"}) == "Cancelled: #2 The ferry leaves"
    assert "Nothing is planned" in await cancel("cancel_event", {"event": "1"})
    assert "Nothing is planned" in await cancel("cancel_event", {})


async def test_a_repeated_event_is_ticked_off_and_comes_again_until_cancelled(
    opened: Opener,
) -> None:
    stage = await opened(CLOCK, store=NOON)
    await _plan(stage, "The bell", "13:00", every="hour")
    await _advance(stage, "1 hour")
    assert "Ticked off" in await stage.tool("cancel_event", {"event": "bell"})
    assert "Now due: #1 The bell" in await _advance(stage, "1 hour")
    await stage.tool("cancel_event", {"event": "1"})
    assert "Cancelled" in await stage.tool("cancel_event", {"event": "1"})
    assert stage.store["events"] == []


@pytest.mark.clause("HOOK-05")
async def test_removed_calls_are_taken_back_and_other_changes_stay(opened: Opener) -> None:
    stage = await opened(CLOCK, store=NOON)
    await _plan(stage, "Tea", "16:00", call=1)
    await _plan(stage, "Supper", "19:00", call=2)
    await _advance(stage, "5 hours", call=3)
    await stage.command("timeCommand", "+30 minutes")
    await stage.tool("cancel_event", {"event": "tea"}, call=4)
    await stage.remove_calls(4)
    assert "- #1 Tea (1 h 30 min ago)" in await stage.tool("get_time")
    await stage.remove_calls(3)
    assert "- #1 Tea (day 1, 16:00, in 3 h 30 min)" in await stage.tool("get_time")
    await stage.remove_calls(1)
    assert await stage.tool("get_time") == (
        "It is day 1, 12:30.\nPlanned:\n- #2 Supper (day 1, 19:00, in 6 h 30 min)"
    )
    assert "went back" in stage.logs[-1]


@pytest.mark.clause("HOOK-05")
async def test_a_clock_that_a_removed_call_began_is_as_if_never_set(opened: Opener) -> None:
    stage = await opened(CLOCK)
    await stage.tool("set_time", {"time": "1911-11-09 17:12"}, call=1)
    await _advance(stage, "1 hour", call=2)
    await stage.remove_calls(1, 2)
    assert await stage.preload() is None
    assert "date" not in stage.store


@pytest.mark.clause("HOOK-05")
async def test_a_cancelled_event_of_a_removed_call_never_comes_back(opened: Opener) -> None:
    stage = await opened(CLOCK, store=NOON)
    await _plan(stage, "Tea", "16:00", call=1)
    await stage.tool("cancel_event", {"event": "1"}, call=2)
    await stage.remove_calls(1)
    await stage.remove_calls(2)
    assert (stage.store["events"], stage.store.get("cancelled")) == ([], None)


@pytest.mark.clause("HOOK-05", "PERS-03")
async def test_other_removed_calls_and_defaults_change_nothing(opened: Opener) -> None:
    store = {"now": 600, "events": [{"text": "Tea", "at": 700}], "moves": [{"by": 30}]}
    stage = await opened(CLOCK, store=store)
    await stage.remove_calls(1, 2)
    await stage.hook("onAfterUserEdit", {})
    assert stage.store == store


@pytest.mark.clause("HOOK-03", "CTX-01")
async def test_a_response_takes_time_where_the_character_or_the_user_wants_it(
    opened: Opener,
) -> None:
    stage = await opened(CLOCK, store=NOON, config={"minutesPerResponse": 10})
    await _plan(stage, "Tea", "12:15")
    await stage.hook("onAfterResponse", {"stopped": False})
    await stage.hook("onAfterResponse", {"stopped": True})
    assert await _time(stage) == "day 1, 12:10"
    await stage.hook("onAfterResponse", {"stopped": False})
    assert stage.logs[-1] == "Due: Tea"
    assert await stage.command("timeCommand", "pace 0") is None
    await stage.hook("onAfterResponse", {})
    assert await _time(stage) == "day 1, 12:20"


@pytest.mark.clause("HOOK-02")
async def test_a_response_that_is_asked_for_again_gives_its_time_back(opened: Opener) -> None:
    stage = await opened(CLOCK, store={**NOON, "pace": 10})
    await _plan(stage, "Tea", "12:05")
    await stage.hook("onAfterResponse", {})
    await stage.hook("onBeforeResponse", {"regenerate": False})
    assert await _time(stage) == "day 1, 12:10"
    await stage.hook("onBeforeResponse", {"regenerate": True})
    await stage.hook("onBeforeResponse", {"regenerate": True})
    assert "- #1 Tea (day 1, 12:05, in 5 min)" in await stage.tool("get_time")
    assert await _time(stage) == "day 1, 12:00"


@pytest.mark.clause("HOOK-03")
async def test_what_nobody_ticks_off_leaves_after_some_responses(opened: Opener) -> None:
    stage = await opened(CLOCK, store=NOON)
    await stage.hook("onAfterResponse", {})
    assert stage.store == NOON
    await _plan(stage, "Tea", "now")
    for _ in range(3):
        await stage.hook("onAfterResponse", {})
        assert "Tea" in str(await stage.preload())
    await stage.hook("onAfterResponse", {})
    assert "Tea" not in str(await stage.preload())


@pytest.mark.clause("EXP-03")
async def test_the_commands_set_move_plan_and_show(opened: Opener) -> None:
    stage = await opened(CLOCK)
    run = stage.command
    assert await run("timeCommand", "day 2 18:00") is None
    assert await run("timeCommand", "+1 hour") is None
    assert await run("timeCommand", "pace 5 minutes") is None
    assert await run("scheduleCommand", "20:30: dinner: soup") is None
    assert await run("scheduleCommand", "in 2 days, the trial") is None
    assert await run("scheduleCommand", "cancel trial") is None
    assert stage.toasts == [
        "It is now day 2, 18:00.",
        "It is now day 2, 19:00, 1 h later.",
        "Every response takes 5 min.",
        "Planned: #1 dinner: soup (day 2, 20:30, in 1 h 30 min)",
        "Planned: #2 the trial (day 4, 19:00, in 2 days)",
        "Cancelled: #2 the trial",
    ]
    for handler in ("timeCommand", "scheduleCommand"):
        assert await run(handler, "") is None
        assert stage.logs[-1].startswith("It is day 2, 19:00.\nPlanned:\n- #1 dinner: soup")


@pytest.mark.clause("EXP-03")
@pytest.mark.parametrize(
    ("handler", "text"),
    [
        ("timeCommand", "soon"),
        ("timeCommand", "+ soon"),
        ("timeCommand", "pace quick"),
        ("scheduleCommand", "dinner"),
        ("scheduleCommand", "soon: dinner"),
        ("scheduleCommand", "cancel dinner"),
    ],
)
async def test_a_command_that_cannot_be_done_is_answered(
    opened: Opener, handler: str, text: str
) -> None:
    stage = await opened(CLOCK)
    assert isinstance(await stage.command(handler, text), str)
    assert (stage.toasts, stage.store) == ([], {})


async def test_plans_can_be_written_by_hand(opened: Opener) -> None:
    events = [
        {"text": "The ferry", "when": "in 2 hours", "note": "mine"},
        {"text": "Christmas", "when": "1911-12-24"},
        {"text": "The bell", "at": "18:00", "every": "daily"},
    ]
    stage = await opened(CLOCK, store={**AUTUMN, "events": events})
    assert [row.split("(")[0].rstrip() for row in str(await stage.preload()).splitlines()[3:]] == [
        "- #3 The bell",
        "- #1 The ferry",
        "",
    ]
    await _advance(stage, "1 minute")
    assert stage.store["events"][1] == {"note": "mine", "id": 1, "text": "The ferry", "at": 1152}
    assert stage.store["date"] == "1911-11-09"


@pytest.mark.clause("EXP-07")
@pytest.mark.parametrize("part", [None, [], {}, "x", 1e300, [None, 5, [], {}, {"text": "a"}]])
async def test_a_damaged_store_is_as_good_as_none(opened: Opener, part: Any) -> None:
    keys = ("now", "date", "events", "due", "nextId", "pace", "auto", "moves", "cancelled")
    stage = await opened(CLOCK, store=dict.fromkeys(keys, part))
    assert await stage.preload() is None
    for hook in ("onBeforeResponse", "onAfterResponse"):
        await stage.hook(hook, {"regenerate": True})
    await stage.remove_calls(1)
    await stage.tool("set_time", {"time": "9:00"})
    await _plan(stage, "new", "10:00")
    assert stage.store["events"] == [{"id": 1, "text": "new", "at": 600}]
    assert stage.store["now"] == 540


async def test_the_same_number_twice_is_mended(opened: Opener) -> None:
    events = [{"id": 7, "text": "a", "at": 900}, {"id": 7, "text": "b", "at": 901}]
    stage = await opened(CLOCK, store={**NOON, "events": events})
    listed = await stage.tool("get_time")
    assert "#7 a" in listed
    assert "#8 b" in listed


async def test_everything_is_bounded(opened: Opener) -> None:
    events = [{"text": f"{n} {'x' * 900}", "at": 800 + n} for n in range(400)]
    stage = await opened(CLOCK, store={**NOON, "events": events})
    assert "200 events" in await _plan(stage, "more", "tomorrow")
    assert len(str(await stage.preload())) < 4000
    assert len(await stage.tool("get_time")) < 25_000
    assert len(await _advance(stage, "3 weeks")) < 2500
    assert len(stage.store["due"]) == 30
    for call in range(60):
        await _advance(stage, "1 minute", call=call + 1)
    assert len(stage.store["moves"]) == 50


@pytest.mark.parametrize(
    ("every", "spelled"),
    [
        ("6 hours", ", every 6 h"),
        ("day", ", every day"),
        ("weekly", ", every 7 days"),
        ("hour", ", every h"),
        (90, ", every 1 h 30 min"),
        ("none", ""),
        ("1 minute", ""),
        ({}, ""),
    ],
)
async def test_how_often_is_read_in_words(opened: Opener, every: Any, spelled: str) -> None:
    stage = await opened(CLOCK, store=NOON)
    assert (await _plan(stage, "Tea", "14:00", every=every)).endswith(f"in 2 h{spelled})")

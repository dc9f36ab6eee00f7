"""The Lantern Keeper's omens: a Python agent."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from studio_qt.resources import resource_text

from .stage import Opener

PYTHON = "keeper.omens.py"
BOOK = {".wrecks.json": resource_text("templates/lantern-keeper/context/.wrecks.json")}


@pytest.mark.clause("EXP-01", "LANG-01", "BR-05")
async def test_the_night_has_its_saying_its_moon_and_its_dead(sample: Opener) -> None:
    stage = await sample(PYTHON, files=BOOK)
    said = await stage.tool("read_omens", {})
    assert said.startswith("Friday 31 October 1930. Never cast off on a Friday. It is All Hallows'")
    assert "The moon is in her first quarter" in said
    assert "the Good Intent, 42 years, in 3 days; the Annis Rowe, 19 years, in 4 days." in said
    assert "In the leaves" not in said
    assert await stage.preload() == (
        "## Omens\nTonight is Friday 31 October 1930. "
        "The moon is in her first quarter: lend nothing that you want to see again."
    )


async def test_one_question_has_one_answer_all_night(sample: Opener) -> None:
    stage = await sample(PYTHON, store={"salt": 7})
    said = {
        await stage.tool("read_omens", {"question": text})
        for text in ("Shall we row out?", "shall we  ROW out", "Shall we row out?!")
    }
    assert len(said) == 1
    many = {
        (await stage.tool("read_omens", {"question": f"question {n}"})).split("leaves: ")[1]
        for n in range(30)
    }
    assert len(many) > 3
    assert len(stage.store["read"]) == 33


async def test_each_conversation_has_leaves_of_its_own(sample: Opener) -> None:
    salts = set()
    for _ in range(3):
        stage = await sample(PYTHON)
        await stage.hook("onConversationStart", {"isNewConversation": True})
        salts.add(stage.store["salt"])
        assert stage.store["night"] == "1930-10-31"
    assert len(salts) == 3


@pytest.mark.parametrize(
    ("day", "begins"),
    [
        ("1930-11-03", "Monday 3 November 1930. Monday's boat is nobody's hurry. No boat of"),
        ("tomorrow", "Saturday 1 November 1930. Saturday's stranger stays. It is All Hallows:"),
        ("1931-02-28", "Saturday 28 February 1931. Saturday's stranger stays. The moon is "),
        ("0001-01-01", "Monday 1 January 1."),
        ("9999-12-31", "Friday 31 December 9999."),
        ("soon", "The date is not understood."),
        ("1930-13-01", "The date is not understood."),
        ([1], "Friday 31 October 1930."),
    ],
)
async def test_another_day_can_be_asked_about(sample: Opener, day: Any, begins: str) -> None:
    stage = await sample(PYTHON, files=BOOK)
    assert (await stage.tool("read_omens", {"date": day})).startswith(begins)


async def test_the_day_after_the_last_is_no_day(sample: Opener) -> None:
    stage = await sample(PYTHON, store={"night": "9999-12-31"}, files=BOOK)
    said = await stage.tool("read_omens", {"date": "tomorrow"})
    assert said.startswith("The date is not understood.")


@pytest.mark.parametrize("book", ["", "{", "[]", '{"a": [1, {"name": 3}]}', '{"a": [{}]}'])
async def test_a_book_that_cannot_be_read_holds_nobody(sample: Opener, book: str) -> None:
    for files in ({".wrecks.json": book}, {}):
        stage = await sample(PYTHON, files=files)
        assert "Of those lost" not in await stage.tool("read_omens", {})


@pytest.mark.clause("EXP-03")
async def test_the_command_asks_turns_the_night_and_refuses(sample: Opener) -> None:
    stage = await sample(PYTHON)
    assert await stage.command("ask_omen", "Shall we row out?") is None
    assert "In the leaves: " in stage.toasts[0]
    assert await stage.command("ask_omen", "night 1930-11-09") is None
    assert "Sunday 9 November 1930" in str(await stage.preload())
    for text in ("", "night tomorrow"):
        assert isinstance(await stage.command("ask_omen", text), str)


@pytest.mark.clause("HOOK-05")
async def test_what_removed_calls_asked_was_not_asked(sample: Opener) -> None:
    stage = await sample(PYTHON)
    for call in (1, 2):
        await stage.tool("read_omens", {"question": f"question {call}"}, call=call)
    await stage.command("ask_omen", "stays")
    await stage.remove_calls(2)
    assert [one["question"] for one in stage.store["read"]] == ["question 1", "stays"]
    assert str(await stage.preload()).count("\n- asked “") == 2


@pytest.mark.clause("EXP-07")
@pytest.mark.parametrize(
    "store",
    [
        {"night": 3, "salt": "x", "read": 4},
        {"night": "1930-99-99", "salt": -1, "read": [None, {"question": "a"}, {"sign": "b"}]},
        {"night": None, "salt": True, "read": {"question": "a", "sign": "b"}},
    ],
)
async def test_a_damaged_store_is_the_first_night(sample: Opener, store: Any) -> None:
    stage = await sample(PYTHON, store=copy.deepcopy(store))
    assert "Tonight is Friday 31 October 1930." in str(await stage.preload())
    await stage.hook("onAfterUserEdit", {"deletedToolCallIds": None})
    assert stage.store["read"] == []
    assert "In the leaves: " in await stage.tool("read_omens", {"question": "x"}, call=5)
    assert [one["toolCallId"] for one in stage.store["read"]] == [5]
    assert "In the leaves" not in await stage.tool("read_omens", None)

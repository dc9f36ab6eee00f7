"""Searching and reading the conversation through the bridge."""

from __future__ import annotations

from typing import Any

import pytest

from .stage import Opener, turns

HISTORY = "studio.history-search"
TALK = turns(
    "My name is Wren Calloway and I carry rope.",
    "Forty fathoms of it? " + "Tea is poured. " * 60 + "Set the rope down. " + "She waits. " * 60,
    "Forty.",
    "",
    "",
    "She counts.",
    "What did I say about the rope?",
)


@pytest.mark.clause("BR-03")
async def test_hits_come_in_order_with_number_speaker_and_what_stands_around(
    opened: Opener,
) -> None:
    stage = await opened(HISTORY, history=TALK)
    found = (await stage.tool("search_history", {"query": "ROPE"})).splitlines()
    assert found[0] == "2 messages match “ROPE”:"
    assert found[1] == "[0] User: My name is Wren Calloway and I carry rope."
    assert found[2].startswith("[1] Character: …")
    assert "Set the rope down" in found[2]
    assert len(found[2]) < 400


async def test_a_question_is_searched_by_its_telling_words(opened: Opener) -> None:
    stage = await opened(HISTORY, history=TALK)
    found = await stage.tool("search_history", {"query": "What did I say about the rope?"})
    assert "carry rope" in found
    assert "[6]" not in found


async def test_the_message_being_answered_is_no_hit_of_its_own(opened: Opener) -> None:
    stage = await opened(HISTORY, history=turns("Hello", "Hello", "Where is the heron?"))
    found = await stage.tool("search_history", {"query": "heron"})
    assert found.startswith("Nothing that was said before the message")


async def test_hits_can_be_limited_and_kept_to_one_speaker(opened: Opener) -> None:
    stage = await opened(HISTORY, history=TALK)
    args: dict[str, Any] = {"query": "forty", "role": "user"}
    assert "[2] User: Forty." in await stage.tool("search_history", args)
    assert "Character" not in await stage.tool("search_history", args)
    few = await stage.tool("search_history", {"query": "e", "limit": 1})
    assert "the best 1:" in few
    assert len(few.splitlines()) == 2


@pytest.mark.parametrize("query", [None, "", "  ", 5, {}, "the", "zebra", "x" * 5000])
async def test_what_is_not_there_is_answered_with_a_sentence(opened: Opener, query: Any) -> None:
    stage = await opened(HISTORY, history=TALK)
    result = await stage.tool("search_history", {"query": query})
    assert "[" not in result or query == "the"
    assert len(result) < 4000


@pytest.mark.clause("BR-04")
async def test_the_latest_messages_are_read_past_entries_of_tools(opened: Opener) -> None:
    stage = await opened(HISTORY, history=[*TALK, *[dict(TALK[3])] * 30])
    assert await stage.tool("read_history", {"limit": 2}) == (
        "[5] Character: She counts.\n[6] User: What did I say about the rope?"
    )


@pytest.mark.clause("BR-04")
async def test_a_part_is_read_word_for_word(opened: Opener) -> None:
    stage = await opened(HISTORY, history=TALK)
    read = await stage.tool("read_history", {"start": 0, "end": 3})
    assert read.startswith("[0] User: My name is Wren Calloway")
    assert read.endswith("[2] User: Forty.")
    assert await stage.tool("read_history", {"start": 2, "end": 3}) == "[2] User: Forty."


@pytest.mark.parametrize(
    "args", [{"start": 99}, {"start": 3, "end": 1}, {"start": 3, "end": 5}, {"start": 7}]
)
async def test_an_empty_part_is_said_to_be_empty(opened: Opener, args: Any) -> None:
    stage = await opened(HISTORY, history=TALK)
    assert await stage.tool("read_history", args) == "There are no messages there."


async def test_odd_bounds_are_brought_into_range(opened: Opener) -> None:
    stage = await opened(HISTORY, history=TALK)
    assert (await stage.tool("read_history", {"start": -5, "end": "1"})).startswith("[0]")
    assert "[6]" in await stage.tool("read_history", {"start": "x", "end": []})
    assert "[6]" in await stage.tool("read_history", None)


async def test_results_are_bounded(opened: Opener) -> None:
    stage = await opened(HISTORY, history=turns(*["rope " * 2000] * 60))
    read = await stage.tool("read_history", {"start": 0, "limit": 30})
    assert len(read) < 9200
    assert "ask for fewer" in read
    assert len(await stage.tool("search_history", {"query": "rope", "limit": 30})) < 9200


async def test_answers_of_another_shape_do_no_harm(opened: Opener) -> None:
    stage = await opened(HISTORY, history=[{"role": "user", "content": "rope", "index": "x"}])
    assert "Nothing" in await stage.tool("search_history", {"query": "rope"})
    assert "no messages" in await stage.tool("read_history", {})


async def test_it_keeps_no_store(opened: Opener) -> None:
    stage = await opened(HISTORY, history=TALK)
    await stage.tool("search_history", {"query": "rope"})
    assert stage.store == {}

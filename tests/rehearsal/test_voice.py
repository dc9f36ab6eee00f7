"""What Rehearsal answers by itself: the character's voice, and a mark below it."""

from __future__ import annotations

import asyncio
from itertools import pairwise

import pytest

from studio_qt.jsontext import JsonObject
from studio_qt.providers.rehearsal import MARK
from tests.rehearsal.tools import TYPICAL, body_of, reply, request, user, with_results

SYSTEM: JsonObject = {
    "role": "system",
    "content": "You are Mara, keeper of the light. You like tea. Never mention your age.\n"
    "## What you hide\nYou have buried the bell.",
}
CONTEXT: JsonObject = {
    "role": "user",
    "isFile": True,
    "content": "This is background, which is not always relevant.\n\n"
    "The schooner Annis Rowe sank in 1911.\n\nThe tide turns at six.",
}
PRELOAD: JsonObject = {"role": "user", "isFile": True, "content": "## Memory\n- name: Ada"}
INTRO: JsonObject = {"role": "assistant", "content": "*Rain.* “Sit down. I keep this light.”"}


async def answered(*messages: str | JsonObject) -> str:
    return body_of((await reply(request(*messages))).content)


async def test_an_answer_of_its_own_ends_with_the_mark_on_a_line_of_its_own() -> None:
    for text in ("Hello", "", "你好", "tell me everything"):
        made = await reply(request(SYSTEM, INTRO, text))
        assert made.content.splitlines()[-1] == MARK


@pytest.mark.parametrize(
    ("result", "told"),
    [
        ("You rolled 7.", "You rolled 7."),
        ("7", "7."),
        ('{"total": 7, "rolls": [3, 4]}', "total 7, rolls 3 and 4."),
        ("[1, 2, 3]", "1, 2 and 3."),
        ("[Unknown tool: x]", "[Unknown tool: x]."),
        ("{not json", "{not json."),
        ("- a\n- b", "- a\n- b"),
        ("", "It is done (roll_dice)."),
        (f"I know of no rope.\n\n{MARK}", "I know of no rope."),
    ],
)
async def test_a_short_result_is_told_whole(result: str, told: str) -> None:
    made = await answered(SYSTEM, *with_results("roll", result))
    assert told in made
    assert made.count(MARK) == 0


async def test_every_result_of_a_turn_is_told_and_a_long_one_is_cut() -> None:
    made = await answered(*with_results("roll", "One.", "Two.", "word " * 10_000))
    assert "One." in made
    assert "Two." in made
    assert len(made) < 2000


async def test_context_that_shares_words_with_the_text_is_told() -> None:
    made = await answered(SYSTEM, CONTEXT, PRELOAD, INTRO, "What about the Annis Rowe?")
    assert "The schooner Annis Rowe sank in 1911." in made
    assert "name: Ada" in await answered(SYSTEM, CONTEXT, PRELOAD, INTRO, "So, my name?")


async def test_without_it_the_character_speaks_of_itself() -> None:
    made = {await answered(SYSTEM, CONTEXT, INTRO, "Hello" + "!" * at) for at in range(40)}
    said = " ".join(made)
    assert "I am Mara, keeper of the light." in said
    assert "I keep this light." in said
    assert not any(word in said for word in ("bell", "age", "Rain", "background", "You are"))


async def test_asked_who_it_is_the_character_says_who_it_is() -> None:
    for text in ("Who are you?", "What's your name?", "Tell me about yourself, friend"):
        assert "I am Mara, keeper of the light." in await answered(SYSTEM, INTRO, text)


async def test_the_same_line_never_comes_twice_in_a_row() -> None:
    talk: list[JsonObject] = [SYSTEM]
    said: list[str] = []
    for _ in range(12):
        talk.append(user("Hello"))
        said.append((await reply(request(*talk))).content)
        talk.append({"role": "assistant", "content": said[-1]})
    assert all(one != other for one, other in pairwise(said))


async def test_the_same_request_gets_the_same_reply() -> None:
    for text in ("Hello", "roll two dice", "remember that I won", "the Annis Rowe?"):
        asked = request(SYSTEM, CONTEXT, INTRO, text, tools=TYPICAL)
        assert await reply(asked) == await reply(asked)


@pytest.mark.parametrize(
    "messages",
    [
        [],
        [SYSTEM],
        [user("")],
        [{"role": "user", "content": None}],
        [{"role": "user"}],
        [{}],
        [{"role": "tool", "content": "x"}],
        [
            {
                "role": "user",
                "content": [{"type": "text", "text": "Hello"}, {"type": "image_url"}, 3],
            }
        ],
        [{"role": "assistant", "content": "x", "tool_calls": [None, {}, {"function": 1}]}],
        [user("a" * 500_000)],
        [user("\ud800 \x00")],
        [CONTEXT],
    ],
)
async def test_any_messages_are_answered(messages: list[JsonObject]) -> None:
    assert await answered(*messages)


async def test_a_question_of_a_sub_agent_as_json_is_read_as_words() -> None:
    made = await answered(SYSTEM, CONTEXT, '{"topic": "Annis Rowe", "year": 1911}')
    assert "sank in 1911" in made


@pytest.mark.timeout(30)
async def test_a_long_conversation_costs_no_more_than_a_short_one() -> None:
    clock = asyncio.get_running_loop()
    line = user("roll the dice and look up wrecks, then remember that I won. " * 40)
    yes: JsonObject = {"role": "assistant", "content": "Yes."}
    talk = [SYSTEM, CONTEXT, INTRO, *[line, yes] * 10_000]
    begun = clock.time()
    await reply(request(*talk, "roll two dice", tools=TYPICAL))
    assert clock.time() - begun < 5.0


@pytest.mark.timeout(30)
async def test_a_large_context_is_read_in_bounded_time() -> None:
    clock = asyncio.get_running_loop()
    large: JsonObject = {**CONTEXT, "content": "The tide and the wreck. " * 100_000}
    begun = clock.time()
    await reply(request(SYSTEM, large, "tell me of the tide and the wreck"))
    assert clock.time() - begun < 5.0

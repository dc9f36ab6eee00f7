"""Directives in the user's text: INTERFACES, "Rehearsal can be told exactly what to do"."""

from __future__ import annotations

import asyncio
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from studio_qt.errors import ModelError
from studio_qt.jsontext import JsonObject
from studio_qt.providers.model import TextDelta
from studio_qt.providers.rehearsal import RehearsalProvider
from studio_qt.providers.rehearsal.directives import FailStep, SayStep, SlowStep, parse_directives
from tests.rehearsal.tools import (
    NOTATION_DICE,
    TYPICAL,
    body_of,
    events,
    reply,
    request,
    tool,
    with_results,
)


@pytest.mark.clause("LOOP-03")
async def test_several_calls_go_out_in_order_in_one_message() -> None:
    text = 'Now [[call one {"a": 1}]] and [[call two]] then [[call one {"a": 2}]]'
    made = await reply(request(text))
    assert [(call.name, call.arguments) for call in made.tool_calls] == [
        ("one", {"a": 1}),
        ("two", {}),
        ("one", {"a": 2}),
    ]
    assert made.content == ""
    assert made.finish_reason == "tool_calls"
    assert len({call.id for call in made.tool_calls}) == 3


@pytest.mark.parametrize(
    "arguments",
    [
        {"text": "a ]] in a string, and [[ too"},
        {"list": [[1, [2]], []]},
        {"quote": 'she said "]]" \\ and left'},
        {"request": '[[call inner {"x": [1]}]] [[say done]]'},
        {"deep": {"er": {"est": [[["x"]]]}}},
    ],
)
async def test_brackets_and_strings_inside_arguments_do_not_end_a_call(
    arguments: dict[str, object],
) -> None:
    made = await reply(request(f"[[call t {json.dumps(arguments)}]] and on"))
    assert [call.arguments for call in made.tool_calls] == [arguments]


@settings(max_examples=25, deadline=None)
@given(st.dictionaries(st.text(max_size=8), st.recursive(st.text(max_size=8), st.lists)))
def test_any_json_object_survives_a_directive(arguments: dict[str, object]) -> None:
    told = parse_directives(f"x [[call t {json.dumps(arguments, ensure_ascii=False)}]] y")
    assert [call.arguments for call in told.calls] == [arguments]
    assert told.rest == "x  y"


@pytest.mark.clause("LOOP-04")
@pytest.mark.parametrize("spelled", ['{"a": ', "{a: 1}", "[1, 2]", "7", '{"a": "b}', "nonsense"])
async def test_arguments_that_are_no_object_are_passed_on_as_they_are(spelled: str) -> None:
    made = await reply(request(f"[[call t {spelled}]]"))
    assert made.tool_calls[0].arguments is None
    assert made.tool_calls[0].arguments_text == spelled.strip()


@pytest.mark.clause("LOOP-04")
async def test_a_tool_that_nobody_offers_is_called_all_the_same() -> None:
    made = await reply(request("[[call nosuch {}]]", tools=TYPICAL))
    assert made.tool_calls[0].name == "nosuch"


@pytest.mark.parametrize(
    "said",
    ["Hello.", "two\nlines", " blanks ", "a [link](x) [1]", "[[nested]] text", "日本 🎲", ""],
)
async def test_say_is_answered_exactly(said: str) -> None:
    made = await reply(request(f"Hey [[say {said}]]", tools=TYPICAL))
    assert (made.content, made.tool_calls, made.finish_reason) == (said, (), "stop")


async def test_a_directive_alone_decides_even_where_the_words_ask_for_a_tool() -> None:
    made = await reply(request("Roll two dice! [[say No.]]", tools=[NOTATION_DICE]))
    assert (made.content, made.tool_calls) == ("No.", ())


async def test_the_rest_follows_once_the_results_are_in() -> None:
    text = "[[say Before.]] [[call roll_dice {}]] [[say After.]]"
    assert (await reply(request(text))).content == ""
    made = await reply(request(*with_results(text, "7")))
    assert (made.content, made.tool_calls) == ("Before.\nAfter.", ())


async def test_calls_without_a_say_are_answered_from_their_results() -> None:
    made = await reply(request(*with_results("[[call roll_dice {}]]", "You rolled 7.")))
    assert "You rolled 7." in body_of(made.content)


@pytest.mark.clause("LOOP-08")
async def test_fail_raises_before_any_text() -> None:
    stream = RehearsalProvider().stream(request("[[fail 503 the cable is cut]]"))
    with pytest.raises(ModelError, match="the cable is cut") as caught:
        await anext(stream)
    assert caught.value.status == 503


@pytest.mark.clause("LOOP-08")
async def test_fail_after_say_breaks_off_after_the_text() -> None:
    came = []
    with pytest.raises(ModelError) as caught:
        async for event in RehearsalProvider().stream(request("[[say One two.]] [[fail 500]]")):
            came.append(event)
    assert came == [TextDelta("One"), TextDelta(" two.")]
    assert caught.value.status == 500


@pytest.mark.clause("LOOP-08")
async def test_fail_before_say_lets_no_text_through() -> None:
    with pytest.raises(ModelError):
        await events(request("[[fail 500 x]] [[say never]]"))


@pytest.mark.clause("LOOP-08")
async def test_fail_beside_calls_waits_for_their_results() -> None:
    text = "[[fail 500 x]] [[call roll_dice {}]]"
    assert (await reply(request(text))).finish_reason == "tool_calls"
    with pytest.raises(ModelError):
        await events(request(*with_results(text, "7")))


async def test_slow_spreads_the_answer_and_words_still_choose_the_tool() -> None:
    clock = asyncio.get_running_loop()
    begun = clock.time()
    made = await reply(request("[[slow 0.05]] [[say a b c]]"))
    assert made.content == "a b c"
    assert clock.time() - begun >= 0.05
    begun = clock.time()
    made = await reply(request("[[slow 60]] roll two dice", tools=[NOTATION_DICE]))
    assert made.tool_calls
    assert clock.time() - begun < 30


@pytest.mark.clause("LOOP-07")
async def test_a_slow_answer_begins_at_once_and_can_be_cancelled() -> None:
    came: list[str] = []
    first = asyncio.Event()

    async def listen() -> None:
        async for event in RehearsalProvider().stream(request("[[slow 500]] [[say a b c]]")):
            assert isinstance(event, TextDelta)
            came.append(event.text)
            first.set()

    task = asyncio.create_task(listen())
    await first.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert came == ["a"]


@pytest.mark.parametrize(
    "piece",
    [
        "[[call]]",
        "[[slow]]",
        "[[slow soon]]",
        "[[fail]]",
        "[[fail now]]",
        "[[fail 5 x]]",
        "[[say x",
    ],
)
async def test_a_malformed_directive_is_shown_as_text(piece: str) -> None:
    told = parse_directives(f"Look: {piece}")
    assert (told.steps, told.malformed) == ((), (piece,))
    made = await reply(request(f"Look: {piece}"))
    assert piece in body_of(made.content)


def test_other_double_brackets_are_ordinary_text() -> None:
    told = parse_directives("See [[wiki]] and [[Call me]] and [[sayings]]")
    assert (told.steps, told.malformed) == ((), ())


async def test_only_the_last_user_message_directs() -> None:
    before: list[JsonObject] = [
        {"role": "user", "content": "[[say old]]"},
        {"role": "assistant", "content": "old"},
    ]
    made = await reply(request(*before, "Hello"))
    assert made.content != "old"
    file: JsonObject = {"role": "user", "isFile": True, "content": "[[say from a file]]"}
    assert (await reply(request("[[say mine]]", file))).content == "mine"


async def test_arguments_of_a_sub_agent_as_json_direct_it_too() -> None:
    asked = json.dumps({"place": "bay", "request": '[[call t {"a": "x"}]]'})
    made = await reply(request({"role": "system", "content": "You name things."}, asked))
    assert made.tool_calls[0].arguments == {"a": "x"}


def test_steps_keep_the_order_written() -> None:
    told = parse_directives("[[slow 2]] [[say a]] [[fail 429 busy now]] [[say b]]")
    assert told.others == (SlowStep(2), SayStep("a"), FailStep(429, "busy now"), SayStep("b"))


@pytest.mark.timeout(20)
@pytest.mark.parametrize("unit", ["[[call ", "[[say [ ]]", '[[call x {"', "[[", "]]", "[[slow 1]]"])
def test_a_long_hostile_text_is_read_quickly(unit: str) -> None:
    told = parse_directives(unit * 100_000)
    assert len(told.steps) + len(told.malformed) <= 101


async def test_calls_leave_again_when_a_new_turn_repeats_the_text() -> None:
    text = "[[call roll_dice {}]]"
    again: list[JsonObject] = [*with_results(text, "7"), {"role": "assistant", "content": "Seven."}]
    made = await reply(request(*again, text, tools=[tool("roll_dice")]))
    assert made.finish_reason == "tool_calls"

"""Tool calls: how they come in pieces, and how they and their results are sent back."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio_qt.providers.calls import CallCollector, parse_arguments
from studio_qt.providers.client import HttpProvider
from studio_qt.providers.names import ToolNames
from tests.providers.asking import (
    Asked,
    ask,
    assistant,
    called,
    chat,
    result,
    system,
    tool,
    user,
)
from tests.support.model_server import (
    DONE,
    ModelServer,
    chunk,
    plain,
    sse,
    text,
    tool_call,
    tool_calls,
)

END = chunk({}, "tool_calls") + DONE
TOOLS = ("roll", "look", "get_time")


def piece(
    name: str | None = None, arguments: Any = None, *, call_id: Any = None, **more: Any
) -> dict[str, Any]:
    """One item of a `tool_calls` list, with just the fields that are given."""
    function = {k: v for k, v in (("name", name), ("arguments", arguments)) if v is not None}
    made: dict[str, Any] = {"function": function, **more}
    return made if call_id is None else {"id": call_id, **made}


async def said(provider: HttpProvider, model: ModelServer, *pieces: dict[str, Any]) -> Asked:
    model.script(sse(*[chunk({"tool_calls": [p]}) for p in pieces], END))
    return await ask(provider, chat("Go", tools=TOOLS))


def plainly(asked: Asked) -> list[tuple[str, Any]]:
    return [(call.name, call.arguments) for call in asked.calls]


@pytest.mark.clause("LOOP-02")
async def test_calls_count_whatever_the_finish_reason(
    provider: HttpProvider, model: ModelServer
) -> None:
    for finish in ("stop", "tool_calls", None, "length"):
        model.script(tool_call("roll", {"sides": 6}, finish=finish))
        asked = await ask(provider, chat("Go", tools=TOOLS))
        assert plainly(asked) == [("roll", {"sides": 6})]


@pytest.mark.clause("LOOP-03")
async def test_parallel_calls_keep_their_order(provider: HttpProvider, model: ModelServer) -> None:
    model.script(tool_calls(("look", {}), ("roll", {"sides": 6}), content="Both."))
    asked = await ask(provider, chat("Go", tools=TOOLS))
    assert plainly(asked) == [("look", {}), ("roll", {"sides": 6})]
    assert asked.text == "Both."


async def test_calls_in_a_whole_answer_are_read(provider: HttpProvider, model: ModelServer) -> None:
    model.script(tool_calls(("roll", {"sides": 6}), ("look", {})))
    asked = await ask(provider, chat("Go", tools=TOOLS, stream=False))
    assert plainly(asked) == [("roll", {"sides": 6}), ("look", {})]


async def test_an_index_is_a_label_and_may_begin_at_one(
    provider: HttpProvider, model: ModelServer
) -> None:
    asked = await said(
        provider,
        model,
        piece("roll", "", index=1, call_id="a"),
        piece("look", "", index=2, call_id="b"),
        piece(None, '{"n":1}', index=1),
        piece(None, '{"n":2}', index=2),
    )
    assert plainly(asked) == [("roll", {"n": 1}), ("look", {"n": 2})]


async def test_calls_without_index_and_id_are_told_apart(
    provider: HttpProvider, model: ModelServer
) -> None:
    asked = await said(
        provider, model, piece("roll", '{"n":1}'), piece("roll", '{"n":2}'), piece("look", "{}")
    )
    assert plainly(asked) == [("roll", {"n": 1}), ("roll", {"n": 2}), ("look", {})]


async def test_pieces_without_index_and_id_continue_the_latest_call(
    provider: HttpProvider, model: ModelServer
) -> None:
    asked = await said(
        provider, model, piece("roll", '{"n"', call_id="a"), piece(None, ":1}"), piece("look", "{}")
    )
    assert plainly(asked) == [("roll", {"n": 1}), ("look", {})]


async def test_another_id_with_a_name_begins_a_call_at_the_same_index(
    provider: HttpProvider, model: ModelServer
) -> None:
    asked = await said(
        provider,
        model,
        piece("roll", '{"n":', index=0, call_id="a"),
        piece(None, "1}", index=0, call_id="a"),
        piece("look", "{", index=0, call_id="b"),
        piece(None, "}", index=0),
    )
    assert plainly(asked) == [("roll", {"n": 1}), ("look", {})]


async def test_one_id_at_two_indexes_is_two_calls(
    provider: HttpProvider, model: ModelServer
) -> None:
    asked = await said(
        provider,
        model,
        piece("roll", '{"n":1}', index=0, call_id="roll"),
        piece("roll", '{"n":2}', index=1, call_id="roll"),
    )
    assert plainly(asked) == [("roll", {"n": 1}), ("roll", {"n": 2})]
    assert len({call.id for call in asked.calls}) == 2


async def test_a_changing_id_without_a_name_continues_the_call_at_its_index(
    provider: HttpProvider, model: ModelServer
) -> None:
    asked = await said(
        provider,
        model,
        piece("roll", '{"n":', index=0, call_id="a"),
        piece(None, "1}", index=0, call_id="zzz"),
    )
    assert [(c.id, c.arguments) for c in asked.calls] == [("a", {"n": 1})]


async def test_an_empty_id_is_no_id(provider: HttpProvider, model: ModelServer) -> None:
    asked = await said(
        provider,
        model,
        piece("roll", '{"n":', index=0, call_id="a"),
        piece("", "1}", index=0, call_id=""),
    )
    assert [(c.id, c.arguments) for c in asked.calls] == [("a", {"n": 1})]


@pytest.mark.parametrize("missing", [None, "", 7])
async def test_a_missing_id_is_made_up(
    provider: HttpProvider, model: ModelServer, missing: object
) -> None:
    asked = await said(provider, model, piece("roll", "{}", index=0, call_id=missing))
    assert re.fullmatch("[A-Za-z0-9]{9}", asked.calls[0].id)


@pytest.mark.parametrize(
    "names", [("roll", "roll", "roll"), ("roll", "", ""), ("ro", "ll", ""), ("ro", "roll", "roll")]
)
async def test_a_name_is_set_once_or_grows(
    provider: HttpProvider, model: ModelServer, names: tuple[str, ...]
) -> None:
    asked = await said(provider, model, *[piece(name, "", index=0) for name in names])
    assert plainly(asked) == [("roll", {})]


@pytest.mark.parametrize("arguments", ["", None, "{}", "null", " ", {}, '"{}"', '""'])
async def test_no_arguments_in_any_spelling_are_an_empty_object(
    provider: HttpProvider, model: ModelServer, arguments: object
) -> None:
    asked = await said(provider, model, piece("roll", arguments, index=0, call_id="a"))
    assert plainly(asked) == [("roll", {})]


@pytest.mark.parametrize("arguments", [{"n": 1}, '{"n": 1}', '"{\\"n\\": 1}"'])
async def test_arguments_may_be_text_an_object_or_encoded_twice(
    provider: HttpProvider, model: ModelServer, arguments: object
) -> None:
    asked = await said(provider, model, piece("roll", arguments, index=0, call_id="a"))
    assert plainly(asked) == [("roll", {"n": 1})]


@pytest.mark.clause("LOOP-04")
@pytest.mark.parametrize("arguments", ["{n:", "[1]", "12", '"words"', "nonsense"])
async def test_arguments_that_are_no_object_are_given_as_text_alone(
    provider: HttpProvider, model: ModelServer, arguments: str
) -> None:
    asked = await said(provider, model, piece("roll", arguments, index=0, call_id="a"))
    assert [(c.arguments, c.arguments_text) for c in asked.calls] == [(None, arguments)]


async def test_a_legacy_function_call_is_a_tool_call(
    provider: HttpProvider, model: ModelServer
) -> None:
    first = chunk({"function_call": {"name": "roll", "arguments": '{"n":'}})
    model.script(sse(first, chunk({"function_call": {"arguments": "1}"}}), END))
    assert plainly(await ask(provider, chat("Go", tools=TOOLS))) == [("roll", {"n": 1})]


@given(
    calls=st.lists(
        st.tuples(st.sampled_from(TOOLS), st.dictionaries(st.text(max_size=3), st.integers())),
        min_size=1,
        max_size=4,
    ),
    size=st.integers(1, 9),
)
def test_any_cut_of_indexed_calls_gives_the_same_calls(
    calls: list[tuple[str, dict[str, int]]], size: int
) -> None:
    import json

    collector = CallCollector(ToolNames(TOOLS))
    for index, (name, arguments) in enumerate(calls):
        spelled = json.dumps(arguments)
        collector.feed(piece(name, "", index=index, call_id=f"c{index}"))
        for start in range(0, len(spelled), size):
            collector.feed(piece(None, spelled[start : start + size], index=index))
    assert [(c.name, c.arguments) for c in collector.finish()] == calls


@given(st.text())
def test_no_text_of_arguments_raises(text: str) -> None:
    assert parse_arguments(text) is None or isinstance(parse_arguments(text), dict)


# -- sending back


async def test_calls_are_sent_back_with_their_results_in_order(
    provider: HttpProvider, model: ModelServer
) -> None:
    two = [
        called("roll", call_id="a")["tool_calls"][0],
        called("look", call_id="b")["tool_calls"][0],
    ]
    model.script(text("x"))
    history = [user("Go"), assistant("Both.", tool_calls=two), result("B", "b"), result("A", "a")]
    await ask(provider, chat(*history, tools=TOOLS))
    sent = model.last.messages
    assert [m["role"] for m in sent] == ["user", "assistant", "tool", "tool"]
    assert [(m["tool_call_id"], m["content"]) for m in sent[2:]] == [("a", "A"), ("b", "B")]
    assert [c["id"] for c in sent[1]["tool_calls"]] == ["a", "b"]


async def test_every_call_is_answered_before_anything_else(
    provider: HttpProvider, model: ModelServer
) -> None:
    model.script(text("x"))
    history = [called(call_id="a"), user("Wait!"), result("late", "a"), called(call_id="b")]
    await ask(provider, chat(user("Go"), *history, result("stray", "zz"), tools=TOOLS))
    sent = [(m["role"], m["content"]) for m in model.last.messages]
    assert sent == [
        ("user", "Go"),
        ("assistant", None),
        ("tool", "late"),
        ("user", "Wait!"),
        ("assistant", None),
        ("tool", "(This call was not run.)"),
    ]


async def test_content_beside_calls_is_null_and_never_missing(
    provider: HttpProvider, model: ModelServer
) -> None:
    model.script(text("x"))
    await ask(provider, chat("Go", called(), result("4"), tools=TOOLS))
    assert model.last.messages[1]["content"] is None


async def test_results_are_always_text(provider: HttpProvider, model: ModelServer) -> None:
    model.script(text("x"))
    await ask(provider, chat("Go", called(), result({"n": 4}), tools=TOOLS))
    assert model.last.tool_results == ['{"n":4}']


@pytest.mark.parametrize(
    ("came", "goes"),
    [
        ('{ "n": 1 }', '{ "n": 1 }'),
        ("", "{}"),
        ("null", "{}"),
        ('"{\\"n\\":1}"', '{"n":1}'),
        ("{n:", '{"unreadable":"{n:"}'),
    ],
)
async def test_arguments_go_back_as_text_that_spells_an_object(
    provider: HttpProvider, model: ModelServer, came: str, goes: str
) -> None:
    model.script(text("x"))
    await ask(provider, chat("Go", called(arguments=came), result("4"), tools=TOOLS))
    assert model.last.messages[1]["tool_calls"][0]["function"]["arguments"] == goes


async def test_an_empty_list_of_calls_is_never_sent(
    provider: HttpProvider, model: ModelServer
) -> None:
    model.script(text("x"))
    await ask(provider, chat("Go", assistant("Hm.", tool_calls=[]), "On", tools=TOOLS))
    assert all("tool_calls" not in message for message in model.last.messages)


@pytest.mark.clause("LOOP-01")
async def test_without_tools_no_field_about_tools_is_sent(
    provider: HttpProvider, model: ModelServer
) -> None:
    model.script(text("x"))
    await ask(provider, chat("Go"))
    assert not {"tools", "tool_choice", "parallel_tool_calls"} & set(model.last.body)


@pytest.mark.clause("LOOP-01")
async def test_tools_go_out_in_their_order(provider: HttpProvider, model: ModelServer) -> None:
    model.script(text("x"))
    await ask(provider, chat("Go", tools=TOOLS))
    assert model.last.tool_names == list(TOOLS)


UNSAFE = ["my tool", "my.tool", "9lives", "wörter", "a" * 80, "a" * 79 + "b", "-x", "roll"]


async def test_tool_names_are_made_safe_and_come_back_as_offered(
    provider: HttpProvider, model: ModelServer
) -> None:
    request = chat("Go", called("my.tool"), result("4"), tools=UNSAFE)
    model.script(text("x"))
    await ask(provider, request)
    names = model.last.tool_names
    assert len(set(names)) == len(UNSAFE)
    assert all(re.fullmatch("[A-Za-z_][A-Za-z0-9_-]{0,63}", name) for name in names)
    assert model.last.messages[1]["tool_calls"][0]["function"]["name"] == names[1]
    model.script(tool_calls(*[(name, {}) for name in names]))
    assert [call.name for call in (await ask(provider, request)).calls] == UNSAFE


@pytest.mark.parametrize(
    ("wrote", "means"),
    [
        ("rollDice", "rollDice"),
        ("roll_dice", "rollDice"),
        ("functions.rollDice", "rollDice"),
        (" look ", "look"),
        ("nosuch", "nosuch"),
        ("a.b", "a.b"),
    ],
)
def test_a_name_that_the_server_changed_is_matched(wrote: str, means: str) -> None:
    assert ToolNames(["rollDice", "look", "a_b", "aB"]).offered(wrote) == means


async def test_schemas_are_made_whole(provider: HttpProvider, model: ModelServer) -> None:
    schema = {"properties": {"items": {"type": "array"}, "o": {"type": "object"}}}
    model.script(text("x"))
    await ask(provider, chat("Go", tools=[tool("roll", schema), "look"]))
    first, second = (t["function"]["parameters"] for t in model.last.tools)
    assert first["properties"] == {
        "items": {"type": "array", "items": {}},
        "o": {"type": "object", "properties": {}},
    }
    assert second == {"type": "object", "properties": {}}


GOOGLE = {"google": {"thought_signature": "c2ln"}}


async def test_a_signature_on_a_call_goes_back_to_the_same_model_only(
    provider: HttpProvider, model: ModelServer
) -> None:
    asked = await said(
        provider,
        model,
        piece("roll", "{}", index=0, call_id="c1"),
        {"index": 0, "extra_content": GOOGLE},
    )
    extras = asked.completion.extras
    model.script(text("x"), text("x"))
    history = ["Go", called(extras=extras), result("4")]
    await ask(provider, chat(*history, tools=TOOLS))
    assert model.last.messages[1]["tool_calls"][0]["extra_content"] == GOOGLE
    await ask(
        provider, chat(*history[:1], called(extras={**extras, "model": "other"}), result("4"))
    )
    assert "extra_content" not in str(model.last.messages)


async def test_reasoning_goes_back_with_its_calls_to_the_same_endpoint_only(
    provider: HttpProvider, model: ModelServer
) -> None:
    details = [{"type": "reasoning.text", "index": 0, "text": part} for part in ("de", "ep")]
    pieces = [chunk({"reasoning_content": d["text"], "reasoning_details": [d]}) for d in details]
    last = chunk({"reasoning_details": [{"type": "reasoning.encrypted", "index": 1, "data": "e"}]})
    model.script(
        sse(*pieces, last, chunk({"tool_calls": [piece("roll", "{}", call_id="c1")]}), END)
    )
    extras = (await ask(provider, chat("Go", tools=TOOLS))).completion.extras
    model.script(text("x"), text("x"))
    await ask(provider, chat("Go", called(extras=extras), result("4"), tools=TOOLS))
    sent = model.last.messages[1]
    assert sent["reasoning_content"] == "deep"
    assert [d.get("text") for d in sent["reasoning_details"]] == ["deep", None]
    elsewhere = {**extras, "endpoint": "https://other.example/v1"}
    await ask(provider, chat("Go", called(extras=elsewhere), result("4"), tools=TOOLS))
    assert "reasoning" not in str(model.last.messages)


async def test_no_call_without_a_name_is_reported(
    provider: HttpProvider, model: ModelServer
) -> None:
    model.script(plain({"choices": [{"message": {"content": "x", "tool_calls": [{"id": "a"}]}}]}))
    assert (await ask(provider)).calls == ()


async def test_system_and_user_content_is_never_null(
    provider: HttpProvider, model: ModelServer
) -> None:
    model.script(text("x"))
    await ask(provider, chat(system("s"), user(None), assistant(None), "Go"))
    assert [m["content"] for m in model.last.messages] == ["s", "", "", "Go"]

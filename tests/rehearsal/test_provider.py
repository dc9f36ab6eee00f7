"""Rehearsal as a provider: stream, limits, script, what it offers."""

from __future__ import annotations

import pytest

from studio_qt.errors import ClosedError, ModelError
from studio_qt.jsontext import JsonObject, decode_object
from studio_qt.providers.model import Completion, Provider, TextDelta, Usage
from studio_qt.providers.rehearsal import RehearsalProvider, ScriptedCall, ScriptedReply
from tests.rehearsal.tools import TYPICAL, events, reply, request


def test_it_is_a_provider() -> None:
    provider: Provider = RehearsalProvider()
    assert provider.estimate_tokens("") == 0
    assert provider.estimate_tokens("abcde") == 2


async def test_it_offers_one_model_that_takes_tools() -> None:
    (model,) = await RehearsalProvider().list_models()
    assert (model.id, model.context_length, model.takes_tools) == ("rehearsal", 32_768, True)


async def test_words_come_one_by_one_and_the_completion_last() -> None:
    *deltas, last = await events(request("[[say One two,\n three  ]]"))
    assert deltas == [TextDelta(one) for one in ("One", " two,", "\n three", "  ")]
    assert isinstance(last, Completion)
    assert last.content == "One two,\n three  "
    assert last.usage == Usage(7, 5, 12, estimated=True)


async def test_without_streaming_there_is_the_completion_alone() -> None:
    (only,) = await events(request("[[say One two]]", stream=False))
    assert isinstance(only, Completion)
    assert only.content == "One two"


@pytest.mark.parametrize("limit", [0, 1, 2])
async def test_the_limit_of_tokens_cuts_the_answer_and_says_so(limit: int) -> None:
    made = await reply(request("[[say One two three four]]", max_tokens=limit))
    assert made.content == "One two three four"[: limit * 4]
    assert made.finish_reason == "length"
    assert made.notices


async def test_an_answer_within_the_limit_is_whole() -> None:
    made = await reply(request("[[say One]]", max_tokens=1))
    assert (made.content, made.finish_reason, made.notices) == ("One", "stop", ())


async def test_the_body_is_the_request_with_everything_it_reads() -> None:
    file: JsonObject = {"role": "user", "content": "x", "isFile": True}
    asked = request(file, "Hello", tools=TYPICAL, max_tokens=5)
    body = decode_object(RehearsalProvider().body(asked))
    assert body["messages"] == [file, {"role": "user", "content": "Hello"}]
    assert body["tools"] == TYPICAL
    assert (body["max_tokens"], "temperature" in body) == (5, False)
    assert "tools" not in decode_object(RehearsalProvider().body(request("Hello")))


async def test_a_script_is_said_in_order_whatever_is_asked() -> None:
    both = ScriptedReply("Let me see.", (ScriptedCall("a", {}), ScriptedCall("b", "{broken")))
    provider = RehearsalProvider([ScriptedCall("roll", {"n": 2}), "Seven. [[say x]]", both])
    first = await reply(request("[[say no]]"), provider)
    assert [(call.name, call.arguments) for call in first.tool_calls] == [("roll", {"n": 2})]
    assert (await reply(request("Hello"), provider)).content == "Seven. [[say x]]"
    last = await reply(request("Hello"), provider)
    assert (last.content, last.finish_reason) == ("Let me see.", "tool_calls")
    assert [call.arguments for call in last.tool_calls] == [{}, None]
    assert last.tool_calls[1].arguments_text == "{broken"
    assert provider.left == 0


async def test_a_script_that_is_over_is_an_error_not_an_answer() -> None:
    provider = RehearsalProvider(["One."])
    assert provider.left == 1
    await reply(request("a"), provider)
    with pytest.raises(ModelError, match="script is over"):
        await reply(request("b"), provider)


async def test_calls_of_different_replies_have_different_ids() -> None:
    provider = RehearsalProvider([ScriptedCall("a", {}), ScriptedCall("a", {})])
    made = [await reply(request("x"), provider) for _ in range(2)]
    assert len({call.id for one in made for call in one.tool_calls}) == 2


async def test_closed_twice_it_refuses_requests() -> None:
    provider = RehearsalProvider()
    await provider.close()
    await provider.close()
    with pytest.raises(ClosedError):
        await reply(request("Hello"), provider)

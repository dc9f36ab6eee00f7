"""What stands in a chunk: choices, deltas, usage, finish reasons, parts."""

from __future__ import annotations

from typing import Any

import pytest

from studio_qt.providers.client import HttpProvider
from studio_qt.providers.model import Usage
from tests.providers.asking import ask
from tests.support.model_server import DONE, ModelServer, chunk, event, plain, sse, text

END = chunk({}, "stop") + DONE


@pytest.mark.parametrize(
    "odd",
    [
        {"choices": []},
        {"id": "x"},
        {"choices": None},
        {"choices": [None]},
        {"choices": [{"delta": None}]},
        {"choices": [{"index": 0}]},
        {"choices": [{"delta": {"content": None}}]},
        {"choices": [{"delta": {"content": ""}}]},
        {"choices": [{"delta": {"role": "assistant"}}]},
        {"choices": [], "prompt_filter_results": [{"prompt_index": 0}]},
        {"error": None, "choices": []},
        17,
    ],
)
async def test_a_chunk_without_anything_is_passed_over(
    provider: HttpProvider, model: ModelServer, odd: object
) -> None:
    model.script(sse(event(odd), chunk({"content": "x"}), event(odd), END))
    assert (await ask(provider)).completion.content == "x"


async def test_roles_and_ids_may_come_in_all_chunks_or_none(
    provider: HttpProvider, model: ModelServer
) -> None:
    one = chunk({"role": "assistant", "content": "a"}, id="")
    two = chunk({"role": "assistant", "content": "b"}, id="other", unknown={"x": 1})
    model.script(sse(one, two, END))
    assert (await ask(provider)).text == "ab"


async def test_usage_is_asked_for_and_read_from_a_chunk_without_choices(
    provider: HttpProvider, model: ModelServer
) -> None:
    model.script(text("x", usage=(12, 3)))
    assert (await ask(provider)).completion.usage == Usage(12, 3, 15)
    assert model.last.body["stream_options"] == {"include_usage": True}


async def test_usage_may_stand_on_the_finish_chunk(
    provider: HttpProvider, model: ModelServer
) -> None:
    usage = {"prompt_tokens": 7, "completion_tokens": 2}
    model.script(sse(chunk({"content": "x"}), chunk({}, "stop", usage=usage), DONE))
    assert (await ask(provider)).completion.usage == Usage(7, 2, 9)


@pytest.mark.parametrize("absurd", ["1e400", "-1", '"9"', "null", '"' + "9" * 5000 + '"'])
async def test_an_absurd_count_never_costs_the_answer(
    provider: HttpProvider, model: ModelServer, absurd: str
) -> None:
    line = f'data: {{"choices": [], "usage": {{"completion_tokens": {absurd}}}}}\n\n'.encode()
    model.script(sse(chunk({"content": "x"}), line, END))
    assert (await ask(provider)).text == "x"


async def test_usage_on_every_chunk_is_replaced_and_never_added(
    provider: HttpProvider, model: ModelServer
) -> None:
    counts = [
        {"prompt_tokens": 7, "completion_tokens": n, "total_tokens": 7 + n} for n in (1, 2, 3)
    ]
    model.script(sse(*[chunk({"content": "x"}, usage=c) for c in counts], END))
    assert (await ask(provider)).completion.usage == Usage(7, 3, 10)


async def test_missing_usage_is_estimated_and_says_so(
    provider: HttpProvider, model: ModelServer
) -> None:
    model.script(text("Twelve chars", usage=None))
    usage = (await ask(provider, "x" * 40)).completion.usage
    assert usage == Usage(14, 3, 17, estimated=True)


@pytest.mark.parametrize("reason", ["stop", "end_turn", "eos", "tool_calls", "function_call"])
async def test_ordinary_finish_reasons_need_no_words(
    provider: HttpProvider, model: ModelServer, reason: str
) -> None:
    model.script(text("x", finish=reason))
    said = (await ask(provider)).completion
    assert (said.finish_reason, said.notices) == (reason, ())


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        ("length", "cut at the length limit"),
        ("content_filter", "content filter"),
        ("insufficient_system_resource", "ran out of capacity"),
        ("vibes", '"vibes"'),
    ],
)
async def test_a_finish_reason_that_matters_is_told(
    provider: HttpProvider, model: ModelServer, reason: str, words: str
) -> None:
    model.script(text("x", finish=reason))
    said = (await ask(provider)).completion
    assert (said.content, said.finish_reason) == ("x", reason)
    assert words in said.notices[0]


async def test_an_empty_finish_reason_is_none(provider: HttpProvider, model: ModelServer) -> None:
    model.script(sse(chunk({"content": "x"}, ""), chunk({"content": "y"}, ""), DONE))
    said = (await ask(provider)).completion
    assert (said.content, said.finish_reason) == ("xy", None)


async def test_a_refusal_is_shown_and_told(provider: HttpProvider, model: ModelServer) -> None:
    model.script(sse(chunk({"content": None, "refusal": "I will not."}), END))
    asked = await ask(provider)
    assert asked.text == "I will not."
    assert asked.completion.notices == ("The model refused to answer.",)


PARTS: list[dict[str, Any]] = [
    {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]},
    {"type": "reference", "reference_ids": [1]},
    {"type": "text", "text": "x"},
]


async def test_content_in_parts_is_flattened(provider: HttpProvider, model: ModelServer) -> None:
    model.script(sse(chunk({"content": PARTS}), chunk({"content": "y"}), END))
    asked = await ask(provider)
    assert (asked.text, asked.reasoning) == ("xy", "hm")


async def test_content_in_parts_is_flattened_in_a_whole_answer_too(
    provider: HttpProvider, model: ModelServer
) -> None:
    model.script(plain({"choices": [{"message": {"content": PARTS}}]}))
    assert (await ask(provider)).completion.content == "x"


async def test_an_answer_without_a_word_is_empty(
    provider: HttpProvider, model: ModelServer
) -> None:
    model.script(text(""))
    asked = await ask(provider)
    assert (asked.text, asked.completion.content, asked.completion.notices) == ("", "", ())


async def test_pieces_after_the_finish_reason_still_count(
    provider: HttpProvider, model: ModelServer
) -> None:
    model.script(sse(chunk({"content": "a"}, "stop"), chunk({"content": "b"}), DONE))
    assert (await ask(provider)).text == "ab"


async def test_nothing_after_done_counts(provider: HttpProvider, model: ModelServer) -> None:
    model.script(sse(chunk({"content": "a"}), END + chunk({"content": "b"}), b"data: nonsense\n\n"))
    assert (await ask(provider)).completion.content == "a"

"""Reasoning: fields, tags in the text, and what is made of a turn that holds nothing else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio_qt.providers.client import HttpProvider
from studio_qt.providers.thinking import ThinkSplitter
from tests.providers.asking import ask
from tests.support.model_server import DONE, ModelServer, chunk, plain, sse, text

END = chunk({}, "stop") + DONE


@pytest.mark.parametrize(
    "delta",
    [
        {"reasoning_content": "hm"},
        {"reasoning": "hm"},
        {"reasoning_content": "hm", "reasoning": "hm"},
        {"reasoning": "hm", "reasoning_details": [{"type": "reasoning.text", "text": "hm"}]},
        {"reasoning_details": [{"type": "reasoning.summary", "summary": "hm"}]},
        {"reasoning_content": "hm", "content": None},
        {"reasoning_content": "hm", "reasoning": None, "content": ""},
    ],
)
async def test_reasoning_is_shown_apart_and_once(
    provider: HttpProvider, model: ModelServer, delta: dict[str, object]
) -> None:
    model.script(sse(chunk(delta), chunk({"content": "x"}), END))
    asked = await ask(provider)
    assert (asked.text, asked.reasoning) == ("x", "hm")
    assert (asked.completion.content, asked.completion.reasoning) == ("x", "hm")


@pytest.mark.parametrize("tag", ["think", "thinking", "mm:think"])
async def test_thinking_tags_are_taken_out_of_the_text(
    provider: HttpProvider, model: ModelServer, tag: str
) -> None:
    model.script(text(f"\n<{tag}>\nhm, 1 < 2\n</{tag}>\n\nThe answer."))
    said = (await ask(provider)).completion
    assert (said.content, said.reasoning) == ("The answer.", "hm, 1 < 2")


async def test_tags_may_be_cut_anywhere(provider: HttpProvider, model: ModelServer) -> None:
    whole = "<think>hm</think>\n\nYes </thin or <b>no</b>."
    model.script(text(whole, pieces=list(whole)))
    asked = await ask(provider)
    assert (asked.text, asked.reasoning) == ("Yes </thin or <b>no</b>.", "hm")


@given(st.integers(1, 12))
def test_any_cut_gives_the_same_pieces(size: int) -> None:
    whole = " <think>a</think><thinking>b</thinking>\nText < with <tags> </"
    splitter = ThinkSplitter()
    parts = [whole[i : i + size] for i in range(0, len(whole), size)]
    pieces = [p for part in parts for p in splitter.feed(part)] + splitter.finish()
    assert "".join(p.text for p in pieces if p.reasoning) == "ab"
    assert "".join(p.text for p in pieces if not p.reasoning) == "Text < with <tags> </"


async def test_text_before_a_lone_closing_tag_was_reasoning(
    provider: HttpProvider, model: ModelServer
) -> None:
    model.script(text("So he asks.\n</think>\n\nThe answer."))
    said = (await ask(provider)).completion
    assert (said.content, said.reasoning) == ("The answer.", "So he asks.")


async def test_a_model_that_swallows_the_opening_tag_is_known_the_next_time(
    provider: HttpProvider, model: ModelServer
) -> None:
    model.script(text("Hm.\n</think>\nOne."), text("Hm.\n</think>\nTwo."))
    await ask(provider)
    asked = await ask(provider)
    assert (asked.text, asked.reasoning.strip()) == ("Two.", "Hm.")


async def test_a_reply_without_the_expected_closing_tag_is_text_after_all(
    provider: HttpProvider, model: ModelServer
) -> None:
    model.script(text("Hm.\n</think>\nOne."), text("Just text."), text("More."))
    await ask(provider)
    said = (await ask(provider)).completion
    assert (said.content, said.reasoning) == ("Just text.", "")
    assert not provider.profile("m").opens_thinking
    assert (await ask(provider)).text == "More."


async def test_a_thought_that_is_cut_at_the_limit_stays_a_thought(
    provider: HttpProvider, model: ModelServer
) -> None:
    model.script(text("Hm.\n</think>\nOne."), text("Long thou", finish="length"))
    await ask(provider)
    said = (await ask(provider)).completion
    assert (said.content, said.reasoning) == ("", "Long thou")


@pytest.mark.parametrize(
    "words",
    [
        "Write `<think>` and `</think>` around it.",
        'The tag "</think>" ends it.',
        "I think <think> is a tag.",
        "a < b </thinking-about-it>",
        "<thin",
        "  indented",
    ],
)
async def test_tags_that_are_only_written_about_stay_text(
    provider: HttpProvider, model: ModelServer, words: str
) -> None:
    model.script(text(words, pieces=list(words)))
    asked = await ask(provider)
    assert (asked.text, asked.completion.content, asked.reasoning) == (words, words, "")


async def test_a_turn_of_reasoning_alone_says_that_there_is_no_answer(
    provider: HttpProvider, model: ModelServer
) -> None:
    model.script(text("", reasoning="hm"), text("<think>hm</think>\n"))
    for _ in range(2):
        said = (await ask(provider)).completion
        assert (said.content, said.reasoning) == ("", "hm")
        assert said.notices == ("The model thought, but gave no answer.",)


async def test_an_unclosed_block_is_reasoning(provider: HttpProvider, model: ModelServer) -> None:
    model.script(text("<think>hm and hm"))
    assert (await ask(provider)).completion.reasoning == "hm and hm"


async def test_reasoning_in_a_whole_answer_is_told_apart(
    provider: HttpProvider, model: ModelServer
) -> None:
    model.script(plain({"choices": [{"message": {"content": "hm</think>x"}}]}))
    said = (await ask(provider)).completion
    assert (said.content, said.reasoning) == ("x", "hm")

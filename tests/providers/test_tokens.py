"""Estimates of tokens and how reports of servers correct them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio_qt.providers import tokens
from studio_qt.providers.client import HttpProvider
from tests.providers.asking import ask, chat
from tests.support.model_server import ModelServer, text


@pytest.mark.parametrize(
    ("said", "least", "most"),
    [
        ("", 0, 0),
        ("a", 1, 1),
        ("a" * 400, 100, 100),
        ("漢字仮名" * 25, 60, 70),
        ("Привет" * 10, 20, 30),
        ("🎲" * 9, 6, 9),
        ("Größe und Güte " * 10, 38, 50),
    ],
)
def test_estimates_follow_the_script(said: str, least: int, most: int) -> None:
    assert least <= tokens.estimate(said) <= most


@given(st.text(), st.text())
def test_longer_text_is_never_estimated_shorter(one: str, two: str) -> None:
    assert tokens.estimate(one + two) >= tokens.estimate(one)


def test_tools_and_calls_count() -> None:
    body = {"messages": [{"role": "user", "content": "x" * 40}]}
    bare = tokens.estimate_body(body)  # type: ignore[arg-type]
    assert bare == 14
    assert tokens.estimate_body({**body, "tools": [{"name": "x" * 40}]}) > bare + 10  # type: ignore[dict-item]


async def test_reports_correct_the_estimates_smoothly(
    provider: HttpProvider, model: ModelServer
) -> None:
    said = "word " * 80
    before = provider.estimate_tokens(said)
    model.always = text("x", usage=(208, 1))
    seen = [before]
    for _ in range(12):
        await ask(provider, said)
        seen.append(provider.estimate_tokens(said))
    assert seen == sorted(seen)
    assert seen[1] < 1.5 * before
    assert 190 <= seen[-1] <= 210


async def test_what_was_corrected_is_kept_for_the_model(
    provider: HttpProvider, model: ModelServer
) -> None:
    model.script(text("x", usage=(208, 1)))
    await ask(provider, "word " * 80)
    assert provider.profile("m").token_ratio > 1.1


@pytest.mark.parametrize("reported", [0, 20, 10**9])
def test_an_absurd_report_teaches_nothing(reported: int) -> None:
    assert tokens.corrected(1.2, 1_000, reported) == 1.2


async def test_a_prompt_that_the_server_cut_is_told_and_teaches_nothing(
    provider: HttpProvider, model: ModelServer
) -> None:
    model.script(text("x", usage=(2_048, 1)), text("x", usage=(20, 1)))
    said = (await ask(provider, "word " * 8_000)).completion
    assert "read only 2048 of about 10004 tokens" in said.notices[0]
    assert provider.estimate_tokens("x" * 400) == 100
    cached = (await ask(provider, "word " * 8_000)).completion
    assert cached.notices == ()


async def test_without_a_report_everything_is_estimated(
    provider: HttpProvider, model: ModelServer
) -> None:
    model.script(text("x" * 400, usage=None))
    usage = (await ask(provider, chat("x" * 400))).completion.usage
    assert usage is not None
    assert (usage.prompt_tokens, usage.completion_tokens, usage.estimated) == (104, 100, True)

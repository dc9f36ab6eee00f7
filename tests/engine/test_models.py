"""Which model is asked, and what happens without a choice."""

from __future__ import annotations

from pathlib import Path

import pytest

from studio_qt import CharacterPlayer, ModelError, PlayerSettings, StudioError
from tests.engine.conftest import MakePlayer
from tests.support.model_server import ModelServer, text
from tests.support.packages import agent, build

TOOL = {"agents/t.x.js": agent("t.x", "export const onToolCall = () => 'x';", tools=["x"])}


@pytest.mark.clause("PKG-15")
@pytest.mark.parametrize(
    ("listed", "suggested", "chosen", "asked"),
    [
        (["a", "b"], "b", None, "b"),
        (["a", "b"], "b", "a", "a"),
        (["a"], "gone", None, "a"),
        (["a", "b"], None, "unlisted", "unlisted"),
    ],
)
async def test_the_packages_model_is_a_suggestion(
    make_player: MakePlayer,
    model: ModelServer,
    listed: list[str],
    suggested: str | None,
    chosen: str | None,
    asked: str,
) -> None:
    model.models = list(listed)
    player = await make_player({}, config={"model": suggested}, model=chosen)
    model.script(text("Ok."))
    await player.send("Hi")
    assert model.requests[0].body["model"] == asked


@pytest.mark.clause("PKG-15")
async def test_without_a_choice_among_several_one_is_asked_for(
    make_player: MakePlayer, model: ModelServer
) -> None:
    model.models = ["a", "b"]
    player = await make_player({}, config={"model": "gone"}, model=None)
    with pytest.raises(ModelError, match="a, b"):
        await player.send("Hi")
    assert [e["content"] for e in player.get_conversation()] == ["Hi"]
    await player.configure(model="b")
    model.script(text("Ok."))
    assert (await player.regenerate())["content"] == "Ok."
    assert model.requests[0].body["model"] == "b"


@pytest.mark.clause("PKG-15", "BR-06")
@pytest.mark.parametrize(("worker", "asked"), [(None, "chosen"), ("small", "small")])
async def test_without_a_worker_model_agents_ask_the_one_that_answers(
    make_player: MakePlayer, model: ModelServer, worker: str | None, asked: str
) -> None:
    model.models = ["authors", "chosen", "small"]
    body = "export const onToolCall = (name, args, store, studio) => studio.callModel('x', []);"
    source = agent("t.ask", body, tools=["ask"], tags="@api studio.model")
    player = await make_player(
        {"agents/t.ask.js": source},
        config={"model": "authors"},
        model="chosen",
        worker_model=worker,
    )
    model.script(text("Thought."))
    assert await player.call_tool("ask", {}) == "Thought."
    assert model.requests[0].body["model"] == asked


async def test_a_model_that_takes_no_tools_is_offered_none(
    make_player: MakePlayer, model: ModelServer
) -> None:
    player = await make_player(TOOL, settings=PlayerSettings(model_takes_tools=False))
    model.script(text("Ok."))
    await player.send("Hi")
    assert "tools" not in model.requests[0].body


async def test_sampling_is_sent_only_when_the_user_set_it(
    make_player: MakePlayer, model: ModelServer
) -> None:
    player = await make_player({})
    model.always = text("Ok.")
    await player.send("Hi")
    assert not {"temperature", "top_p", "max_tokens"} & set(model.requests[0].body)
    await player.configure(settings=PlayerSettings(temperature=0.5, top_p=0.9))
    await player.send("Hi")
    body = model.requests[1].body
    assert (body["temperature"], body["top_p"]) == (0.5, 0.9)


async def test_without_anything_rehearsal_answers_and_runs_tools(tmp_path: Path) -> None:
    async with CharacterPlayer(build(tmp_path / "p", TOOL)) as player:
        assert player.character.model_label == "Rehearsal"
        assert (await player.send("[[call x]] [[say Done.]]"))["content"] == "Done."
        assert [e["role"] for e in player.get_conversation()] == [
            "user",
            "assistant",
            "tool",
            "assistant",
        ]


async def test_a_key_without_an_address_is_refused(tmp_path: Path) -> None:
    player = CharacterPlayer(build(tmp_path / "p"), api_key="sk-1")
    with pytest.raises(StudioError, match="base_url"):
        await player.open()
    await player.close()


async def test_a_new_connection_counts_from_the_next_response_and_contexts_stay(
    make_player: MakePlayer, model: ModelServer
) -> None:
    source = agent("t.n", "let n = 0; export const onToolCall = () => `${++n}`;", tools=["n"])
    player = await make_player({"agents/t.n.js": source}, base_url="rehearsal:")
    assert await player.call_tool("n", {}) == "1"
    await player.configure(base_url=model.base_url, model="m", api_key="  sk-2\n")
    model.script(text("Ok."))
    await player.send("Hi")
    assert model.requests[0].headers["authorization"] == "Bearer sk-2"
    assert await player.call_tool("n", {}) == "2"


@pytest.mark.parametrize("change", [{"base_url": "ftp://x"}, {"base_url": None, "api_key": "k"}])
async def test_a_connection_that_makes_no_sense_changes_nothing(
    make_player: MakePlayer, model: ModelServer, change: dict[str, str]
) -> None:
    player = await make_player({})
    with pytest.raises(StudioError):
        await player.configure(**change)
    model.script(text("Ok."))
    await player.send("Hi")


@pytest.mark.parametrize(
    "wrong", [{"max_rounds": 0}, {"temperature": 9}, {"call_timeout": -1}, {"top_p": "high"}]
)
def test_settings_out_of_range_are_refused_by_name(wrong: dict[str, object]) -> None:
    with pytest.raises(StudioError, match=next(iter(wrong))):
        PlayerSettings(**wrong)  # type: ignore[arg-type]

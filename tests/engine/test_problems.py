"""Broken agents and files: what is told, and that everything else still plays."""

from __future__ import annotations

import pytest

from tests.engine.conftest import MakePlayer, faults
from tests.support.model_server import ModelServer, text
from tests.support.packages import agent

GOOD = agent("t.good", "export const onToolCall = () => 'fine';", tools=["good"])


@pytest.mark.clause("PKG-10")
@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("export const x = ;", "SyntaxError"),
        ("throw new Error('at the top');", "at the top"),
        ("import fs from 'fs';", "fs"),
        ("nosuch.thing();", "nosuch"),
        ("await new Promise(() => {});", "never"),
    ],
)
async def test_an_agent_that_does_not_load_is_a_problem_with_file_and_reason(
    make_player: MakePlayer, model: ModelServer, body: str, words: str
) -> None:
    bad = agent("t.bad", body + "\nexport const onToolCall = () => 1;", tools=["bad"])
    player = await make_player({"agents/t.bad.js": bad, "agents/t.good.js": GOOD})
    (problem,) = faults(player)
    assert (problem.severity, problem.file) == ("error", "agents/t.bad.js")
    assert words in problem.message
    model.script(text("Ok."))
    await player.send("Hi")
    assert model.requests[0].tool_names == ["good"]


@pytest.mark.clause("PKG-10", "PKG-08")
async def test_everything_wrong_at_once_still_plays(
    make_player: MakePlayer, model: ModelServer
) -> None:
    rival = agent("t.rival", "export const onToolCall = () => 'rival';", tools=["good", "own"])
    player = await make_player(
        {
            "agents/t.good.js": GOOD,
            "agents/t.rival.js": rival,
            "agents/t.anon.js": "export const onToolCall = () => 1;",
            "context/bad.txt": b"\xff\xff",
            "instructions.txt": "Be good.",
        },
        agents=["t.good", "t.missing", 7, "t.rival", "t.anon"],
        config={"model": 5, "fileMappings": {"Introduction": "../x"}},
    )
    files = {problem.file for problem in faults(player)}
    assert files >= {"config.json", "agents/t.rival.js", "agents/t.anon.js", "context/bad.txt"}
    assert await player.call_tool("good", {}) == "fine"
    assert await player.call_tool("own", {}) == "rival"
    model.script(text("Ok."))
    assert (await player.send("Hi"))["content"] == "Ok."


async def test_a_tool_without_its_handler_is_a_problem_and_not_offered(
    make_player: MakePlayer,
) -> None:
    player = await make_player({"agents/t.x.js": agent("t.x", "export const y = 1;", tools=["x"])})
    (problem,) = faults(player)
    assert "onToolCall" in problem.message
    assert player.tools() == []

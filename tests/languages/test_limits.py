"""Time and memory in every language: who runs over is stopped, and harms nobody else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from studio_qt import AgentError, CharacterPlayer, PlayerSettings
from tests.engine.conftest import faults
from tests.languages.agents import RUNNER
from tests.languages.conftest import Play
from tests.languages.peers import LANGUAGES
from tests.support.model_server import ModelServer, text, tool_call, tool_calls

NEIGHBOUR = RUNNER.but(id="t.near", tools={"near": {"kind": {"type": "string"}}})


def short(language: str) -> PlayerSettings:
    """Limits that a test can wait for; an interpreter in Python that is built anew needs more."""
    return PlayerSettings(call_timeout=1.0 if language == "python" else 0.4, agent_memory_mb=64)


@pytest.fixture
def play_short(play: Play, language: str) -> Play:
    """As `play`, with short limits once everything is loaded."""

    async def play_short(*given: Any, **options: Any) -> CharacterPlayer:
        player = await play(*given, **options)
        assert faults(player) == []
        await player.configure(settings=short(language))
        return player

    return play_short


async def run(player: CharacterPlayer, kind: str, tool: str = "run") -> str:
    try:
        return await player.call_tool(tool, {"kind": kind})
    except AgentError as error:
        return str(error)


@pytest.mark.clause("BR-11", "BOX-02", "EXP-02")
async def test_a_call_over_its_time_is_stopped_and_the_turn_goes_on(
    play_short: Play, model: ModelServer, tmp_path: Path
) -> None:
    player = await play_short(RUNNER)
    model.script(
        *(tool_call("run", {"kind": kind}) for kind in ("count", "spin", "count")), text("Done.")
    )
    assert (await player.send("Run"))["content"] == "Done."
    first, second, third = model.requests[-1].tool_results
    assert first == "1 of 1"
    assert "run failed" in second
    assert "past its time limit" in second
    assert third.startswith("2 of ")
    assert player.store("t.peer") == {"n": 2}
    log = tmp_path / "package/conversations/conversation_01.agent-log.jsonl"
    assert "past its time limit" in log.read_text()


@pytest.mark.clause("BR-11", "BOX-02")
@pytest.mark.parametrize("kind", ["caught", "hog", "deep"])
async def test_loops_that_catch_bombs_and_recursion_end_their_call_alone(
    play: Play, play_short: Play, kind: str
) -> None:
    player = await (play_short if kind == "caught" else play)(RUNNER)
    assert await run(player, "count") == "1 of 1"
    assert "run failed" in await run(player, kind)
    assert (await run(player, "count")).startswith("2 of ")
    assert player.store("t.peer") == {"n": 2}


@pytest.mark.clause("BR-11", "BOX-02")
async def test_what_only_a_kill_stops_takes_no_store_of_its_neighbours(
    play_short: Play, tmp_path: Path
) -> None:
    player = await play_short(RUNNER, files=NEIGHBOUR.files(*LANGUAGES))
    for name in LANGUAGES:
        assert await run(player, "count", f"near_{name}") == "1 of 1"
    assert await run(player, "count") == "1 of 1"
    assert "past its time limit" in await run(player, "hard")
    again = [await run(player, "count", f"near_{name}") for name in LANGUAGES]
    assert {said.split()[0] for said in again} == {"2"}
    assert (await run(player, "count")).startswith("2 of ")
    log = (tmp_path / "package/conversations/conversation_01.agent-log.jsonl").read_text()
    anew = [said for said in again if said.endswith(" of 1")]
    assert log.count("module-level variables start anew") >= len(anew)


@pytest.mark.clause("BR-11")
async def test_agents_that_declare_the_model_have_the_long_limit(play: Play) -> None:
    player = await play(RUNNER.but(tags="@api studio.model"))
    await player.configure(settings=PlayerSettings(call_timeout=0.3))
    assert await run(player, "while") == "1 of 1"


@pytest.mark.clause("BR-11", "LOOP-03")
async def test_calls_beside_a_stopped_one_are_answered_in_order(
    play_short: Play, model: ModelServer
) -> None:
    player = await play_short(RUNNER, files=NEIGHBOUR.files(*LANGUAGES))
    calls = [(f"near_{name}", {"kind": "count"}) for name in LANGUAGES]
    model.script(tool_calls(*calls, ("run", {"kind": "spin"}), *calls), text("Done."))
    await player.send("Run")
    results = model.requests[1].tool_results
    assert [result[:4] for result in results] == ["1 of"] * 4 + ["Erro"] + ["2 of"] * 4

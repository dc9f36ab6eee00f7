"""A character with agents in TypeScript, played."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.engine.conftest import MakePlayer, faults
from tests.support.model_server import ModelServer, text, tool_call
from tests.support.packages import agent

DICE = agent(
    "t.dice",
    """
interface Store { rolls?: number[]; }
export function onToolCall(_: string, args: { sides: number }, store: Store): string {
  (store.rolls ??= []).push(args.sides);
  return `a ${args.sides} of ${args.sides}`;
}
export const fail = (line: string): never => {
  throw new Error(`no ${line}`);
};
""",
    tools={"roll": {"sides": {"type": "integer"}}},
    commands={"@fail": "fail"},
)


@pytest.mark.clause("LANG-01", "PKG-05")
async def test_a_typescript_agent_answers_the_model_and_keeps_its_store(
    make_player: MakePlayer, model: ModelServer
) -> None:
    player = await make_player({"agents/t.dice.ts": DICE})
    assert faults(player) == []
    model.script(tool_call("roll", {"sides": 6}), text("A six."))
    assert (await player.send("Roll!"))["content"] == "A six."
    assert model.requests[1].tool_results == ["a 6 of 6"]
    assert player.store("t.dice") == {"rolls": [6]}


@pytest.mark.clause("PKG-05")
async def test_of_two_files_the_javascript_one_is_loaded(make_player: MakePlayer) -> None:
    script = agent("t.dice", "export const onToolCall = () => 'js';", tools=["roll"])
    files = {"agents/t.dice.ts": DICE, "agents/t.dice.js": script}
    player = await make_player(files, agents=["t.dice"])
    assert await player.call_tool("roll", {}) == "js"


@pytest.mark.clause("LANG-01", "PKG-10")
async def test_a_syntax_error_is_a_problem_with_file_line_and_column(
    make_player: MakePlayer,
) -> None:
    player = await make_player({"agents/t.dice.ts": DICE.replace("??= []", "??= [)")})
    (problem,) = faults(player)
    line = DICE.split("(store.rolls")[0].count("\n") + 1
    assert (problem.severity, problem.file, problem.line) == ("error", "agents/t.dice.ts", line)
    assert "column" in problem.message


@pytest.mark.clause("LANG-01", "EXP-03")
async def test_a_failing_handler_names_its_line_in_the_source(make_player: MakePlayer) -> None:
    player = await make_player({"agents/t.dice.ts": DICE})
    result = await player.command("@fail luck")
    line = DICE.split("throw")[0].count("\n") + 1
    assert not result.ok
    assert f"agents/t.dice.ts:{line}" in str(result.error)


@pytest.mark.clause("LANG-01")
async def test_nothing_of_the_compiler_is_left_in_the_package(
    make_player: MakePlayer, tmp_path: Path
) -> None:
    await make_player({"agents/t.dice.ts": DICE})
    written = {path.name for path in (tmp_path / "package" / "agents").iterdir()}
    assert written == {"t.dice.ts"}

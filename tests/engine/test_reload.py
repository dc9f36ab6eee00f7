"""Loading the package again under a running conversation."""

from __future__ import annotations

from pathlib import Path

import pytest

from studio_qt import PackageError
from tests.engine.conftest import MakePlayer, faults
from tests.support.model_server import ModelServer, text
from tests.support.packages import agent

COUNTING = "let n = 0; export const onToolCall = () => `{} ${{++n}}`;"


def counting(agent_id: str, word: str) -> str:
    return agent(agent_id, COUNTING.format(word), tools=[agent_id.rsplit(".", maxsplit=1)[-1]])


FILES = {"agents/t.a.js": counting("t.a", "a"), "agents/t.b.js": counting("t.b", "b")}


@pytest.mark.clause("STU-02")
async def test_only_changed_agents_are_exchanged_and_the_conversation_stays(
    make_player: MakePlayer, model: ModelServer, tmp_path: Path
) -> None:
    player = await make_player(FILES)
    model.script(text("Ok."))
    await player.send("Hi")
    assert [await player.call_tool("a", {}), await player.call_tool("b", {})] == ["a 1", "b 1"]
    (tmp_path / "package/agents/t.b.js").write_text(counting("t.b", "new"))
    reloads: list[dict[str, object]] = []
    player.on("reload", reloads.append)
    await player.reload()
    assert [said["agents"] for said in reloads] == [["t.b"]]
    assert [await player.call_tool("a", {}), await player.call_tool("b", {})] == ["a 2", "new 1"]
    assert len(player) == 2


@pytest.mark.clause("STU-02")
async def test_a_broken_agent_reports_its_line_while_the_old_one_runs(
    make_player: MakePlayer, tmp_path: Path
) -> None:
    player = await make_player(FILES)
    file = tmp_path / "package/agents/t.a.js"
    file.write_text(counting("t.a", "a") + "\nexport const broken = ;\n")
    await player.reload()
    (problem,) = faults(player)
    assert (problem.severity, problem.file) == ("error", "agents/t.a.js")
    assert problem.line == file.read_text().splitlines().index("export const broken = ;") + 1
    assert await player.call_tool("a", {}) == "a 1"
    file.write_text(counting("t.a", "mended"))
    await player.reload()
    assert faults(player) == []
    assert await player.call_tool("a", {}) == "mended 1"


@pytest.mark.clause("STU-02")
async def test_agents_come_and_go_and_a_broken_config_changes_nothing(
    make_player: MakePlayer, tmp_path: Path
) -> None:
    player = await make_player(FILES)
    config = tmp_path / "package/config.json"
    config.write_text('{"name": "New", "agents": ["t.b"]}')
    await player.reload()
    assert [tool["function"]["name"] for tool in player.tools()] == ["b"]
    assert player.character.name == "New"
    config.write_text("{")
    with pytest.raises(PackageError):
        await player.reload()
    assert await player.call_tool("b", {}) == "b 1"

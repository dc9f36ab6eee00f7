"""What can be called by hand, and why something cannot."""

from __future__ import annotations

import pytest

from tests.engine.conftest import MakePlayer
from tests.support.model_server import ModelServer
from tests.support.packages import agent

ROLL = agent("t.roll", "export const onToolCall = () => 'x'; export function say() {}",
             tools={"roll": {"sides": {"type": "integer"}}}, commands={"@say": "say"})  # fmt: skip
TWIN = ROLL.replace("t.roll", "t.twin")
NOTE = agent("t.note", "export const onToolCall = () => 'n';", tools=["note"])


@pytest.mark.clause("PKG-08", "SUB-04")
async def test_every_tool_and_command_is_told_with_why_it_cannot_be_called(
    make_player: MakePlayer, model: ModelServer
) -> None:
    marcus = {
        "id": "eve.marcus",
        "implementation": "studio.sub-agent",
        "promptFile": "marcus.subagent.md",
        "private-agents": ["t.note"],
    }
    files: dict[str, str | bytes] = {
        "agents/t.roll.js": ROLL,
        "agents/t.twin.js": TWIN,
        "agents/t.note.js": NOTE,
        "agents/marcus.subagent.md": "---\ndescription: Ask Marcus.\n---\nYou are Marcus.",
    }
    player = await make_player(files, agents=["t.roll", "t.twin", marcus])
    told = {(one.agent_id, one.name): one for one in player.offers()}
    assert told["t.roll", "roll"].refused == told["t.roll", "@say"].refused == ""
    assert told["t.roll", "roll"].parameters["required"] == ["sides"]
    assert "t.roll comes first" in told["t.twin", "roll"].refused
    assert "t.roll comes first" in told["t.twin", "@say"].refused
    assert told["eve.marcus", "marcus"].refused == ""
    assert told["eve.marcus", "marcus"].description == "Ask Marcus."
    assert "eve.marcus alone" in told["eve.marcus.t.note", "note"].refused

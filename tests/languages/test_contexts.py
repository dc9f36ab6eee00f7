"""The context object of every kind of call, and the ids of tool calls."""

from __future__ import annotations

import json
from typing import Any

import pytest

from studio_qt import CharacterPlayer
from tests.engine.conftest import faults
from tests.languages.agents import NAMER
from tests.languages.conftest import Play
from tests.support.model_server import ModelServer, text, tool_call, tool_calls


def known(invoked_by: str, length: int, **more: Any) -> dict[str, Any]:
    base = {"characterName": "Wren", "agentId": "t.peer", "config": {}}
    return {"invokedBy": invoked_by, "conversationLength": length, **base, **more}


async def preload(player: CharacterPlayer) -> Any:
    messages = (await player.prepare_request("x"))["messages"]
    assert isinstance(messages, list)
    block: Any = messages[0]
    return json.loads(block["content"])


@pytest.mark.clause("CTX-01", "CTX-02", "EXP-01", "HOOK-00")
async def test_every_kind_of_call_gets_a_fresh_context(play: Play, model: ModelServer) -> None:
    player = await play(NAMER, config={"name": "Wren"})
    assert faults(player) == []
    assert await preload(player) == known("preload", 0)
    assert json.loads(await player.call_tool("look", {})) == known("direct", 0, name="look")
    assert (await player.command("@look")).ok
    assert player.store("t.peer") == {"direct": known("direct", 0)}
    model.script(tool_call("look"), text("Seen."))
    await player.send("Look")
    assert json.loads(model.requests[1].tool_results[0]) == known(
        "model", 2, name="look", toolCallId=1
    )
    assert player.store("t.peer")["hook"] == known("hook", 1)
    assert await preload(player) == known("preload", 4)


@pytest.mark.clause("CTX-01", "PKG-07")
async def test_a_composed_instance_knows_its_entry_and_answers_by_the_manifests_names(
    play: Play,
) -> None:
    entry = {"id": "my.own-look", "implementation": "t.peer", "file": ".x", "deep": {"n": [1]}}
    player = await play(NAMER, agents=["t.peer", entry])
    seen = json.loads(await player.call_tool("own_look", {}))
    assert (seen["agentId"], seen["config"], seen["name"]) == ("my.own-look", entry, "look")
    assert json.loads(await player.call_tool("look", {}))["config"] == {}
    await player.command("@look")
    assert list(player.store("t.peer")) == ["direct"]
    assert player.store("my.own-look") == {}


@pytest.mark.clause("CTX-02")
async def test_ids_rise_and_are_never_used_again(play: Play, model: ModelServer) -> None:
    player = await play(NAMER)
    model.script(tool_calls(("look", {}), ("nosuch", {}), ("look", {})), text("Ok."))
    await player.send("Look")
    await player.clear()
    model.script(tool_call("look"), text("Ok."))
    await player.send("Look")
    results = [json.loads(result) for result in model.requests[1].tool_results[::2]]
    results += [json.loads(model.requests[3].tool_results[-1])]
    assert [result["toolCallId"] for result in results] == [1, 2, 3]

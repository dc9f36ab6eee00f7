"""What agents are given that tells them where they stand: names, positions, time."""

from __future__ import annotations

import json

import pytest

from studio_qt import PlayerSettings
from tests.engine.conftest import MakePlayer
from tests.support.model_server import ModelServer, text, tool_call, tool_calls
from tests.support.packages import agent

PAIR = agent(
    "t.pair",
    "export const onToolCall = (name) => `${name} was called`;",
    tools=["look", "touch"],
)


@pytest.mark.clause("PKG-07")
async def test_a_composed_instance_is_called_by_the_names_of_its_manifest(
    make_player: MakePlayer, model: ModelServer
) -> None:
    entry = {"id": "my.own-eye", "implementation": "t.pair"}
    player = await make_player({"agents/t.pair.js": PAIR}, agents=[entry])
    told: list[dict] = []
    player.on("toolCall", told.append)
    model.script(tool_calls(("own_eye", {}), ("own_eye_touch", {})), text("Ok."))
    await player.send("Look and touch")
    assert model.requests[1].tool_results == ["look was called", "touch was called"]
    assert [call["toolName"] for call in told] == ["own_eye", "own_eye_touch"]
    assert await player.call_tool("own_eye_touch", {}) == "touch was called"


@pytest.mark.clause("CTX-01", "BR-03")
async def test_the_length_of_a_conversation_counts_every_entry_as_history_indexes_do(
    make_player: MakePlayer, model: ModelServer
) -> None:
    body = """export async function onToolCall(name, args, store, studio, context) {
                studio.log("noted");
                const found = await studio.history.search("last words");
                return JSON.stringify([context.conversationLength, found.map((t) => t.index)]); }"""
    source = agent("t.len", body, tools=["measure"], tags="@api studio.history")
    player = await make_player({"agents/t.len.js": source})
    model.script(tool_call("measure"), text("One."), tool_call("measure"), text("Two."))
    await player.send("First")
    await player.send("Last words")
    length, found = json.loads(model.requests[-1].tool_results[-1])
    assert [entry["role"] for entry in player.get_conversation()[:5]] == [
        "user",
        "assistant",
        "log",
        "tool",
        "assistant",
    ]
    assert (length, found) == (7, [5])


@pytest.mark.clause("BR-11")
async def test_an_agent_that_may_ask_a_model_has_the_longer_time(make_player: MakePlayer) -> None:
    body = """export const onToolCall = () =>
                new Promise((done) => setTimeout(() => done("in time"), 200));"""
    patient = agent("t.patient", body, tools=["wait"], tags="@api studio.model")
    player = await make_player(
        {"agents/t.patient.js": patient},
        settings=PlayerSettings(call_timeout=0.05, model_call_timeout=30),
    )
    assert await player.call_tool("wait", {}) == "in time"


@pytest.mark.clause("BR-11")
def test_the_time_limits_are_those_of_the_documents() -> None:
    settings = PlayerSettings()
    assert (settings.call_timeout, settings.model_call_timeout) == (8.0, 120.0)

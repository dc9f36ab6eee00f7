"""Hooks in every language: when they are called, with what, and that they break nothing."""

from __future__ import annotations

from typing import Any

import pytest

from studio_qt import CharacterPlayer, PlayerSettings
from tests.engine.conftest import faults
from tests.languages.agents import LISTENER, PRUNER
from tests.languages.conftest import Play
from tests.languages.peers import Peer
from tests.support.model_server import ModelServer, text, tool_call, tool_calls
from tests.support.packages import agent

WATCHER = Peer(
    tags="@hook beforeResponse\n@hook afterResponse\n@api studio.model",
    javascript="""
export function onBeforeResponse(event, store) { store.lost = true; throw new Error("hook broke"); }
export async function onAfterResponse(event, store, studio) {
  store.said = await studio.callModel("x", []);
}
""",
    typescript="""
export function onBeforeResponse(event: object, store: { lost?: true }): never {
  store.lost = true;
  throw new Error("hook broke");
}
export async function onAfterResponse(e: object, store: { said?: string }, studio: any) {
  store.said = await studio.callModel("x", []);
}
""",
    python="""
def on_before_response(event, store):
    store["lost"] = True
    raise LookupError("hook broke")
async def on_after_response(event, store, studio):
    store["said"] = await studio.callModel("x", [])
""",
    lua="""
function on_before_response(event, store) store.lost = true; error("hook broke") end
function on_after_response(event, store, studio)
  store.said = studio.callModel("x", {}):await()
end
""",
)
SPINNER = Peer(
    tags="@hook beforeResponse",
    javascript="export function onBeforeResponse() { for (;;); }",
    typescript="export const onBeforeResponse = (): never => { for (;;); };",
    python="def on_before_response():\n    while True: pass",
    lua="function on_before_response() while true do end end",
)
OTHER = agent(
    "t.other",
    "export const onToolCall = () => 'other'; export const onBeforeResponse = (e, s) => {s.n = 1};",
    tools={"other": {"x": {"type": "integer"}}},
    tags="@hook beforeResponse",
)


def seen(player: CharacterPlayer) -> list[list[Any]]:
    told: list[list[Any]] = player.store("t.peer")["seen"]
    assert {note[2] for note in told} == {"hook"}
    return [note[:2] for note in told]


@pytest.mark.clause("HOOK-00", "HOOK-01", "HOOK-02", "HOOK-03", "HOOK-06", "SYS-06", "EXP-04")
async def test_a_turn_is_told_in_order_before_and_after(play: Play, model: ModelServer) -> None:
    player = await play(LISTENER)
    assert faults(player) == []
    model.script(tool_calls(("go", {"bad": False}), ("go", {"bad": True})), text("Done."))
    await player.send("Go")
    start, before, after = seen(player)
    assert start == ["start", {"isNewConversation": True}]
    assert before == [
        "before",
        {"userText": "Go", "regenerate": False, "respondingToHuman": True},
    ]
    assert (after[0], after[1]["userText"], after[1]["responseText"]) == ("after", "Go", "Done.")
    assert (after[1]["stopped"], after[1]["toolsOffered"]) == (False, True)
    first, second = after[1]["toolCalls"]
    assert first == {"name": "go", "args": {"bad": False}, "result": "went", "toolCallId": 1}
    assert (second["args"], second["toolCallId"]) == ({"bad": True}, 2)
    assert model.requests[0].messages[0]["content"] == "2"  # the preload saw both hooks


@pytest.mark.clause("HOOK-04", "HOOK-06")
async def test_calls_of_others_are_told_with_arguments_and_result_and_own_ones_are_not(
    play: Play, model: ModelServer
) -> None:
    player = await play(LISTENER, files={"agents/t.other.js": OTHER})
    model.script(
        tool_calls(("other", {"x": 5}), ("go", {"bad": False}), ("other", {})), text("Done.")
    )
    await player.send("Go")
    told = [event for name, event in seen(player) if name == "tool"]
    assert told == [
        {
            "agentId": "t.other",
            "toolName": "other",
            "args": {"x": 5},
            "result": "other",
            "toolCallId": 1,
        }
    ]


@pytest.mark.clause("HOOK-05", "PERS-05", "CTX-02", "SYS-06")
async def test_an_agent_drops_what_belongs_to_calls_that_were_removed(
    play: Play, model: ModelServer
) -> None:
    player = await play(PRUNER)
    model.script(tool_call("note", {"text": "one"}), text("Kept."))
    await player.send("First")
    model.script(tool_calls(("note", {"text": "two"}), ("note", {"text": "three"})), text("Kept."))
    await player.send("Second")
    model.script(text("Anew."))
    await player.regenerate()
    assert player.store("t.peer") == {"notes": [{"text": "one", "toolCallId": 1}]}
    assert model.requests[-1].messages[0]["content"] == "one"


@pytest.mark.clause("HOOK-05")
async def test_a_fork_tells_the_ids_beyond_it_in_its_own_conversation(
    play: Play, model: ModelServer
) -> None:
    player = await play(LISTENER)
    for _ in range(2):
        model.script(tool_call("go", {"bad": False}), text("Ok."))
        await player.send("Go")
    forked = await player.fork(3)
    assert "edit" not in [name for name, _ in seen(player)]
    await player.load_conversation(forked)
    assert seen(player)[-1] == ["edit", {"deletedToolCallIds": [2], "lastViableToolCallId": 1}]


@pytest.mark.clause("HOOK-06", "CAP-02")
async def test_a_failing_hook_is_skipped_and_model_calls_in_hooks_are_metered(
    play: Play, model: ModelServer
) -> None:
    player = await play(WATCHER, files={"agents/t.other.js": OTHER})
    errors: list[Exception] = []
    player.on("error", errors.append)
    model.script(text("Fine."), text("A thought.", usage=(30, 12)))
    assert (await player.send("Hi"))["content"] == "Fine."
    assert player.store("t.peer") == {"said": "A thought."}
    assert player.store("t.other") == {"n": 1}
    assert player.usage()["agentTokensThisResponse"] == 42
    assert ["hook broke" in str(error) for error in errors] == [True]


@pytest.mark.clause("HOOK-06", "BR-11")
async def test_a_hook_without_end_is_stopped_and_skipped(play: Play, model: ModelServer) -> None:
    player = await play(SPINNER, files={"agents/t.other.js": OTHER})
    await player.configure(settings=PlayerSettings(call_timeout=0.4))
    model.script(text("Fine."))
    assert (await player.send("Hi"))["content"] == "Fine."
    assert player.store("t.other") == {"n": 1}


@pytest.mark.clause("HOOK-00")
async def test_a_hook_that_is_declared_without_its_handler_is_a_warning(play: Play) -> None:
    player = await play(PRUNER.but(tags="@hook afterToolCall"))
    (problem,) = faults(player)
    assert problem.severity == "warning"
    assert "afterToolCall" in problem.message

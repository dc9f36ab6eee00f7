"""Hook events: when they fire, for whom, with what, and that they can break nothing."""

from __future__ import annotations

import asyncio
import json
import threading
from typing import Any

import pytest

from studio_qt import CharacterPlayer, ModelError, PlayerSettings
from tests.engine.conftest import MakePlayer, faults
from tests.support.model_server import ModelServer, blocked, failure, text, tool_call, tool_calls
from tests.support.packages import agent

EVENTS = ("conversationStart", "beforeResponse", "afterResponse", "afterToolCall", "afterUserEdit")
TAGS = "\n".join(f"@hook {event}" for event in EVENTS)


def listener(agent_id: str, *, tool: str = "", preload: bool = False, tags: str = TAGS) -> str:
    """An agent that notes every event it is told in its store."""
    handlers = "".join(
        f"export function on{event[0].upper()}{event[1:]}(event, store, studio, context) {{"
        f" (store.seen ??= []).push(['{event}', event, context.invokedBy,"
        f" context.conversationLength]); }}\n"
        for event in EVENTS
    )
    load = "export const onLoad = (s) => { (s.seen ??= []).push(['load']); return 'loaded'; };"
    body = handlers + (load if preload else "")
    body += (
        "export function onToolCall(n, args) { if (args.bad) throw new Error('no'); return 'r'; }"
    )
    tools = {tool: {}} if tool else {}
    return agent(agent_id, body, tools=tools, tags=tags + ("\n@preload true" if preload else ""))


def seen(player: CharacterPlayer, agent_id: str, *events: str) -> list[Any]:
    told = player.store(agent_id).get("seen", [])
    return [note[1] for note in told if note[0] in (events or EVENTS) and len(note) > 1]


def order(player: CharacterPlayer, agent_id: str) -> list[str]:
    return [note[0] for note in player.store(agent_id).get("seen", [])]


@pytest.mark.clause("HOOK-00", "HOOK-01", "HOOK-02", "HOOK-03")
async def test_a_first_turn_tells_start_before_onload_and_frames_the_response(
    make_player: MakePlayer, model: ModelServer
) -> None:
    player = await make_player({"agents/t.a.js": listener("t.a", preload=True)})
    model.script(text("Hello."))
    await player.send("Hi")
    assert order(player, "t.a") == [
        "conversationStart",
        "beforeResponse",
        "load",
        "afterResponse",
        "load",
    ]
    start, before, after = seen(player, "t.a")
    assert start == {"isNewConversation": True}
    assert before == {"userText": "Hi", "regenerate": False, "respondingToHuman": True}
    assert after == {
        "userText": "Hi",
        "responseText": "Hello.",
        "toolCalls": [],
        "stopped": False,
        "toolsOffered": False,
    }


@pytest.mark.clause("HOOK-00")
async def test_only_declared_events_with_a_handler_are_told(
    make_player: MakePlayer, model: ModelServer
) -> None:
    silent = listener("t.silent", tags="@hook afterResponse")
    deaf = agent("t.deaf", "export const x = 1;", tags="@hook beforeResponse")
    player = await make_player({"agents/t.silent.js": silent, "agents/t.deaf.js": deaf})
    model.script(text("Hello."))
    await player.send("Hi")
    assert order(player, "t.silent") == ["afterResponse"]
    (problem,) = faults(player)
    assert (problem.severity, "onBeforeResponse" in problem.message) == ("warning", True)


@pytest.mark.clause("HOOK-01")
async def test_conversation_start_fires_once_even_over_a_restart(
    make_player: MakePlayer, model: ModelServer
) -> None:
    player = await make_player({"agents/t.a.js": listener("t.a")})
    model.always = text("Hello.")
    await player.send("Hi")
    await player.close()
    player = await make_player()
    await player.send("Again")
    assert order(player, "t.a").count("conversationStart") == 1
    await player.new_conversation()
    await player.send("New")
    assert seen(player, "t.a", "conversationStart") == [{"isNewConversation": True}]


@pytest.mark.clause("HOOK-01", "PKG-09")
async def test_an_agent_added_later_is_told_that_the_conversation_is_not_new(
    make_player: MakePlayer, model: ModelServer, tmp_path: Any
) -> None:
    player = await make_player({"agents/t.a.js": listener("t.a"), "t.b.agent.json": '{"own": 1}'})
    model.always = text("Hello.")
    await player.send("Hi")
    (tmp_path / "package/agents/t.b.js").write_text(listener("t.b"))
    config = {"name": "Test", "agents": ["t.a", "t.b"]}
    (tmp_path / "package/config.json").write_text(json.dumps(config))
    await player.reload()
    await player.send("Again")
    assert seen(player, "t.b", "conversationStart") == [{"isNewConversation": False}]
    assert player.store("t.b")["own"] == 1


@pytest.mark.clause("HOOK-01")
async def test_a_command_before_the_first_turn_starts_its_own_agent_only(
    make_player: MakePlayer,
) -> None:
    player = await make_player(
        {"agents/t.a.js": listener("t.a", tool="go"), "agents/t.b.js": listener("t.b")}
    )
    await player.call_tool("go", {})
    assert (order(player, "t.a"), order(player, "t.b")) == (["conversationStart"], [])


@pytest.mark.clause("HOOK-02", "SYS-06")
async def test_what_before_response_changes_is_in_this_request(
    make_player: MakePlayer, model: ModelServer
) -> None:
    body = """export const onLoad = (store) => `said: ${store.said}`;
              export function onBeforeResponse(event, store) { store.said = event.userText; }"""
    source = agent("t.a", body, tags="@preload true\n@hook beforeResponse")
    player = await make_player({"agents/t.a.js": source})
    model.always = text("Ok.")
    await player.send("one")
    await player.send("two")
    assert [r.messages[0]["content"] for r in model.requests] == ["said: one", "said: two"]


@pytest.mark.clause("HOOK-03", "HOOK-04")
async def test_after_response_lists_the_models_calls_and_others_hear_of_each(
    make_player: MakePlayer, model: ModelServer
) -> None:
    player = await make_player(
        {"agents/t.a.js": listener("t.a", tool="go"), "agents/t.b.js": listener("t.b")}
    )
    model.script(tool_calls(("go", {"x": 1}), ("go", {"bad": True}), ("nosuch", {})), text("Done."))
    await player.send("Go")
    (after,) = seen(player, "t.b", "afterResponse")
    assert [(c["name"], c["args"], c.get("toolCallId")) for c in after["toolCalls"]] == [
        ("go", {"x": 1}, 1),
        ("go", {"bad": True}, 2),
        ("nosuch", {}, None),
    ]
    assert (after["toolCalls"][0]["result"], after["toolsOffered"]) == ("r", True)
    assert seen(player, "t.b", "afterToolCall") == [
        {"agentId": "t.a", "toolName": "go", "args": {"x": 1}, "result": "r", "toolCallId": 1}
    ]
    assert seen(player, "t.a", "afterToolCall") == []
    assert [note[2] for note in player.store("t.b")["seen"]] == ["hook"] * 4


@pytest.mark.clause("HOOK-03")
async def test_a_stopped_response_is_told_as_stopped(
    make_player: MakePlayer, model: ModelServer
) -> None:
    player = await make_player({"agents/t.a.js": listener("t.a")})
    gate, came = threading.Event(), asyncio.Event()
    player.on("token", lambda _: came.set())
    model.script(blocked(gate, text("One two three"), after=2))
    sending = asyncio.create_task(player.send("Count"))
    await came.wait()
    player.stop()
    await sending
    gate.set()
    (after,) = seen(player, "t.a", "afterResponse")
    assert after["stopped"] is True
    assert after["responseText"]


@pytest.mark.clause("HOOK-03")
async def test_a_response_that_produced_nothing_is_not_told(
    make_player: MakePlayer, model: ModelServer
) -> None:
    player = await make_player({"agents/t.a.js": listener("t.a")})
    model.script(failure(400, "no"))
    with pytest.raises(ModelError):
        await player.send("Hi")
    assert "afterResponse" not in order(player, "t.a")


@pytest.mark.clause("HOOK-06")
async def test_a_failing_hook_is_skipped_and_the_next_one_is_told(
    make_player: MakePlayer, model: ModelServer, tmp_path: Any
) -> None:
    throwing = agent(
        "t.bad",
        "export function onBeforeResponse(e, s) { s.x = 1; throw new Error('hook broke'); }\n"
        "export function onAfterResponse() { for (;;) {} }",
        tags="@hook beforeResponse\n@hook afterResponse",
    )
    player = await make_player(
        {"agents/t.bad.js": throwing, "agents/t.good.js": listener("t.good")},
        settings=PlayerSettings(call_timeout=0.3),
    )
    model.script(text("Fine."))
    assert (await player.send("Hi"))["content"] == "Fine."
    assert order(player, "t.good")[-2:] == ["beforeResponse", "afterResponse"]
    assert player.store("t.bad") == {}
    log = tmp_path / "package/conversations/conversation_01.agent-log.jsonl"
    assert "hook broke" in log.read_text()


@pytest.mark.clause("HOOK-06", "CAP-02")
async def test_model_calls_in_hooks_are_metered(
    make_player: MakePlayer, model: ModelServer
) -> None:
    body = """export async function onAfterResponse(e, store, studio) {
                store.said = await studio.callModel('x', []); return 'ignored'; }"""
    source = agent("t.a", body, tags="@hook afterResponse\n@api studio.model")
    player = await make_player({"agents/t.a.js": source})
    model.script(text("Hi."), text("Thought.", usage=(30, 12)))
    reply = await player.send("Hi")
    assert reply["content"] == "Hi."
    assert player.store("t.a") == {"said": "Thought."}
    assert player.usage()["agentTokensThisResponse"] == 42


@pytest.mark.clause("HOOK-05")
@pytest.mark.parametrize("way", ["truncate", "delete", "resubmit", "edit", "regenerate", "reject"])
async def test_every_edit_that_takes_calls_tells_which_and_what_is_left(
    make_player: MakePlayer, model: ModelServer, way: str
) -> None:
    player = await make_player(
        {"agents/t.a.js": listener("t.a", tool="go"), "agents/t.b.js": listener("t.b")}
    )
    model.script(tool_call("go"), text("First."), tool_calls(("go", {}), ("go", {})), text("Two."))
    await player.send("one")
    await player.send("two")
    asked = [at for at, e in enumerate(player.get_conversation()) if e["role"] == "user"][1]
    model.script(text("Anew."))
    match way:
        case "truncate":
            await player.truncate(asked)
        case "delete":
            await player.delete(asked + 1)
        case "resubmit":
            await player.resubmit(asked)
        case "edit":
            await player.edit(asked, "two!", resubmit=True)
        case "regenerate":
            await player.regenerate()
        case "reject":
            await player.reject(len(player) - 1)
    event = {"deletedToolCallIds": [2, 3], "lastViableToolCallId": 1}
    assert seen(player, "t.a", "afterUserEdit") == [event]
    assert seen(player, "t.b", "afterUserEdit") == [event]


@pytest.mark.clause("HOOK-05")
async def test_the_edit_is_told_before_the_new_response_is_asked_for(
    make_player: MakePlayer, model: ModelServer
) -> None:
    body = """export const onLoad = (store) => `gone: ${store.gone ?? 'none'}`;
              export const onToolCall = () => 'r';
              export function onAfterUserEdit(e, store) { store.gone = e.deletedToolCallIds; }"""
    source = agent("t.a", body, tools=["go"], tags="@preload true\n@hook afterUserEdit")
    player = await make_player({"agents/t.a.js": source})
    model.script(tool_call("go"), text("First."), text("Second."))
    await player.send("one")
    await player.regenerate()
    assert model.requests[-1].messages[0]["content"] == "gone: 1"


@pytest.mark.clause("HOOK-05")
async def test_the_highest_id_that_is_left_is_told(
    make_player: MakePlayer, model: ModelServer
) -> None:
    player = await make_player({"agents/t.a.js": listener("t.a", tool="go")})
    model.script(tool_calls(("go", {}), ("go", {})), text("Two."), tool_call("go"), text("Third."))
    await player.send("one")
    await player.send("two")
    await player.delete(len(player) - 1)
    assert seen(player, "t.a", "afterUserEdit") == [
        {"deletedToolCallIds": [3], "lastViableToolCallId": 2}
    ]


@pytest.mark.clause("HOOK-05")
async def test_edits_that_take_no_call_and_clear_tell_nothing(
    make_player: MakePlayer, model: ModelServer
) -> None:
    player = await make_player({"agents/t.a.js": listener("t.a", tool="go")})
    model.script(text("Plain."), tool_call("go"), text("Called."))
    await player.send("one")
    await player.edit(1, "Changed.")
    await player.reject(1)
    await player.send("two")
    await player.clear()
    assert seen(player, "t.a", "afterUserEdit") == []


@pytest.mark.clause("HOOK-05", "PERS-05")
async def test_rejected_calls_are_not_told_again_when_they_are_deleted(
    make_player: MakePlayer, model: ModelServer
) -> None:
    player = await make_player({"agents/t.a.js": listener("t.a", tool="go")})
    model.script(tool_call("go"), text("First."))
    await player.send("one")
    await player.reject(1)
    await player.delete(1)
    assert seen(player, "t.a", "afterUserEdit") == [
        {"deletedToolCallIds": [1], "lastViableToolCallId": 0}
    ]


@pytest.mark.clause("HOOK-05")
async def test_a_fork_tells_its_own_agents_and_not_those_of_the_source(
    make_player: MakePlayer, model: ModelServer
) -> None:
    player = await make_player({"agents/t.a.js": listener("t.a", tool="go")})
    model.script(tool_call("go"), text("First."), tool_call("go"), text("Second."))
    await player.send("one")
    await player.send("two")
    forked = await player.fork(3)
    assert seen(player, "t.a", "afterUserEdit") == []
    assert player.conversation_id == "conversation_01"
    await player.load_conversation(forked)
    assert seen(player, "t.a", "afterUserEdit") == [
        {"deletedToolCallIds": [2], "lastViableToolCallId": 1}
    ]
    assert player.store("t.a")["seen"][-1][3] == 4
    model.script(tool_call("go"), text("Third."))
    await player.send("three")
    assert player.get_conversation()[-1]["content"] == "Third."
    assert player.get_conversation()[5]["tool_calls"][0]["toolCallId"] == 3


@pytest.mark.clause("HOOK-05")
async def test_leaving_while_the_edit_is_told_asks_for_no_new_response(
    make_player: MakePlayer, model: ModelServer
) -> None:
    body = """export const onToolCall = () => 'r';
              export async function onAfterUserEdit(e, store, studio) {
                studio.toast('busy'); await new Promise(r => setTimeout(r, 200));
                store.told = 1; }"""
    source = agent("t.a", body, tools=["go"], tags="@hook afterUserEdit")
    player = await make_player({"agents/t.a.js": source})
    model.script(tool_call("go"), text("First."))
    await player.send("one")
    busy = asyncio.Event()
    player.on("agentToast", lambda _: busy.set())
    again = asyncio.create_task(player.regenerate())
    await busy.wait()
    await player.new_conversation()
    assert (await again)["content"] == ""
    assert len(model.requests) == 2
    await player.load_conversation("conversation_01")
    assert player.store("t.a") == {"told": 1}

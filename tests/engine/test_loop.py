"""The broker loop: tools, rounds, failures, stopping."""

from __future__ import annotations

import asyncio
import json
import threading
from pathlib import Path

import pytest

from studio_qt import CharacterPlayer, ModelError, PlayerSettings
from tests.engine.conftest import MakePlayer
from tests.support.model_server import (
    ModelServer,
    blocked,
    drop_after,
    failure,
    text,
    tool_call,
    tool_calls,
)
from tests.support.packages import agent

COUNTER = agent(
    "t.count",
    """
export function onToolCall(name, args, store, studio, context) {
  if (args.by === 13) throw new Error("unlucky");
  store.n = (store.n ?? 0) + args.by;
  return `${name} makes ${store.n}`;
}
""",
    tools={"add": {"by": {"type": "integer"}}},
)
FILES = {"agents/t.count.js": COUNTER}


@pytest.mark.clause("LOOP-01")
async def test_tools_go_out_in_the_openai_form_and_load_order(
    make_player: MakePlayer, model: ModelServer
) -> None:
    first = agent("t.first", "export const onToolCall = () => 'x';", tools=["zeta", "alpha"])
    player = await make_player({"agents/t.first.js": first, **FILES})
    model.script(text("Yes."))
    await player.send("Hi")
    assert model.requests[0].tool_names == ["zeta", "alpha", "add"]
    assert model.requests[0].tools[2] == {
        "type": "function",
        "function": {
            "name": "add",
            "description": "Does add",
            "parameters": {
                "type": "object",
                "properties": {"by": {"type": "integer"}},
                "required": ["by"],
            },
        },
    }
    assert player.tools() == model.requests[0].tools


@pytest.mark.clause("LOOP-01")
async def test_without_tools_the_field_is_absent(
    make_player: MakePlayer, model: ModelServer
) -> None:
    player = await make_player({})
    model.script(text("Yes."))
    await player.send("Hi")
    assert "tools" not in model.requests[0].body


@pytest.mark.clause("LOOP-02", "CONS-01")
async def test_a_tool_call_is_run_and_its_result_sent_back(
    make_player: MakePlayer, model: ModelServer
) -> None:
    player = await make_player(FILES)
    model.script(tool_call("add", {"by": 2}, call_id="abc", content="Hm."), text("It is two."))
    reply = await player.send("Add two")
    assert reply == {"role": "assistant", "content": "It is two."}
    _, assistant, tool = model.requests[1].messages
    assert (assistant["content"], assistant["tool_calls"][0]["id"]) == ("Hm.", "abc")
    assert json.loads(assistant["tool_calls"][0]["function"]["arguments"]) == {"by": 2}
    assert tool == {"role": "tool", "tool_call_id": "abc", "content": "add makes 2"}


@pytest.mark.clause("LOOP-02")
async def test_calls_beside_finish_reason_stop_are_run(
    make_player: MakePlayer, model: ModelServer
) -> None:
    player = await make_player(FILES)
    model.script(tool_call("add", {"by": 2}, finish="stop"), text("Two."))
    assert (await player.send("Add"))["content"] == "Two."
    assert player.store("t.count") == {"n": 2}


@pytest.mark.clause("LOOP-03")
async def test_several_calls_in_one_message_are_answered_in_order(
    make_player: MakePlayer, model: ModelServer
) -> None:
    player = await make_player(FILES)
    model.script(tool_calls(("add", {"by": 1}), ("nosuch", {}), ("add", {"by": 5})), text("Ok."))
    await player.send("Add")
    first, second, third = model.requests[1].tool_results
    assert (first, third) == ("add makes 1", "add makes 6")
    assert "nosuch" in second


@pytest.mark.clause("LOOP-04", "CTX-02")
@pytest.mark.parametrize(
    ("name", "arguments", "hint"),
    [
        ("nosuch", {}, "nosuch"),
        ("add", "{not json", "JSON"),
        ("add", '"text"', "JSON"),
        ("add", {"by": "two"}, "by"),
        ("add", {}, "by"),
    ],
)
async def test_a_call_that_cannot_reach_an_agent_is_answered_with_an_error_and_gets_no_id(
    make_player: MakePlayer, model: ModelServer, name: str, arguments: object, hint: str
) -> None:
    player = await make_player(FILES)
    model.script(tool_call(name, arguments), text("I cannot."))
    reply = await player.send("Add")
    assert reply["content"] == "I cannot."
    assert hint in model.requests[1].tool_results[0]
    assert player.store("t.count") == {}
    entries = player.get_conversation()
    assert not any("toolCallId" in json.dumps(entry) for entry in entries)


@pytest.mark.clause("LOOP-05")
async def test_at_the_cap_the_last_calls_are_not_run_and_the_conversation_goes_on(
    make_player: MakePlayer, model: ModelServer
) -> None:
    player = await make_player(FILES, settings=PlayerSettings(max_rounds=3))
    model.script(*[tool_call("add", {"by": 1}, content=f"Round {n}.") for n in range(3)])
    reply = await player.send("Add forever")
    assert reply["content"] == "Round 2."
    assert player.store("t.count") == {"n": 2}
    entries = player.get_conversation()
    assert "not run" in [e for e in entries if e["role"] == "tool"][-1]["content"]
    assert entries[-1]["role"] == "log"
    model.script(text("Fine."))
    assert (await player.send("Go on"))["content"] == "Fine."


@pytest.mark.clause("LOOP-05")
async def test_ten_model_calls_are_allowed_by_default(
    make_player: MakePlayer, model: ModelServer
) -> None:
    player = await make_player(FILES)
    model.always = tool_call("add", {"by": 1})
    await player.send("Add")
    assert len(model.requests) == 10
    assert player.store("t.count") == {"n": 9}


@pytest.mark.clause("LOOP-06", "PERS-04")
async def test_a_store_is_on_disk_before_the_next_call_begins(
    make_player: MakePlayer, model: ModelServer, tmp_path: Path
) -> None:
    player = await make_player(FILES)
    file = tmp_path / "package/conversations/conversation_01.t.count.agent.json"
    seen: list[object] = []
    player.on("toolCall", lambda _: seen.append(json.loads(file.read_text())))
    model.script(tool_calls(("add", {"by": 1}), ("add", {"by": 1})), text("Ok."))
    await player.send("Add")
    assert seen == [{"n": 1}, {"n": 2}]


@pytest.mark.clause("LOOP-07")
async def test_stopping_a_stream_keeps_what_came_and_marks_it(
    make_player: MakePlayer, model: ModelServer
) -> None:
    player = await make_player({})
    gate = threading.Event()
    model.script(blocked(gate, text("One two three four"), after=3))
    came = asyncio.Event()
    player.on("token", lambda _: came.set())
    sending = asyncio.create_task(player.send("Count"))
    await came.wait()
    player.stop()
    reply = await sending
    gate.set()
    assert reply["content"]
    assert "One two three four".startswith(reply["content"])
    last = player.get_conversation()[-1]
    assert (last["content"], last["stopped"]) == (reply["content"], True)
    model.script(text("Again."))
    assert (await player.send("More"))["content"] == "Again."


@pytest.mark.clause("LOOP-07")
async def test_stopping_before_anything_came_returns_an_empty_text(
    make_player: MakePlayer, model: ModelServer
) -> None:
    player = await make_player({})
    gate = threading.Event()
    model.script(blocked(gate))
    sending = asyncio.create_task(player.send("Count"))
    await model.received(1)
    player.stop()
    assert (await sending)["content"] == ""
    gate.set()
    assert [e["role"] for e in player.get_conversation()] == ["user"]


@pytest.mark.clause("LOOP-07", "LOOP-03")
async def test_stopping_in_a_tool_call_answers_every_call_and_leaves_the_store(
    make_player: MakePlayer, model: ModelServer
) -> None:
    waiting = agent(
        "t.wait",
        """export async function onToolCall(n, args, store) {
             store.x = 1; await new Promise(r => setTimeout(r, 60000)); return "late"; }""",
        tools=["wait"],
    )
    player = await make_player({"agents/t.wait.js": waiting, **FILES})
    started = asyncio.Event()
    player.on("toolStart", lambda _: started.set())
    model.script(tool_calls(("wait", {}), ("add", {"by": 1})))
    sending = asyncio.create_task(player.send("Wait"))
    await started.wait()
    player.stop()
    await sending
    tools = [e for e in player.get_conversation() if e["role"] == "tool"]
    assert len(tools) == 2
    assert (player.store("t.wait"), player.store("t.count")) == ({}, {})
    model.script(tool_call("add", {"by": 4}), text("Four."))
    assert (await player.send("Add"))["content"] == "Four."


@pytest.mark.clause("LOOP-08", "CONS-02")
async def test_a_provider_error_keeps_the_message_and_can_be_tried_again(
    make_player: MakePlayer, model: ModelServer
) -> None:
    player = await make_player({})
    errors: list[Exception] = []
    player.on("error", errors.append)
    model.script(failure(500, {"error": {"message": "the dog ate it"}}))
    with pytest.raises(ModelError, match="the dog ate it") as caught:
        await player.send("Hello")
    assert caught.value.status == 500
    assert errors == [caught.value]
    assert [e["content"] for e in player.get_conversation()] == ["Hello"]
    model.script(text("Back."))
    assert (await player.regenerate())["content"] == "Back."
    assert [e["role"] for e in player.get_conversation()] == ["user", "assistant"]


@pytest.mark.clause("LOOP-08")
async def test_a_stream_that_breaks_off_keeps_its_text_marked_and_raises(
    make_player: MakePlayer, model: ModelServer
) -> None:
    player = await make_player(FILES)
    model.script(tool_call("add", {"by": 3}), drop_after(3, text("Once upon a time there was")))
    with pytest.raises(ModelError):
        await player.send("Tell")
    last = player.get_conversation()[-1]
    assert last["stopped"] is True
    assert "Once upon a time there was".startswith(last["content"])
    assert player.store("t.count") == {"n": 3}
    assert len(model.requests) == 2  # nothing is asked again by itself once a tool ran


@pytest.mark.clause("LOOP-08")
async def test_a_reply_without_end_is_ended_and_what_came_is_kept(
    make_player: MakePlayer, model: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("studio_qt.engine.broker.LONGEST_REPLY", 1000)
    player = await make_player({})
    model.script(text("word " * 1000), text("Short."))
    with pytest.raises(ModelError, match="longer than"):
        await player.send("Tell")
    last = player.get_conversation()[-1]
    assert (last["stopped"], 1000 <= len(last["content"]) < 1100) == (True, True)
    assert (await player.send("Again"))["content"] == "Short."


@pytest.mark.clause("EXP-02", "CONS-02")
async def test_an_agent_that_throws_gives_the_model_a_sentence_and_the_turn_goes_on(
    make_player: MakePlayer, model: ModelServer, tmp_path: Path
) -> None:
    player = await make_player(FILES)
    errors: list[Exception] = []
    player.on("error", errors.append)
    model.script(tool_calls(("add", {"by": 13}), ("add", {"by": 1})), text("Oh."))
    assert (await player.send("Add"))["content"] == "Oh."
    first, second = model.requests[1].tool_results
    assert "unlucky" in first
    assert second == "add makes 1"
    assert len(errors) == 1
    log = tmp_path / "package/conversations/conversation_01.agent-log.jsonl"
    assert "unlucky" in log.read_text()


async def test_sends_queue_in_order(make_player: MakePlayer, model: ModelServer) -> None:
    player = await make_player({})
    model.script(text("One."), text("Two."), text("Three."))
    replies = await asyncio.gather(*[player.send(word) for word in ("a", "b", "c")])
    assert [reply["content"] for reply in replies] == ["One.", "Two.", "Three."]
    assert [e["content"] for e in player.get_conversation()] == [
        "a",
        "One.",
        "b",
        "Two.",
        "c",
        "Three.",
    ]


async def test_cancelling_the_caller_ends_the_turn_and_frees_the_player(
    make_player: MakePlayer, model: ModelServer
) -> None:
    player: CharacterPlayer = await make_player({})
    gate = threading.Event()
    model.script(blocked(gate), text("Next."))
    sending = asyncio.create_task(player.send("a"))
    await model.received(1)
    sending.cancel()
    with pytest.raises(asyncio.CancelledError):
        await sending
    gate.set()
    assert (await player.send("b"))["content"] == "Next."

"""What an agent is given: context objects, ids, stores; and what becomes of what it returns."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from studio_qt import AgentError, PlayerSettings, StudioError
from tests.engine.conftest import MakePlayer
from tests.support.model_server import ModelServer, text, tool_call, tool_calls
from tests.support.packages import agent

ECHO = agent(
    "t.echo",
    """
export function onLoad(store, studio, context) { return JSON.stringify(context); }
export function onToolCall(name, args, store, studio, context) {
  store.last = context; return JSON.stringify(context);
}
export function direct(args, store, studio, context) { store.last = context; }
""",
    tools=["look"],
    commands={"@look": "direct"},
    tags="@preload true",
)


@pytest.mark.clause("CTX-01", "CTX-02")
async def test_a_tool_call_of_the_model_gets_the_whole_context(
    make_player: MakePlayer, model: ModelServer
) -> None:
    player = await make_player({"agents/t.echo.js": ECHO})
    model.script(tool_call("look"), text("Seen."))
    await player.send("Look")
    assert json.loads(model.requests[1].tool_results[0]) == {
        "invokedBy": "model",
        "conversationLength": 2,
        "characterName": "Test",
        "agentId": "t.echo",
        "config": {},
        "toolCallId": 1,
    }


@pytest.mark.clause("CTX-01")
async def test_preload_commands_and_calls_by_hand_have_no_tool_call_id(
    make_player: MakePlayer,
) -> None:
    player = await make_player({"agents/t.echo.js": ECHO})
    preload = json.loads((await player.prepare_request("Hi"))["messages"][0]["content"])
    by_hand = json.loads(await player.call_tool("look", {}))
    await player.command("@look")
    stored = player.store("t.echo")["last"]
    assert [c["invokedBy"] for c in (preload, by_hand, stored)] == ["preload", "direct", "direct"]
    assert not any("toolCallId" in c for c in (preload, by_hand, stored))
    assert player.get_conversation() == []


@pytest.mark.clause("CTX-01", "PKG-07")
async def test_a_composed_instance_gets_its_whole_entry_as_config(make_player: MakePlayer) -> None:
    entry = {"id": "my.own-look", "implementation": "t.echo", "contextFile": ".x", "n": [1]}
    player = await make_player({"agents/t.echo.js": ECHO}, agents=[entry])
    seen = json.loads(await player.call_tool("own_look", {}))
    assert (seen["config"], seen["agentId"]) == (entry, "my.own-look")


@pytest.mark.clause("CTX-02")
async def test_ids_rise_stand_beside_the_calls_and_survive_clear_and_restart(
    make_player: MakePlayer, model: ModelServer, tmp_path: Path
) -> None:
    player = await make_player({"agents/t.echo.js": ECHO})
    model.script(tool_calls(("look", {}), ("nosuch", {}), ("look", {})), text("Ok."))
    await player.send("Look")
    entries = player.get_conversation()
    assert [c.get("toolCallId") for c in entries[1]["tool_calls"]] == [1, None, 2]
    assert [e.get("toolCallId") for e in entries if e["role"] == "tool"] == [1, None, 2]
    await player.clear()
    counter = tmp_path / "package/conversations/conversation_01.tool-call-ids.json"
    assert json.loads(counter.read_text()) == {"last": 2}
    await player.close()
    player = await make_player()
    model.script(tool_call("look"), text("Ok."))
    await player.send("Look")
    assert player.get_conversation()[1]["tool_calls"][0]["toolCallId"] == 3


@pytest.mark.clause("CTX-02")
async def test_each_conversation_counts_for_itself(
    make_player: MakePlayer, model: ModelServer
) -> None:
    player = await make_player({"agents/t.echo.js": ECHO})
    model.always = text("Ok.")
    model.script(tool_call("look"))
    await player.send("Look")
    await player.new_conversation()
    model.script(tool_call("look"))
    await player.send("Look")
    assert player.get_conversation()[1]["tool_calls"][0]["toolCallId"] == 1


@pytest.mark.clause("EXP-02")
@pytest.mark.parametrize(
    ("returned", "result"),
    [
        ("'plain'", "plain"),
        ("{a: [1, null]}", '{"a":[1,null]}'),
        ("42", "42"),
        ("true", "true"),
        ("null", "null"),
        ("Promise.resolve('later')", "later"),
    ],
)
async def test_a_result_that_is_no_text_becomes_json(
    make_player: MakePlayer, returned: str, result: str
) -> None:
    body = f"export const onToolCall = () => ({returned});"
    player = await make_player({"agents/t.r.js": agent("t.r", body, tools=["get"])})
    assert await player.call_tool("get", {}) == result


@pytest.mark.clause("EXP-06", "EXP-02")
@pytest.mark.parametrize("spoil", ["throw new Error('no')", "store.self = store", "store.x = 1n"])
async def test_a_failing_call_changes_nothing_in_the_store(
    make_player: MakePlayer, spoil: str
) -> None:
    body = f"""export function onToolCall(n, args, store) {{
      store.n = (store.n ?? 0) + 1; if (args.bad) {{ {spoil}; }} return 'ok'; }}"""
    tools = {"go": {"bad": {"type": "boolean"}}}
    player = await make_player({"agents/t.s.js": agent("t.s", body, tools=tools)})
    await player.call_tool("go", {"bad": False})
    with pytest.raises(AgentError, match="go failed"):
        await player.call_tool("go", {"bad": True})
    assert player.store("t.s") == {"n": 1}
    assert await player.call_tool("go", {"bad": False}) == "ok"
    assert player.store("t.s") == {"n": 2}


@pytest.mark.clause("BR-11", "BOX-02")
async def test_a_call_over_its_time_is_stopped_and_its_agent_answers_the_next(
    make_player: MakePlayer, model: ModelServer
) -> None:
    body = """export function onToolCall(n, args, store) {
      store.n = (store.n ?? 0) + 1; while (args.spin) {} return `n ${store.n}`; }"""
    tools = {"spin": {"spin": {"type": "boolean"}}}
    player = await make_player(
        {"agents/t.s.js": agent("t.s", body, tools=tools)},
        settings=PlayerSettings(call_timeout=0.3),
    )
    calls = [("spin", {"spin": flag}) for flag in (False, True, False)]
    model.script(tool_calls(*calls), text("Ok."))
    assert (await player.send("Spin"))["content"] == "Ok."
    first, second, third = model.requests[1].tool_results
    assert (first, third) == ("n 1", "n 2")
    assert "time" in second


@pytest.mark.clause("LOOP-04", "BOX-02")
async def test_a_schema_cannot_hang_the_host(make_player: MakePlayer) -> None:
    tools = {"match": {"word": {"type": "string", "pattern": "^(a+)+$"}}}
    source = agent("t.m", "export const onToolCall = () => 'fits';", tools=tools)
    player = await make_player({"agents/t.m.js": source})
    with pytest.raises(AgentError):
        await player.call_tool("match", {"word": "a" * 60 + "!"})
    assert await player.call_tool("match", {"word": "aaa"}) == "fits"


@pytest.mark.clause("CONS-02")
async def test_call_tool_says_what_a_model_would_be_told(make_player: MakePlayer) -> None:
    tools = {"add": {"by": {"type": "integer"}}}
    source = agent("t.a", "export const onToolCall = () => 'x';", tools=tools)
    player = await make_player({"agents/t.a.js": source})
    with pytest.raises(AgentError, match="nosuch"):
        await player.call_tool("nosuch", {})
    with pytest.raises(AgentError, match="by"):
        await player.call_tool("add", {"by": "x"})
    with pytest.raises(StudioError):
        await player.call_tool("add", [1])  # type: ignore[arg-type]

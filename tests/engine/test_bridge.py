"""The studio object as agents see it, answered by a real player."""

from __future__ import annotations

import json
from typing import Any

import pytest

from studio_qt import AgentError, CharacterPlayer, PlayerSettings
from tests.engine.conftest import MakePlayer
from tests.support.model_server import ModelServer, text, tool_call
from tests.support.packages import agent

APIS = "\n".join(f"@api studio.{name}" for name in ("history", "context", "model", "grants", "web"))

EVAL = agent(
    "t.eval",
    """
export async function onToolCall(name, args, store, studio, context) {
  const run = new Function("studio", "context", "store",
    `return (async () => { ${args.code} })();`);
  return JSON.stringify(await run(studio, context, store)) ?? "undefined";
}
export async function viaCommand(args, store, studio) {
  store.said = await studio.callModel("sys", []);
}
""",
    tools={"run": {"code": {"type": "string"}}},
    commands={"@ask": "viaCommand"},
    tags=APIS,
)
BARE = EVAL.replace("t.eval", "t.bare").replace("@tool run", "@tool bare").replace("@api", "@x")


async def run(player: CharacterPlayer, code: str, tool: str = "run") -> Any:
    result = await player.call_tool(tool, {"code": code})
    return None if result == "undefined" else json.loads(result)


@pytest.fixture
async def player(make_player: MakePlayer, model: ModelServer) -> CharacterPlayer:
    files = {"agents/t.eval.js": EVAL, "agents/t.bare.js": BARE}
    return await make_player(files, agents=["t.eval", {"id": "t.bare", "implementation": "t.bare"}])


@pytest.mark.clause("BR-01", "CONS-02")
async def test_a_toast_is_said_and_stays_out_of_the_conversation(player: CharacterPlayer) -> None:
    toasts: list[str] = []
    player.on("agentToast", toasts.append)
    await run(player, "studio.toast('hey'); await studio.toast(5);")
    assert toasts == ["hey", "5"]
    assert player.get_conversation() == []


@pytest.mark.clause("BR-02", "CONS-02", "PERS-01")
async def test_a_log_entry_is_kept_over_a_restart_and_never_sent(
    player: CharacterPlayer, make_player: MakePlayer, model: ModelServer
) -> None:
    logs: list[str] = []
    player.on("agentLog", logs.append)
    await run(player, "studio.log('stored: x')")
    await player.close()
    player = await make_player()
    (entry,) = player.get_conversation()
    assert (entry["role"], entry["agentId"], entry["content"]) == ("log", "t.eval", "stored: x")
    model.script(text("Ok."))
    await player.send("Hi")
    assert "stored" not in json.dumps(model.requests[0].messages)
    assert logs == ["stored: x"]


async def talk(player: CharacterPlayer, model: ModelServer) -> None:
    """Entries: 0 user, 1 assistant with a call, 2 log, 3 tool, 4 assistant, 5 user, 6 assistant."""
    model.script(tool_call("run", {"code": "studio.log('APPLE log')"}), text("An Apple fell."))
    model.script(text("No fruit here."))
    await player.send("Tell of an apple")
    await player.send("And a pear?")


@pytest.mark.clause("BR-03")
async def test_search_ignores_case_and_gives_positions_in_the_stored_array(
    player: CharacterPlayer, model: ModelServer
) -> None:
    await talk(player, model)
    assert await run(player, "return studio.history.search('aPPle')") == [
        {"role": "user", "content": "Tell of an apple", "index": 0},
        {"role": "assistant", "content": "An Apple fell.", "index": 4},
    ]


@pytest.mark.clause("BR-04")
async def test_range_excludes_its_end_leaves_out_internal_entries_and_clamps(
    player: CharacterPlayer, model: ModelServer
) -> None:
    await talk(player, model)
    whole = await run(player, "return studio.history.range(0, context.conversationLength)")
    assert [turn["index"] for turn in whole] == [0, 4, 5, 6]
    assert await run(player, "return studio.history.range(-5, 999)") == whole
    part = await run(player, "return studio.history.range(4, 6)")
    assert [turn["index"] for turn in part] == [4, 5]
    assert await run(player, "return studio.history.range(5, 5)") == []
    assert await run(player, "return studio.history.range(6, 2)") == []


@pytest.mark.clause("BR-03", "PERS-05")
async def test_rejected_responses_are_not_found(
    player: CharacterPlayer, model: ModelServer
) -> None:
    model.script(text("A plum."), text("A cherry."))
    await player.send("Fruit?")
    await player.regenerate()
    found = await run(player, "return studio.history.range(0, 99)")
    assert [turn["content"] for turn in found] == ["Fruit?", "A cherry."]
    assert await run(player, "return studio.history.search('plum')") == []


@pytest.mark.clause("BR-05", "SYS-04", "PKG-04")
async def test_read_file_reads_the_mapped_directory_alone(make_player: MakePlayer) -> None:
    player = await make_player(
        {
            "agents/t.eval.js": EVAL,
            "lore/.hidden.json": "{}",
            "lore/deep/er.txt": "deep",
            "context/a.txt": "not here",
            "secret.txt": "never",
        },
        config={"fileMappings": {"ContextDirectory": "lore/"}},
    )
    code = "return studio.context.readFile({!r}).catch(() => null)"
    names = [".hidden.json", "deep/er.txt", "a.txt", "../secret.txt", "/etc/passwd", "", "nosuch"]
    found = [await run(player, code.format(name)) for name in names]
    assert found == ["{}", "deep", None, None, None, None, None]


@pytest.mark.clause("BR-06", "PKG-15")
async def test_call_model_sends_clean_messages_to_the_worker_model(
    make_player: MakePlayer, model: ModelServer
) -> None:
    player = await make_player({"agents/t.eval.js": EVAL}, worker_model="small")
    model.script(text("Thought."))
    code = """return studio.callModel("Be brief", [
        {role: "user", content: "a", extra: 1}, {role: "assistant", content: "b"},
        {role: "tool", content: "x"}, {role: "user", content: 5}, null,
        {role: "developer", content: "y"}, {content: "z"}, "w",
        {role: "system", content: "c"}], 99999, {temperature: 0.2, topP: 0.5, model: "gpt-huge"})"""
    assert await run(player, code) == "Thought."
    body = model.requests[0].body
    assert [(m["role"], m["content"]) for m in body["messages"]] == [
        ("system", "Be brief"),
        ("user", "a"),
        ("assistant", "b"),
        ("system", "c"),
    ]
    assert (body["model"], body["temperature"], body["top_p"]) == ("small", 0.2, 0.5)
    assert 8192 in (body.get("max_tokens"), body.get("max_completion_tokens"))
    assert not body.get("stream")


@pytest.mark.clause("BR-06")
@pytest.mark.parametrize(
    ("arguments", "sent", "cap"),
    [
        ("'s', []", "small", 1024),
        ("'s', [], 0", "small", 1),
        ("'s', [], 50, {model: 'main'}", "test-model", 50),
        ("'s', [], null, {model: 'worker'}", "small", 1024),
    ],
)
async def test_call_model_defaults_and_lanes(
    make_player: MakePlayer, model: ModelServer, arguments: str, sent: str, cap: int
) -> None:
    player = await make_player({"agents/t.eval.js": EVAL}, worker_model="small")
    model.script(text("x"))
    await run(player, f"return studio.callModel({arguments})")
    body = model.requests[0].body
    assert body["model"] == sent
    assert cap in (body.get("max_tokens"), body.get("max_completion_tokens"))


@pytest.mark.clause("BR-07")
async def test_without_grants_reading_a_store_is_refused(player: CharacterPlayer) -> None:
    await player.set_store("t.bare", {"secret": 1})
    for reference in ("x", "t.bare", "bare", "t.eval"):
        said = await run(player, f"return studio.grants.readStore('{reference}').catch(String)")
        assert "grant" in str(said)


@pytest.mark.clause("BR-08")
async def test_web_fetch_is_not_implemented(player: CharacterPlayer) -> None:
    said = await run(player, "return studio.web.fetch('https://a.b/').catch(e => e.message)")
    assert "not implemented" in said


@pytest.mark.clause("BR-09")
@pytest.mark.parametrize(
    ("call", "api"),
    [
        ("studio.history.search('x')", "studio.history"),
        ("studio.history.range(0, 1)", "studio.history"),
        ("studio.context.readFile('x')", "studio.context"),
        ("studio.callModel('x', [])", "studio.model"),
        ("studio.grants.readStore('x')", "studio.grants"),
        ("studio.web.fetch('https://a.b/')", "studio.web"),
    ],
)
async def test_an_undeclared_namespace_is_refused_with_the_missing_line(
    make_player: MakePlayer, call: str, api: str
) -> None:
    player = await make_player({"agents/t.bare.js": BARE})
    said = await run(player, f"return {call}.catch(e => e.message)", "bare")
    assert f"@api {api}" in said


@pytest.mark.clause("BR-10")
async def test_a_missing_method_can_be_tested_for(player: CharacterPlayer) -> None:
    code = "return [typeof studio.conversation?.collapse, typeof studio.web?.fetch]"
    assert await run(player, code) == ["undefined", "function"]


@pytest.mark.clause("CAP-01", "CAP-02", "CAP-03")
async def test_calls_of_the_model_are_metered_and_a_spent_cap_refuses_the_next(
    make_player: MakePlayer, model: ModelServer
) -> None:
    player = await make_player(
        {"agents/t.eval.js": EVAL}, settings=PlayerSettings(agent_tokens_per_response=20)
    )
    ask = "return await studio.callModel('x', []).catch(e => e.message)"
    twice = tool_call("run", {"code": ask})
    model.script(twice, text("a", usage=(15, 10)), twice, text("Done."))
    await player.send("Ask twice")
    assert "budget exhausted for this response" in model.requests[-1].tool_results[1]
    assert player.usage()["agentTokensThisConversation"] == 25
    model.script(twice, text("b", usage=(1, 1)), text("Done."))
    await player.send("Ask again")
    assert player.usage() == {"agentTokensThisResponse": 2, "agentTokensThisConversation": 27}


@pytest.mark.clause("CAP-02")
async def test_calls_of_the_user_are_not_metered(
    make_player: MakePlayer, model: ModelServer
) -> None:
    player = await make_player(
        {"agents/t.eval.js": EVAL}, settings=PlayerSettings(agent_tokens_per_response=0)
    )
    model.script(text("Free."))
    assert (await player.command("@ask")).ok
    assert player.store("t.eval") == {"said": "Free."}
    assert player.usage()["agentTokensThisConversation"] == 0


@pytest.mark.clause("BR-06", "LOOP-08")
async def test_a_provider_failure_rejects_in_the_agent(
    player: CharacterPlayer, model: ModelServer
) -> None:
    from tests.support.model_server import failure

    model.script(failure(401, {"error": {"message": "bad key"}}))
    assert "bad key" in await run(player, "return studio.callModel('x', []).catch(e => e.message)")
    model.script(failure(401, {"error": {"message": "bad key"}}))
    with pytest.raises(AgentError, match="bad key"):
        await run(player, "return studio.callModel('x', [])")

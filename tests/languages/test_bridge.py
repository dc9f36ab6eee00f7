"""The studio object as agents in each language see it."""

from __future__ import annotations

import json

import pytest

from studio_qt import AgentError, CharacterPlayer, PlayerSettings
from tests.engine.conftest import MakePlayer, faults
from tests.languages.agents import ASKER, CALLER, SPEAKER
from tests.languages.conftest import Play
from tests.languages.peers import Peer
from tests.support.model_server import ModelServer, failure, text, tool_call

NAMESPACES = {
    "search": "studio.history",
    "range": "studio.history",
    "read": "studio.context",
    "worker": "studio.model",
    "grants": "studio.grants",
    "web": "studio.web",
}


async def ask(player: CharacterPlayer, kind: str) -> str:
    return await player.call_tool("ask", {"kind": kind})


@pytest.mark.clause("BR-01", "BR-02")
async def test_a_log_entry_outlives_a_restart_and_neither_it_nor_a_toast_is_sent(
    play: Play, make_player: MakePlayer, model: ModelServer
) -> None:
    player = await play(SPEAKER.but(tags=""))
    await player.command("@say secret")
    await player.close()
    player = await make_player()
    (entry,) = player.get_conversation()
    assert (entry["role"], entry["agentId"]) == ("log", "t.peer")
    assert entry["content"] == "log: secret"
    model.script(text("Ok."))
    await player.send("Hello")
    assert [message["content"] for message in model.requests[0].messages] == ["Hello"]


PATIENT = Peer(
    tools={"tell": {}},
    javascript="""
export async function onToolCall(name, args, store, studio) {
  await studio.log("one"); studio.toast("two"); await studio.toast(3); studio.log("four");
  return "told";
}
""",
    typescript="""
interface Teller { log(said: unknown): Promise<void>; toast(said: unknown): Promise<void> }
export async function onToolCall(_: string, __: object, ___: object, studio: Teller) {
  await studio.log("one"); studio.toast("two"); await studio.toast(3); studio.log("four");
  return "told";
}
""",
    python="""
async def on_tool_call(name, args, store, studio):
    await studio.log("one"); studio.toast("two"); await studio.toast(3); studio.log("four")
    return "told"
""",
    lua="""
function on_tool_call(name, args, store, studio)
  studio.log("one"):await(); studio.toast("two"); studio.toast(3):await(); studio.log("four")
  return "told"
end
""",
)


@pytest.mark.clause("BR-01", "BR-02", "BR-10")
async def test_what_is_said_may_be_awaited_or_not_and_comes_in_order(play: Play) -> None:
    player = await play(PATIENT)
    said: list[str] = []
    player.on("agentLog", said.append)
    player.on("agentToast", said.append)
    assert await player.call_tool("tell", {}) == "told"
    assert said == ["one", "two", "3", "four"]


@pytest.mark.clause("BR-03", "BR-04", "BR-10")
async def test_history_is_searched_and_read_by_the_positions_in_the_stored_array(
    play: Play, model: ModelServer
) -> None:
    player = await play(CALLER)
    model.script(tool_call("ask", {"kind": "search"}), text("An X-ray."), text("No."))
    await player.send("Tell of x")
    await player.send("And y?")
    user, assistant = (
        {"role": "user", "content": "Tell of x", "index": 0},
        {"role": "assistant", "content": "An X-ray.", "index": 3},
    )
    assert json.loads(await ask(player, "search")) == [user, assistant]
    assert [turn["index"] for turn in json.loads(await ask(player, "range"))] == [0, 3, 4, 5]
    assert json.loads(await ask(player, "part")) == [user]
    assert await player.call_tool("find", {"q": "nowhere"}) == "[]"


@pytest.mark.clause("BR-05", "BR-10", "SYS-04")
async def test_context_files_are_read_through_the_mapping_also_two_at_a_time(play: Play) -> None:
    files: dict[str, str | bytes] = {
        "lore/.hidden.txt": "kept from the block: ü",
        "lore/a.txt": "A",
        "lore/b.txt": "B",
        "context/a.txt": "not this one",
    }
    player = await play(CALLER, files=files, config={"fileMappings": {"ContextDirectory": "lore"}})
    assert await ask(player, "read") == "kept from the block: ü"
    assert await ask(player, "absent") == "true"
    assert await ask(player, "two") == "A and B"


@pytest.mark.clause("BR-06", "BR-10")
async def test_the_model_is_asked_once_in_the_lane_and_the_limits_given(
    play: Play, model: ModelServer
) -> None:
    player = await play(CALLER, worker_model="small")
    model.script(text("From main."), text("From worker."))
    assert await ask(player, "model") == "From main."
    assert await ask(player, "worker") == "From worker."
    main, worker = (request.body for request in model.requests)
    assert [(m["role"], m["content"]) for m in main["messages"]] == [
        ("system", "sys"),
        ("user", "u"),
    ]
    assert (main["model"], main["temperature"], main["top_p"]) == ("test-model", 0.5, 0.9)
    assert 8192 in (main.get("max_tokens"), main.get("max_completion_tokens"))
    assert (worker["model"], "temperature" in worker) == ("small", False)
    assert 1024 in (worker.get("max_tokens"), worker.get("max_completion_tokens"))
    assert not main.get("stream")


@pytest.mark.clause("BR-06", "BR-07", "BR-08", "LOOP-08")
async def test_a_rejection_can_be_caught_and_says_why(play: Play, model: ModelServer) -> None:
    player = await play(CALLER)
    model.script(failure(401, {"error": {"message": "bad key"}}))
    caught = {kind: await ask(player, kind) for kind in ("worker", "grants", "web")}
    assert all(said.startswith("caught: ") for said in caught.values())
    assert "bad key" in caught["worker"]
    assert "grants" in caught["grants"]
    assert "not implemented" in caught["web"]


@pytest.mark.clause("BR-03", "EXP-02")
async def test_a_rejection_that_nobody_catches_fails_the_call(
    play: Play, model: ModelServer
) -> None:
    player = await play(CALLER)
    model.script(failure(401, {"error": {"message": "bad key"}}))
    result = await player.command("@ask")
    assert not result.ok
    assert "bad key" in str(result.error)
    assert player.store("t.peer") == {}


@pytest.mark.clause("BR-09")
async def test_every_undeclared_namespace_rejects_with_the_line_that_is_missing(
    play: Play, model: ModelServer
) -> None:
    player = await play(CALLER.but(tags=""))
    for kind, namespace in NAMESPACES.items():
        assert f"@api {namespace}" in await ask(player, kind)
    with pytest.raises(AgentError, match=r"@api studio\.history"):
        await player.call_tool("find", {"q": "x"})
    assert model.requests == []


@pytest.mark.clause("BR-09", "MAN-02")
async def test_one_declared_namespace_opens_no_other_and_an_unknown_one_is_a_warning(
    play: Play,
) -> None:
    player = await play(CALLER.but(tags="@api studio.history\n@api studio.nosuch"))
    (problem,) = faults(player)
    assert (problem.severity, "studio.nosuch" in problem.message) == ("warning", True)
    assert await ask(player, "search") == "[]"
    assert "@api studio.context" in await ask(player, "read")


@pytest.mark.clause("BR-10")
async def test_a_missing_method_can_be_tested_for(play: Play) -> None:
    player = await play(ASKER)
    assert await player.call_tool("probe", {}) == "[false,true,true,true,false]"


@pytest.mark.clause("CAP-01", "CAP-02", "CAP-03")
async def test_calls_of_the_model_are_metered_those_of_the_user_are_not(
    play: Play, model: ModelServer
) -> None:
    player = await play(CALLER, settings=PlayerSettings(agent_tokens_per_response=20))
    call = tool_call("ask", {"kind": "worker"})
    model.script(call, text("a", usage=(15, 10)), call, text("Done."))
    await player.send("Ask twice")
    first, second = model.requests[-1].tool_results
    assert first == "a"
    assert "caught: " in second
    assert "budget exhausted for this response" in second
    model.script(text("free", usage=(40, 2)))
    assert (await player.command("@ask")).ok
    assert player.store("t.peer") == {"said": "free"}
    assert player.usage()["agentTokensThisConversation"] == 25

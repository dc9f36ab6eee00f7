"""Sub-agents played: grants, the inner loop, metering, privacy, call-time reading, warnings."""

from __future__ import annotations

import asyncio
import json
import threading
from pathlib import Path
from typing import Any

import pytest

from studio_qt import CharacterPlayer, PlayerSettings
from tests.engine.conftest import MakePlayer, faults
from tests.support.model_server import ModelServer, Recorded, text, tool_call, tool_calls
from tests.support.packages import agent

NOTE = agent(
    "t.note",
    """
export function onToolCall(name, args, store, studio, context) {
  if (args.fail) throw new Error("no note");
  (store.notes ??= []).push({text: args.text, toolCallId: context.toolCallId ?? null,
                             by: context.invokedBy});
  return `noted ${args.text}`;
}
export function onAfterResponse(event, store) { store.turns = (store.turns ?? 0) + 1; }
export function onLoad() { return "NOTE PRELOAD"; }
export function show(args, store) {}
""",
    tools={"note": {"text": {"type": "string"}}},
    commands={"@note": "show"},
    tags="@preload true\n@hook afterResponse",
)
THINKER = agent(
    "t.think",
    "export const onToolCall = async (n, a, s, studio) => await studio.callModel('deep', []);",
    tools=["think"],
    tags="@api studio.model",
)


def prompt(body: str = "You are Marcus.", **fields: object) -> str:
    lines = [f"{key}: {json.dumps(value)}" for key, value in fields.items()]
    return "\n".join(["---", "description: Ask Marcus.", *lines, "---", body])


def entry(agent_id: str = "eve.marcus", **wiring: object) -> dict[str, object]:
    return {
        "id": agent_id,
        "implementation": "studio.sub-agent",
        "promptFile": "marcus.subagent.md",
        **wiring,
    }


def files(body: str = "You are Marcus.", **fields: object) -> dict[str, str | bytes]:
    return {
        "agents/marcus.subagent.md": prompt(body, **fields),
        "agents/t.note.js": NOTE,
        "agents/t.think.js": THINKER,
    }


def said(request: Recorded) -> list[tuple[str, str]]:
    return [(message["role"], message["content"]) for message in request.messages]


@pytest.mark.clause("SUB-01", "SUB-05", "SUB-06", "SUB-02")
async def test_a_shorthand_registers_a_tool_that_asks_the_worker_with_prompt_and_request(
    make_player: MakePlayer, model: ModelServer
) -> None:
    player = await make_player(files(), agents=["marcus.subagent.md"], worker_model="small")
    model.script(
        tool_call("marcus", {"request": "Is the tide in?"}), text("Aye."), text("He says aye.")
    )
    assert (await player.send("Ask Marcus"))["content"] == "He says aye."
    first, inner, last = model.requests
    assert first.tool_names == ["marcus"]
    assert first.tools[0]["function"]["description"] == "Ask Marcus."
    assert (inner.body["model"], inner.body["max_tokens"]) == ("small", 1024)
    assert said(inner) == [("system", "You are Marcus."), ("user", "Is the tide in?")]
    assert "tools" not in inner.body
    assert last.tool_results == ["Aye."]
    assert player.get_conversation()[1]["tool_calls"][0]["toolCallId"] == 1
    assert faults(player) == []


@pytest.mark.clause("SUB-03", "SUB-04", "SUB-07", "PERS-01")
async def test_private_tools_ride_along_and_write_to_a_private_store(
    make_player: MakePlayer, model: ModelServer, tmp_path: Path
) -> None:
    player = await make_player(
        files(), agents=["t.note", entry(**{"private-agents": ["t.note"], "model": "main"})]
    )
    model.script(
        tool_call("marcus", {"request": "Remember SECRET"}),
        tool_call("note", {"text": "SECRET"}),
        text("Done."),
        text("He nods."),
    )
    await player.send("Tell him")
    assert model.requests[1].tool_names == ["note"]
    assert model.requests[2].tool_results == ["noted SECRET"]
    folder = tmp_path / "package/conversations"
    private = json.loads((folder / "conversation_01.eve.marcus.t.note.agent.json").read_text())
    assert private["notes"] == [{"text": "SECRET", "toolCallId": 2, "by": "model"}]
    assert "notes" not in player.store("t.note")
    (result,) = [e for e in player.get_conversation() if e["role"] == "tool"]
    assert result["inner"] == [
        {
            "agentId": "eve.marcus.t.note",
            "toolName": "note",
            "args": {"text": "SECRET"},
            "result": "noted SECRET",
            "toolCallId": 2,
        }
    ]


@pytest.mark.clause("SUB-04", "SUB-07")
async def test_the_narrator_never_sees_a_private_instance(
    make_player: MakePlayer, model: ModelServer
) -> None:
    player = await make_player(files(), agents=[entry(**{"private-agents": ["t.note"]})])
    assert [tool["function"]["name"] for tool in player.tools()] == ["marcus"]
    assert player.commands() == ["@marcus"]
    messages: Any = (await player.prepare_request("Hi"))["messages"]
    assert "NOTE PRELOAD" not in json.dumps(messages)
    model.script(text("Hello."))
    await player.send("Hi")
    assert player.store("eve.marcus.t.note") == {"turns": 1}  # its hooks do run


@pytest.mark.clause("SUB-04", "SUB-07")
async def test_a_shared_grant_writes_the_one_store_that_the_narrator_sees(
    make_player: MakePlayer, model: ModelServer
) -> None:
    player = await make_player(files(), agents=[entry(**{"shared-agents": ["t.note"]}), "t.note"])
    calls: list[dict[str, Any]] = []
    player.on("toolCall", calls.append)
    model.script(
        tool_call("marcus", {"request": "x"}),
        tool_calls(("note", {"text": "a"}), ("note", {"text": "b"})),
        text("Done."),
        text("Ok."),
    )
    await player.send("Go")
    assert [n["text"] for n in player.store("t.note")["notes"]] == ["a", "b"]
    ids = [(c["agentId"], c["toolCallId"], c.get("parentToolCallId")) for c in calls]
    assert ids == [("t.note", 2, 1), ("t.note", 3, 1), ("eve.marcus", 1, None)]


@pytest.mark.clause("SUB-07")
async def test_private_tools_come_first_when_names_collide(
    make_player: MakePlayer, model: ModelServer
) -> None:
    grants = {"shared-agents": ["t.note"], "private-agents": ["t.note"]}
    player = await make_player(files(), agents=["t.note", entry(**grants)])
    model.script(
        tool_call("marcus", {"request": "x"}),
        tool_call("note", {"text": "mine"}),
        text("Done."),
        text("Ok."),
    )
    await player.send("Go")
    assert model.requests[1].tool_names == ["note"]
    assert "notes" not in player.store("t.note")
    assert len(player.store("eve.marcus.t.note")["notes"]) == 1


@pytest.mark.clause("SUB-07", "SUB-02")
async def test_rounds_are_bounded_and_the_last_text_returns(
    make_player: MakePlayer, model: ModelServer
) -> None:
    player = await make_player(
        files(maxRounds=2), agents=["t.note", entry(**{"shared-agents": ["t.note"]})]
    )
    again = [tool_call("note", {"text": f"{n}"}, content=f"Round {n}.") for n in range(3)]
    model.script(tool_call("marcus", {"request": "x"}), *again, text("Ok."))
    await player.send("Go")
    assert [n["text"] for n in player.store("t.note")["notes"]] == ["0", "1"]
    assert model.requests[-1].tool_results == ["Round 2."]


@pytest.mark.clause("SUB-07", "LOOP-04")
async def test_inner_calls_that_fail_are_answered_and_the_loop_goes_on(
    make_player: MakePlayer, model: ModelServer
) -> None:
    player = await make_player(files(), agents=["t.note", entry(**{"shared-agents": ["t.note"]})])
    calls = tool_calls(("nosuch", {}), ("note", {}), ("note", {"text": "x", "fail": True}))
    model.script(tool_call("marcus", {"request": "x"}), calls, text("Odd."), text("Ok."))
    await player.send("Go")
    unknown, invalid, failed = model.requests[2].tool_results
    assert ("nosuch" in unknown, "text" in invalid, "no note" in failed) == (True, True, True)


@pytest.mark.clause("SUB-07")
async def test_a_granted_tool_cannot_ask_a_model_itself(
    make_player: MakePlayer, model: ModelServer
) -> None:
    player = await make_player(files(), agents=["t.think", entry(**{"shared-agents": ["t.think"]})])
    model.script(tool_call("marcus", {"request": "x"}), tool_call("think"), text("No."), text("Ok"))
    await player.send("Go")
    assert "depth" in model.requests[2].tool_results[0]
    assert len(model.requests) == 4


@pytest.mark.clause("CAP-02", "CAP-03", "SUB-07")
async def test_every_round_is_metered_and_a_spent_cap_ends_the_loop_with_a_note(
    make_player: MakePlayer, model: ModelServer
) -> None:
    player = await make_player(
        files(),
        agents=["t.note", entry(**{"shared-agents": ["t.note"]})],
        settings=PlayerSettings(agent_tokens_per_response=50),
    )
    call = tool_call("note", {"text": "x"}, content="Hm.", usage=(20, 10))
    ask = tool_call("marcus", {"request": "x"})
    model.script(ask, call, call, ask, text("Ok."))
    await player.send("Go")
    first, second = (request.tool_results[-1] for request in model.requests[3:])
    assert "Hm." in first
    assert "budget exhausted" in first
    assert "could not answer" in second
    assert player.usage()["agentTokensThisResponse"] == 60


@pytest.mark.clause("SUB-09", "CAP-02", "SUB-07")
async def test_the_command_runs_unmetered_without_ids_and_prints_a_log_entry(
    make_player: MakePlayer, model: ModelServer
) -> None:
    player = await make_player(
        files(),
        agents=["t.note", entry(**{"shared-agents": ["t.note"]})],
        settings=PlayerSettings(agent_tokens_per_response=0),
    )
    model.script(tool_call("note", {"text": "x"}), text("I like them."))
    result = await player.command("@marcus how do you feel?")
    assert (result.ok, result.error) == (True, None)
    assert said(model.requests[0])[-1] == ("user", "how do you feel?")
    (log,) = player.get_conversation()
    assert (log["role"], "I like them." in log["content"]) == ("log", True)
    assert player.store("t.note")["notes"] == [{"text": "x", "toolCallId": None, "by": "direct"}]
    assert player.usage()["agentTokensThisConversation"] == 0
    assert not (await player.command("@marcus")).ok


@pytest.mark.clause("SUB-05", "BR-07", "SYS-04")
async def test_macros_expand_once_from_context_instructions_and_granted_stores(
    make_player: MakePlayer, model: ModelServer
) -> None:
    body = "C[%%CONTEXT%%] I[%%CHARACTER_INSTRUCTIONS%%] S[%%STORE:note%%] X[%%STORE:zzz%%]"
    player = await make_player(
        files(body, contextFiles=[".tides.txt"])
        | {"context/.tides.txt": "high %%STORE:note%%", "instructions.txt": "Be %%CONTEXT%%."},
        agents=["t.note", entry(**{"private-agents": ["t.note"]})],
    )
    await player.set_store("eve.marcus.t.note", {"notes": ["kept"]})
    model.script(text("Ok."))
    await player.command("@marcus %%CONTEXT%% tell")
    system, user = model.requests[0].messages
    assert system["content"].startswith("C[high %%STORE:note%%] I[Be %%CONTEXT%%.] S[{")
    assert '"kept"' in system["content"]
    assert system["content"].endswith("X[(no such grant: zzz)]")
    assert user["content"] == "%%CONTEXT%% tell"


@pytest.mark.clause("SUB-05", "SUB-06")
async def test_recent_history_goes_as_messages_without_plumbing(
    make_player: MakePlayer, model: ModelServer
) -> None:
    player = await make_player(files(history="recent:2"), agents=["marcus.subagent.md"])
    ask = tool_call("marcus", {"request": "Well?"}, content="Let me ask.")
    model.script(text("One."), ask, text("Aye."), text("Two."))
    await player.send("first")
    await player.send("second")
    inner = said(model.requests[2])
    assert inner[0][0] == "system"
    assert inner[-1] == ("user", "Well?")
    assert ("user", "second") in inner
    assert all(role in ("system", "user", "assistant") for role, _ in inner)


@pytest.mark.clause("SUB-10", "STU-01")
async def test_the_prompt_file_is_read_when_it_is_called(
    make_player: MakePlayer, model: ModelServer, tmp_path: Path
) -> None:
    player = await make_player(files(), agents=["marcus.subagent.md"])
    (tmp_path / "package/agents/marcus.subagent.md").write_text(prompt("You are Mark."))
    model.script(text("Ok."))
    await player.command("@marcus hi")
    assert said(model.requests[0])[0] == ("system", "You are Mark.")


@pytest.mark.clause("SUB-08")
async def test_grants_need_a_model_that_takes_tools(
    make_player: MakePlayer, model: ModelServer
) -> None:
    model.models = [{"id": "test-model", "supported_parameters": ["temperature"]}]
    player = await make_player(
        files(),
        agents=["t.note", entry(**{"shared-agents": ["t.note"]}), entry("plain.mate")],
    )
    assert "@marcus" not in player.commands()
    assert "@mate" in player.commands()


@pytest.mark.clause("SUB-08")
async def test_the_toast_says_which_and_why(tmp_path: Path, model: ModelServer) -> None:
    from tests.support.packages import build

    grants = entry(**{"private-agents": ["t.note"]})
    root = build(tmp_path / "p", files(), agents=[grants])
    toasts: list[str] = []
    settings = PlayerSettings(model_takes_tools=False)
    player = CharacterPlayer(root, base_url=model.base_url, model="m", settings=settings)
    player.on("agentToast", toasts.append)
    async with player:
        assert player.tools() == []
    assert len(toasts) == 1
    assert "eve.marcus" in toasts[0]


@pytest.mark.clause("SUB-11")
async def test_a_large_prompt_is_told_once(make_player: MakePlayer, model: ModelServer) -> None:
    large = {"context/.lore.txt": "word " * 5000}
    settings = PlayerSettings(size_warning_tokens=3000)
    shape: dict[str, Any] = {"agents": ["marcus.subagent.md"], "settings": settings}
    player = await make_player(files(contextFiles=[".lore.txt"]) | large, **shape)
    (log,) = player.get_conversation()
    assert log["role"] == "log"
    assert "marcus" in log["content"]
    await player.close()
    player = await make_player(settings=settings)
    assert len(player) == 1


@pytest.mark.clause("SUB-12")
async def test_debug_writes_a_summary_rounds_and_granted_calls(
    make_player: MakePlayer, model: ModelServer, tmp_path: Path
) -> None:
    player = await make_player(
        files(debug=True), agents=["t.note", entry(**{"shared-agents": ["t.note"]})]
    )
    model.script(tool_call("note", {"text": "x"}, usage=(30, 4)), text("Ok.", usage=(40, 2)))
    await player.command("@marcus go")
    log = (tmp_path / "package/conversations/conversation_01.agent-log.jsonl").read_text()
    lines = [json.loads(line) for line in log.splitlines()]
    kinds = [line["kind"] for line in lines if line["agentId"] == "eve.marcus"]
    assert kinds[:4] == ["round", "granted", "round", "sub-agent"]
    first, _, _, summary = lines[:4]
    assert (first["tools"], first["tokens"]) == (["note"], 34)
    assert (summary["tokens"], summary["rounds"], summary["unmetered"]) == (76, 1, True)
    assert (summary["model"], summary["history"], summary["cap"]) == ("test-model", "none", 1024)
    assert summary["promptChars"] > 0


@pytest.mark.clause("SUB-13")
async def test_a_packages_own_engine_gets_exactly_meta_and_body(
    make_player: MakePlayer, model: ModelServer
) -> None:
    own = agent(
        "studio.sub-agent",
        "export function onToolCall(n, a, s, studio, context) {"
        " return JSON.stringify(context.config); }",
    )
    body = "As %%CHARACTER_INSTRUCTIONS%%"
    player = await make_player(
        files(body, history="recent:3", temperature=0.2)
        | {"agents/studio.sub-agent.js": own, "instructions.txt": "Keeper"},
        agents=["marcus.subagent.md"],
    )
    config = json.loads(await player.call_tool("marcus", {"request": "x"}))
    assert set(config) == {"meta", "promptBody"}
    assert config["promptBody"] == body
    meta = config["meta"]
    assert (meta["history"], meta["temperature"], meta["maxTokens"]) == ("recent:3", 0.2, 1024)
    assert (meta["characterInstructions"], meta["model"]) == ("Keeper", "worker")
    assert meta["historyTokens"] > 1000


@pytest.mark.clause("SUB-07", "LOOP-07")
async def test_stopping_in_the_inner_loop_leaves_a_conversation_that_can_be_sent_again(
    make_player: MakePlayer, model: ModelServer
) -> None:
    from tests.support.model_server import blocked

    gate = threading.Event()
    player = await make_player(files(), agents=["t.note", entry(**{"shared-agents": ["t.note"]})])
    model.script(
        tool_call("marcus", {"request": "x"}),
        tool_call("note", {"text": "kept"}),
        blocked(gate, text("Late.")),
    )
    sending = asyncio.create_task(player.send("Go"))
    await model.received(3)
    player.stop()
    await sending
    gate.set()
    assert [n["text"] for n in player.store("t.note")["notes"]] == ["kept"]
    model.script(text("Fine."))
    assert (await player.send("On"))["content"] == "Fine."


@pytest.mark.clause("HOOK-05", "SUB-07")
async def test_inner_ids_count_as_removed_with_their_reply(
    make_player: MakePlayer, model: ModelServer
) -> None:
    pruning = NOTE.replace("@hook afterResponse", "@hook afterUserEdit").replace(
        "onAfterResponse(event, store) { store.turns = (store.turns ?? 0) + 1; }",
        "onAfterUserEdit(event, store) { store.gone = event.deletedToolCallIds; }",
    )
    player = await make_player(
        files() | {"agents/t.note.js": pruning},
        agents=["t.note", entry(**{"private-agents": ["t.note"]})],
    )
    model.script(
        tool_call("marcus", {"request": "x"}),
        tool_call("note", {"text": "x"}),
        text("Done."),
        text("Ok."),
    )
    await player.send("Go")
    await player.delete(1)
    assert player.store("eve.marcus.t.note")["gone"] == [1, 2]

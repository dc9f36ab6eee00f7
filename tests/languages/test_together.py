"""All four languages in one character: one turn, one registry, hooks and grants across them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.engine.conftest import MakePlayer, faults
from tests.languages.agents import CALLER, HOLDER, LISTENER, PRUNER, RETURNER
from tests.languages.peers import LANGUAGES, Peer
from tests.support.model_server import ModelServer, text, tool_call, tool_calls

PROMPT = "---\ndescription: Ask the keeper.\n---\n{}"
STORES = " ".join(f"{name}=%%STORE:t.peer-{name}%%" for name in LANGUAGES)


def keeper(ids: list[str], how: str) -> dict[str, Any]:
    return {
        "id": "t.keeper",
        "implementation": "studio.sub-agent",
        "promptFile": "keeper.subagent.md",
        f"{how}-agents": ids,
    }


def prompt(body: str = "You keep.") -> dict[str, str | bytes]:
    return {"agents/keeper.subagent.md": PROMPT.format(body)}


def ids_of(peer: Peer) -> list[str]:
    return [f"{peer.id}-{language}" for language in LANGUAGES]


@pytest.mark.clause("LANG-01", "LOOP-01", "LOOP-02", "LOOP-03", "CTX-02", "EXP-06")
async def test_agents_of_every_language_answer_in_one_turn_in_the_order_asked(
    make_player: MakePlayer, model: ModelServer
) -> None:
    player = await make_player(HOLDER.files(*LANGUAGES))
    assert faults(player) == []
    kinds = ("nest", "text")
    calls = [(f"hold_{name}", {"kind": kind}) for kind in kinds for name in LANGUAGES]
    model.script(tool_calls(*calls), text("All held."))
    assert (await player.send("Hold everything"))["content"] == "All held."
    assert model.requests[0].tool_names == [f"hold_{language}" for language in LANGUAGES]
    assert model.requests[1].tool_results == ["held"] * 8
    first, *others = (player.store(agent_id) for agent_id in ids_of(HOLDER))
    assert others == [first] * 3
    stored = player.get_conversation()[1]["tool_calls"]
    assert [call["toolCallId"] for call in stored] == [*range(1, 9)]


@pytest.mark.clause("EXP-06", "LANG-01")
async def test_the_same_changes_leave_the_same_store_in_every_language(
    make_player: MakePlayer,
) -> None:
    default = json.dumps({"old": 1, "big": 2**53 - 1, "tiny": 1e-7, "none": None, "no": False})
    defaults: dict[str, str | bytes] = {f"{one}.agent.json": default for one in ids_of(HOLDER)}
    files = HOLDER.files(*LANGUAGES)
    player = await make_player(files | defaults, agents=ids_of(HOLDER))
    for language in LANGUAGES:
        for kind in ("nest", "change", "text"):
            await player.call_tool(f"hold_{language}", {"kind": kind})
    first, *others = (json.loads(player.store_text(one)) for one in ids_of(HOLDER))
    assert first["deep"]["list"][1] == {"n": 2, "half": 2.5, "whole": 5}
    assert others[:2] == [first] * 2
    lua_has_no_null = {key: value for key, value in first.items() if value is not None}
    assert others[2] == lua_has_no_null


@pytest.mark.clause("HOOK-04", "HOOK-06", "EXP-04")
async def test_each_hears_of_the_calls_of_all_others_and_of_none_of_its_own(
    make_player: MakePlayer, model: ModelServer
) -> None:
    player = await make_player(LISTENER.files(*LANGUAGES))
    model.script(
        tool_calls(*((f"go_{language}", {"bad": language == "lua"}) for language in LANGUAGES)),
        text("Gone."),
    )
    await player.send("Go")
    for own in LANGUAGES:
        seen = player.store(f"t.peer-{own}")["seen"]
        told = [event["agentId"] for name, event, _ in seen if name == "tool"]
        assert told == [f"t.peer-{one}" for one in LANGUAGES if one not in (own, "lua")]


@pytest.mark.clause("PKG-08")
async def test_the_first_of_any_language_wins_a_name(make_player: MakePlayer) -> None:
    peers = [RETURNER.but(id=f"t.{name}").files(name) for name in reversed(LANGUAGES)]
    files = {path: code for one in peers for path, code in one.items()}
    player = await make_player(files)
    assert len(faults(player)) == 3
    assert await player.call_tool("give", {"kind": "number"}) == "42"
    assert player.store("t.lua") == {"calls": 1}


@pytest.mark.clause("SUB-04", "SUB-05", "SUB-07", "BR-07", "LANG-01")
async def test_a_sub_agent_uses_shared_grants_of_every_language_and_reads_their_stores(
    make_player: MakePlayer, model: ModelServer
) -> None:
    files = PRUNER.files(*LANGUAGES) | prompt(STORES)
    grants = keeper(ids_of(PRUNER), "shared")
    player = await make_player(files, agents=[*ids_of(PRUNER), grants])
    inner = [(f"note_{language}", {"text": f"by {language}"}) for language in LANGUAGES]
    model.script(
        tool_call("keeper", {"request": "note"}), tool_calls(*inner), text("Noted."), text("Ok.")
    )
    await player.send("Have it noted")
    assert model.requests[2].tool_results == ["noted"] * 4
    for count, language in enumerate(LANGUAGES, 2):
        note = {"text": f"by {language}", "toolCallId": count}
        assert player.store(f"t.peer-{language}") == {"notes": [note]}
    model.script(tool_call("keeper", {"request": "x"}), text("I know."), text("Ok."))
    await player.send("What was noted?")
    system = model.requests[-2].messages[0]["content"]
    assert all(f"by {language}" in system for language in LANGUAGES)


@pytest.mark.clause("SUB-04", "SUB-07", "HOOK-05", "PERS-01")
async def test_private_instances_of_every_language_keep_and_prune_their_own_stores(
    make_player: MakePlayer, model: ModelServer
) -> None:
    files = PRUNER.files(*LANGUAGES) | prompt()
    player = await make_player(files, agents=[keeper(ids_of(PRUNER), "private")])
    inner = [(f"note_{language}", {"text": "secret"}) for language in LANGUAGES]
    model.script(
        tool_call("keeper", {"request": "note"}), tool_calls(*inner), text("Noted."), text("Ok.")
    )
    await player.send("Have it noted")
    assert model.requests[0].tool_names == ["keeper"]
    private = [f"t.keeper.{one}" for one in ids_of(PRUNER)]
    assert [len(player.store(one)["notes"]) for one in private] == [1] * 4
    await player.reject(len(player) - 1)
    assert [len(player.store(one)["notes"]) for one in private] == [0] * 4


@pytest.mark.clause("SUB-07", "BR-06", "BR-09")
async def test_a_granted_agent_of_any_language_asks_no_model_itself(
    make_player: MakePlayer, model: ModelServer
) -> None:
    grants = keeper(ids_of(CALLER), "shared")
    files = CALLER.but(commands={}).files(*LANGUAGES) | prompt()
    player = await make_player(files, agents=[*ids_of(CALLER), grants])
    inner = [(f"ask_{language}", {"kind": "worker"}) for language in LANGUAGES]
    model.script(
        tool_call("keeper", {"request": "x"}), tool_calls(*inner), text("No."), text("Ok.")
    )
    await player.send("Ask")
    refused = model.requests[2].tool_results
    assert ["caught: " in said and "depth" in said for said in refused] == [True] * 4
    assert len(model.requests) == 4

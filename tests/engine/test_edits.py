"""Edits: what they change, undo and redo, alternatives, forks, stores as of then."""

from __future__ import annotations

from typing import Any

import pytest

from studio_qt import CharacterPlayer, StudioError
from tests.engine.conftest import MakePlayer
from tests.support.model_server import ModelServer, text, tool_call
from tests.support.packages import agent

COUNT = agent(
    "t.count",
    """export const onToolCall = (name, args, store) => `${(store.n = (store.n ?? 0) + 1)}`;
       export function onAfterResponse(event, store) { store.turns = (store.turns ?? 0) + 1; }
       export function reset(args, store) { store.n = 0; }""",
    tools=["count"],
    commands={"@reset": "reset"},
    tags="@hook afterResponse",
)
FILES = {"agents/t.count.js": COUNT}


@pytest.fixture
async def player(make_player: MakePlayer, model: ModelServer) -> CharacterPlayer:
    """Two turns of a call and an answer each: 0 user, 1–3 reply, 4 user, 5–7 reply."""
    player = await make_player(FILES)
    model.script(tool_call("count"), text("One."), tool_call("count"), text("Two."))
    await player.send("first")
    await player.send("second")
    return player


def contents(player: CharacterPlayer) -> list[str]:
    return [entry["content"] for entry in player.get_conversation()]


async def sent(player: CharacterPlayer) -> list[str]:
    messages: Any = (await player.prepare_request("?"))["messages"]
    return [message["content"] for message in messages][:-1]


@pytest.mark.clause("PERS-05")
async def test_editing_changes_the_text_and_nothing_else(player: CharacterPlayer) -> None:
    before = player.get_conversation()
    await player.edit(3, "Une.")
    after = player.get_conversation()
    assert after[3] == {**before[3], "content": "Une."}
    assert [e for at, e in enumerate(after) if at != 3] == [
        e for at, e in enumerate(before) if at != 3
    ]
    assert await sent(player) == ["first", "Une.", "second", "Two."]


@pytest.mark.clause("PERS-05")
async def test_deleting_any_part_of_a_reply_takes_it_whole(player: CharacterPlayer) -> None:
    await player.delete(2)
    assert contents(player)[:2] == ["first", "second"]
    assert await sent(player) == ["first", "second", "Two."]
    await player.delete(0)
    assert await sent(player) == ["second", "Two."]


@pytest.mark.clause("PERS-05")
async def test_truncating_takes_the_entry_and_all_after_it(player: CharacterPlayer) -> None:
    await player.truncate(4)
    assert await sent(player) == ["first", "One."]
    assert player.store("t.count") == {"n": 2, "turns": 2}


@pytest.mark.clause("PERS-05")
async def test_truncating_can_take_the_stores_back_hooks_included(player: CharacterPlayer) -> None:
    await player.truncate(4, stores="then")
    assert player.store("t.count") == {"n": 1, "turns": 1}
    await player.truncate(1, stores="then")
    assert player.store("t.count") == {}


@pytest.mark.clause("PERS-05")
async def test_a_rejected_reply_stays_in_the_file_and_is_never_sent(
    player: CharacterPlayer,
) -> None:
    await player.reject(6)
    entries = player.get_conversation()
    assert [bool(e.get("rejected")) for e in entries] == [False] * 5 + [True] * 3
    assert await sent(player) == ["first", "One.", "second"]


@pytest.mark.clause("PERS-05")
async def test_resubmit_drops_what_follows_and_asks_again(
    player: CharacterPlayer, model: ModelServer
) -> None:
    model.script(text("Anew."))
    assert (await player.resubmit(0))["content"] == "Anew."
    assert contents(player) == ["first", "Anew."]
    model.script(text("Better."))
    await player.edit(0, "first!", resubmit=True)
    assert contents(player) == ["first!", "Better."]
    assert model.requests[-1].messages[-1]["content"] == "first!"
    for index in (1, None):
        with pytest.raises(StudioError):
            await player.resubmit(index)  # type: ignore[arg-type]


@pytest.mark.clause("PERS-05")
async def test_responses_of_a_turn_can_be_chosen_with_their_stores(
    player: CharacterPlayer, model: ModelServer
) -> None:
    model.script(tool_call("count"), text("Three."))
    await player.regenerate()
    last = len(player) - 1
    told = [(a["n"], a["active"], a["content"]) for a in player.alternatives(last)]
    assert told == [(0, False, "Two."), (1, True, "Three.")]
    await player.choose(last, 0)
    assert (await sent(player))[-1] == "Two."
    assert player.store("t.count") == {"n": 3, "turns": 3}
    await player.choose(last, 0, stores="then")
    assert player.store("t.count") == {"n": 2, "turns": 2}
    await player.choose(last, 1, stores="then")
    assert (await sent(player))[-1] == "Three."
    assert player.store("t.count") == {"n": 3, "turns": 3}
    with pytest.raises(StudioError, match="2"):
        await player.choose(last, 2)


@pytest.mark.clause("PERS-05")
@pytest.mark.parametrize("edit", ["delete", "truncate", "reject", "edit", "clear", "choose"])
async def test_undo_and_redo_bring_back_entries_and_stores_exactly(
    player: CharacterPlayer, model: ModelServer, edit: str
) -> None:
    model.script(tool_call("count"), text("Three."))
    await player.regenerate()
    before = (player.get_conversation(), player.store_text("t.count"))
    match edit:
        case "delete":
            await player.delete(1)
        case "truncate":
            await player.truncate(4, stores="then")
        case "reject":
            await player.reject(1)
        case "edit":
            await player.edit(0, "changed")
        case "clear":
            await player.clear()
        case "choose":
            await player.choose(5, 0, stores="then")
    after = (player.get_conversation(), player.store_text("t.count"))
    assert after != before
    await player.undo()
    assert (player.get_conversation(), player.store_text("t.count")) == before
    await player.redo()
    assert (player.get_conversation(), player.store_text("t.count")) == after


@pytest.mark.clause("PERS-05")
async def test_edits_are_undone_step_by_step(player: CharacterPlayer) -> None:
    states = [player.get_conversation()]
    for index in (0, 3, 4):
        await player.edit(index, f"changed {index}")
        states.append(player.get_conversation())
    for state in reversed(states[:-1]):
        await player.undo()
        assert player.get_conversation() == state
    with pytest.raises(StudioError, match="undo"):
        await player.undo()
    for state in states[1:]:
        await player.redo()
        assert player.get_conversation() == state
    with pytest.raises(StudioError, match="redo"):
        await player.redo()


@pytest.mark.clause("PERS-05")
@pytest.mark.parametrize("then", ["send", "command", "store"])
async def test_what_happens_after_an_edit_ends_undo(
    player: CharacterPlayer, model: ModelServer, then: str
) -> None:
    await player.edit(0, "changed")
    match then:
        case "send":
            model.script(text("Ok."))
            await player.send("on")
        case "command":
            await player.command("@reset")
        case "store":
            await player.set_store("t.count", {"n": 9})
    with pytest.raises(StudioError, match="undo"):
        await player.undo()


@pytest.mark.clause("PERS-05", "CTX-02")
async def test_a_fork_copies_entries_stores_and_counter(
    player: CharacterPlayer, model: ModelServer
) -> None:
    forked, then = await player.fork(3), await player.fork(3, stores="then")
    assert len(player) == 8
    await player.load_conversation(forked)
    assert (len(player), player.store("t.count")) == (4, {"n": 2, "turns": 2})
    await player.load_conversation(then)
    assert (len(player), player.store("t.count")) == (4, {"n": 1, "turns": 1})
    model.script(tool_call("count"), text("Forked."))
    await player.send("on")
    assert player.get_conversation()[5]["tool_calls"][0]["toolCallId"] == 3
    await player.truncate(4, stores="then")
    assert player.store("t.count") == {"n": 1, "turns": 1}


@pytest.mark.clause("PERS-05", "CONS-03")
async def test_a_restart_after_a_fork_continues_the_one_that_was_played(
    player: CharacterPlayer, make_player: MakePlayer
) -> None:
    await player.fork(3)
    await player.close()
    player = await make_player()
    assert (player.conversation_id, len(player)) == ("conversation_01", 8)


@pytest.mark.clause("PERS-05")
@pytest.mark.parametrize("index", [-1, 8, 99, True])
async def test_a_position_that_is_not_there_is_refused(player: CharacterPlayer, index: int) -> None:
    before = player.get_conversation()
    for act in (player.delete, player.truncate, player.reject, player.resubmit, player.fork):
        with pytest.raises(StudioError, match=r"no entry|8"):
            await act(index)
    with pytest.raises(StudioError):
        player.alternatives(index)
    assert player.get_conversation() == before
    assert [c["id"] for c in await player.list_conversations()] == ["conversation_01"]


@pytest.mark.clause("PERS-05")
async def test_editing_during_a_reply_is_refused(
    player: CharacterPlayer, model: ModelServer
) -> None:
    import asyncio
    import threading

    from tests.support.model_server import blocked

    gate = threading.Event()
    model.script(blocked(gate, text("Slow.")))
    sending = asyncio.create_task(player.send("third"))
    await model.received(5)
    for act in (player.delete(0), player.clear(), player.regenerate(), player.undo()):
        with pytest.raises(StudioError, match="Stop"):
            await act
    gate.set()
    assert (await sending)["content"] == "Slow."


@pytest.mark.clause("PERS-05", "PERS-01")
async def test_edits_last_over_a_restart(
    player: CharacterPlayer, make_player: MakePlayer, model: ModelServer
) -> None:
    model.script(text("Three."))
    await player.regenerate()
    await player.edit(0, "changed")
    before = player.get_conversation()
    await player.close()
    player = await make_player()
    assert player.get_conversation() == before
    await player.choose(len(player) - 1, 0, stores="then")
    assert player.store("t.count") == {"n": 2, "turns": 2}

"""When the stores of a conversation are made, and what never touches them again."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.engine.conftest import MakePlayer
from tests.support.model_server import ModelServer, text
from tests.support.packages import agent

COUNT = agent(
    "t.count",
    "export const onToolCall = (name, args, store) => `${(store.n = (store.n ?? 0) + 1)}`;",
    tools=["count"],
)
LATE = COUNT.replace("t.count", "t.late").replace("@tool count", "@tool late")


@pytest.mark.clause("PKG-09")
@pytest.mark.parametrize("emptied", [False, True])
async def test_an_empty_store_is_a_store_and_gets_no_default_later(
    make_player: MakePlayer, model: ModelServer, tmp_path: Path, *, emptied: bool
) -> None:
    default = tmp_path / "package/t.count.agent.json"
    files = {"t.count.agent.json": '{"n": 5}'} if emptied else {}
    player = await make_player({"agents/t.count.js": COUNT, **files})
    model.always = text("Ok.")
    await player.send("Hi")
    if emptied:
        await player.set_store("t.count", {})
    default.write_text('{"n": 70}')
    await player.send("Hi again")
    assert player.store("t.count") == {}
    await player.close()
    player = await make_player()
    assert await player.call_tool("count", {}) == "1"


@pytest.mark.clause("PKG-09")
async def test_an_agent_that_is_added_later_gets_its_store_when_the_next_turn_begins(
    make_player: MakePlayer, model: ModelServer, tmp_path: Path
) -> None:
    player = await make_player(
        {"agents/t.count.js": COUNT, "agents/t.late.js": LATE, "t.late.agent.json": '{"n": 5}'},
        agents=["t.count"],
    )
    model.always = text("Ok.")
    await player.send("Hi")
    config = {"name": "Test", "agents": ["t.count", "t.late"]}
    (tmp_path / "package/config.json").write_text(json.dumps(config))
    await player.reload()
    file = tmp_path / "package/conversations/conversation_01.t.late.agent.json"
    assert not file.exists()
    await player.send("Hi again")
    assert json.loads(file.read_text()) == {"n": 5}


@pytest.mark.clause("CONS-03", "PERS-01")
async def test_leaving_a_conversation_saves_it_whole(
    make_player: MakePlayer, model: ModelServer, tmp_path: Path
) -> None:
    player = await make_player({"agents/t.count.js": COUNT})
    model.always = text("Ok.")
    for words in ("long " * 60_000, "Two", "Three"):  # too long to be written after every turn
        await player.send(words)
    entries = player.get_conversation()
    await player.new_conversation()
    file = tmp_path / "package/conversations/conversation_01.json"
    assert json.loads(file.read_text())["messages"] == entries


@pytest.mark.clause("CONS-03")
@pytest.mark.parametrize("chosen", ["conversation_01", "conversation_02"])
async def test_a_restart_takes_up_the_conversation_that_was_chosen_last(
    make_player: MakePlayer, model: ModelServer, chosen: str
) -> None:
    player = await make_player({})
    model.always = text("Ok.")
    await player.send("First")
    await player.new_conversation()
    await player.send("Second")
    await player.load_conversation("conversation_01")
    await player.load_conversation(chosen)
    await player.close()
    player = await make_player()
    assert player.conversation_id == chosen

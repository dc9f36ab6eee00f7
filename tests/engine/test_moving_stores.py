"""Stores that follow an agent whose id changes, in every conversation, and back."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from studio_qt import CharacterPlayer, StorageError, StudioError
from studio_qt.engine.resting import RestingStores
from tests.engine.conftest import MakePlayer
from tests.support.model_server import ModelServer, text
from tests.support.packages import agent

COUNT = agent(
    "t.count",
    "export const onToolCall = (name, args, store) => `${(store.n = (store.n ?? 0) + 1)}`;",
    tools=["count"],
)


@pytest.fixture
async def player(make_player: MakePlayer, model: ModelServer) -> CharacterPlayer:
    """A player with two conversations in which the agent has counted."""
    model.always = text("Aye.")
    player = await make_player({"agents/t.count.js": COUNT})
    await player.call_tool("count", {})
    await player.new_conversation()
    await player.call_tool("count", {})
    await player.call_tool("count", {})
    return player


def stores(tmp_path: Path) -> dict[str, str]:
    found = sorted((tmp_path / "package/conversations").glob("*.agent.json"))
    return {path.name: path.read_text() for path in found}


async def test_stores_have_the_new_id_in_every_conversation_and_go_back_with_what_changed(
    player: CharacterPlayer, tmp_path: Path
) -> None:
    before = stores(tmp_path)
    assert len(before) == 2
    moved = await player.move_stores({"t.count": "t.sum"})
    assert {store.conversation_id for store in moved.stores} == {
        "conversation_01",
        "conversation_02",
    }
    assert stores(tmp_path) == {
        name.replace("t.count", "t.sum"): value for name, value in before.items()
    }
    await player.put_stores_back(moved)
    assert stores(tmp_path) == before
    assert player.store("t.count") == {"n": 2}


async def test_a_store_that_is_taken_out_comes_back_also_after_a_new_start(
    player: CharacterPlayer, make_player: MakePlayer, tmp_path: Path
) -> None:
    before = stores(tmp_path)
    moved = await player.move_stores({"t.count": None, "t.nobody": "t.else"})
    assert stores(tmp_path) == {}
    await player.put_stores_back(moved)
    await player.close()
    assert stores(tmp_path) == before
    again = await make_player()
    assert again.store("t.count") == {"n": 2}


async def test_what_the_new_id_had_before_is_there_again_after_going_back(
    player: CharacterPlayer, tmp_path: Path
) -> None:
    await player.move_stores({"t.count": "t.sum"})
    await player.call_tool("count", {})
    moved = await player.move_stores({"t.count": "t.sum"})
    assert [store.replaced for store in moved.stores] == ['{"n":2}']
    await player.put_stores_back(moved)
    assert player.store("t.count") == {"n": 1}
    assert '{"n":2}' in stores(tmp_path).values()


async def test_an_id_that_could_be_a_path_moves_nothing(
    player: CharacterPlayer, tmp_path: Path
) -> None:
    before = stores(tmp_path)
    with pytest.raises(StudioError, match="cannot be the id"):
        await player.move_stores({"t.count": "../out"})
    assert stores(tmp_path) == before


OTHER = COUNT.replace("t.count", "t.other").replace("count", "other")


async def test_ids_that_change_places_change_them_back(
    make_player: MakePlayer, model: ModelServer, tmp_path: Path
) -> None:
    model.always = text("Aye.")
    player = await make_player({"agents/t.count.js": COUNT, "agents/t.other.js": OTHER})
    await player.call_tool("count", {})
    for _ in range(2):
        await player.call_tool("other", {})
    before = stores(tmp_path)
    for moves in (
        {"t.count": "t.other", "t.other": "t.count"},
        {"t.count": "t.other", "t.other": "t.third"},
        {"t.count": "t.third", "t.other": "t.third"},
    ):
        moved = await player.move_stores(moves)
        assert stores(tmp_path) != before
        await player.put_stores_back(moved)
        assert stores(tmp_path) == before, moves


def whole(tmp_path: Path) -> dict[str, bytes]:
    found = (tmp_path / "package/conversations").glob("conversation_*")
    return {path.name: path.read_bytes() for path in found}


async def test_a_conversation_that_cannot_be_read_is_left_out_and_told_and_the_others_move(
    player: CharacterPlayer, tmp_path: Path
) -> None:
    await player.new_conversation()
    before = whole(tmp_path)
    for path in (tmp_path / "package/conversations").glob("conversation_01.j*"):
        path.write_bytes(b"{ broken")
    broken = {name: data for name, data in whole(tmp_path).items() if "_01." in name}
    moved = await player.move_stores({"t.count": "t.sum"})
    assert [store.conversation_id for store in moved.stores] == ["conversation_02"]
    (told,) = moved.left
    assert told.startswith("conversation_01.json cannot be read (")
    assert {name: data for name, data in whole(tmp_path).items() if "_01." in name} == broken
    assert "conversation_02.t.sum.agent.json" in stores(tmp_path)
    await player.put_stores_back(moved)
    name = "conversation_02.t.count.agent.json"
    assert stores(tmp_path)[name].encode() == before[name]
    assert {name: data for name, data in whole(tmp_path).items() if "_01." in name} == broken


async def test_stores_move_and_come_back_while_no_player_is_open(
    player: CharacterPlayer, make_player: MakePlayer, tmp_path: Path
) -> None:
    folder = tmp_path / "package/conversations"
    await player.close()
    before = stores(tmp_path)
    played = [json.loads((folder / f"conversation_0{at}.json").read_text()) for at in (1, 2)]
    moved = await RestingStores(folder).move_stores({"t.count": "t.sum"})
    assert set(stores(tmp_path)) == {name.replace("t.count", "t.sum") for name in before}
    await RestingStores(folder).put_stores_back(moved)
    assert stores(tmp_path) == before
    after = [json.loads((folder / f"conversation_0{at}.json").read_text()) for at in (1, 2)]
    assert [one["package"] for one in after] == [one["package"] for one in played]
    assert after[0]["package"]["hash"]
    again = await make_player()
    assert again.store("t.count") == {"n": 2}


async def test_stores_that_another_program_plays_with_stay_as_they_are(
    player: CharacterPlayer, tmp_path: Path
) -> None:
    before = whole(tmp_path)
    with pytest.raises(StorageError, match="is being used by"):
        await RestingStores(tmp_path / "package/conversations").move_stores({"t.count": "t.sum"})
    assert whole(tmp_path) == before


async def test_a_project_that_was_never_played_gets_no_folder(tmp_path: Path) -> None:
    moved = await RestingStores(tmp_path / "conversations").move_stores({"a": "b"})
    assert moved.stores == ()
    assert not (tmp_path / "conversations").exists()

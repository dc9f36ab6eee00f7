"""Stores that follow an agent whose id changes, in every conversation, and back."""

from __future__ import annotations

from pathlib import Path

import pytest

from studio_qt import CharacterPlayer, StudioError
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
    assert {store.conversation_id for store in moved} == {"conversation_01", "conversation_02"}
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
    assert [store.replaced for store in moved] == ['{"n":2}']
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

"""Several tasks use one player at the same moment."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from studio_qt import CharacterPlayer, ClosedError
from studio_qt.engine import subscribers
from studio_qt.engine.session import Session
from tests.engine.conftest import MakePlayer
from tests.support.model_server import ModelServer, text
from tests.support.packages import agent, build

COUNT = agent(
    "t.count",
    "export const onToolCall = (name, args, store) => `${(store.n = (store.n ?? 0) + 1)}`;"
    "export const hello = (args, store) => { store.greeted = args; };",
    tools=["count"],
    commands={"@hello": "hello"},
)
FILES = {"agents/t.count.js": COUNT}


@pytest.mark.clause("CONS-01")
async def test_opening_twice_at_once_opens_once(tmp_path: Path) -> None:
    root = build(tmp_path / "package", FILES)
    player = CharacterPlayer(root)
    await asyncio.gather(player.open(), player.open())
    assert (await player.send("Hello"))["content"]
    await player.close()
    async with CharacterPlayer(root) as next_player:
        assert (await next_player.send("Hello"))["content"]


@pytest.mark.clause("CONS-01")
async def test_a_player_closed_while_it_opens_stays_closed_and_gives_its_folder_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = build(tmp_path / "package", FILES)
    player = CharacterPlayer(root)
    load = Session.load
    closing: list[asyncio.Task[None]] = []

    async def close_meanwhile(session: Session) -> None:
        await load(session)
        closing.append(asyncio.create_task(player.close()))
        await asyncio.sleep(0)

    with monkeypatch.context() as patch:
        patch.setattr(Session, "load", close_meanwhile)
        with pytest.raises(ClosedError):
            await player.open()
        await asyncio.gather(*closing)
    with pytest.raises(ClosedError):
        await player.send("Hello")
    async with CharacterPlayer(root) as next_player:
        assert (await next_player.send("Hello"))["content"]


@pytest.mark.clause("CONS-03")
async def test_stores_can_be_set_at_every_moment_of_a_change_of_conversation(
    make_player: MakePlayer,
) -> None:
    player = await make_player(FILES)
    switching = asyncio.create_task(player.new_conversation())
    while not switching.done():
        await player.set_store("t.count", {"n": 7})
        await asyncio.sleep(0)
    assert player.conversation_id == "conversation_02"


@pytest.mark.clause("CONS-03")
async def test_a_call_by_hand_returns_although_its_conversation_is_left_meanwhile(
    make_player: MakePlayer,
) -> None:
    player = await make_player(FILES)
    result, _ = await asyncio.gather(player.call_tool("count", {}), player.new_conversation())
    assert result == "1"


@pytest.mark.clause("STU-02", "CONS-03")
async def test_a_reload_during_a_change_of_conversation_is_not_lost(
    make_player: MakePlayer, tmp_path: Path
) -> None:
    player = await make_player(FILES, agents=["t.count"])
    more = agent("t.more", "export const onToolCall = () => 'more';", tools=["more"])
    build(tmp_path / "package", {**FILES, "agents/t.more.js": more}, agents=["t.count", "t.more"])
    await asyncio.gather(player.reload(), player.new_conversation())
    assert await player.call_tool("more", {}) == "more"
    await player.new_conversation()
    assert await player.call_tool("more", {}) == "more"


@pytest.mark.clause("STU-02", "CONS-03")
async def test_agents_can_be_asked_for_while_a_reload_has_loaded_them_and_offers_them_not_yet(
    make_player: MakePlayer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    player = await make_player(FILES, agents=["t.count"])
    more = agent("t.more", "export const onToolCall = () => 'more';", tools=["more"])
    build(tmp_path / "package", {**FILES, "agents/t.more.js": more}, agents=["t.count", "t.more"])
    register, found = Session._register, []

    async def look_first(session: Session) -> None:
        found.extend(one.id for one in player.agents())
        await register(session)

    monkeypatch.setattr(Session, "_register", look_first)
    await player.reload()
    assert found == ["t.count", "t.more"]


@pytest.mark.clause("SYS-08", "PERS-05")
async def test_a_request_can_be_looked_at_while_the_conversation_is_cleared(
    make_player: MakePlayer, model: ModelServer
) -> None:
    player = await make_player(FILES)
    model.always = text("Ok.")
    for _ in range(3):
        await player.send("Hello")
    request, _ = await asyncio.gather(player.prepare_request("And now?"), player.clear())
    assert "And now?" in json.dumps(request["messages"])


@pytest.mark.clause("CONS-02")
async def test_a_callback_may_wait_for_the_player_in_a_task_of_its_own(
    make_player: MakePlayer, model: ModelServer
) -> None:
    player = await make_player(FILES)
    model.always = text("Ok.")

    async def greet(_message: object) -> None:
        await asyncio.create_task(player.command("@hello there"))

    player.on("message", greet)
    await asyncio.wait_for(player.send("Hello"), 10)
    assert player.store("t.count") == {"greeted": "there"}


@pytest.mark.clause("CONS-02")
async def test_a_callback_that_never_ends_does_not_keep_a_player_from_closing(
    make_player: MakePlayer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(subscribers, "_PATIENCE", 0.05)
    player = await make_player(FILES)
    begun = asyncio.Event()

    async def wait_for_ever(_text: object) -> None:
        begun.set()
        await asyncio.Event().wait()

    player.on("toolCall", wait_for_ever)
    calling = asyncio.create_task(player.call_tool("count", {}))
    await begun.wait()
    await asyncio.wait_for(player.close(), 10)
    assert await calling == "1"


@pytest.mark.clause("CONS-01")
async def test_closing_does_not_begin_the_messages_that_wait(
    make_player: MakePlayer, tmp_path: Path
) -> None:
    player = await make_player(FILES, base_url=None)
    slow = "[[slow 60]] [[say one two three]]"
    sends = [asyncio.create_task(player.send(slow)) for _ in range(3)]
    begun = asyncio.Event()
    player.on("token", lambda _: begun.set())
    await begun.wait()
    await asyncio.wait_for(player.close(), 20)
    first, *others = await asyncio.gather(*sends, return_exceptions=True)
    assert isinstance(first, dict)
    assert all(isinstance(other, ClosedError) for other in others)
    player = await make_player(base_url=None)
    assert [m["content"] for m in player.get_conversation() if m["role"] == "user"] == [slow]

"""Events: names, payloads, subscribers that fail or are slow."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from studio_qt import CharacterPlayer
from studio_qt.sandbox.interpreter import Interpreter
from tests.engine.conftest import MakePlayer
from tests.support.model_server import ModelServer, text, tool_call
from tests.support.packages import agent, build

COUNT = agent(
    "t.count",
    "export const onToolCall = (name, args, store) => `${(store.n = (store.n ?? 0) + 1)}`;",
    tools=["count"],
)


def listen(player: CharacterPlayer, *names: str) -> list[tuple[str, Any]]:
    heard: list[tuple[str, Any]] = []
    for name in names:
        player.on(name, lambda payload, name=name: heard.append((name, payload)))
    return heard


@pytest.mark.clause("CONS-02")
async def test_a_turn_is_told_in_order_with_the_payloads_of_the_documents(
    make_player: MakePlayer, model: ModelServer
) -> None:
    player = await make_player({"agents/t.count.js": COUNT})
    heard = listen(player, "token", "toolCall", "message")
    model.script(tool_call("count"), text("One it is."))
    await player.send("Count")
    call = {
        "agentId": "t.count",
        "toolName": "count",
        "args": {},
        "result": "1",
        "toolCallId": 1,
    }
    assert heard[0] == ("toolCall", call)
    assert "".join(p for name, p in heard if name == "token") == "One it is."
    assert heard[-1] == ("message", {"role": "assistant", "content": "One it is."})


@pytest.mark.clause("CONS-02")
async def test_an_async_callback_has_seen_everything_when_send_returns(
    make_player: MakePlayer, model: ModelServer
) -> None:
    player = await make_player({})
    seen: list[str] = []

    async def slow(token: str) -> None:
        await asyncio.sleep(0)
        seen.append(token)

    player.on("token", slow)
    model.script(text("One two three."))
    await player.send("Hi")
    assert "".join(seen) == "One two three."


@pytest.mark.clause("CONS-02")
async def test_a_failing_callback_breaks_no_turn_and_hides_nothing_from_others(
    make_player: MakePlayer, model: ModelServer
) -> None:
    player = await make_player({})

    def fail(_: object) -> None:
        raise RuntimeError("listener")

    async def fail_later(_: object) -> None:
        raise RuntimeError("listener")

    player.on("message", fail)
    player.on("message", fail_later)
    heard = listen(player, "message")
    model.script(text("Fine."))
    assert (await player.send("Hi"))["content"] == "Fine."
    assert len(heard) == 1


@pytest.mark.clause("CONS-02")
async def test_unsubscribing_ends_it_and_twice_is_harmless(
    make_player: MakePlayer, model: ModelServer
) -> None:
    player = await make_player({})
    heard: list[object] = []
    off = player.on("message", heard.append)
    model.always = text("Ok.")
    await player.send("a")
    off()
    off()
    await player.send("b")
    assert len(heard) == 1


async def test_a_callback_may_send_the_next_message(
    make_player: MakePlayer, model: ModelServer
) -> None:
    player = await make_player({})
    answers: list[str] = []
    third = asyncio.Event()

    async def go_on(message: dict[str, str]) -> None:
        answers.append(message["content"])
        if len(answers) == 3:
            third.set()
        else:
            await player.send(f"more {len(answers)}")

    player.on("message", go_on)
    model.script(text("1"), text("2"), text("3"))
    await player.send("Start")
    await third.wait()
    assert answers == ["1", "2", "3"]


async def test_entry_events_describe_the_conversation_exactly(
    make_player: MakePlayer, model: ModelServer
) -> None:
    """A view that follows the events holds what the player holds."""
    player = await make_player({"agents/t.count.js": COUNT})
    view: list[dict[str, Any]] = []

    def follow(change: dict[str, int]) -> None:
        start, added = change["start"], change["added"]
        view[start : start + change["removed"]] = player.entries(start, start + added)

    player.on("entries", follow)
    model.script(tool_call("count"), text("One."), text("Again."), text("New."))
    await player.send("Count")
    await player.regenerate()
    assert view == player.get_conversation()
    await player.new_conversation()
    await player.send("Hi")
    assert view == player.get_conversation()
    await player.load_conversation("conversation_01")
    assert view == player.get_conversation()
    await player.clear()
    assert view == []


async def test_toasts_while_loading_reach_early_subscribers(tmp_path: Any) -> None:
    player = CharacterPlayer(build(tmp_path / "p"))
    off = player.on("agentToast", lambda _: None)
    await player.open()
    off()
    await player.close()


@pytest.mark.clause("CONS-02")
async def test_what_takes_long_while_agents_load_is_a_toast_before_the_player_is_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def slow(self: Interpreter, fresh: bool) -> tuple[str, ...]:
        self._tell("This takes a while.")
        return await asked(self, fresh)

    asked = Interpreter.arguments
    monkeypatch.setattr(Interpreter, "arguments", slow)
    build(tmp_path / "package", {"agents/t.slow.py": '"""\n@agent t.slow\n"""\n'})
    player = CharacterPlayer(tmp_path / "package", base_url="rehearsal:")
    heard = listen(player, "agentToast")
    async with player:
        assert heard == [("agentToast", "This takes a while.")]

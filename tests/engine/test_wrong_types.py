"""What programs hand in that is no text, no store, no arguments: a sentence, never a fault."""

from __future__ import annotations

from typing import Any

import pytest

from studio_qt import AgentError, StudioError
from tests.engine.conftest import MakePlayer
from tests.support.packages import agent

ECHO = agent("t.echo", "export const onToolCall = (name, args) => args;", tools=["echo"])
FILES = {"agents/t.echo.js": ECHO}


def ring() -> dict[str, object]:
    """Return an object that holds itself."""
    value: dict[str, object] = {}
    value["again"] = value
    return value


def tower(floors: int) -> dict[str, Any]:
    """Return objects inside each other."""
    value: dict[str, Any] = {}
    for _ in range(floors - 1):
        value = {"a": value}
    return value


@pytest.mark.parametrize("wrong", [None, 5, b"bytes", ["a"], {}])
@pytest.mark.clause("CONS-01")
async def test_what_is_no_text_is_refused_and_nothing_happens(
    make_player: MakePlayer, wrong: Any
) -> None:
    player = await make_player(FILES, base_url=None)
    await player.send("Hello")
    before = player.get_conversation()
    for act in (player.send, player.command, player.prepare_request):
        with pytest.raises(StudioError, match="text was expected"):
            await act(wrong)
    with pytest.raises(StudioError, match="text was expected"):
        await player.edit(0, wrong)
    with pytest.raises(AgentError):
        await player.call_tool(wrong, {})
    assert player.get_conversation() == before


@pytest.mark.parametrize("wrong", [ring(), {"n": 10**5000}, {"x": b"bytes"}, {"x": {1}}, None])
@pytest.mark.clause("CONS-01")
async def test_arguments_that_json_cannot_hold_are_refused(
    make_player: MakePlayer, wrong: Any
) -> None:
    player = await make_player(FILES)
    with pytest.raises(AgentError, match="arguments of echo"):
        await player.call_tool("echo", wrong)


@pytest.mark.parametrize("wrong", [{"x": "é" * (9 << 20)}, tower(501), ring(), {"n": 10**5000}])
@pytest.mark.clause("EXP-06")
async def test_a_store_that_no_agent_could_have_left_cannot_be_set(
    make_player: MakePlayer, wrong: Any
) -> None:
    player = await make_player(FILES)
    with pytest.raises(StudioError, match=r"t\.echo"):
        await player.set_store("t.echo", wrong)
    assert player.store("t.echo") == {}
    await player.set_store("t.echo", tower(500))
    assert await player.call_tool("echo", {"a": 1}) == '{"a":1}'


async def test_an_unknown_agent_is_answered_with_each_name_once(make_player: MakePlayer) -> None:
    player = await make_player(FILES, base_url=None)
    await player.send("Hello")
    with pytest.raises(StudioError, match=r"Agents: t\.echo\.$"):
        player.store("t.nosuch")

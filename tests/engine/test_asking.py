"""Asking a model on the user's behalf, and trying an agent that is not part of the character."""

from __future__ import annotations

import asyncio
import threading
from contextlib import aclosing
from pathlib import Path

import pytest

from studio_qt import CharacterPlayer
from studio_qt.engine.trying import try_agent
from studio_qt.errors import ClosedError, ModelError, PackageError
from studio_qt.files import FolderSource
from studio_qt.providers.model import Completion, TextDelta
from tests.support.model_server import DONE, ModelServer, Wait, chunk, failure, sse, text
from tests.support.window import ROLLER, write_package

MESSAGES = [{"role": "user", "content": "Say tide."}]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_package(tmp_path / "ada")


@pytest.mark.clause("STU-09")
async def test_the_worker_model_is_asked_without_a_trace_and_unmetered(
    folder: Path, model: ModelServer
) -> None:
    model.models = ["big", "small"]
    model.script(text("Tide."))
    async with CharacterPlayer(folder, None, model.base_url, "big", worker_model="small") as player:
        events = [event async for event in player.ask(MESSAGES, max_tokens=50)]
        assert "".join(one.text for one in events if isinstance(one, TextDelta)) == "Tide."
        assert isinstance(events[-1], Completion)
        assert model.last.body["model"] == "small"
        assert model.last.body["stream"] is True
        assert model.last.tools == []
        assert await player.model_of("worker") == "small"
        assert not player.rehearses
        assert player.usage()["agentTokensThisConversation"] == 0
        assert len(player) == 0
        assert player.requests() == []


async def test_without_a_worker_model_the_main_one_is_asked(
    folder: Path, model: ModelServer
) -> None:
    model.script(text("Tide."))
    async with CharacterPlayer(folder, None, model.base_url, "test-model") as player:
        async for _event in player.ask(MESSAGES, max_tokens=50):
            pass
    assert model.last.body["model"] == "test-model"


async def test_leaving_the_answer_closes_the_connection(folder: Path, model: ModelServer) -> None:
    held = threading.Event()
    model.script(sse(chunk({"content": "T"}), Wait(held), DONE))
    async with CharacterPlayer(folder, None, model.base_url, "test-model") as player:
        async with aclosing(player.ask(MESSAGES, max_tokens=50)) as events:
            async for _event in events:
                break
        assert await model.last.wait_dropped()
    held.set()


async def test_asking_does_not_wait_for_a_turn(folder: Path, model: ModelServer) -> None:
    held = threading.Event()
    model.script(sse(chunk({"content": "T"}), Wait(held), DONE), text("Tide."))
    async with CharacterPlayer(folder, None, model.base_url, "test-model") as player:
        turn = asyncio.create_task(player.send("Hello"))
        await model.received(1)
        events = [event async for event in player.ask(MESSAGES, max_tokens=50)]
        assert isinstance(events[-1], Completion)
        held.set()
        await turn


async def test_a_provider_that_fails_is_a_model_error_without_the_key(
    folder: Path, model: ModelServer, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(0)
    model.script(failure(401, {"error": {"message": "bad key sk-very-secret"}}))
    async with CharacterPlayer(folder, "sk-very-secret", model.base_url, "test-model") as player:
        with pytest.raises(ModelError) as raised:
            async for _event in player.ask(MESSAGES, max_tokens=50):
                pass
    assert "very-secret" not in str(raised.value)
    assert "very-secret" not in caplog.text


async def test_a_closed_player_asks_nobody(folder: Path) -> None:
    player = CharacterPlayer(folder)
    async with player:
        assert player.rehearses
    with pytest.raises(ClosedError):
        player.ask(MESSAGES, max_tokens=50)


async def test_an_agent_is_tried_alone_and_nothing_is_written(folder: Path) -> None:
    before = sorted(str(path) for path in folder.rglob("*"))
    code = ROLLER.replace("test.roller", "my.roller")
    calls = [("roll", {"sides": 4}), ("roll", {"sides": "four"}), ("nosuch", {})]
    tried = await try_agent(FolderSource(folder), "my.roller", "agents/my.roller.js", code, calls)
    assert tried.problems == ()
    assert [(call.ok, call.tool) for call in tried.calls] == [
        (True, "roll"),
        (False, "roll"),
        (False, "nosuch"),
    ]
    assert tried.calls[0].result == "You rolled 4"
    assert sorted(str(path) for path in folder.rglob("*")) == before


@pytest.mark.parametrize(
    "code", ["/** @agent my.x */ export const = 1;", "/** @agent my.x */ while (true) {}"]
)
async def test_an_agent_that_does_not_start_says_why(folder: Path, code: str) -> None:
    tried = await try_agent(FolderSource(folder), "my.x", "agents/my.x.js", code)
    assert any(problem.severity == "error" for problem in tried.problems)


async def test_a_character_without_a_config_cannot_try_anything(tmp_path: Path) -> None:
    with pytest.raises(PackageError, match=r"config\.json"):
        await try_agent(FolderSource(tmp_path), "my.x", "agents/my.x.js", "")

"""A player on a package that the test writes, answered by the scripted server."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest_asyncio

from studio_qt import CharacterPlayer, Problem
from tests.support.model_server import ModelServer
from tests.support.packages import build
from tests.support.website import site  # noqa: F401  (a fixture)

MakePlayer = Callable[..., Awaitable[CharacterPlayer]]


def faults(player: CharacterPlayer) -> list[Problem]:
    """Return a player's problems but the warning that the test's package has no instructions."""
    return [problem for problem in player.problems() if problem.file != "instructions.txt"]


@pytest_asyncio.fixture
async def make_player(tmp_path: Path, model: ModelServer) -> AsyncIterator[MakePlayer]:
    """Give `await make_player(files, agents=…, **player_options)`: open, closed at the end.

    `config` holds further keys of config.json. The package is `tmp_path / "package"`; called again
    without files, the same package is opened again.
    """
    players: list[CharacterPlayer] = []

    async def make(
        files: dict[str, str | bytes] | None = None,
        *,
        agents: list[object] | None = None,
        config: dict[str, Any] | None = None,
        **options: Any,
    ) -> CharacterPlayer:
        root = tmp_path / "package"
        if files is not None or not root.exists():
            build(root, files, agents=agents, **(config or {}))
        options = {"base_url": model.base_url, "model": "test-model", **options}
        player = CharacterPlayer(root, **options)
        players.append(player)
        await player.open()
        return player

    yield make
    for player in players:
        await player.close()

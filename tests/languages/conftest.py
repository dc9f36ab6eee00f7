"""A player whose agent is written in each language in turn."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from studio_qt import CharacterPlayer
from studio_qt.sandbox.languages import available_languages
from tests.engine.conftest import MakePlayer, make_player  # noqa: F401  (a fixture)
from tests.languages.peers import LANGUAGES, Peer

Play = Callable[..., Awaitable[CharacterPlayer]]


@pytest.fixture(params=LANGUAGES)
def language(request: pytest.FixtureRequest) -> str:
    """Each language in turn; one that cannot run here fails its tests, it is never skipped."""
    name: str = request.param
    assert available_languages()[name] is None, available_languages()[name]
    return name


@pytest.fixture
def play(make_player: MakePlayer, language: str) -> Play:  # noqa: F811
    """Give `await play(peer, **make_player's options)`; `files` are added to the agent's own."""

    async def play(
        peer: Peer, *, files: dict[str, str | bytes] | None = None, **options: Any
    ) -> CharacterPlayer:
        return await make_player(peer.files(language) | (files or {}), **options)

    return play

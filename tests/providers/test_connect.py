"""From a base URL to a provider, and what that costs."""

from __future__ import annotations

import subprocess
import sys

import pytest

import studio_qt.providers
from studio_qt.errors import StudioError
from studio_qt.providers import open_provider
from studio_qt.providers.client import HttpProvider
from studio_qt.providers.rehearsal import RehearsalProvider
from studio_qt.settings import PlayerSettings
from tests.providers.asking import ask, chat, user
from tests.support.model_server import ModelServer, text


async def test_rehearsal_is_a_base_url_of_its_own() -> None:
    for typed in ("rehearsal:", " Rehearsal: "):
        provider = open_provider(typed)
        assert isinstance(provider, RehearsalProvider)
        await provider.close()


def test_another_scheme_says_what_is_expected() -> None:
    with pytest.raises(StudioError, match='"rehearsal:" for the built-in offline model'):
        open_provider("ws://127.0.0.1:1")


async def test_the_settings_of_the_player_reach_the_provider(model: ModelServer) -> None:
    settings = PlayerSettings(send_is_file=True, merge_same_role=True, model_takes_tools=False)
    provider = open_provider(model.base_url, settings=settings)
    assert isinstance(provider, HttpProvider)
    model.script(text("x"))
    said = [user("a", isFile=True), user("b", isFile=True)]
    await ask(provider, chat(*said, tools=["roll"]))
    assert model.last.messages == [user("a\n\nb", isFile=True)]
    assert model.last.tools == []
    await provider.close()


def test_httpx_is_not_imported_before_the_first_request() -> None:
    code = (
        "import sys; from studio_qt.providers import open_provider; "
        "open_provider('http://127.0.0.1:9'); sys.exit('httpx' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False, timeout=60).returncode == 0


def test_the_public_names_are_there() -> None:
    assert all(hasattr(studio_qt.providers, name) for name in studio_qt.providers.__all__)

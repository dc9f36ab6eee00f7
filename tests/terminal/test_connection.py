"""The connection that is chosen in the settings, in the terminal."""

from __future__ import annotations

from pathlib import Path

import pytest

from studio_qt.providers.connections import ConnectionFile, SavedConnection
from studio_qt.providers.keys import Keys
from studio_qt.settings import home_folder
from tests.support.model_server import ModelServer, text
from tests.terminal.conftest import Studio

pytestmark = pytest.mark.clause("STU-10")
KEY = "sk-very-secret-0123456789"


@pytest.fixture
def chosen(model: ModelServer) -> SavedConnection:
    """A connection to the model server, with its key in the user's file."""
    saved = SavedConnection(name="Mine", base_url=model.base_url, model="test-model", key="file")
    ConnectionFile(home_folder()).change(lambda book: book.keeping(saved).choosing("Mine"))
    Keys(home_folder()).keep(model.base_url, KEY, instead="file")
    return saved


def test_the_chosen_connection_answers_and_is_named(
    studio: Studio, plain: Path, model: ModelServer, chosen: SavedConnection
) -> None:
    model.script(text("Good evening."))
    done = studio("play", plain, lines=("Hello",))
    assert (done.code, "Good evening." in done.out) == (0, True)
    assert "Mine answers" in done.err
    assert model.last.headers["authorization"] == f"Bearer {KEY}"
    assert KEY not in done.out + done.err


def test_words_of_the_command_win_over_the_settings(
    studio: Studio, plain: Path, model: ModelServer, chosen: SavedConnection
) -> None:
    model.script(text("Other."))
    done = studio("play", plain, "--model", "another", lines=("Hello",))
    assert done.code == 0
    assert model.last.body["model"] == "another"
    offline = studio("play", plain, "--base-url", "rehearsal:", lines=("[[say Offline.]]",))
    assert "Offline." in offline.out
    assert "Rehearsal answers" in offline.err
    assert len(model.requests) == 1


def test_a_broken_file_of_connections_is_told_and_rehearsal_answers(
    studio: Studio, plain: Path
) -> None:
    (home_folder() / "connections.json").write_text("{")
    done = studio("play", plain, lines=("[[say Offline.]]",))
    assert (done.code, "Offline." in done.out) == (0, True)
    assert "connections.json cannot be read" in done.err
    assert "Rehearsal answers" in done.err


def test_the_key_is_in_no_file_but_its_own(
    studio: Studio, plain: Path, model: ModelServer, chosen: SavedConnection, tmp_path: Path
) -> None:
    model.script(text("Good evening."))
    studio("play", plain, "--json", lines=("Hello", "/walls"))
    written = [*home_folder().rglob("*"), *tmp_path.rglob("*")]
    holds = [p.name for p in written if p.is_file() and KEY.encode() in p.read_bytes()]
    assert holds == ["keys.json"]

"""Connections in the whole window: a slow server, one that breaks off, one that wants a key."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit

from studio_qt.providers.connections import SavedConnection
from studio_qt.settings import home_folder
from tests.support.model_server import ModelServer, blocked, drop_after, failure, text
from tests.support.qt import until
from tests.support.window import Stage, write_package
from tests.ui.conftest import OpenStage
from tests.ui.settings.conftest import KEY

pytestmark = [pytest.mark.qt_loop, pytest.mark.clause("STU-10")]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return write_package(tmp_path / "ada")


@pytest.fixture
def other() -> Iterator[ModelServer]:
    """A second provider."""
    with ModelServer() as server:
        yield server
    server.check()


async def answers(stage: Stage, server: ModelServer, name: str, key: str | None = None) -> None:
    """Let a server answer from now on."""
    connections = stage.window.pages.connections
    saved = SavedConnection(name=name, base_url=server.base_url, model="test-model")
    connections.save(saved, key=key, choose=True)
    await calm(stage)
    assert connections.current.base_url == server.base_url


async def calm(stage: Stage) -> None:
    """Wait until a choice is kept; the player takes it up when its turn has ended."""
    await until(lambda: "keep connections" not in stage.window.tasks.names)


async def test_a_stream_that_breaks_off_keeps_its_text_and_another_provider_goes_on(
    stage_on: OpenStage, project: Path, model: ModelServer, other: ModelServer
) -> None:
    model.script(drop_after(3, text("The lamp is lit and the night is long.")))
    other.script(text("The lamp burns."))
    stage = await stage_on(project)
    await answers(stage, model, "Breaks")
    await stage.send("Is the lamp lit?")
    await stage.shows("Is the lamp lit?", "The lamp", "broke off")
    await answers(stage, other, "Whole")
    stage.click("chatRetry")
    await stage.shows("Is the lamp lit?", "The lamp burns.")
    assert "broke off" not in stage.text


async def test_a_provider_that_wants_a_key_is_named_and_the_message_stays(
    stage_on: OpenStage, project: Path, model: ModelServer
) -> None:
    def locked(request: object) -> object:
        held = request.headers.get("authorization") == f"Bearer {KEY}"  # type: ignore[attr-defined]
        return text("Come in.") if held else failure(401, {"error": {"message": "no key"}})

    model.always = locked  # type: ignore[assignment]
    stage = await stage_on(project)
    await answers(stage, model, "Locked")
    await stage.send("May I come in?")
    await stage.shows("May I come in?", "Check the API key")
    await answers(stage, model, "Locked", KEY)
    stage.click("chatRetry")
    await stage.shows("May I come in?", "Come in.")


async def test_a_slow_provider_goes_on_while_another_is_chosen_for_the_next_message(
    stage_on: OpenStage, project: Path, model: ModelServer, other: ModelServer
) -> None:
    gate = threading.Event()
    model.script(blocked(gate, text("Slow but sure."), after=2))
    other.script(text("Quick."))
    stage = await stage_on(project)
    await answers(stage, model, "Slow")
    stage.input.put("Well?")
    stage.press(Qt.Key.Key_Return)
    await model.received(1)
    await stage.shows("Well?", "Slow")
    await answers(stage, other, "Quick")
    stage.input.put("half a mess")
    gate.set()
    await stage.shows("Slow but sure.")
    assert stage.input.toPlainText() == "half a mess"
    await stage.idle()
    await stage.send("And now?")
    await stage.shows("Slow but sure.", "And now?", "Quick.")


async def test_settings_open_with_their_keys_and_count_from_the_next_message_on(
    stage_on: OpenStage, project: Path, model: ModelServer
) -> None:
    model.script(text("Good evening, Ada."))
    stage = await stage_on(project)
    await answers(stage, model, "Mine")
    QTest.keyClick(stage.window, Qt.Key.Key_Comma, Qt.KeyboardModifier.ControlModifier)
    await until(lambda: bool(stage.all("settingsDialog")))
    dialog = stage.find("settingsDialog")
    assert dialog.isVisible()
    field = stage.find("settingsSearch", QLineEdit)
    QTest.keyClicks(field, "your name")
    await until(lambda: bool(stage.all("found_persona_name")))
    name = stage.find("found_persona_name", QLineEdit)
    QTest.keyClicks(name, "Ada")
    QTest.keyClick(name, Qt.Key.Key_Return)
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    assert not dialog.isVisible()
    await stage.send("Hello")
    assert "The user's name is Ada." in str(model.last.messages)


async def test_the_key_is_in_no_file_no_log_and_no_diagnostics(
    stage_on: OpenStage, project: Path, model: ModelServer, tmp_path: Path
) -> None:
    model.script(text("Good evening."), failure(500, {"error": {"message": f"bad {KEY}"}}))
    stage = await stage_on(project)
    await answers(stage, model, "Mine", KEY)
    assert model.requests == []
    await stage.send("Hello")
    assert model.last.headers["authorization"] == f"Bearer {KEY}"
    await stage.send("Again")
    stage.window.tasks.start(_fails(), name="fails", on_error=lambda _error: None)
    action = stage.window.findChild(QAction, "copyDiagnostics")
    assert action is not None
    action.trigger()
    await until(lambda: "walls" in QGuiApplication.clipboard().text().lower())
    assert KEY not in QGuiApplication.clipboard().text()
    assert KEY not in stage.text
    written = [*home_folder().rglob("*"), *tmp_path.rglob("*")]
    assert any(path.name == "connections.json" for path in written)
    assert [p for p in written if p.is_file() and KEY.encode() in p.read_bytes()] == []


async def _fails() -> None:
    raise RuntimeError(f"a fault with the key {KEY} in its words")

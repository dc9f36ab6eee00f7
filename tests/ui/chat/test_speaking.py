"""What assistive technology is told of the chat, though the keys are elsewhere."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt

from tests.support.model_server import ModelServer, failure, text
from tests.support.qt import until
from tests.support.window import write_package
from tests.ui.chat.test_asking import Hold, waits
from tests.ui.conftest import OpenStage

pytestmark = [pytest.mark.qt_loop, pytest.mark.clause("STU-03")]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return write_package(tmp_path / "ada")


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    heard: list[str] = []
    monkeypatch.setattr(
        "studio_qt.ui.chat.page.announce", lambda _place, words: heard.append(words)
    )
    return heard


async def test_a_finished_reply_is_told_once_and_a_stopped_one_as_far_as_it_came(
    stage_on: OpenStage, project: Path, told: list[str]
) -> None:
    stage = await stage_on(project)
    await stage.send("[[say The *lamp* is lit.]]")
    assert len(told) == 1
    assert "The lamp is lit." in told[0]
    stage.input.put(f"[[slow 30]][[say {'fog ' * 200}]]")
    stage.press(Qt.Key.Key_Return)
    await until(lambda: "fog fog" in stage.text.split("Ada Byron")[-1])
    assert len(told) == 1
    stage.click("chatStop")
    await stage.idle()
    assert len(told) == 2
    assert "fog" in told[1]


async def test_a_failure_is_told_and_not_the_reply_before_it(
    stage_on: OpenStage, project: Path, model: ModelServer, told: list[str]
) -> None:
    stage = await stage_on(project, model.base_url)
    model.script(text("The lamp is lit."), failure(400, "The kettle is cold"))
    await stage.send("One")
    await stage.send("Two")
    await until(lambda: len(told) == 2)
    assert "The kettle is cold" in told[1]
    assert "lamp" not in told[1]


async def test_what_waits_is_told_and_stopping_it_tells_no_reply_again(
    stage_on: OpenStage, project: Path, told: list[str]
) -> None:
    stage = await stage_on(project)
    await stage.send("[[say The lamp is lit.]]")
    hold = Hold(stage)
    stage.input.put("Later")
    stage.press(Qt.Key.Key_Return)
    await waits(stage)
    await until(lambda: len(told) == 2)
    assert told[1].startswith("Waits until")
    stage.click("chatStop")
    hold.end()
    await stage.idle()
    assert len(told) == 2

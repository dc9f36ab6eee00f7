"""A new user makes a sub-agent with a private memory, in the window alone (STU-06, SUB-04)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox

from tests.support.qt import until
from tests.support.window import Stage, write_package
from tests.ui.conftest import OpenStage

pytestmark = [pytest.mark.qt_loop, pytest.mark.clause("STU-06"), pytest.mark.clause("SUB-04")]


def write(stage: Stage, name: str, text: str) -> None:
    field = stage.find(name)
    field.setFocus()
    QTest.keyClicks(field, text)


async def test_a_new_user_makes_a_confidant_whose_memory_the_narrator_never_sees(
    stage_on: OpenStage, tmp_path: Path
) -> None:
    root = write_package(tmp_path / "ada", {}, agents=["studio.dice-roller"])
    for code in (root / "agents").iterdir():
        code.unlink()
    stage = await stage_on(root)
    window = stage.window
    await until(lambda: stage.find("subAgentNew").isVisible(), 10)

    stage.click("subAgentNew")
    await until(lambda: window.pages.building.builder.is_open, 10)
    assert stage.find("builderFoot").text() == "Still to be written: the name and the description."
    write(stage, "builderName", "pilot")
    write(stage, "builderDescription", "Marcus, the pilot. Call him when anyone asks of the sea.")
    write(stage, "builderBody", "You are Marcus. You remember: ")
    give = stage.find("builderGivePrivate", QComboBox)
    assert isinstance(give, QComboBox)
    give.setFocus()
    give.activated.emit(give.findText("studio.memory-store"))  # as its list does
    stage.find("builderBody").setFocus()
    QTest.keyClicks(stage.find("builderBody"), "%%STORE:memory-store%%")
    held = Qt.KeyboardModifier.ControlModifier
    QTest.keyClick(stage.find("builderBody"), Qt.Key.Key_S, held)
    await until(lambda: not window.pages.building.builder.is_open, 10)

    player = window.session.player
    memory = "pilot.studio.memory-store"
    await until(lambda: memory in {agent.id for agent in player.agents()}, 10)
    assert json.loads((root / "config.json").read_text())["agents"][-1]["id"] == "pilot"
    await player.set_store(memory, {"the second lamp": "hidden in the cellar"})

    await stage.send('[[call pilot {"request": "Is it safe to cross?"}]]')
    QTest.keyClicks(stage.input, "@")
    await until(lambda: stage.find("commandDialog").isVisible(), 10)
    QTest.keyClicks(stage.find("commandInput"), "pilot What do you know?")
    QTest.keyClick(stage.find("commandInput"), Qt.Key.Key_Return)
    await until(lambda: sum(one.agent_id == "pilot" for one in player.requests()) > 1, 20)
    await stage.idle()

    sent = {"pilot": "", "": ""}
    for one in player.requests():
        found = await player.request(one.number)
        sent[one.agent_id] += json.dumps([*map(bytes.decode, found.bodies), found.prepared])
    assert "the second lamp" in sent["pilot"]
    assert "recall_memory" in sent["pilot"]
    assert "pilot" in sent[""]
    for secret in ("second lamp", "cellar", "recall_memory"):
        assert secret not in sent[""]
        assert secret not in json.dumps(player.tools())
    assert not [one for one in (root / "agents").iterdir() if one.name != "pilot.subagent.md"]

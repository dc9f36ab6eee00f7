"""Tool calls unfolded: what they changed, and what a sub-agent was asked, called and answered."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QLabel

from studio_qt.ui.chat.calls import CallView, SubAgentView
from studio_qt.ui.prose.view import ProseView
from tests.support.model_server import ModelServer, text, tool_call
from tests.support.qt import until
from tests.support.window import Stage, write_package
from tests.ui.conftest import OpenStage

pytestmark = [pytest.mark.qt_loop, pytest.mark.clause("STU-03")]

MARCUS = """---
description: Marcus Vane, harbour pilot.
---
You are Marcus.
"""


async def unfold(stage: Stage) -> None:
    button = stage.all("toolActivity")[-1]
    assert isinstance(button, QAbstractButton)
    QTest.mouseClick(button, Qt.MouseButton.LeftButton, pos=button.rect().center())
    await until(lambda: bool(stage.all("copyCall")))


def shown(stage: Stage, kind: type = CallView) -> list[str]:
    """Return the texts in the calls that are unfolded."""
    calls = [one for one in stage.window.chat.transcript.findChildren(kind) if one.isVisible()]
    views = [view for call in calls for view in call.findChildren(ProseView) if view.isVisible()]
    return [view.toPlainText() for view in views]


async def test_a_past_call_tells_what_it_changed_once_it_is_unfolded(
    stage_on: OpenStage, tmp_path: Path
) -> None:
    stage = await stage_on(write_package(tmp_path / "ada"))
    for _ in range(2):
        await stage.send('[[call roll {"sides": 6}]]')
    player = stage.window.session.player
    assert player is not None
    told = player.conversation_id
    await player.new_conversation()
    await player.load_conversation(told)  # what the window has seen is forgotten
    await stage.idle()
    await unfold(stage)
    await until(lambda: "± rolls: 1 → 2" in shown(stage))
    assert '{"sides":6}' in shown(stage)


async def test_a_conversation_without_a_journal_of_the_call_says_nothing(
    stage_on: OpenStage, tmp_path: Path
) -> None:
    stage = await stage_on(write_package(tmp_path / "ada"))
    await stage.send("[[call nosuch {}]]")
    await unfold(stage)
    await until(lambda: "store change" not in stage.window.tasks.names)
    assert len(shown(stage)) == 1


@pytest.mark.clause("SUB-09")
async def test_a_sub_agent_has_a_card_of_what_it_was_asked_called_and_answered(
    stage_on: OpenStage, tmp_path: Path, model: ModelServer
) -> None:
    marcus = {"id": "marcus", "implementation": "studio.sub-agent"}
    wired = {**marcus, "promptFile": "marcus.subagent.md", "shared-agents": ["test.roller"]}
    project = write_package(
        tmp_path / "ada",
        {"agents/marcus.subagent.md": MARCUS},
        agents=["test.roller", wired],
    )
    stage = await stage_on(project, model.base_url)
    model.script(
        tool_call("marcus", {"request": "Can I cross?"}),
        tool_call("roll", {"sides": 6}, usage=(100, 10)),
        tool_call("roll", {"sides": 4}, usage=(150, 10)),
        text("At ten past four.", usage=(200, 20)),
        text("He nods."),
    )
    await stage.send("Ask him")
    await unfold(stage)
    texts = shown(stage, SubAgentView)
    assert texts[0] == "Can I cross?"
    assert {'{"sides":6}', "You rolled 6", '{"sides":4}', "You rolled 4"} < set(texts)
    assert "At ten past four." in texts
    said = " ".join(one.text() for one in stage.window.chat.transcript.findChildren(QLabel))
    assert "sub-agent · worker · 3 rounds" in said
    assert "490 tokens" in said
    stage.window.chat.copy_all()
    copied = QGuiApplication.clipboard().text()
    for part in ("Can I cross?", 'roll {"sides":6} #', "→ You rolled 6", "→ At ten past four."):
        assert part in copied

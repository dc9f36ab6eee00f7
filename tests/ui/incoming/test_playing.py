"""A zip is played: what edits is out of the way, and a copy of it can be edited."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit

from studio_qt.engine.places import default_data_folder
from studio_qt.settings import home_folder
from tests.support.qt import until
from tests.support.window import write_package
from tests.ui.conftest import OpenStage
from tests.ui.incoming.parcels import FILES, below, packed

pytestmark = [pytest.mark.qt_loop, pytest.mark.clause("STU-11")]

PLAIN = {**FILES, "config.json": json.dumps({"name": "Kay"})}
EDITING = ("exportAction", "newSubAgentForm", "configForm", "generateAgent", "saveFile", "newFile",
           "showProject", "showSearch", "replace", "polish")  # fmt: skip
PLAYED = ("conversationNew", "conversationExport", "settings", "permissions", "showConversations")


async def test_a_player_has_chat_conversations_and_settings_and_nothing_that_edits(
    stage_on: OpenStage, tmp_path: Path
) -> None:
    zipped = packed(tmp_path / "kay.zip", PLAIN)
    stage = await stage_on(zipped)
    actions = stage.window.inside.desk.actions
    for name in ("chatView", "conversationsList", "settingsRail", "openCopyButton"):
        assert stage.all(name), name
    for name in ("projectTree", "editorTabs", "bottomPanel", "projectRail"):
        assert not stage.all(name), name
    for name in EDITING:
        action = actions.find(name)
        assert action is not None
        assert not action.isVisible(), name
    assert [name for name in PLAYED if not actions.find(name).isVisible()] == []  # type: ignore[union-attr]


async def test_conversations_of_a_zip_live_in_the_users_folder(
    stage_on: OpenStage, tmp_path: Path
) -> None:
    zipped = packed(tmp_path / "kay.zip", PLAIN)
    stage = await stage_on(zipped)
    await stage.send("[[say Good evening.]]")
    data = default_data_folder(zipped)
    assert data.is_relative_to(home_folder())
    assert any("Good evening." in one.read_text() for one in data.glob("conversation_*.json*"))
    assert {one.name for one in tmp_path.iterdir()} - {"home"} == {"kay.zip"}


async def test_a_copy_of_a_zip_is_opened_to_edit_and_everything_comes_back(
    stage_on: OpenStage, tmp_path: Path
) -> None:
    stage = await stage_on(packed(tmp_path / "kay.zip", PLAIN))
    stage.click("openCopyButton")
    await until(lambda: bool(stage.all("importOpen")))
    field = stage.find("importPlace", QLineEdit)
    assert isinstance(field, QLineEdit)
    field.setText(str(tmp_path / "copy"))
    stage.click("importOpen")
    target = tmp_path / "copy"
    await until(lambda: stage.window.session.root == target and stage.window.settled, 20)
    assert below(target) >= set(PLAIN)
    assert stage.all("projectTree")
    assert not stage.all("openCopyButton")
    actions = stage.window.inside.desk.actions
    assert [name for name in EDITING if not actions.find(name).isVisible()] == []  # type: ignore[union-attr]


async def test_from_a_project_to_a_zip_and_back_the_panes_stand_as_they_stood(
    stage_on: OpenStage, tmp_path: Path
) -> None:
    zipped = packed(tmp_path / "kay.zip", PLAIN)
    project = write_package(tmp_path / "ada")
    stage = await stage_on(project)
    workbench = stage.window.inside.workbench
    workbench.show_side("search")
    kept = workbench.state()
    for place in (zipped, project):
        stage.window.open_project(place)
        await until(
            lambda place=place: stage.window.session.place == place and stage.window.settled, 20
        )
        assert workbench.state()["side"] == "search"
        side = "conversations" if place == zipped else "search"
        assert workbench.shown_side == side
    assert workbench.state() == kept


async def test_the_keys_of_the_conversations_pane_work_in_a_player(
    stage_on: OpenStage, tmp_path: Path
) -> None:
    stage = await stage_on(packed(tmp_path / "kay.zip", PLAIN))
    QTest.keyClick(stage.input, Qt.Key.Key_B, Qt.KeyboardModifier.ControlModifier)
    assert not stage.all("conversationsList")
    held = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
    QTest.keyClick(stage.input, Qt.Key.Key_L, held)
    assert stage.all("conversationsList")

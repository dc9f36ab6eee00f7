"""What happens around an open form: other projects, other programs, a window that closes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QTextCursor, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from studio_qt.ui.builder.page import SubAgentBuilder
from studio_qt.ui.keeping import project_memory
from tests.support.qt import until
from tests.support.window import Stage, write_package
from tests.ui.conftest import OpenStage
from tests.ui.trust.test_asking import asked, elsewhere, playing, press

pytestmark = [pytest.mark.qt_loop, pytest.mark.clause("STU-06")]

PATH = "agents/m.subagent.md"
SUB = "---\ndescription: A pilot who knows the sea and all its ports.\n---\nYou are Marcus.\n"
FILES = {PATH: SUB}


async def edited(stage: Stage, entry: int | None = None) -> SubAgentBuilder:
    """Open the form of the sub-agent."""
    builder = stage.window.pages.building.builder
    builder.open_edit(PATH, entry)
    await until(lambda: builder.is_open, 10)
    await until(lambda: "builder" not in stage.window.tasks.names, 10)
    return builder


def drafts(root: Path) -> str:
    """Return the unsaved forms that are kept for a project."""
    return "".join(one.read_text("utf-8") for one in project_memory(root).glob("builder-*.json"))


async def test_a_form_in_a_project_that_does_not_play_yet_is_kept_with_that_project(
    stage_on: OpenStage, tmp_path: Path
) -> None:
    first = write_package(tmp_path / "first", FILES)
    second = elsewhere(tmp_path / "second", FILES)
    stage = await stage_on(first)
    stage.window.open_project(second)
    press(await asked(stage), "permissionOpen")
    builder = await edited(stage)
    assert builder.sheet is not None
    builder.sheet.prompt.body.insertPlainText("Half a thought ")
    await until(lambda: "Half a thought" in drafts(second))
    assert drafts(first) == ""
    offered: list[str] = []
    builder.found.connect(lambda text, _act: offered.append(text))
    stage.window.open_project(first)
    await playing(stage)
    stage.window.open_project(second)
    await until(lambda: bool(offered), 10)
    stage.window.session.wrote(frozenset({"intro.txt"}))  # the character is tried again
    await until(lambda: stage.window.settled and "builder" not in stage.window.tasks.names)
    assert len(offered) == 1


async def test_a_window_that_closes_keeps_what_was_typed_last(tmp_path: Path) -> None:
    root = write_package(tmp_path / "ada", FILES)
    stage = await Stage(root).open()
    builder = await edited(stage)
    assert builder.sheet is not None
    builder.sheet.prompt.body.insertPlainText("The very last words ")
    await stage.close()
    assert "The very last words" in drafts(root)


async def test_a_form_stays_with_its_instance_where_another_program_moves_the_entries(
    stage_on: OpenStage, tmp_path: Path
) -> None:
    sub = {"implementation": "studio.sub-agent", "promptFile": "m.subagent.md"}
    own = "The words of b alone, about the deep sea."
    entries = [{"id": "eve.a", **sub}, {"id": "eve.b", **sub, "description": own}]
    root = write_package(tmp_path / "ada", FILES, agents=entries)
    stage = await stage_on(root)
    builder = await edited(stage, 1)
    sheet = builder.sheet
    assert sheet is not None
    before = sheet.opened
    assert before.agent_id == "eve.b"
    config = {"name": "Ada", "agents": ["test.roller", *entries]}
    (root / "config.json").write_text(json.dumps(config), encoding="utf-8")
    await until(lambda: sheet.opened is not before, 10)
    assert sheet.opened.agent_id == "eve.b"
    sheet.identity.description.moveCursor(QTextCursor.MoveOperation.End)
    sheet.identity.description.insertPlainText(" New.")
    QTest.keyClick(sheet.prompt.body, Qt.Key.Key_S, Qt.KeyboardModifier.ControlModifier)
    await until(lambda: not builder.is_open, 10)
    _, first, second = json.loads((root / "config.json").read_text(encoding="utf-8"))["agents"]
    assert "description" not in first
    assert second["description"] == f"{own} New."
    assert (root / PATH).read_text(encoding="utf-8") == SUB


async def test_the_keys_come_back_to_where_they_were_when_a_form_or_its_question_closes(
    stage_on: OpenStage, tmp_path: Path
) -> None:
    stage = await stage_on(write_package(tmp_path / "ada", FILES))
    stage.window.activateWindow()
    stage.input.setFocus()
    await until(stage.input.hasFocus)
    builder = await edited(stage)
    assert builder.sheet is not None
    body = builder.sheet.prompt.body
    body.setFocus()
    QTest.keyClicks(body, "x")
    QTest.keyClick(body, Qt.Key.Key_Escape)
    question = stage.find("builderDiscard")
    await until(question.isVisible)
    QTest.keyClick(question, Qt.Key.Key_Escape)
    await until(body.hasFocus)
    body.undo()
    QTest.keyClick(body, Qt.Key.Key_Escape)
    await until(lambda: not builder.is_open)
    await until(stage.input.hasFocus)


async def test_what_an_open_form_costs_does_not_grow_with_the_square_of_the_agents(
    stage_on: OpenStage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    agents = [f"t.a{number}" for number in range(40)]
    codes = {f"agents/{name}.js": f"/**\n * @agent {name}\n */\n" for name in agents}
    lore = {f"context/.lore{number}.txt": "lore" for number in range(400)}
    root = write_package(tmp_path / "ada", {**FILES, **codes, **lore}, agents=agents)
    stage = await stage_on(root)
    player = stage.window.session.player
    assert player is not None
    asked: list[None] = []
    agents_of = player.agents
    monkeypatch.setattr(player, "agents", lambda: asked.append(None) or agents_of())
    builder = await edited(stage)
    assert len(asked) < 10
    assert builder.sheet is not None
    rows = builder.sheet.grants.files
    measured: list[int] = []
    height_of = rows.sizeHintForRow
    monkeypatch.setattr(rows, "sizeHintForRow", lambda at: measured.append(at) or height_of(at))
    rows.item(399).setCheckState(Qt.CheckState.Checked)
    assert builder.sheet.form.context_files == (rows.key(399),)
    assert len(measured) < 40


async def test_what_was_generated_waits_while_another_form_has_changes(
    stage_on: OpenStage, tmp_path: Path
) -> None:
    stage = await stage_on(write_package(tmp_path / "ada", FILES))
    builder = await edited(stage)
    sheet = builder.sheet
    assert sheet is not None
    sheet.prompt.body.insertPlainText("Mine. ")
    offered = []
    builder.found.connect(lambda text, act: offered.append((text, act)))
    builder.open_new("---\ndescription: Made by a model.\n---\nIts prompt.\n", "made")
    await until(lambda: bool(offered))
    assert sheet.form.body.startswith("Mine. ")
    assert "made" in offered[0][0]
    sheet.leave()
    offered[0][1]()
    await until(lambda: builder.is_open and sheet.form.name == "made")
    assert sheet.form.body == "Its prompt.\n"


async def test_an_instance_that_another_program_took_out_comes_back_and_no_other_is_changed(
    stage_on: OpenStage, tmp_path: Path
) -> None:
    sub = {"implementation": "studio.sub-agent", "promptFile": "m.subagent.md"}
    entries = [{"id": "eve.a", **sub}, {"id": "eve.b", **sub, "history": "full", "x-own": 1}]
    root = write_package(tmp_path / "ada", FILES, agents=entries)
    stage = await stage_on(root)
    builder = await edited(stage, 1)
    sheet = builder.sheet
    assert sheet is not None
    (root / "config.json").write_text(json.dumps({"agents": entries[:1]}), encoding="utf-8")
    await until(lambda: "eve.b" in stage.find("builderNoticeText").text(), 10)
    assert sheet.opened.agent_id == "eve.b"
    sheet.prompt.body.insertPlainText("More. ")
    QTest.keyClick(sheet.prompt.body, Qt.Key.Key_S, Qt.KeyboardModifier.ControlModifier)
    await until(lambda: not builder.is_open, 10)
    assert json.loads((root / "config.json").read_text(encoding="utf-8"))["agents"] == entries
    assert "history" not in (root / PATH).read_text(encoding="utf-8")


async def test_a_private_agent_is_given_by_choosing_it_not_by_passing_over_it(
    stage_on: OpenStage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage = await stage_on(write_package(tmp_path / "ada", FILES))
    builder = await edited(stage)
    sheet = builder.sheet
    assert sheet is not None
    give = sheet.grants.give
    opened: list[None] = []
    monkeypatch.setattr(give, "showPopup", lambda: opened.append(None))
    give.setFocus()
    for key in (Qt.Key.Key_Down, Qt.Key.Key_S):
        QTest.keyClick(give, key)
    assert len(opened) == 2
    assert sheet.form.private == ()
    wheel = QWheelEvent(
        QPointF(5, 5),
        QPointF(5, 5),
        QPoint(),
        QPoint(0, -120),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    for field in (give, sheet.identity.history, sheet.identity.model):
        QApplication.sendEvent(field, wheel)
    assert not sheet.changed

"""The command dialog (STU-03, EXP-03)."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, Qt
from PySide6.QtGui import QInputMethodEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QListWidget

from tests.support.qt import until
from tests.support.window import ROLLER, Stage, write_package
from tests.ui.conftest import OpenStage

pytestmark = [pytest.mark.qt_loop, pytest.mark.clause("STU-03")]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    slow = """/**
 * @agent test.slow
 * @command @wait wait
 * @command @break fail
 * @command @stumble stumble
 */
export async function wait(args, store, studio) {
  await new Promise(done => setTimeout(done, 150));
  studio.toast("waited");
}
export async function stumble() {
  await new Promise(done => setTimeout(done, 150));
  throw new Error("the step is broken");
}
export function fail() { throw new Error("the hinge is loose"); }
"""
    return write_package(
        tmp_path / "ada", {"agents/test.slow.js": slow}, agents=["test.roller", "test.slow"]
    )


async def opened(stage: Stage) -> QLineEdit:
    stage.type("@")
    field = stage.find("commandInput", QLineEdit)
    assert isinstance(field, QLineEdit)
    assert stage.find("commandDialog").isVisible()
    return field


async def test_an_at_sign_typed_first_opens_the_dialog(stage_on: OpenStage, project: Path) -> None:
    stage = await stage_on(project)
    field = await opened(stage)
    assert (field.text(), stage.input.toPlainText()) == ("@", "")
    assert field.cursorPosition() == 1
    assert not field.hasSelectedText()


async def test_an_at_sign_later_in_a_message_is_a_letter(
    stage_on: OpenStage, project: Path
) -> None:
    stage = await stage_on(project)
    stage.type("a@b")
    assert stage.input.toPlainText() == "a@b"
    assert stage.all("commandDialog") == []


async def test_an_input_method_can_type_the_at_sign(stage_on: OpenStage, project: Path) -> None:
    stage = await stage_on(project)
    event = QInputMethodEvent("", [])
    event.setCommitString("@")
    QApplication.sendEvent(stage.input, event)
    assert stage.find("commandDialog").isVisible()
    assert stage.input.toPlainText() == ""


async def test_pasted_text_that_begins_with_an_at_sign_stays_a_message(
    stage_on: OpenStage, project: Path
) -> None:
    stage = await stage_on(project)
    data = QMimeData()
    data.setText("@note this")
    stage.input.insertFromMimeData(data)
    assert stage.all("commandDialog") == []
    stage.press(Qt.Key.Key_Return)
    await until(lambda: stage.turns() == 1)
    await stage.idle()
    assert "noted" not in stage.text


@pytest.mark.clause("EXP-03")
async def test_enter_runs_the_command_and_closes(stage_on: OpenStage, project: Path) -> None:
    stage = await stage_on(project)
    field = await opened(stage)
    stage.type("note the  lamp", field)
    stage.press(Qt.Key.Key_Return, field)
    await stage.shows("noted the  lamp")
    await until(lambda: stage.all("commandDialog") == [])
    assert stage.turns() == 0
    assert stage.input.toPlainText() == ""


@pytest.mark.clause("EXP-03")
@pytest.mark.parametrize(
    ("line", "told"),
    [("note", "Write what is to be noted."), ("nosuch x", "@nosuch"), ("break", "hinge")],
)
async def test_an_error_shows_and_the_dialog_stays_with_the_text(
    stage_on: OpenStage, project: Path, line: str, told: str
) -> None:
    stage = await stage_on(project)
    field = await opened(stage)
    stage.type(line, field)
    stage.press(Qt.Key.Key_Return, field)
    await until(lambda: stage.all("commandError") != [])
    assert told in stage.find("commandError").accessibleName()
    assert told in stage.find("commandError").text()
    assert field.text() == f"@{line}"
    assert stage.find("commandDialog").isVisible()
    stage.type("!", field)
    assert stage.all("commandError") == []


async def test_escape_leaves_the_text_as_an_ordinary_message(
    stage_on: OpenStage, project: Path
) -> None:
    stage = await stage_on(project)
    field = await opened(stage)
    stage.type("note me", field)
    stage.press(Qt.Key.Key_Escape, field)
    assert stage.all("commandDialog") == []
    assert stage.input.toPlainText() == "@note me"
    stage.type("!")
    stage.press(Qt.Key.Key_Return)
    await until(lambda: stage.turns() == 1)
    await stage.idle()
    assert "You\n@note me!" in stage.text


async def test_a_draft_in_the_field_outlives_the_dialog(stage_on: OpenStage, project: Path) -> None:
    stage = await stage_on(project)
    stage.input.put("A draft")
    stage.click("chatCommands")
    field = stage.find("commandInput", QLineEdit)
    stage.press(Qt.Key.Key_Escape, field)
    assert stage.input.toPlainText() == "A draft"
    stage.click("chatCommands")
    stage.type("note", field)
    stage.press(Qt.Key.Key_Escape, field)
    assert stage.input.toPlainText() == "@note\nA draft"


async def test_a_click_beside_the_sheet_closes_it(stage_on: OpenStage, project: Path) -> None:
    stage = await stage_on(project)
    await opened(stage)
    QTest.mouseClick(stage.find("commandDialog"), Qt.MouseButton.LeftButton, pos=QPoint(5, 5))
    assert stage.all("commandDialog") == []
    assert stage.input.toPlainText() == "@"


async def test_tab_completes_and_arrows_choose(stage_on: OpenStage, project: Path) -> None:
    stage = await stage_on(project)
    field = await opened(stage)
    stage.type("no", field)
    stage.press(Qt.Key.Key_Tab, field)
    assert field.text() == "@note "
    field.setText("@")
    stage.press(Qt.Key.Key_Down, field)
    stage.press(Qt.Key.Key_Down, field)
    stage.press(Qt.Key.Key_Return, field)
    assert field.text() == "@wait "


async def test_a_slow_command_can_be_left_to_finish(stage_on: OpenStage, project: Path) -> None:
    stage = await stage_on(project)
    field = await opened(stage)
    stage.type("wait", field)
    stage.press(Qt.Key.Key_Return, field)
    stage.press(Qt.Key.Key_Return, field)
    stage.press(Qt.Key.Key_Escape, field)
    await until(lambda: stage.window.pages.toasts.texts == ["waited"])


async def test_a_command_that_fails_after_its_dialog_was_left_is_told_in_a_toast(
    stage_on: OpenStage, project: Path
) -> None:
    stage = await stage_on(project)
    field = await opened(stage)
    stage.type("stumble", field)
    stage.press(Qt.Key.Key_Return, field)
    stage.press(Qt.Key.Key_Escape, field)
    assert stage.input.toPlainText() == ""
    field = await opened(stage)
    stage.type("note rope", field)
    toasts = stage.window.pages.toasts
    await until(lambda: any("@stumble failed. the step is" in one for one in toasts.texts))
    assert field.text() == "@note rope"
    assert not stage.find("commandError").isVisible()


async def test_the_button_opens_the_dialog_too(stage_on: OpenStage, project: Path) -> None:
    stage = await stage_on(project)
    stage.click("chatCommands")
    assert stage.find("commandDialog").isVisible()


def listed(stage: Stage) -> list[str]:
    """Return what assistive technology reads of the list, row by row."""
    rows = stage.find("commandList")
    assert isinstance(rows, QListWidget)
    role = Qt.ItemDataRole.AccessibleTextRole
    items = [rows.item(at) for at in range(rows.count())]
    return [str(item.data(role) or item.text()) for item in items]


async def test_each_command_names_its_agent_and_what_that_is_for(
    stage_on: OpenStage, tmp_path: Path
) -> None:
    described = ROLLER.replace(
        " * @tool roll", " * @description Keeps dice and notes.\n * @tool roll"
    )
    marcus = "---\ndescription: >\n  Marcus Vane,\n  harbour pilot.\n---\nYou are Marcus.\n"
    files = {"agents/test.roller.js": described, "agents/marcus.subagent.md": marcus}
    agents = ["test.roller", "marcus.subagent.md"]
    stage = await stage_on(write_package(tmp_path / "ada", files, agents=agents))
    await opened(stage)
    assert listed(stage) == [
        "Command @note, of test.roller. Keeps dice and notes.",
        "Command @marcus, of marcus. Marcus Vane, harbour pilot.",
    ]


async def test_a_line_that_ran_is_offered_first_the_next_time(
    stage_on: OpenStage, project: Path
) -> None:
    stage = await stage_on(project)
    field = await opened(stage)
    stage.type("note the tide", field)
    stage.press(Qt.Key.Key_Return, field)
    await until(lambda: stage.all("commandDialog") == [])
    field = await opened(stage)
    assert listed(stage)[0] == "RECENT"
    stage.press(Qt.Key.Key_Down, field)
    stage.press(Qt.Key.Key_Return, field)  # takes it
    assert field.text() == "@note the tide"
    stage.type("x", field)
    assert "RECENT" not in listed(stage)
    stage.press(Qt.Key.Key_Return, field)
    await until(lambda: stage.all("commandDialog") == [])
    await stage.shows("noted the tidex")


async def test_a_name_is_completed_before_words_that_are_there(
    stage_on: OpenStage, project: Path
) -> None:
    stage = await stage_on(project)
    field = await opened(stage)
    stage.type("ote by hand", field)
    field.setCursorPosition(3)
    stage.press(Qt.Key.Key_Tab, field)
    assert (field.text(), field.cursorPosition()) == ("@note by hand", 6)

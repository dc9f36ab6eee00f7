"""Nothing of a character from elsewhere runs before the user has agreed (SUB-14, STU-07)."""

from __future__ import annotations

import json
import threading
import zipfile
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QCheckBox, QLabel

from studio_qt.authoring.trust import TrustBook
from studio_qt.settings import home_folder
from studio_qt.ui.editors.code import CodeEditor
from studio_qt.ui.permission.page import PermissionSheet
from studio_qt.ui.search.engine import FileHits, Query, search_project
from studio_qt.ui.search.replacing import replace_all
from tests.support.qt import until
from tests.support.window import ROLLER, Stage, write_package
from tests.ui.conftest import OpenStage

pytestmark = pytest.mark.qt_loop

FILE = "agents/test.roller.js"
WEB = ROLLER.replace(" * @command", " * @api studio.web\n * @command")
SUB_AGENT = "---\ndescription: A pilot.\n---\nYou are Marcus."


def elsewhere(folder: Path, files: dict[str, str] | None = None, **config: object) -> Path:
    """Make a character that counts as one from elsewhere."""
    write_package(folder, files, **config)
    TrustBook(home_folder()).withdraw(folder)
    return folder


async def asked(stage: Stage) -> PermissionSheet:
    """Return the question of a window, once it is there."""
    trusting = stage.window.pages.trusting
    await until(lambda: trusting.sheet is not None and trusting.sheet.isVisible())
    assert trusting.sheet is not None
    return trusting.sheet


async def playing(stage: Stage) -> None:
    """Wait until the character answers."""
    await until(lambda: stage.window.session.player is not None, 20)
    await until(lambda: stage.find("chatView").isVisible(), 20)


def press(sheet: PermissionSheet, name: str) -> None:
    """Press a button of the question."""
    button = sheet.findChild(QAbstractButton, name)
    assert button is not None
    assert button.isVisible(), name
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)


async def edit(stage: Stage, path: str) -> CodeEditor:
    """Open a file of the project and return its editor."""
    editors = stage.window.pages.editors
    await editors.open(path)
    await until(lambda: editors.editor is not None and editors.current_path == path)
    assert editors.editor is not None
    return editors.editor


@pytest.mark.clause("SUB-14", "STU-07")
async def test_code_from_elsewhere_runs_after_a_yes_and_not_before(
    stage_on: OpenStage, tmp_path: Path
) -> None:
    stage = await stage_on(elsewhere(tmp_path / "ada"), elsewhere=True)
    sheet = await asked(stage)
    assert stage.window.session.player is None
    assert stage.find("projectTree").isVisible()
    assert "Nothing of it has run yet" in sheet.accessibleDescription()
    press(sheet, "permissionTrust")
    await playing(stage)
    await stage.send("[[call roll {}]][[say done]]")
    assert "You rolled 6" in stage.text
    again = await stage_on(tmp_path / "ada", elsewhere=True)
    assert again.window.pages.trusting.sheet is None


@pytest.mark.clause("SUB-14")
async def test_without_a_yes_the_project_opens_to_edit_and_says_why_nobody_answers(
    stage_on: OpenStage, tmp_path: Path
) -> None:
    stage = await stage_on(elsewhere(tmp_path / "ada"), elsewhere=True)
    press(await asked(stage), "permissionOpen")
    assert stage.window.session.player is None
    assert stage.find("openingReview").isVisible()
    title = stage.find("openingTitle", QLabel)
    assert isinstance(title, QLabel)
    assert "brings its own code" in title.text()
    editor = await edit(stage, "instructions.txt")
    QTest.keyClicks(editor, "More. ")
    stage.window.session.documents.flush()
    await until(lambda: "reload" not in stage.window.tasks.names)
    assert stage.window.pages.trusting.sheet is None  # asked once
    stage.click("openingReview")
    press(await asked(stage), "permissionTrust")
    await playing(stage)


@pytest.mark.clause("SUB-14")
async def test_only_sub_agents_and_what_was_made_here_never_ask(
    stage_on: OpenStage, tmp_path: Path
) -> None:
    files = {"agents/m.subagent.md": SUB_AGENT}
    folder = write_package(tmp_path / "ada", files, agents=["m.subagent.md", "studio.dice-roller"])
    (folder / FILE).unlink()
    TrustBook(home_folder()).withdraw(folder)
    for place, is_elsewhere in ((folder, True), (write_package(tmp_path / "own"), False)):
        stage = await stage_on(place, elsewhere=is_elsewhere)
        assert stage.window.session.player is not None
        assert stage.window.pages.trusting.sheet is None


@pytest.mark.clause("SUB-14")
async def test_a_change_from_outside_waits_while_the_old_version_runs(
    stage_on: OpenStage, tmp_path: Path
) -> None:
    folder = elsewhere(tmp_path / "ada")
    stage = await stage_on(folder, elsewhere=True)
    press(await asked(stage), "permissionTrust")
    await playing(stage)
    (folder / FILE).write_text(ROLLER.replace("You rolled", "They rolled"), encoding="utf-8")
    gate = stage.window.session.gate
    await until(lambda: gate.held == frozenset({FILE}))
    await stage.send("[[call roll {}]][[say one]]")
    assert "You rolled 6" in stage.text
    await edit(stage, FILE)
    await until(
        lambda: any("changed outside" in one.accessibleName() for one in stage.all("noticeBar"))
    )
    (button,) = stage.all("noticeAction")
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    press(await asked(stage), "permissionTrust")
    await until(lambda: not gate.held)
    await until(lambda: not stage.all("noticeBar"))
    await stage.send("[[call roll {}]][[say two]]")
    assert "They rolled 6" in stage.text


@pytest.mark.clause("SUB-14", "STU-01")
async def test_edits_in_the_studio_stay_trusted_saved_or_not(
    stage_on: OpenStage, tmp_path: Path
) -> None:
    folder = elsewhere(tmp_path / "ada")
    stage = await stage_on(folder, elsewhere=True)
    press(await asked(stage), "permissionTrust")
    await playing(stage)
    editor = await edit(stage, FILE)
    editor.selectAll()
    editor.insertPlainText(ROLLER.replace("You rolled", "I rolled"))
    await stage.send("[[call roll {}]][[say one]]")
    assert "I rolled 6" in stage.text
    documents, gate = stage.window.session.documents, stage.window.session.gate
    await documents.save_all()
    await stage.window.session.settle()
    assert not gate.held
    await until(lambda: "trust" not in stage.window.tasks.names)
    again = await stage_on(folder, elsewhere=True)
    assert again.window.session.player is not None


@pytest.mark.clause("SUB-14")
async def test_an_edit_of_code_that_nobody_agreed_to_is_no_agreement(
    stage_on: OpenStage, tmp_path: Path
) -> None:
    stage = await stage_on(elsewhere(tmp_path / "ada"), elsewhere=True)
    press(await asked(stage), "permissionOpen")
    editor = await edit(stage, FILE)
    QTest.keyClicks(editor, " ")
    await stage.window.session.settle()
    await until(lambda: stage.window.pages.trusting.sheet is not None)  # it is other code now
    assert stage.window.session.player is None
    await stage.window.session.documents.save_all()
    await stage.window.session.settle()
    assert stage.window.session.player is None


@pytest.mark.clause("SUB-14")
async def test_code_that_changes_under_the_question_is_asked_about_again(
    stage_on: OpenStage, tmp_path: Path
) -> None:
    folder = elsewhere(tmp_path / "ada")
    stage = await stage_on(folder, elsewhere=True)
    sheet = await asked(stage)
    other = ROLLER.replace("You rolled", "They rolled")
    watcher = stage.window.session._watcher
    assert watcher is not None
    await watcher.close()  # so that nothing tells the window
    (folder / FILE).write_text(other, encoding="utf-8")
    press(sheet, "permissionTrust")
    trusting = stage.window.pages.trusting
    await until(lambda: trusting.sheet is not None and trusting.sheet is not sheet)
    assert stage.window.session.player is None


@pytest.mark.clause("SUB-14")
async def test_a_config_that_only_enables_a_file_that_came_later_waits(
    stage_on: OpenStage, tmp_path: Path
) -> None:
    folder = elsewhere(tmp_path / "ada")
    stage = await stage_on(folder, elsewhere=True)
    press(await asked(stage), "permissionTrust")
    await playing(stage)
    (folder / "agents" / "evil.js").write_text("/**\n * @agent evil\n * @tool bite\n */")
    config = {"name": "Ada", "agents": ["test.roller", "evil"]}
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    gate = stage.window.session.gate
    await until(lambda: gate.held == frozenset({"agents/evil.js"}))
    player = stage.window.session.player
    assert player is not None
    assert [one.id for one in player.agents()] == ["test.roller"]


async def test_a_new_agent_made_in_the_studio_is_trusted(
    stage_on: OpenStage, tmp_path: Path
) -> None:
    folder = elsewhere(tmp_path / "ada", agents=[])
    (folder / FILE).unlink()
    stage = await stage_on(folder, elsewhere=True)
    player = stage.window.session.player
    assert player is not None
    from studio_qt.ui.project.scaffolds import SCAFFOLDS

    stage.window.pages.project.files.make(SCAFFOLDS["newAgentJavascript"], "agents", "my.own")
    await until(lambda: [one.id for one in player.agents()] == ["my.own"], 10)
    assert not stage.window.session.gate.held


@pytest.mark.clause("SUB-14")
async def test_a_zip_is_asked_about_too(stage_on: OpenStage, tmp_path: Path) -> None:
    folder = write_package(tmp_path / "ada")
    place = tmp_path / "ada.zip"
    with zipfile.ZipFile(place, "w") as packed:
        for file in folder.rglob("*.*"):
            packed.write(file, file.relative_to(folder))
    stage = await stage_on(place, elsewhere=True)
    sheet = await asked(stage)
    assert stage.window.session.player is None
    press(sheet, "permissionTrust")
    await playing(stage)
    await stage.send("[[call roll {}]][[say done]]")
    assert "You rolled 6" in stage.text


async def test_escape_is_a_no_and_keys_alone_can_say_yes(
    stage_on: OpenStage, tmp_path: Path
) -> None:
    stage = await stage_on(elsewhere(tmp_path / "ada"), elsewhere=True)
    sheet = await asked(stage)
    stage.window.activateWindow()
    await until(sheet.no_button.hasFocus)
    QTest.keyClick(sheet, Qt.Key.Key_Escape)
    await until(lambda: stage.window.pages.trusting.sheet is None)
    assert stage.window.session.player is None
    stage.window.pages.trusting.review()
    sheet = await asked(stage)
    await until(sheet.yes_button.hasFocus)
    seen = set()
    for _ in range(12):
        focus = QApplication.focusWidget()
        assert focus is not None
        seen.add(focus.objectName())
        QTest.keyClick(focus, Qt.Key.Key_Tab)
    assert seen >= {
        "permissionRead",
        "permissionOpen",
        "permissionTrust",
        "permissionWeb",
        "permissionMine",
        "permissionCaps",
        "permissionClose",
    }
    QTest.keyClick(sheet.yes_button, Qt.Key.Key_Space)
    await playing(stage)


async def test_web_access_is_chosen_for_this_character_alone(
    stage_on: OpenStage, tmp_path: Path
) -> None:
    stage = await stage_on(elsewhere(tmp_path / "ada", {FILE: WEB}), elsewhere=True)
    sheet = await asked(stage)
    box = sheet.findChild(QCheckBox, "permissionWeb")
    assert box is not None
    assert not box.isChecked()
    QTest.mouseClick(box, Qt.MouseButton.LeftButton, pos=box.rect().center())
    assert box.isChecked()
    press(sheet, "permissionTrust")
    await playing(stage)
    session = stage.window.session
    await until(lambda: session.gate.web is True)
    assert session._settings().web_access
    assert not stage.window.inside.preferences.player.web_access
    other = await stage_on(write_package(tmp_path / "own"))
    assert not other.window.session._settings().web_access


async def test_ones_own_work_is_never_asked_about_again(
    stage_on: OpenStage, tmp_path: Path
) -> None:
    folder = elsewhere(tmp_path / "ada")
    stage = await stage_on(folder, elsewhere=True)
    sheet = await asked(stage)
    sheet.mine.click()
    press(sheet, "permissionTrust")
    await playing(stage)
    reloads: list[None] = []
    stage.window.session.reloaded.connect(lambda: reloads.append(None))
    (folder / FILE).write_text(ROLLER.replace("You rolled", "They rolled"), encoding="utf-8")
    await until(lambda: bool(reloads))
    await stage.send("[[call roll {}]][[say one]]")
    await stage.shows("They rolled 6")


async def test_agreement_can_be_taken_back(stage_on: OpenStage, tmp_path: Path) -> None:
    stage = await stage_on(elsewhere(tmp_path / "ada"), elsewhere=True)
    press(await asked(stage), "permissionTrust")
    await playing(stage)
    stage.window.pages.trusting.review()
    sheet = await asked(stage)
    assert sheet.question.settled
    press(sheet, "permissionOpen")
    await until(lambda: stage.window.session.player is None)
    await until(lambda: stage.find("openingReview").isVisible())


async def test_the_code_is_read_where_the_question_stands(
    stage_on: OpenStage, tmp_path: Path
) -> None:
    hostile = ROLLER + "// \u202e<b>gpj</b>\n"
    stage = await stage_on(elsewhere(tmp_path / "ada", {FILE: hostile}), elsewhere=True)
    sheet = await asked(stage)
    press(sheet, "permissionRead")
    assert sheet.reader is not None
    assert sheet.reader.text.toPlainText().startswith("/**\n * @agent test.roller")
    assert "\\u202e<b>gpj</b>" in sheet.reader.text.toPlainText()
    press(sheet, "permissionRead")
    press(sheet, "permissionTrust")
    await playing(stage)


async def test_change_leads_to_the_caps_of_the_settings(
    stage_on: OpenStage, tmp_path: Path
) -> None:
    stage = await stage_on(elsewhere(tmp_path / "ada"), elsewhere=True)
    press(await asked(stage), "permissionCaps")
    await until(lambda: bool(stage.all("settings_caps")))
    stage.press(Qt.Key.Key_Escape, stage.find("settingsDialog"))
    await asked(stage)


async def test_a_name_cannot_dress_up_the_question(stage_on: OpenStage, tmp_path: Path) -> None:
    name = "<h1>Safe</h1>\u202edetsurt"
    stage = await stage_on(elsewhere(tmp_path / "ada", name=name), elsewhere=True)
    sheet = await asked(stage)
    title = sheet.findChild(QLabel, "permissionTitle")
    assert isinstance(title, QLabel)
    assert title.textFormat() == Qt.TextFormat.PlainText
    assert title.text() == "<h1>Safe</h1>\\u202edetsurt brings its own code"
    for one in sheet.findChildren(QLabel):
        assert one.textFormat() == Qt.TextFormat.PlainText, one.text()


async def test_a_change_of_other_files_leaves_the_question_as_it_stands(
    stage_on: OpenStage, tmp_path: Path
) -> None:
    folder = elsewhere(tmp_path / "ada")
    stage = await stage_on(folder, elsewhere=True)
    sheet = await asked(stage)
    untrusted: list[None] = []
    stage.window.session.untrusted.connect(lambda: untrusted.append(None))
    (folder / "intro.txt").write_text("Hello.", encoding="utf-8")
    await until(lambda: bool(untrusted) and "permissions" not in stage.window.tasks.names)
    assert stage.window.pages.trusting.sheet is sheet
    assert sheet.isVisible()


async def test_another_project_takes_the_question_away(stage_on: OpenStage, tmp_path: Path) -> None:
    stage = await stage_on(elsewhere(tmp_path / "ada"), elsewhere=True)
    await asked(stage)
    stage.window.open_project(write_package(tmp_path / "own", name="Own"))
    await until(lambda: "Own" in stage.window.windowTitle(), 20)
    assert stage.all("permissionSheet") == []
    assert stage.window.session.player is not None


async def test_an_agreement_that_cannot_be_kept_counts_for_now_and_says_so(
    stage_on: OpenStage, tmp_path: Path
) -> None:
    stage = await stage_on(elsewhere(tmp_path / "ada"), elsewhere=True)
    sheet = await asked(stage)
    place = home_folder() / "trust.json"
    place.unlink()
    place.mkdir()
    (place / "full").write_text("x", encoding="utf-8")
    told: list[str] = []
    stage.window.session.toast.connect(lambda text, _kind: told.append(text))
    press(sheet, "permissionTrust")
    await playing(stage)
    assert told


@pytest.mark.clause("SUB-14", "STU-01")
async def test_unsaved_edits_of_trusted_code_play_again_after_a_restart(tmp_path: Path) -> None:
    folder = elsewhere(tmp_path / "ada")
    first = await Stage(folder, elsewhere=True).open()
    press(await asked(first), "permissionTrust")
    await playing(first)
    editor = await edit(first, FILE)
    editor.selectAll()
    editor.insertPlainText(ROLLER.replace("You rolled", "I rolled"))
    await first.window.session.settle()
    await first.close()
    second = await Stage(folder, elsewhere=True).open()
    await playing(second)
    await second.send("[[call roll {}]][[say one]]")
    assert "I rolled 6" in second.text
    await second.close()


async def test_a_rename_in_the_tree_and_a_replacement_in_files_stay_trusted(
    stage_on: OpenStage, tmp_path: Path
) -> None:
    folder = elsewhere(tmp_path / "ada")
    stage = await stage_on(folder, elsewhere=True)
    press(await asked(stage), "permissionTrust")
    await playing(stage)
    player, gate = stage.window.session.player, stage.window.session.gate
    assert player is not None
    stage.window.pages.project.files.rename(FILE, "test.dice.js")
    await until(lambda: [one.id for one in player.agents()] == ["test.dice"], 10)
    assert not gate.held
    query = Query("You rolled", template="We rolled")
    documents = stage.window.session.documents
    found = search_project(folder, {}, query, threading.Event())
    hits = [one for one in found if isinstance(one, FileHits)]
    reloads: list[None] = []
    stage.window.session.reloaded.connect(lambda: reloads.append(None))
    done = await replace_all(folder, documents, hits, query)
    assert done.count == 1
    await until(lambda: bool(reloads) and not gate.held)
    await stage.send("[[call roll {}]][[say one]]")
    await stage.shows("We rolled 6")


@pytest.mark.clause("SUB-14", "STU-11")
async def test_an_export_runs_no_code_that_nobody_agreed_to(
    stage_on: OpenStage, tmp_path: Path
) -> None:
    stage = await stage_on(elsewhere(tmp_path / "ada"), elsewhere=True)
    press(await asked(stage), "permissionOpen")
    exporting = stage.window.pages.building.exporting
    exporting.open()
    await until(lambda: exporting.sheet is not None and exporting.sheet.is_open)
    sheet = exporting.sheet
    assert sheet is not None
    sheet.run_button.click()
    await until(lambda: "export" in stage.window.tasks.names)
    await until(lambda: "export" not in stage.window.tasks.names, 20)
    said = [one.text() for one in sheet.findChildren(QLabel) if "agreed" in one.text()]
    assert said
    assert list(tmp_path.rglob("*.zip")) == []

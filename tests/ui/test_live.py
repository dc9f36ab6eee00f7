"""Live Edits: what stands in an editor is what plays, saved or not (STU-01, STU-02)."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QTextCursor
from PySide6.QtTest import QTest

from studio_qt.ui.editors.code import CodeEditor
from tests.support.model_server import ModelServer, text
from tests.support.qt import until
from tests.support.window import ROLLER, Stage, write_package
from tests.ui.conftest import OpenStage

qt_loop = pytest.mark.qt_loop


async def edit(stage: Stage, path: str) -> CodeEditor:
    """Open a file of the project and return its editor."""
    editors = stage.window.pages.editors
    await editors.open(path)
    await until(lambda: editors.editor is not None and editors.current_path == path)
    assert editors.editor is not None
    return editors.editor


def replace_all(editor: CodeEditor, words: str) -> None:
    """Put other words in the place of all, as a user does."""
    editor.selectAll()
    QTest.keyClick(editor, Qt.Key.Key_Delete)
    editor.insertPlainText(words)


@qt_loop
@pytest.mark.clause("STU-01")
async def test_typed_instructions_are_in_the_very_next_request(
    stage_on: OpenStage, model: ModelServer, tmp_path: Path
) -> None:
    folder = write_package(tmp_path / "ada")
    stage = await stage_on(folder, model.base_url)
    editor = await edit(stage, "instructions.txt")
    editor.moveCursor(QTextCursor.MoveOperation.End)
    QTest.keyClicks(editor, " Count aloud.")
    model.script(text("One."))
    await stage.send("Go on")
    assert "Be Ada. Count aloud." in str(model.requests[-1].messages)
    assert (folder / "instructions.txt").read_text() == "Be Ada."


@qt_loop
@pytest.mark.clause("STU-01", "STU-02")
async def test_typed_code_answers_the_next_call_and_the_conversation_stays(
    stage_on: OpenStage, tmp_path: Path
) -> None:
    stage = await stage_on(write_package(tmp_path / "ada"))
    await stage.send("[[call roll {}]][[say first]]")
    editor = await edit(stage, "agents/test.roller.js")
    replace_all(editor, ROLLER.replace("You rolled", "You threw"))
    await stage.send("[[call roll {}]][[say second]]")
    assert "You threw 6" in stage.text
    assert "first" in stage.text
    player = stage.window.session.player
    assert player is not None
    assert player.store("test.roller") == {"rolls": 2}


@qt_loop
@pytest.mark.clause("STU-02")
async def test_broken_code_is_marked_while_the_old_agent_answers(
    stage_on: OpenStage, tmp_path: Path
) -> None:
    stage = await stage_on(write_package(tmp_path / "ada"))
    editor = await edit(stage, "agents/test.roller.js")
    editor.moveCursor(QTextCursor.MoveOperation.End)
    QTest.keyClicks(editor, "export const = 1;")
    player = stage.window.session.player
    assert player is not None
    await until(lambda: any(p.file.endswith("roller.js") for p in player.problems()))
    await stage.send("[[call roll {}]][[say ok]]")
    assert "You rolled 6" in stage.text
    while editor.document().isUndoAvailable():
        editor.undo()
    await until(lambda: not any(p.file.endswith("roller.js") for p in player.problems()))


@qt_loop
@pytest.mark.clause("STU-01", "PKG-10")
async def test_a_config_that_is_half_written_is_a_problem_and_the_old_one_plays(
    stage_on: OpenStage, tmp_path: Path
) -> None:
    stage = await stage_on(write_package(tmp_path / "ada"))
    found: list[object] = []
    stage.window.session.problems_changed.connect(found.append)
    editor = await edit(stage, "config.json")
    replace_all(editor, '{"name": "Ada", ')
    await stage.send("[[call roll {}]][[say ok]]")
    assert "You rolled 6" in stage.text
    (problem, *_) = found[-1]
    assert (problem.file, problem.severity) == ("config.json", "error")
    replace_all(editor, '{"name": "Countess", "agents": []}')
    await until(lambda: "Countess" in stage.window.windowTitle())


@qt_loop
@pytest.mark.clause("STU-01", "PKG-10")
async def test_a_project_that_does_not_open_is_mended_in_its_editor(
    stage_on: OpenStage, tmp_path: Path
) -> None:
    folder = write_package(tmp_path / "ada", {"config.json": '{\n "name": "Ada",\n'})
    stage = await stage_on(folder)
    assert stage.find("openingPage").isVisible()
    assert stage.find("projectTree").isVisible()
    editor = await edit(stage, "config.json")
    replace_all(editor, '{"name": "Ada mended", "agents": ["test.roller"]}')
    await until(lambda: "Ada mended" in stage.window.windowTitle(), 10)
    assert stage.find("chatView").isVisible()


@qt_loop
@pytest.mark.clause("STU-02")
async def test_a_save_by_another_program_is_played_and_shown(
    stage_on: OpenStage, tmp_path: Path
) -> None:
    folder = write_package(tmp_path / "ada")
    stage = await stage_on(folder)
    editor = await edit(stage, "instructions.txt")
    (folder / "instructions.txt").write_text("Be someone else.", encoding="utf-8")
    await until(lambda: editor.toPlainText() == "Be someone else.")
    player = stage.window.session.player
    assert player is not None
    request = await player.prepare_request("Hi")
    assert "Be someone else." in str(request["messages"])


@qt_loop
@pytest.mark.clause("STU-01")
async def test_a_foreign_change_never_takes_unsaved_text(
    stage_on: OpenStage, tmp_path: Path
) -> None:
    folder = write_package(tmp_path / "ada")
    stage = await stage_on(folder)
    editor = await edit(stage, "instructions.txt")
    QTest.keyClicks(editor, "Mine. ")
    (folder / "instructions.txt").write_text("Theirs.", encoding="utf-8")
    await until(lambda: bool(stage.all("noticeBar")))
    assert editor.toPlainText() == "Mine. Be Ada."
    assert (folder / "instructions.txt").read_text() == "Theirs."


@qt_loop
async def test_unsaved_text_tabs_and_the_half_written_message_come_back(tmp_path: Path) -> None:
    folder = write_package(tmp_path / "ada")
    first = await Stage(folder).open()
    editor = await edit(first, "instructions.txt")
    QTest.keyClicks(editor, "Unsaved. ")
    await edit(first, "intro.txt")
    first.type("Half a mess")
    await first.close()
    second = await Stage(folder).open()
    editors = second.window.pages.editors
    await until(lambda: editors.paths == ["instructions.txt", "intro.txt"])
    await until(lambda: second.window.chat.draft == "Half a mess")
    assert editors.current_path == "intro.txt"
    again = await edit(second, "instructions.txt")
    assert again.toPlainText() == "Unsaved. Be Ada."
    assert (folder / "instructions.txt").read_text() == "Be Ada."
    await second.close()


@qt_loop
@pytest.mark.clause("STU-02")
async def test_typing_in_an_editor_keeps_the_focus_through_reloads(
    stage_on: OpenStage, tmp_path: Path
) -> None:
    stage = await stage_on(write_package(tmp_path / "ada"))
    editor = await edit(stage, "description.txt")
    stage.window.activateWindow()
    editor.setFocus()
    QTest.keyClicks(editor, "More of ")
    reloads: list[None] = []
    stage.window.session.reloaded.connect(lambda: reloads.append(None))
    await until(lambda: bool(reloads))
    await stage.shows("More of A countess")
    assert editor.hasFocus()


@qt_loop
async def test_a_half_written_message_stays_with_its_project(tmp_path: Path) -> None:
    bob = write_package(tmp_path / "bob", name="Bob")
    ada = write_package(tmp_path / "ada")
    stage = await Stage(bob).open()
    stage.type("To Bob")
    for project, name in ((ada, "Ada Byron"), (bob, "Bob")):
        stage.window.open_project(project)
        await until(lambda name=name: stage.window.windowTitle().startswith(name), 20)
        await until(lambda: stage.window.settled, 20)
        if project == ada:
            assert stage.window.chat.draft == ""
            stage.type("To Ada")
    await until(lambda: stage.window.chat.draft == "To Bob")
    await stage.close()

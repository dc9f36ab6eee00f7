"""Help while writing in the whole window: mends from the list of problems, and taking them back."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMenu, QPushButton

from studio_qt.ui.problems.view import ProblemTree
from tests.support.qt import until
from tests.support.window import Stage, write_package
from tests.ui.conftest import OpenStage

pytestmark = [
    pytest.mark.qt_loop,
    pytest.mark.qt_log_ignore("This plugin does not support"),  # menus without a display
]

SUB = "agents/marcus.subagent.md"
PROMPT = "---\ndescription: Ask him.\n{}\n---\nYou are Marcus.\n"


async def stage_with(stage_on: OpenStage, tmp_path: Path, line: str) -> Stage:
    files = {SUB: PROMPT.format(line)}
    agents = ["test.roller", "marcus.subagent.md"]
    return await stage_on(write_package(tmp_path / "ada", files, agents=agents))


async def menu_of_first_problem(stage: Stage) -> QMenu:
    """Open the menu of the first problem in the list, and wait for its mends."""
    panel = stage.window.pages.problems
    await until(lambda: bool(panel.problems))
    tree = panel.findChild(ProblemTree)
    assert tree is not None
    file = tree.topLevelItem(0)
    item = file.child(0) if file is not None else None
    assert item is not None
    stage.window.inside.workbench.show_bottom("problems")
    tree.setCurrentItem(item)
    tree.customContextMenuRequested.emit(tree.visualItemRect(item).center())

    def has_mends() -> bool:
        entries = [one for menu in panel.findChildren(QMenu) for one in menu.actions()]
        return any(one.objectName() == "mendEntry" for one in entries)

    await until(has_mends)
    return panel.findChildren(QMenu)[-1]


@pytest.mark.clause("STU-08")
async def test_a_problem_is_mended_from_the_list_and_the_character_is_loaded_anew(
    stage_on: OpenStage, tmp_path: Path
) -> None:
    stage = await stage_with(stage_on, tmp_path, "histroy: full")
    await stage.window.pages.editors.open(SUB)
    menu = await menu_of_first_problem(stage)
    next(one for one in menu.actions() if one.text() == "Write history").trigger()
    menu.close()
    await until(lambda: not stage.window.pages.problems.problems, 10)
    editor = stage.window.pages.editors.editor
    assert editor is not None
    assert editor.toPlainText() == PROMPT.format("history: full")


@pytest.mark.clause("STU-08", "SUB-04")
async def test_a_mend_of_several_files_is_taken_back_by_the_notice(
    stage_on: OpenStage, tmp_path: Path
) -> None:
    stage = await stage_with(stage_on, tmp_path, "shared-agents: [test.roller]")
    config = (tmp_path / "ada/config.json").read_text(encoding="utf-8")
    menu = await menu_of_first_problem(stage)
    next(one for one in menu.actions() if one.text().startswith("Move")).trigger()
    menu.close()
    await until(lambda: not stage.window.pages.problems.problems, 10)
    assert "shared-agents" in (tmp_path / "ada/config.json").read_text(encoding="utf-8")
    buttons = [one for one in stage.window.findChildren(QPushButton) if one.text() == "Undo"]
    QTest.mouseClick(next(one for one in buttons if one.isVisible()), Qt.MouseButton.LeftButton)
    await until(lambda: (tmp_path / "ada/config.json").read_text(encoding="utf-8") == config)
    await until(lambda: bool(stage.window.pages.problems.problems), 10)


@pytest.mark.clause("PKG-10", "STU-08")
async def test_a_comma_that_is_missing_in_the_config_is_put_in(
    stage_on: OpenStage, tmp_path: Path
) -> None:
    stage = await stage_with(stage_on, tmp_path, "history: full")
    editors = stage.window.pages.editors
    await editors.open("config.json")
    assert editors.editor is not None
    text = editors.editor.toPlainText()
    editors.editor.selectAll()
    editors.editor.insertPlainText(text.replace(', "agents"', ' "agents"'))
    panel = stage.window.pages.problems
    await until(lambda: bool(panel.problems), 10)
    assert panel.problems[0].fault is not None
    await until(lambda: editors.editor is not None and bool(editors.editor.marks.problems))
    editors.assisting.mend()
    await until(lambda: bool(editors.findChildren(QMenu, "mendMenu")))
    menu = editors.findChildren(QMenu, "mendMenu")[-1]
    next(one for one in menu.actions() if "missing comma" in one.text()).trigger()
    menu.close()
    await until(lambda: not panel.problems, 10)
    assert editors.editor.toPlainText() == text

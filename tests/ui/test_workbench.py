"""The panes of the window: what is shown, what the keys do, what comes back."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QTabWidget

from tests.support.qt import until
from tests.support.window import Stage, write_package
from tests.ui.conftest import OpenStage

qt_loop = pytest.mark.qt_loop
CONTROL = Qt.KeyboardModifier.ControlModifier


@qt_loop
@pytest.mark.clause("STU-01")
async def test_a_folder_has_tree_editors_problems_and_chat(
    stage_on: OpenStage, tmp_path: Path
) -> None:
    stage = await stage_on(write_package(tmp_path / "ada"))
    for name in ("rail", "projectTree", "bottomPanel", "problemsPanel", "chatView", "chatInput"):
        assert stage.find(name).isVisible(), name


@qt_loop
async def test_a_zip_is_only_played(stage_on: OpenStage, tmp_path: Path) -> None:
    folder = write_package(tmp_path / "ada")
    target = tmp_path / "ada.zip"
    with zipfile.ZipFile(target, "w") as archive:
        for path in folder.rglob("*"):
            archive.write(path, path.relative_to(folder))
    stage = await stage_on(target)
    for name in ("chatView", "conversationsList", "conversationsRail", "settingsRail"):
        assert stage.find(name).isVisible(), name
    for name in ("projectTree", "bottomPanel", "codeEditor", "projectRail", "storesRail"):
        assert not stage.all(name), name


@qt_loop
async def test_the_panes_open_and_close_by_keys(stage_on: OpenStage, tmp_path: Path) -> None:
    stage = await stage_on(write_package(tmp_path / "ada"))
    for key, name in ((Qt.Key.Key_B, "projectTree"), (Qt.Key.Key_J, "bottomPanel")):
        QTest.keyClick(stage.input, key, CONTROL)
        assert not stage.find(name).isVisible()
        QTest.keyClick(stage.input, key, CONTROL)
        assert stage.find(name).isVisible()
    stage.click("bottomHide")
    assert not stage.find("bottomPanel").isVisible()
    QTest.keyClick(stage.input, Qt.Key.Key_M, CONTROL | Qt.KeyboardModifier.ShiftModifier)
    assert stage.find("problemsPanel").isVisible()


@qt_loop
async def test_the_rail_shows_and_folds_the_side_pane(stage_on: OpenStage, tmp_path: Path) -> None:
    stage = await stage_on(write_package(tmp_path / "ada"))
    stage.click("projectRail")
    assert not stage.find("projectTree").isVisible()
    stage.click("projectRail")
    assert stage.find("projectTree").isVisible()


@qt_loop
async def test_the_panes_stand_as_they_stood(tmp_path: Path) -> None:
    folder = write_package(tmp_path / "ada")
    first = await Stage(folder).open()
    QTest.keyClick(first.input, Qt.Key.Key_J, CONTROL)
    await first.close()
    second = await Stage(folder).open()
    shown = second.find("bottomPanel").isVisible()
    await second.close()
    assert not shown


@qt_loop
async def test_widths_that_were_kept_come_with_the_next_project(
    stage_on: OpenStage, tmp_path: Path
) -> None:
    stage = await stage_on(write_package(tmp_path / "ada"))
    stage.window.resize(1600, 800)
    workbench = stage.window.inside.workbench
    workbench.across.setSizes([250, 798, 498])
    kept = workbench.state()
    workbench.across.setSizes([400, 646, 500])
    workbench.across.splitterMoved.emit(400, 1)
    workbench.set_editing(editing=False)
    workbench.restore(kept)
    workbench.set_editing(editing=True)
    assert workbench.across.sizes() == kept["across"]
    workbench.restore({"across": ["wide"], "middle": [0, 0], "side": "nowhere"})
    assert workbench.across.sizes() == kept["across"]


@qt_loop
async def test_widths_that_a_small_window_presses_are_not_kept(
    stage_on: OpenStage, tmp_path: Path
) -> None:
    stage = await stage_on(write_package(tmp_path / "ada"))
    workbench = stage.window.inside.workbench
    stage.window.resize(900, 700)
    workbench.set_editing(editing=False)
    workbench.set_editing(editing=True)
    stage.window.resize(1600, 800)
    side, _, chat = workbench.across.sizes()
    assert (side, chat) == (288, 540)


@qt_loop
async def test_the_bottom_panel_counts_problems(stage_on: OpenStage, tmp_path: Path) -> None:
    folder = write_package(tmp_path / "ada", agents=["test.roller", "test.nowhere"])
    stage = await stage_on(folder)
    panel = stage.find("bottomPanel", QTabWidget)
    assert isinstance(panel, QTabWidget)
    await until(lambda: panel.tabText(0) == "Problems 1")


@qt_loop
async def test_the_last_project_comes_back_with_the_window(tmp_path: Path) -> None:
    first = await Stage(write_package(tmp_path / "ada")).open()
    await first.close()
    second = await Stage(None).open()
    assert "Ada Byron" in second.window.windowTitle()
    second.window.inside.preferences.change_window(restore_session=False)
    await second.close()
    third = await Stage(None).open()
    assert third.find("startPage").isVisible()
    await third.close()


@qt_loop
async def test_a_large_page_covers_the_editors_and_side_pages_bring_them_back(
    stage_on: OpenStage, tmp_path: Path
) -> None:
    stage = await stage_on(write_package(tmp_path / "ada"))
    workbench, page = stage.window.inside.workbench, QLabel("Large")
    workbench.add_large("sample", "flask", "Sample", "Ctrl+Alt+Shift+F12", page)
    await until(lambda: stage.find("sampleRail").isVisible())
    stage.click("sampleRail")
    assert page.isVisible()
    assert not stage.find("projectTree").isVisible()
    assert not stage.find("editorsPane").isVisible()
    stage.click("projectRail")
    assert stage.find("projectTree").isVisible()
    assert stage.find("editorsPane").isVisible()
    workbench.show_large("sample")
    stage.window.pages.open_file("intro.txt")
    assert not page.isVisible()
    await until(lambda: stage.window.pages.editors.current_path == "intro.txt")


@qt_loop
async def test_in_a_narrow_window_side_pane_and_chat_make_way_for_each_other(
    stage_on: OpenStage, tmp_path: Path
) -> None:
    stage = await stage_on(write_package(tmp_path / "ada"))
    window, workbench = stage.window, stage.window.inside.workbench
    window.resize(1400, 800)
    assert stage.find("projectRail").isChecked()
    window.resize(800, 700)
    await until(workbench.side.isHidden)
    assert workbench.across.width() <= window.width()
    workbench.show_side("project")
    assert window.inside.slot.isHidden()
    assert workbench.state()["chatOpen"]
    toggle = window.findChild(QAction, "toggleChat")
    assert toggle is not None
    toggle.trigger()
    assert workbench.side.isHidden()
    workbench.show_side("project")
    window.resize(1400, 800)
    await until(lambda: not window.inside.slot.isHidden() and not workbench.side.isHidden())

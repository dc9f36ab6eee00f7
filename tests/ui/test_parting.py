"""Leaving unsaved text that cannot be kept: the user is asked, and nothing goes by itself."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from studio_qt.settings import home_folder
from tests.support.qt import until
from tests.support.window import Stage, write_package
from tests.ui.conftest import OpenStage

pytestmark = pytest.mark.qt_loop


@pytest.fixture
def no_memory() -> None:
    """Nothing can be kept of any project: the place for it is no folder."""
    home_folder().mkdir(parents=True, exist_ok=True)
    (home_folder() / "projects").write_text("in the way")


async def with_unsaved_text(stage: Stage) -> None:
    await stage.window.pages.editors.open("instructions.txt")
    await until(lambda: stage.window.pages.editors.editor is not None)
    editor = stage.window.pages.editors.editor
    assert editor is not None
    QTest.keyClicks(editor, "Unsaved. ")


async def asked(stage: Stage) -> None:
    await until(lambda: bool(stage.all("closeSheet")))


@pytest.mark.usefixtures("no_memory")
async def test_a_window_stays_open_until_it_is_said_what_becomes_of_its_text(
    stage_on: OpenStage, tmp_path: Path
) -> None:
    folder = write_package(tmp_path / "ada")
    stage = await stage_on(folder)
    await with_unsaved_text(stage)
    stage.window.close()
    await asked(stage)
    assert "is lost" in stage.find("closeText").text()
    stage.window.close()  # once more changes nothing
    QTest.keyClick(stage.find("closeSheet"), Qt.Key.Key_Escape)
    await until(lambda: stage.window._ended is None)
    assert stage.window.isVisible()
    assert stage.window.session.documents.unsaved == ("instructions.txt",)
    stage.window.close()
    await asked(stage)
    stage.click("closeSave")
    await until(lambda: (folder / "instructions.txt").read_text() == "Unsaved. Be Ada.")


@pytest.mark.usefixtures("no_memory")
async def test_another_project_waits_for_the_answer_too(
    stage_on: OpenStage, tmp_path: Path
) -> None:
    stage = await stage_on(write_package(tmp_path / "ada"))
    await with_unsaved_text(stage)
    other = write_package(tmp_path / "bob", name="Bob")
    stage.window.open_project(other)
    await asked(stage)
    stage.click("closeCancel")
    await until(lambda: stage.window.settled)
    assert stage.window.session.documents.unsaved == ("instructions.txt",)
    stage.window.open_project(other)
    await asked(stage)
    stage.click("closeDiscard")
    await until(lambda: "Bob" in stage.window.windowTitle(), 20)


async def test_text_that_is_kept_is_not_asked_about(stage_on: OpenStage, tmp_path: Path) -> None:
    stage = await stage_on(write_package(tmp_path / "ada"))
    await with_unsaved_text(stage)
    assert await stage.window.session.documents.secure() == ()
    stage.window.open_project(write_package(tmp_path / "bob", name="Bob"))
    await until(lambda: "Bob" in stage.window.windowTitle(), 20)

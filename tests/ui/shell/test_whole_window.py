"""The shell in the real window: from the start page to a project, and what is logged of it."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QLabel

from studio_qt.settings import home_folder
from studio_qt.ui.recents import Recents
from studio_qt.ui.start.newsheet import NewSheet
from studio_qt.ui.start.tiles import ProjectTile
from tests.support.qt import until
from tests.support.window import Stage, write_package
from tests.ui.conftest import OpenStage

pytestmark = pytest.mark.qt_loop


async def opened(stage: Stage, name: str) -> None:
    """Wait until a character of that name is played."""
    session = stage.window.session
    await until(lambda: session.player is not None and session.player.character.name == name, 20)
    await until(lambda: stage.window.settled, 20)


async def test_a_new_character_is_played_at_once_and_listed(
    stage_on: OpenStage, tmp_path: Path
) -> None:
    stage = await stage_on(None)
    stage.click("startNew")
    window = stage.window
    await until(lambda: window.findChild(NewSheet) is not None)
    sheet = window.findChild(NewSheet)
    await until(lambda: bool(sheet.place.text()))
    QTest.keyClicks(sheet.name, "Ada")
    await until(lambda: sheet.place.text().endswith("ada"))
    place = Path(sheet.place.text())
    stage.click("newCreate")
    await opened(stage, "Ada")
    assert [one.path for one in Recents(home_folder()).entries] == [place]


async def test_the_chat_outlives_a_sheet_that_is_closed(
    stage_on: OpenStage, tmp_path: Path
) -> None:
    stage = await stage_on(None)
    stage.click("startNew")
    await until(lambda: stage.window.findChild(NewSheet) is not None)
    QTest.keyClick(stage.window.findChild(NewSheet).name, Qt.Key.Key_Escape)
    await until(lambda: stage.window.findChild(NewSheet) is None)
    stage.window.open_project(write_package(tmp_path / "ada"))
    await opened(stage, "Ada Byron")
    await stage.shows("You are late.")


async def test_another_project_opens_while_a_message_is_gone_to(
    stage_on: OpenStage, tmp_path: Path
) -> None:
    stage = await stage_on(write_package(tmp_path / "ada"))
    await stage.send("[[say One.]]")
    stage.window.chat.go_to_messages()
    other = write_package(tmp_path / "bea", {"intro.txt": "Good evening."}, name="Bea")
    stage.window.open_project(other)
    await opened(stage, "Bea")
    await stage.shows("Good evening.")


async def test_a_recent_project_is_opened_with_a_click(stage_on: OpenStage, tmp_path: Path) -> None:
    Recents(home_folder()).note(write_package(tmp_path / "ada"))
    stage = await stage_on(None)
    tiles = stage.window.findChildren(ProjectTile)
    assert [tile.isVisible() for tile in tiles] == [True]
    QTest.mouseClick(tiles[0], Qt.MouseButton.LeftButton)
    await opened(stage, "Ada Byron")
    assert stage.window.inside.shown is stage.window.chat


async def test_the_handbook_of_the_start_page_opens_beside_it(stage_on: OpenStage) -> None:
    stage = await stage_on(None)
    stage.click("stepSecret")
    page = stage.window.pages.handbook.page
    await until(lambda: page.settled)
    assert page.reader.page.name == "sub-agents"
    assert page.isWindow()


@pytest.mark.clause("BOX-01")
async def test_the_walls_of_running_agents_are_shown(stage_on: OpenStage, tmp_path: Path) -> None:
    stage = await stage_on(write_package(tmp_path / "ada"))
    await stage.send("[[call roll {}]]")
    stage.window.inside.desk.actions.find("showWalls").trigger()
    sheet = stage.find("message")
    said = [words.text() for words in sheet.findChildren(QLabel)]
    assert "The environment of a worker is empty." in said
    QTest.mouseClick(sheet.findChild(QAbstractButton), Qt.MouseButton.LeftButton)

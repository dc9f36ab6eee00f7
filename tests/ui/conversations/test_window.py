"""Conversations in the whole window: below the project tree, in the rail, with chat and toasts."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QSplitter

from studio_qt.files import operations
from tests.support.model_server import ModelServer, text
from tests.support.qt import until
from tests.support.window import Stage, write_package
from tests.ui.conftest import OpenStage
from tests.ui.conversations.conftest import talk

pytestmark = pytest.mark.qt_loop


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A character with two conversations; the trash is a folder of the test."""
    folder = write_package(tmp_path / "ada")
    talk(folder, 1, "First visit", "Hello", "The rope is wet.", days=3)
    lines = [f"Line {number} of a long evening." for number in range(120)]
    talk(folder, 2, "Storm night", *lines)
    (tmp_path / "trash").mkdir()
    monkeypatch.setattr(
        operations,
        "to_trash",
        lambda root, path: (root / path).rename(tmp_path / "trash" / path),
    )
    return folder


def titles(stage: Stage) -> list[str]:
    return [row.name for row in stage.window.pages.conversations.rows]


def held(stage: Stage, key: Qt.Key, extra: Qt.KeyboardModifier) -> None:
    QTest.keyClick(stage.window, key, Qt.KeyboardModifier.ControlModifier | extra)


async def test_the_list_stands_below_the_project_tree_and_opens_what_is_clicked(
    stage_on: OpenStage, project: Path
) -> None:
    stage = await stage_on(project)
    foot = stage.window.pages.conversations.foot
    assert foot.isVisible()
    assert titles(stage) == ["Storm night", "First visit"]
    place = foot.list.visualRect(foot.list.model().index(1, 0)).center()
    QTest.mouseDClick(foot.list.viewport(), Qt.MouseButton.LeftButton, pos=place)
    await stage.shows("The rope is wet.")
    assert "First visit · conversation_01" in stage.find("conversationPlace").accessibleName()


async def test_its_page_opens_by_the_rail_and_by_its_key(
    stage_on: OpenStage, project: Path
) -> None:
    stage = await stage_on(project)
    pane = stage.window.pages.conversations
    held(stage, Qt.Key.Key_L, Qt.KeyboardModifier.ShiftModifier)
    assert pane.isVisible()
    assert pane.list.hasFocus()
    held(stage, Qt.Key.Key_E, Qt.KeyboardModifier.ShiftModifier)
    assert not pane.isVisible()
    held(stage, Qt.Key.Key_K, Qt.KeyboardModifier.AltModifier)
    assert pane.search.field.hasFocus()


async def test_a_find_in_another_conversation_is_shown_and_marked(
    stage_on: OpenStage, project: Path
) -> None:
    stage = await stage_on(project)
    pages = stage.window.pages
    player = stage.window.session.player
    assert player is not None
    await player.load_conversation("conversation_01")
    await stage.idle()
    pages.conversations.open_search()
    QTest.keyClicks(pages.conversations.search.field, "line 7 of")
    await until(lambda: pages.conversations.search.model.rowCount() == 2)
    results = pages.conversations.search.results
    QTest.keyClick(pages.conversations.search.field, Qt.Key.Key_Down)
    QTest.keyClick(results, Qt.Key.Key_Down)
    QTest.keyClick(results, Qt.Key.Key_Return)
    await until(lambda: player.conversation_id == "conversation_02")
    chat = pages.chat
    await until(lambda: chat.deeds.picker.at is not None)
    at = chat.deeds.picker.at
    assert at is not None
    cell = chat.transcript.cell(at)
    assert cell is not None
    assert "Line 7 of a long evening." in cell.views[0].toPlainText()
    assert at in chat.transcript.rows_in_sight(chat.transcript.viewport().height())
    assert chat.transcript.hasFocus()


async def test_the_toast_of_a_deletion_brings_the_open_conversation_back(
    stage_on: OpenStage, project: Path
) -> None:
    stage = await stage_on(project)
    foot = stage.window.pages.conversations.foot
    foot.list.choose("conversation_02")
    foot.list.setFocus()
    QTest.keyClick(foot.list, Qt.Key.Key_Delete)
    await until(lambda: titles(stage) == ["First visit"])
    await stage.shows("The rope is wet.")
    button = stage.find("toastAction")
    assert isinstance(button, QAbstractButton)
    assert button.text() == "Undo"
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    await until(lambda: "Storm night" in titles(stage))
    await stage.shows("Line 119 of a long evening.")


async def test_a_new_title_stands_in_the_head_of_the_chat_and_in_its_menu(
    stage_on: OpenStage, project: Path
) -> None:
    stage = await stage_on(project)
    foot = stage.window.pages.conversations.foot
    foot.list.choose("conversation_02")
    foot.list.setFocus()
    QTest.keyClick(foot.list, Qt.Key.Key_F2)
    field = stage.find("conversationTitle")
    QTest.keyClicks(field, "Night of the storm")
    QTest.keyClick(field, Qt.Key.Key_Return)
    place = stage.find("conversationPlace")
    await until(lambda: "Night of the storm" in place.accessibleName())
    assert stage.window.chat.titles["conversation_02"] == "Night of the storm"


async def test_the_pill_of_the_chat_chooses_who_answers_in_this_conversation(
    stage_on: OpenStage, project: Path, model: ModelServer
) -> None:
    model.models = ["test-model", "large"]
    model.always = text("Aye.")
    stage = await stage_on(project, model.base_url)
    stage.click("modelLabel")
    sheet = stage.find("conversationModels")
    await until(lambda: "offered models" not in stage.window.tasks.names)
    QTest.keyClicks(stage.find("conversationModelsFilter"), "large")
    QTest.keyClick(sheet, Qt.Key.Key_Return)
    pill = stage.find("modelLabel")
    assert isinstance(pill, QAbstractButton)
    await until(lambda: pill.text() == "large")
    await stage.send("Hello")
    assert model.requests[-1].body["model"] == "large"
    stage.window.chat.load("conversation_01")
    await until(lambda: pill.text() == "test-model")


async def test_the_foot_has_the_height_again_that_it_was_given(
    stage_on: OpenStage, project: Path
) -> None:
    stage = await Stage(project).open()
    pane = stage.window.pages.conversations
    split = stage.find("sideSplit")
    assert isinstance(split, QSplitter)
    handle = split.handle(1)
    middle = handle.rect().center()
    QTest.mousePress(handle, Qt.MouseButton.LeftButton, pos=middle)
    QTest.mouseMove(handle, middle - QPoint(0, 80))
    QTest.mouseRelease(handle, Qt.MouseButton.LeftButton, pos=middle - QPoint(0, 80))
    height = pane.foot.height()
    assert pane.foot_height == height > 180
    await stage.close()
    again = await stage_on(project)
    await until(lambda: again.window.pages.conversations.foot.height() == height)


async def test_a_zip_has_its_conversations_beside_the_chat(
    stage_on: OpenStage, tmp_path: Path
) -> None:
    folder = write_package(tmp_path / "ada")
    zipped = tmp_path / "ada.zip"
    with zipfile.ZipFile(zipped, "w") as archive:
        for path in folder.rglob("*"):
            archive.write(path, path.relative_to(folder))
    stage = await stage_on(zipped)
    player = stage.window.session.player
    assert player is not None
    assert stage.all("conversationsList")
    action = stage.window.inside.desk.actions.find("conversationRename")
    assert action is not None
    action.trigger()
    await until(lambda: bool(stage.all("conversationTitle")))
    field = stage.find("conversationTitle")
    QTest.keyClicks(field, "In a zip")
    QTest.keyClick(field, Qt.Key.Key_Return)
    await until(lambda: titles(stage) == ["In a zip"])

"""The library in a real window: found, searched, opened, forgotten, found again."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QFileDialog, QLabel, QLineEdit

from studio_qt.engine.places import default_data_folder
from studio_qt.settings import home_folder
from studio_qt.ui.library.page import LibraryPage
from studio_qt.ui.recents import Recents
from tests.authoring.test_cards import png
from tests.support.qt import until
from tests.support.window import Stage, write_package
from tests.ui.conftest import OpenStage
from tests.ui.incoming.parcels import FILES, packed

pytestmark = [pytest.mark.qt_loop, pytest.mark.clause("STU-00")]

PLAIN = {**FILES, "config.json": json.dumps({"name": "Kay"})}


def note(*places: Path) -> None:
    """Have places opened before, the first one last."""
    recents = Recents(home_folder())
    for hours, place in enumerate(places, 1):
        recents.note(place, datetime.now(UTC) - timedelta(hours=hours))


async def library(stage: Stage) -> LibraryPage:
    action = stage.window.inside.desk.actions.find("library")
    assert action is not None
    action.trigger()
    receiving = stage.window.pages.receiving
    await until(lambda: receiving.library is not None and receiving.library.isVisible())
    page = receiving.library
    assert page is not None
    await until(lambda: page.settled)
    return page


def names(page: LibraryPage) -> list[str]:
    return [row.facts.name for row in page.model.rows]


def shown(page: LibraryPage) -> str:
    labels = page.detail.findChildren(QLabel)
    return "\n".join(one.text() for one in labels if one.isVisible())


async def test_zips_and_projects_are_listed_with_what_is_known_of_them(
    stage_on: OpenStage, tmp_path: Path
) -> None:
    zipped = packed(tmp_path / "kay.zip", PLAIN, extra={"avatar.png": png()})
    data = default_data_folder(zipped)
    data.mkdir(parents=True)
    (data / "conversation_01.json").write_text("[]")
    ada = write_package(tmp_path / "ada")
    note(zipped, ada)
    page = await library(await stage_on(None))
    assert names(page) == ["Kay", "Ada Byron"]
    kay = page.model.rows[0]
    assert kay.picture is not None
    assert kay.facts.conversations == 1
    assert "Counts the tides." in shown(page)
    assert "1 conversation" in shown(page)
    assert page.model.data(page.model.index(0), Qt.ItemDataRole.AccessibleTextRole).startswith(  # type: ignore[attr-defined]
        "Kay, 1 conversation, today"
    )


async def test_it_is_searched_and_walked_with_the_keys_alone(
    stage_on: OpenStage, tmp_path: Path
) -> None:
    note(packed(tmp_path / "kay.zip", PLAIN), write_package(tmp_path / "ada"))
    stage = await stage_on(None)
    page = await library(stage)
    assert page.list.hasFocus()
    QTest.keyClick(page.list, Qt.Key.Key_Down)
    assert "Ada Byron" in shown(page)
    page.search.setFocus()
    QTest.keyClicks(page.search, "tides")
    assert names(page) == ["Kay"]
    QTest.keyClicks(page.search, "zzz")
    assert stage.all("libraryNothing")
    QTest.keyClick(page.search, Qt.Key.Key_Escape)
    assert names(page) == ["Kay", "Ada Byron"]
    QTest.keyClick(page.search, Qt.Key.Key_Down)
    assert page.list.hasFocus()
    page.list.setCurrentIndex(page.model.index(0))
    QTest.keyClick(page.list, Qt.Key.Key_Return)
    place = tmp_path / "kay.zip"
    await until(lambda: stage.window.session.place == place and stage.window.settled, 20)


async def test_tab_comes_to_every_button(stage_on: OpenStage, tmp_path: Path) -> None:
    note(packed(tmp_path / "kay.zip", PLAIN))
    page = await library(await stage_on(None))
    wanted = {one.objectName() for one in page.findChildren(QAbstractButton) if one.isVisible()}
    wanted -= {"librarySearchSearch", "librarySearchClear"}
    seen = set()
    for _ in range(20):
        focus = page.window().focusWidget()
        seen.add(focus.objectName())
        QTest.keyClick(focus, Qt.Key.Key_Tab)
    assert wanted <= seen


async def test_escape_goes_back_to_what_was_shown(stage_on: OpenStage, tmp_path: Path) -> None:
    stage = await stage_on(write_package(tmp_path / "ada"))
    page = await library(stage)
    assert stage.window.settled
    QTest.keyClick(page.list, Qt.Key.Key_Escape)
    assert stage.all("chatView")
    assert not page.isVisible()
    await library(stage)
    stage.click("libraryBack")
    assert stage.all("chatView")


async def test_a_zip_opens_in_the_studio_as_a_copy(stage_on: OpenStage, tmp_path: Path) -> None:
    note(packed(tmp_path / "kay.zip", PLAIN))
    stage = await stage_on(None)
    await library(stage)
    stage.click("libraryStudio")
    await until(lambda: bool(stage.all("importOpen")))
    field = stage.find("importPlace", QLineEdit)
    assert isinstance(field, QLineEdit)
    field.setText(str(tmp_path / "copy"))
    stage.click("importOpen")
    await until(lambda: stage.window.session.root == tmp_path / "copy", 20)
    await until(lambda: stage.window.settled, 20)


async def test_what_is_forgotten_is_left_alone_and_comes_back_by_undo(
    stage_on: OpenStage, tmp_path: Path
) -> None:
    zipped = packed(tmp_path / "kay.zip", PLAIN)
    note(zipped, write_package(tmp_path / "ada"))
    stage = await stage_on(None)
    page = await library(stage)
    QTest.keyClick(page.list, Qt.Key.Key_Delete)
    assert names(page) == ["Ada Byron"]
    assert zipped.exists()
    notice = stage.find("libraryNotice")
    button = notice.findChild(QAbstractButton, "noticeAction")
    assert button is not None
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    assert names(page) == ["Kay", "Ada Byron"]
    assert not notice.isVisible()


async def test_what_is_gone_says_so_and_is_found_with_its_conversations(
    stage_on: OpenStage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(QFileDialog, "open", lambda _self: None)  # the system's has no window here
    old, new = tmp_path / "kay.zip", tmp_path / "new" / "kay.zip"
    packed(old, PLAIN)
    data = default_data_folder(old)
    data.mkdir(parents=True)
    (data / "conversation_01.json").write_text("[]")
    new.parent.mkdir()
    old.replace(new)
    note(old)
    stage = await stage_on(None)
    page = await library(stage)
    assert "Not there any more" in shown(page)
    assert not stage.all("libraryOpen")
    stage.click("libraryFind")
    await until(lambda: bool(stage.window.findChildren(QFileDialog)))
    dialog = stage.window.findChildren(QFileDialog)[0]
    dialog.fileSelected.emit(str(new))
    dialog.close()
    await until(lambda: page.settled and names(page) == ["Kay"])
    assert "1 conversation" in shown(page)
    assert stage.all("libraryOpen")


async def test_what_is_open_already_is_only_shown(stage_on: OpenStage, tmp_path: Path) -> None:
    stage = await stage_on(write_package(tmp_path / "ada"))
    player = stage.window.session.player
    page = await library(stage)
    QTest.keyClick(page.list, Qt.Key.Key_Return)
    assert stage.all("chatView")
    assert stage.window.session.player is player


async def test_an_empty_library_says_what_to_do(stage_on: OpenStage) -> None:
    stage = await stage_on(None)
    stage.click("startLibrary")
    await until(lambda: bool(stage.all("libraryEmpty")))
    assert "Import a zip or a card" in stage.find("libraryEmpty").accessibleDescription()
    assert stage.all("libraryImport")


async def test_what_did_not_change_is_not_read_again(
    stage_on: OpenStage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from studio_qt.ui.library import page as module

    note(packed(tmp_path / "kay.zip", PLAIN))
    stage = await stage_on(None)
    page = await library(stage)
    read: list[Path] = []
    monkeypatch.setattr(module, "read_shelf", read.append)
    page.refresh()
    await until(lambda: page.settled)
    assert read == []

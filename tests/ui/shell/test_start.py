"""The page that stands in the window before a project is open."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QLabel, QLineEdit, QWidget

from studio_qt.settings import home_folder
from studio_qt.ui.recents import Recents
from studio_qt.ui.start.facts import read_project, read_templates, when_text
from studio_qt.ui.start.naming import folder_name, free_place, name_fault, place_fault
from studio_qt.ui.start.newsheet import NewSheet
from studio_qt.ui.start.page import StartPage
from studio_qt.ui.start.tiles import Clamped, ProjectTile, TemplateTile
from tests.support.qt import until
from tests.support.window import write_package
from tests.ui.shell.conftest import Bench

NOW = datetime(2026, 11, 14, 12, tzinfo=UTC)
qt_loop = pytest.mark.qt_loop


async def opened(bench: Bench, *projects: Path) -> StartPage:
    recents = Recents(home_folder(), bench.window)
    for hours, place in enumerate(projects):
        recents.note(place, datetime.now(UTC) - timedelta(hours=hours))
    page = StartPage(bench.desk, recents)
    bench.put(page)
    await until(lambda: page.settled and bool(page.findChildren(TemplateTile)))
    return page


def click(page: QWidget, name: str) -> None:
    button = page.window().findChild(QAbstractButton, name)
    assert button is not None
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)


def tiles(page: StartPage) -> list[ProjectTile]:
    return [tile for tile in page.findChildren(ProjectTile) if tile.isVisibleTo(page)]


async def sheet_of(page: StartPage) -> NewSheet:
    await until(lambda: page.window().findChild(NewSheet) is not None)
    sheet = page.window().findChild(NewSheet)
    assert sheet is not None
    await until(lambda: bool(sheet.place.text()))
    return sheet


@pytest.mark.clause("STU-00")
@qt_loop
async def test_a_recent_project_is_shown_with_what_it_holds(bench: Bench, tmp_path: Path) -> None:
    project = write_package(tmp_path / "ada", agents=["test.roller", "marcus.subagent.md"])
    (project / "conversations").mkdir()
    (project / "conversations" / "conversation_01.json").write_text("{}", encoding="utf-8")
    page = await opened(bench, project)
    (tile,) = tiles(page)
    assert tile.accessibleName().startswith("Ada Byron, today ")
    assert tile.accessibleDescription() == (
        "A countess who counts. 1 agent · 1 sub-agent · 1 conversation"
    )


@qt_loop
async def test_a_click_and_enter_open_a_recent_project(bench: Bench, tmp_path: Path) -> None:
    page = await opened(bench, write_package(tmp_path / "ada"))
    wanted: list[Path] = []
    page.open_wanted.connect(wanted.append)
    QTest.mouseClick(tiles(page)[0], Qt.MouseButton.LeftButton)
    QTest.keyClick(tiles(page)[0], Qt.Key.Key_Return)
    assert wanted == [tmp_path / "ada"] * 2


@qt_loop
async def test_a_project_that_is_gone_can_be_removed(bench: Bench, tmp_path: Path) -> None:
    page = await opened(bench, tmp_path / "gone", write_package(tmp_path / "ada"))
    await until(lambda: page.findChild(QWidget, "recentGone") is not None)
    click(page, "recentRemove")
    assert [one.path.name for one in page.recents.entries] == ["ada"]
    await until(lambda: page.settled)


@qt_loop
async def test_delete_takes_a_project_from_the_list_and_leaves_it(
    bench: Bench, tmp_path: Path
) -> None:
    page = await opened(bench, write_package(tmp_path / "ada"))
    QTest.keyClick(tiles(page)[0], Qt.Key.Key_Delete)
    assert page.recents.entries == ()
    assert (tmp_path / "ada" / "config.json").exists()
    assert page.findChild(QLabel, "startNone").isVisibleTo(page)
    await until(lambda: page.settled)


@qt_loop
async def test_a_broken_project_is_listed_with_the_reason(bench: Bench, tmp_path: Path) -> None:
    page = await opened(bench, write_package(tmp_path / "ada", {"config.json": "{"}))
    assert "config.json" in tiles(page)[0].accessibleDescription()


@qt_loop
async def test_more_projects_are_shown_when_asked_for(bench: Bench, tmp_path: Path) -> None:
    page = await opened(bench, *[write_package(tmp_path / f"ada{at}") for at in range(6)])
    assert len(tiles(page)) == 4
    click(page, "startAll")
    await until(lambda: page.settled)
    assert len(tiles(page)) == 6


@qt_loop
async def test_every_template_is_offered_the_blank_one_first(bench: Bench) -> None:
    page = await opened(bench)
    names = [tile.name for tile in page.findChildren(TemplateTile)]
    assert names[:2] == ["blank", "lantern-keeper"]
    assert set(names) == {facts.name for facts in read_templates()}


@qt_loop
async def test_a_new_character_is_made_from_a_template_and_opened(
    bench: Bench, tmp_path: Path
) -> None:
    page = await opened(bench)
    click(page, "template-confidant")
    sheet = await sheet_of(page)
    assert sheet.template.currentText() == "Confidant"
    QTest.keyClicks(sheet.name, "Salt & Co")
    await until(lambda: sheet.place.text().endswith("salt-co"))
    place = Path(sheet.place.text())
    wanted: list[Path] = []
    page.open_wanted.connect(wanted.append)
    QTest.keyClick(sheet.name, Qt.Key.Key_Return)
    await until(lambda: wanted == [place])
    config = json.loads((place / "config.json").read_text(encoding="utf-8"))
    assert config["name"] == "Salt & Co"
    assert (place / "agents" / "marcus.subagent.md").is_file()


@qt_loop
async def test_a_place_that_is_taken_is_refused_before_anything_is_made(
    bench: Bench, tmp_path: Path
) -> None:
    page = await opened(bench)
    QTest.keyClick(
        page.window(),
        Qt.Key.Key_N,
        Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier,
    )
    sheet = await sheet_of(page)
    taken = write_package(tmp_path / "ada")
    sheet.place.setFocus()
    sheet.place.selectAll()
    QTest.keyClicks(sheet.place, str(taken))
    await until(lambda: "already" in sheet.place.accessibleDescription())
    before = (taken / "config.json").read_bytes()
    click(page, "newCreate")
    await until(lambda: "new character" not in bench.desk.tasks.names)
    assert sheet.is_open
    assert (taken / "config.json").read_bytes() == before
    QTest.keyClick(sheet.place, Qt.Key.Key_Escape)
    assert not sheet.is_open


@qt_loop
async def test_a_place_that_was_written_is_kept_when_the_name_changes(
    bench: Bench, tmp_path: Path
) -> None:
    page = await opened(bench)
    page.ask_new()
    sheet = await sheet_of(page)
    sheet.place.selectAll()
    QTest.keyClicks(sheet.place, str(tmp_path / "mine"))
    QTest.keyClicks(sheet.name, "Other")
    await until(lambda: bench.desk.tasks.names == [])
    assert sheet.place.text() == str(tmp_path / "mine")
    sheet.reject()


@qt_loop
async def test_a_character_without_a_name_is_not_made(bench: Bench) -> None:
    page = await opened(bench)
    page.ask_new()
    sheet = await sheet_of(page)
    sheet.name.clear()
    click(page, "newCreate")
    assert sheet.name.accessibleDescription() == "Give the character a name."
    assert sheet.is_open
    sheet.reject()


@qt_loop
async def test_the_first_steps_lead_on(bench: Bench) -> None:
    page = await opened(bench)
    heard: list[object] = []
    page.sample_wanted.connect(lambda: heard.append("sample"))
    page.handbook_wanted.connect(heard.append)
    for step in ("stepPlay", "stepSecret", "startHandbook"):
        click(page, step)
    assert heard == ["sample", "sub-agents", "index"]
    click(page, "stepMake")
    sheet = await sheet_of(page)
    assert sheet.template.currentText() == "Lantern Keeper"
    sheet.reject()


@pytest.mark.parametrize("button", ["startFolder", "startZip"])
@qt_loop
async def test_buttons_ask_for_what_they_say(bench: Bench, button: str) -> None:
    page = await opened(bench)
    heard: list[str] = []
    page.folder_wanted.connect(lambda: heard.append("startFolder"))
    page.zip_wanted.connect(lambda: heard.append("startZip"))
    click(page, button)
    assert heard == [button]


def drop(page: StartPage, place: Path) -> bool:
    """Drop a path onto the page; returns whether it was taken."""
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(place))])
    how = (Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton)
    none = Qt.KeyboardModifier.NoModifier
    enter = QDragEnterEvent(QPoint(9, 9), *how, none)
    enter.ignore()
    page.dragEnterEvent(enter)
    if enter.isAccepted():
        page.dropEvent(QDropEvent(QPointF(9, 9), *how, none))
    return enter.isAccepted()


@qt_loop
async def test_a_folder_or_a_zip_that_is_dropped_is_opened(bench: Bench, tmp_path: Path) -> None:
    page = await opened(bench)
    wanted: list[Path] = []
    page.open_wanted.connect(wanted.append)
    for name in ("ada.zip", "notes.txt"):
        (tmp_path / name).write_bytes(b"")
    assert [drop(page, tmp_path / name) for name in (".", "ada.zip", "notes.txt")] == [
        True,
        True,
        False,
    ]
    assert wanted == [tmp_path, tmp_path / "ada.zip"]
    assert page.findChild(QWidget, "startVeil").isHidden()


@pytest.mark.parametrize(("width", "beside"), [(1600, True), (700, False)])
@qt_loop
async def test_the_side_goes_below_where_there_is_no_room(
    bench: Bench, width: int, beside: bool
) -> None:
    page = await opened(bench)
    side = QLineEdit()
    page.set_side(side)
    for size in (800, 1500, width):
        bench.window.resize(size, 700)
        await until(lambda size=size: page.width() == size)
    main = page.findChild(QWidget, "startScroll")
    await until(side.isVisible)
    assert main.isAncestorOf(side) is not beside
    assert side.mapTo(page, QPoint(0, 0)).x() > 900 or not beside


@pytest.mark.parametrize("width", [1600, 1080, 420])
@qt_loop
async def test_nothing_is_cut_at_any_width(bench: Bench, tmp_path: Path, width: int) -> None:
    bench.window.resize(width, 700)
    page = await opened(bench, write_package(tmp_path / "ada"))
    main = page.findChild(QWidget, "startScroll")
    await until(lambda: page.width() == width)
    inside = main.widget()
    await until(lambda: inside.width() <= main.viewport().width())
    for tile in page.findChildren(QAbstractButton):
        if tile.isVisible():
            assert tile.mapTo(page, QPoint(tile.width(), 0)).x() <= width
            assert tile.height() >= tile.minimumSizeHint().height() or tile.height() >= 20


@qt_loop
async def test_every_control_has_a_name(bench: Bench, tmp_path: Path) -> None:
    page = await opened(bench, write_package(tmp_path / "ada"))
    for control in page.findChildren(QAbstractButton):
        assert control.objectName()
        assert control.accessibleName()
    names = [tile.objectName() for tile in page.findChildren(TemplateTile)]
    assert len(set(names)) == len(names)


def test_when_is_told_as_people_say_it() -> None:
    hours = {0: "today 12:00", 20: "yesterday", 24 * 3: "Wednesday", 24 * 20: "25 Oct"}
    assert {ago: when_text(NOW - timedelta(hours=ago), NOW) for ago in hours} == hours
    assert when_text(datetime(2025, 1, 2, tzinfo=UTC), NOW) == "2 Jan 2025"
    assert when_text(NOW + timedelta(hours=1), NOW) == "today 13:00"


def test_a_project_that_is_nowhere_is_told_apart(tmp_path: Path) -> None:
    facts = read_project(tmp_path / "ada.zip")
    assert not facts.there
    assert facts.description.startswith("The zip ")


@pytest.mark.parametrize(
    ("name", "folder"),
    [
        ("Ada Byron", "ada-byron"),
        ("  ../../etc  ", "etc"),
        ("CON", "con-character"),
        ("???", "character"),
        ("日本 語", "日本-語"),
        ("x" * 200, "x" * 60),
    ],
)
def test_folders_have_names_that_every_system_takes(name: str, folder: str) -> None:
    assert folder_name(name) == folder


def test_a_place_that_is_taken_is_numbered(tmp_path: Path) -> None:
    (tmp_path / "ada").mkdir()
    (tmp_path / "ada-2").mkdir()
    assert free_place(tmp_path, "Ada") == tmp_path / "ada-3"


def test_faults_of_names_and_places_are_sentences(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    full = write_package(tmp_path / "ada")
    places = ("", "ada", "~nosuchuser/x", str(tmp_path / "file"), str(tmp_path / "file" / "x"))
    for text in (*places, str(full), str(tmp_path), "/" + "x" * 300, "\0"):
        assert place_fault(text).endswith("."), text
    (tmp_path / "empty").mkdir()
    assert place_fault(str(tmp_path / "empty")) == place_fault(str(tmp_path / "a" / "b")) == ""
    assert name_fault(" ").endswith(".")
    assert name_fault("x" * 81).endswith(".")
    assert name_fault("Ada") == ""


@qt_loop
async def test_a_long_text_ends_in_an_ellipsis_and_is_read_out_whole(bench: Bench) -> None:
    words = Clamped(bench.desk.theme, 2)
    bench.put(words)
    words.set_text("word " * 500)
    words.grab()
    assert words.accessibleName() == "word " * 500
    assert words.sizeHint().height() < 60


@qt_loop
async def test_tab_and_arrows_go_down_the_page(bench: Bench, tmp_path: Path) -> None:
    page = await opened(bench, write_package(tmp_path / "ada"))
    page.findChild(QAbstractButton, "startNew").setFocus()
    seen = []
    keys = Qt.Key
    for key in (*[keys.Key_Tab] * 4, keys.Key_Right, keys.Key_Down):
        QTest.keyClick(page.focusWidget(), key)
        seen.append(page.focusWidget().objectName())
    expected = ["startFolder", "startZip", "startLibrary", "recentProject", "template-blank"]
    assert seen == [*expected, "template-lantern-keeper"]


@qt_loop
async def test_the_latest_project_has_the_focus_and_keeps_it(bench: Bench, tmp_path: Path) -> None:
    page = await opened(bench, write_package(tmp_path / "ada"), write_package(tmp_path / "bob"))
    assert page.focusWidget() is tiles(page)[0]
    page.recents.note(tmp_path / "bob")
    assert tiles(page)[0].hasFocus() is False
    assert page.focusWidget().toolTip() == str(tmp_path / "ada")
    await until(lambda: page.settled)


@qt_loop
async def test_a_broken_list_of_projects_is_told(bench: Bench) -> None:
    (home_folder() / "recents.json").write_text("{", encoding="utf-8")
    page = StartPage(bench.desk)
    bench.put(page)
    await until(lambda: page.settled)
    assert "cannot be read" in page.findChild(QLabel, "startNone").text()


@qt_loop
async def test_a_template_that_is_clicked_twice_asks_once(bench: Bench) -> None:
    page = await opened(bench)
    for _ in range(2):
        click(page, "template-blank")
    sheet = await sheet_of(page)
    await until(lambda: bench.desk.tasks.names == [])
    assert len(page.window().findChildren(NewSheet)) == 1
    sheet.reject()

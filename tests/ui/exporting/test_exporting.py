"""The export sheet in a window: what it shows, the work with its steps, and what goes wrong."""

from __future__ import annotations

import json
import zipfile
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from PySide6.QtCore import QCoreApplication, QEvent, Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QLineEdit, QMainWindow, QPushButton, QWidget

from studio_qt.authoring.cards.card import read_card
from studio_qt.resources import copy_resources
from studio_qt.ui.actions import Actions
from studio_qt.ui.desk import Desk
from studio_qt.ui.documents.documents import Documents
from studio_qt.ui.exporting.page import Exporting
from studio_qt.ui.exporting.sheet import ExportSheet
from studio_qt.ui.preferences import Preferences
from studio_qt.ui.tasks import Tasks
from studio_qt.ui.theme.theme import Theme
from tests.support.qt import until

pytestmark = [pytest.mark.qt_loop, pytest.mark.clause("STU-11")]


class ExportBench:
    """The sheet over a window on a copy of a template, and what a user does with it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        copy_resources("templates/confidant", root)
        self.window = QMainWindow()
        self.window.resize(1100, 900)
        theme = Theme("dark", self.window)
        theme.apply()
        self.tasks = Tasks(self.window)
        self.desk = Desk(theme, self.tasks, Actions(self.window), Preferences(None))
        self.documents = Documents(self.tasks, self.window)
        self.exporting = Exporting(self.desk, self.documents, self.window)
        self.opened: list[tuple[str, int]] = []
        self.notices: list[str] = []
        self.exporting.open_wanted.connect(lambda *where: self.opened.append(where))
        self.exporting.notice.connect(lambda text, _kind: self.notices.append(text))

    @property
    def sheet(self) -> ExportSheet:
        assert self.exporting.sheet is not None
        return self.exporting.sheet

    async def open(self) -> None:
        self.window.show()
        await self.documents.set_project(self.root)
        action = self.desk.actions.find("exportAction")
        assert action is not None
        action.trigger()
        await until(lambda: self.exporting.sheet is not None and self.sheet.is_open)

    async def run(self, place: Path) -> None:
        field = self.find("exportPath")
        assert isinstance(field, QLineEdit)
        field.setText(str(place))
        self.click("exportRun")
        await until(lambda: not self.tasks.names, 30)

    def find(self, name: str) -> QWidget:
        found = self.sheet.findChild(QWidget, name)
        assert isinstance(found, QWidget), name
        return found

    def click(self, name: str) -> None:
        QTest.mouseClick(self.find(name), Qt.MouseButton.LeftButton)

    def shown(self) -> str:
        labels = (one for one in self.sheet.findChildren(QLabel) if one.isVisible())
        return "\n".join(one.text() for one in labels)


@pytest_asyncio.fixture
async def bench(tmp_path: Path) -> AsyncIterator[ExportBench]:
    bench = ExportBench(tmp_path / "inn")
    yield bench
    await bench.tasks.close()
    await bench.documents.shutdown()
    for timer in bench.window.findChildren(QTimer):
        timer.stop()
    bench.window.close()
    bench.window.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)


async def test_a_click_packs_the_character_and_tells_that_it_plays(
    bench: ExportBench, tmp_path: Path
) -> None:
    (bench.root / "conversations").mkdir()
    (bench.root / "conversations/conversation_01.json").write_text("{}")
    await bench.open()
    shown = bench.shown()
    assert "marcus" in shown
    assert "memory-store" in shown
    assert "1 conversation with stores and journals" in shown
    version = bench.find("exportVersion")
    assert isinstance(version, QLineEdit)
    version.setText("2.0")
    place = tmp_path / "inn.zip"
    await bench.run(place)
    assert "inn.zip is there" in bench.shown()
    assert "Loaded the zip and played one turn" in bench.shown()
    with zipfile.ZipFile(place) as packed:
        assert json.loads(packed.read("config.json"))["version"] == "2.0"
        assert not [name for name in packed.namelist() if "conversation" in name]
    assert bench.sheet.is_open


async def test_unsaved_text_is_what_is_packed(bench: ExportBench, tmp_path: Path) -> None:
    await bench.documents.set_project(bench.root)
    document = await bench.documents.open("intro.txt")
    document.text.setPlainText("Typed, not saved.")
    await bench.open()
    await bench.run(tmp_path / "inn.zip")
    with zipfile.ZipFile(tmp_path / "inn.zip") as packed:
        assert packed.read("intro.txt") == b"Typed, not saved."
    assert document.modified


async def test_a_project_with_an_error_is_not_packed_and_its_place_is_shown(
    bench: ExportBench,
) -> None:
    (bench.root / "agents/marcus.subagent.md").write_text("nothing")
    await bench.open()
    button = bench.find("exportRun")
    assert isinstance(button, QPushButton)
    assert not button.isEnabled()
    assert "Mend this first: agents/marcus.subagent.md, line 1" in bench.shown()
    bench.click("exportProblem")
    assert bench.opened == [("agents/marcus.subagent.md", 1)]
    assert not bench.sheet.is_open


@pytest.mark.parametrize(
    ("place", "why"),
    [
        ("", "Name a file"),
        ("/", "Name a file"),
        ("x.zip", "whole path"),
        ("~nobody-of-this-name/x.zip", "whole path"),
        ("{root}/a.zip", "outside of the project"),
        ("{root}/../inn/a.zip", "outside of the project"),
        ("{root}-link/a.zip", "outside of the project"),
    ],
)
async def test_a_place_that_cannot_be_is_refused_beside_the_field(
    bench: ExportBench, place: str, why: str
) -> None:
    Path(f"{bench.root}-link").symlink_to(bench.root)
    await bench.open()
    field = bench.find("exportPath")
    assert isinstance(field, QLineEdit)
    field.setText(place.format(root=bench.root))
    bench.click("exportRun")
    await until(lambda: not bench.tasks.names)
    assert why in bench.shown()
    assert field.isEnabled()
    await bench.run(bench.root.parent / "good.zip")
    assert "good.zip is there" in bench.shown()


async def test_nothing_is_written_over_what_somebody_wrote(
    bench: ExportBench, tmp_path: Path
) -> None:
    notes = tmp_path / "notes.zip"
    notes.write_text("Mine.")
    await bench.open()
    await bench.run(notes)
    assert "holds no character" in bench.shown()
    assert notes.read_text() == "Mine."
    for _ in range(2):
        await bench.run(tmp_path / "good.zip")
        assert "good.zip is there" in bench.shown()


async def test_after_something_that_nobody_thought_of_it_can_be_tried_again(
    bench: ExportBench, tmp_path: Path
) -> None:
    async def fail(_source: object) -> None:
        raise RuntimeError("odd")

    await bench.open()
    bench.exporting.before_run = fail
    await bench.run(tmp_path / "inn.zip")
    assert bench.notices
    assert bench.find("exportRun").isEnabled()
    bench.exporting.before_run = None
    await bench.run(tmp_path / "inn.zip")
    assert "inn.zip is there" in bench.shown()


async def test_escape_stops_the_work_first_and_nothing_is_written(
    bench: ExportBench, tmp_path: Path
) -> None:
    await bench.open()
    place = tmp_path / "inn.zip"
    field = bench.find("exportPath")
    assert isinstance(field, QLineEdit)
    field.setText(str(place))
    bench.click("exportRun")
    await until(lambda: not field.isEnabled())
    QTest.keyClick(bench.sheet, Qt.Key.Key_Escape)
    await until(lambda: not bench.tasks.names)
    assert bench.sheet.is_open
    assert "Stopped. Nothing was written." in bench.shown()
    assert not place.exists()
    QTest.keyClick(bench.sheet, Qt.Key.Key_Escape)
    assert not bench.sheet.is_open


async def test_a_large_file_that_nobody_reads_can_be_left_out(
    bench: ExportBench, tmp_path: Path
) -> None:
    (bench.root / "context/.log.txt").write_text("x" * 80_000)
    await bench.open()
    assert ".log.txt is 78 KB and no agent reads it" in bench.shown()
    bench.click("exportLeaveOut")
    await until(lambda: ".log.txt is" not in bench.shown())
    await bench.run(tmp_path / "inn.zip")
    with zipfile.ZipFile(tmp_path / "inn.zip") as packed:
        assert "context/.log.txt" not in packed.namelist()


async def test_without_a_project_it_says_what_to_do(bench: ExportBench) -> None:
    bench.exporting.open()
    await until(lambda: bool(bench.notices))
    assert "Open a project folder first" in bench.notices[0]


@pytest.mark.parametrize(
    ("kind", "ending"),
    [("exportKindV3", ".png"), ("exportKindV2", ".png"), ("exportKindCharx", ".charx")],
)
async def test_a_card_is_written_in_its_form_and_what_it_cannot_carry_is_named(
    bench: ExportBench, tmp_path: Path, kind: str, ending: str
) -> None:
    await bench.open()
    field = bench.find("exportPath")
    assert isinstance(field, QLineEdit)
    field.setText(str(tmp_path / "inn.zip"))
    bench.click(kind)
    await until(lambda: "Sub-agents stay behind: inn.marcus." in bench.shown())
    assert field.text() == str(tmp_path / f"inn{ending}")
    bench.click("exportRun")
    await until(lambda: f"inn{ending} is there" in bench.shown())
    assert read_card((tmp_path / f"inn{ending}").read_bytes(), "inn").name == "The Salt Inn"
    bench.click("exportKindPackage")
    await until(lambda: field.text() == str(tmp_path / "inn.zip"))

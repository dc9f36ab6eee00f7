"""The search page, with real keys and clicks."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from PySide6.QtCore import QCoreApplication, QEvent, Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QLabel, QLineEdit, QMainWindow, QTreeView

from studio_qt.ui.actions import Actions
from studio_qt.ui.desk import Desk
from studio_qt.ui.documents.documents import Documents
from studio_qt.ui.preferences import Preferences
from studio_qt.ui.search.page import SearchPage
from studio_qt.ui.tasks import Tasks
from studio_qt.ui.theme.theme import Theme
from tests.support.qt import until

pytestmark = pytest.mark.qt_loop


class Bench:
    """The page on a small project."""

    def __init__(self, root: Path) -> None:
        self.window = QMainWindow()
        self.window.setMinimumSize(240, 300)
        self.window.resize(320, 700)
        theme = Theme("dark", self.window)
        theme.apply()
        self.tasks = Tasks(self.window)
        self.desk = Desk(theme, self.tasks, Actions(self.window), Preferences(None))
        self.documents = Documents(self.tasks, self.window)
        self.page = SearchPage(self.desk, self.documents)
        self.root = root
        self.opened: list[tuple[str, int, int]] = []
        self.notices: list[str] = []
        self.page.open_wanted.connect(lambda *place: self.opened.append(place))
        self.page.notice.connect(lambda text, _kind: self.notices.append(text))
        self.window.setCentralWidget(self.page)

    async def open(self) -> Bench:
        for path, text in {
            "intro.txt": "A rope.\nTwo ropes.",
            "context/lamp.txt": "The lamp and the rope.",
            "notes.md": "Nothing.",
        }.items():
            (self.root / path).parent.mkdir(parents=True, exist_ok=True)
            (self.root / path).write_text(text)
        self.window.show()
        await self.documents.set_project(self.root)
        self.page.show_project(self.root)
        return self

    async def close(self) -> None:
        await self.documents.shutdown()
        await self.tasks.close()
        for timer in self.window.findChildren(QTimer):
            timer.stop()
        self.window.close()
        self.window.deleteLater()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)

    async def settled(self) -> None:
        await asyncio.sleep(0)
        await until(lambda: self.page.settled and not self.tasks.names)

    async def search(self, text: str, field: str = "searchField") -> None:
        found = self.window.findChild(QLineEdit, field)
        found.selectAll()
        QTest.keyClicks(found, text)
        QTest.keyClick(found, Qt.Key.Key_Return)
        await self.settled()

    def press(self, name: str) -> None:
        button = self.window.findChild(QAbstractButton, name)
        assert button.isEnabled()
        QTest.mouseClick(button, Qt.MouseButton.LeftButton)

    @property
    def view(self) -> QTreeView:
        return self.window.findChild(QTreeView, "searchResults")

    @property
    def status(self) -> str:
        return self.window.findChild(QLabel, "searchStatus").text()

    def rows(self) -> list[str]:
        model = self.view.model()
        return [model.index(row, 0).data() for row in range(model.rowCount())]

    def click(self, row: int, line: int | None = None, x: int = 60) -> None:
        model = self.view.model()
        index = model.index(row, 0)
        if line is not None:
            index = model.index(line, 0, index)
        place = self.view.visualRect(index).center()
        place.setX(x)
        held = Qt.KeyboardModifier.NoModifier
        QTest.mouseClick(self.view.viewport(), Qt.MouseButton.LeftButton, held, place)


@pytest_asyncio.fixture
async def bench(tmp_path: Path) -> AsyncIterator[Bench]:
    made = await Bench(tmp_path / "ada").open()
    yield made
    await made.close()


async def test_results_are_grouped_by_file_and_counted(bench: Bench) -> None:
    await bench.search("rope")
    assert bench.rows() == ["intro.txt", "context/lamp.txt"]
    assert bench.status == "3 results in 2 files."
    assert bench.view.isExpanded(bench.view.model().index(0, 0))


async def test_typing_alone_searches_after_a_pause(bench: Bench) -> None:
    QTest.keyClicks(bench.window.findChild(QLineEdit, "searchField"), "lamp")
    await until(lambda: bench.rows() == ["context/lamp.txt"])
    await bench.settled()


async def test_a_click_opens_at_line_and_column(bench: Bench) -> None:
    await bench.search("rope")
    bench.click(0, 1)
    assert bench.opened == [("intro.txt", 2, 5)]


async def test_enter_and_f4_go_through_the_matches(bench: Bench) -> None:
    await bench.search("rope")
    QTest.keyClick(bench.window.findChild(QLineEdit, "searchField"), Qt.Key.Key_Down)
    QTest.keyClick(bench.view, Qt.Key.Key_Down)
    QTest.keyClick(bench.view, Qt.Key.Key_Return)
    bench.desk.actions.find("nextResult").trigger()
    bench.desk.actions.find("nextResult").trigger()
    bench.desk.actions.find("previousResult").trigger()
    assert [place[:2] for place in bench.opened] == [
        ("intro.txt", 1),
        ("intro.txt", 2),
        ("context/lamp.txt", 1),
        ("intro.txt", 2),
    ]


async def test_options_search_again_at_once(bench: Bench) -> None:
    await bench.search("ROPE")
    bench.press("searchCase")
    await bench.settled()
    assert bench.status == "No results."
    bench.press("searchCase")
    bench.press("searchWord")
    await bench.settled()
    assert bench.status == "2 results in 2 files."
    await bench.search("context", "searchInclude")
    assert bench.rows() == ["context/lamp.txt"]


@pytest.mark.clause("STU-01")
async def test_unsaved_text_is_what_is_found(bench: Bench) -> None:
    document = await bench.documents.open("notes.md")
    document.text.setPlainText("A rope, not saved.")
    await bench.search("rope")
    assert bench.rows()[0] == "notes.md"


async def test_a_bad_expression_is_told_in_its_place(bench: Bench) -> None:
    bench.press("searchExpression")
    await bench.search("(rope")
    assert "cannot be read" in bench.status
    await bench.search("(rope)")
    assert bench.status == "3 results in 2 files."


async def test_a_search_can_be_cancelled_and_the_window_goes_on(bench: Bench) -> None:
    (bench.root / "intro.txt").write_text("a" * 60 + "!")
    bench.press("searchExpression")
    field = bench.window.findChild(QLineEdit, "searchField")
    QTest.keyClicks(field, "(a|aa)+$")
    QTest.keyClick(field, Qt.Key.Key_Return)
    cancel = bench.window.findChild(QAbstractButton, "searchCancel")
    await until(cancel.isVisible)
    bench.press("searchCancel")
    assert bench.status.startswith("Cancelled.")
    assert bench.page.settled
    bench.press("searchExpression")
    await bench.search("lamp")
    assert bench.rows() == ["context/lamp.txt"]


async def _replacing(bench: Bench, text: str, new: str) -> None:
    bench.press("searchReplace")
    await bench.search(new, "searchReplacement")
    await bench.search(text)


async def test_replacing_shows_before_and_after_and_writes_checked_files(bench: Bench) -> None:
    await _replacing(bench, "rope", "cord")
    model = bench.view.model()
    line = model.index(0, 0, model.index(0, 0)).data(Qt.ItemDataRole.AccessibleTextRole)
    assert line == "Line 1: A rope., becomes A cord."
    bench.click(1, x=36)
    assert model.index(1, 0).data(Qt.ItemDataRole.CheckStateRole) == Qt.CheckState.Unchecked
    bench.press("searchReplaceAll")
    await bench.settled()
    assert (bench.root / "intro.txt").read_text() == "A cord.\nTwo cords."
    assert (bench.root / "context/lamp.txt").read_text() == "The lamp and the rope."
    assert bench.notices == ["2 matches replaced in 1 file."]
    assert bench.rows() == ["context/lamp.txt"]


async def test_open_documents_are_changed_in_their_text_as_one_step(bench: Bench) -> None:
    document = await bench.documents.open("intro.txt")
    document.text.setPlainText("rope \U0001f6a2 rope\nrope")
    await _replacing(bench, "rope", "cord")
    bench.press("searchReplaceAll")
    await bench.settled()
    assert document.plain == "cord \U0001f6a2 cord\ncord"
    assert document.modified
    assert (bench.root / "intro.txt").read_text() == "A rope.\nTwo ropes."
    document.text.undo()
    assert document.plain == "rope \U0001f6a2 rope\nrope"


async def test_a_replaced_file_has_its_earlier_version_kept(bench: Bench) -> None:
    await _replacing(bench, "lamp", "light")
    bench.press("searchReplaceAll")
    await bench.settled()
    assert (bench.root / "context/lamp.txt").read_text() == "The light and the rope."
    (version,) = bench.documents.history.versions("context/lamp.txt")
    assert await bench.documents.history.text(version) == "The lamp and the rope."


async def test_space_takes_a_file_out_of_what_is_replaced(bench: Bench) -> None:
    await _replacing(bench, "rope", "cord")
    bench.view.setFocus()
    bench.view.setCurrentIndex(bench.view.model().index(0, 0))
    QTest.keyClick(bench.view, Qt.Key.Key_Space)
    bench.press("searchReplaceAll")
    await bench.settled()
    assert (bench.root / "intro.txt").read_text() == "A rope.\nTwo ropes."
    assert (bench.root / "context/lamp.txt").read_text() == "The lamp and the cord."


async def test_a_file_that_changed_meanwhile_is_told_and_left(bench: Bench) -> None:
    await _replacing(bench, "rope", "cord")
    (bench.root / "intro.txt").write_text("Another rope.")
    bench.press("searchReplaceAll")
    await bench.settled()
    assert (bench.root / "intro.txt").read_text() == "Another rope."
    assert "intro.txt has changed" in bench.notices[0]


async def test_another_project_has_no_old_results(bench: Bench) -> None:
    await bench.search("rope")
    bench.page.show_project(None)
    assert bench.rows() == []
    assert bench.window.findChild(object, "searchEmpty").isVisible()

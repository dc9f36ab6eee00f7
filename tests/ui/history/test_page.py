"""The list of earlier versions as it is used."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import datetime
from pathlib import Path

import pytest
import pytest_asyncio
from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QLabel, QListWidget, QMainWindow

from studio_qt.ui.actions import Actions
from studio_qt.ui.desk import Desk
from studio_qt.ui.documents.documents import Documents
from studio_qt.ui.history.page import HistoryPage
from studio_qt.ui.history.rows import size_words, time_words
from studio_qt.ui.preferences import Preferences
from studio_qt.ui.tasks import Tasks
from studio_qt.ui.theme.theme import Theme
from tests.support.qt import signal, until
from tests.ui.documents.conftest import type_at


class Bench:
    """A shown list over a project with one file."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.window = QMainWindow()
        self.window.setMinimumSize(300, 300)
        self.window.resize(360, 500)
        theme = Theme("dark", self.window)
        theme.apply()
        actions, preferences = Actions(self.window), Preferences(None, self.window)
        self.desk = Desk(theme, Tasks(self.window), actions, preferences)
        self.documents = Documents(self.desk.tasks, self.window)
        self.page = HistoryPage(self.desk, self.documents)
        self.window.setCentralWidget(self.page)
        self.window.show()

    async def saved(self, *texts: str) -> None:
        """Open a.txt and save it with each of the texts put before what it has."""
        document = await self.documents.open("a.txt")
        for text in texts:
            type_at(document, text)
            await self.documents.save(document)

    @property
    def list(self) -> QListWidget:
        found = self.page.findChild(QListWidget, "historyList")
        assert found is not None
        return found

    def button(self, name: str) -> QAbstractButton:
        found = self.page.findChild(QAbstractButton, name)
        assert found is not None
        return found

    def click(self, name: str) -> None:
        QTest.mouseClick(self.button(name), Qt.MouseButton.LeftButton)


@pytest_asyncio.fixture
async def bench(tmp_path: Path) -> AsyncIterator[Bench]:
    root = tmp_path / "project"
    root.mkdir()
    (root / "a.txt").write_bytes(b"one\n")
    made = Bench(root)
    await made.documents.set_project(root)
    yield made
    await made.documents.shutdown()
    await made.desk.tasks.close()
    made.window.close()
    made.window.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)


@pytest.mark.qt_loop
async def test_without_versions_it_says_what_to_do(bench: Bench) -> None:
    bench.page.show_path("a.txt")
    assert bench.page.versions == []
    assert not bench.list.isVisible()
    texts = [one.text() for one in bench.page.findChildren(QLabel) if one.isVisible()]
    assert "There are no earlier versions yet" in texts
    assert "Earlier versions of a.txt" in texts


@pytest.mark.qt_loop
async def test_a_save_adds_a_row_and_the_chosen_one_stays_chosen(bench: Bench) -> None:
    bench.page.show_path("a.txt")
    await bench.saved("two\n")
    assert [version.size for version in bench.page.versions] == [4]
    chosen = bench.page.versions[0]
    await bench.saved("three\n")
    assert len(bench.page.versions) == 2
    assert bench.list.currentItem().data(Qt.ItemDataRole.UserRole) == chosen
    read_out = bench.list.item(0).data(Qt.ItemDataRole.AccessibleTextRole)
    assert "Today" in read_out
    assert "Replaced by a save" in read_out
    bench.page.grab()


@pytest.mark.qt_loop
async def test_enter_compares_a_version_with_what_is_unsaved_now(bench: Bench) -> None:
    await bench.saved("two\n")
    document = await bench.documents.open("a.txt")
    type_at(document, "unsaved\n")
    bench.page.show_path("a.txt")
    bench.page.focus()
    wanted = signal(bench.page.compare_wanted)
    QTest.keyClick(bench.list, Qt.Key.Key_Return)
    title, left_title, left, right_title, right = await wanted
    assert title == "a.txt"
    assert left_title.startswith("Until today, ")
    assert (left, right) == ("one\n", "unsaved\ntwo\none\n")
    assert right_title == "Now, not saved"


@pytest.mark.qt_loop
async def test_restore_takes_the_text_into_the_editor_and_undo_takes_it_back(bench: Bench) -> None:
    await bench.saved("two\n")
    document = await bench.documents.open("a.txt")
    bench.page.show_path("a.txt")
    restored = signal(bench.page.restored)
    bench.click("historyRestore")
    assert await restored == ("a.txt",)
    assert (document.plain, document.state) == ("one\n", "modified")
    assert (bench.root / "a.txt").read_bytes() == b"two\none\n"
    document.text.undo()
    assert document.plain == "two\none\n"


@pytest.mark.qt_loop
async def test_a_removed_file_is_made_again_from_a_version(bench: Bench) -> None:
    await bench.documents.remember("a.txt")
    (bench.root / "a.txt").unlink()
    bench.page.show_path("a.txt")
    wanted = signal(bench.page.compare_wanted)
    bench.click("historyCompare")
    assert (await wanted)[2:] == ("one\n", "There is no such text now", "")
    restored = signal(bench.page.restored)
    bench.click("historyRestore")
    await restored
    assert (bench.root / "a.txt").read_bytes() == b"one\n"
    assert [document.path for document in bench.documents.documents] == ["a.txt"]


@pytest.mark.qt_loop
async def test_a_version_that_is_not_readable_is_told(bench: Bench) -> None:
    await bench.saved("two\n")
    bench.page.show_path("a.txt")
    for place in (bench.root.parent.with_name(f"{bench.root.parent.name}-home")).rglob("*.z"):
        place.unlink()
    told = signal(bench.page.notice)
    bench.click("historyRestore")
    text, tone = await told
    assert tone == "error"
    assert "not readable" in text
    await until(lambda: bench.desk.tasks.names == [])


@pytest.mark.parametrize(
    ("then", "words"),
    [
        ((2026, 11, 30, 21, 43, 5), "Today, 21:43:05"),
        ((2026, 11, 29, 23, 59, 0), "Yesterday, 23:59:00"),
        ((2026, 11, 3, 8, 0, 0), "3 November, 08:00:00"),
        ((2025, 12, 31, 8, 0, 0), "31 December 2025, 08:00:00"),
    ],
)
def test_times_are_told_as_people_say_them(then: tuple[int, ...], words: str) -> None:
    now = datetime(2026, 11, 30, 22, 0).timestamp()
    assert time_words(datetime(*then).timestamp(), now) == words  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("size", "words"),
    [(1, "1 byte"), (0, "0 bytes"), (999, "999 bytes"), (2048, "2.0 KB"), (3 << 20, "3.0 MB")],
)
def test_sizes_are_told_as_people_say_them(size: int, words: str) -> None:
    assert size_words(size) == words

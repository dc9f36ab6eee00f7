"""A project page in a shown window, on a copy of a small project."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from pathlib import Path

import pytest_asyncio
from PySide6.QtCore import QCoreApplication, QEvent, QPoint, Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QLineEdit, QMainWindow, QWidget

from studio_qt.ui.actions import Actions
from studio_qt.ui.desk import Desk
from studio_qt.ui.documents.documents import Documents
from studio_qt.ui.preferences import Preferences
from studio_qt.ui.project.items import Item
from studio_qt.ui.project.namefield import NameField
from studio_qt.ui.project.page import ProjectPage
from studio_qt.ui.tasks import Tasks
from studio_qt.ui.theme.theme import Theme
from tests.support.qt import until

FILES = {
    "config.json": '{\n  "name": "Ada",\n  "agents": ["ada.dice"]\n}\n',
    "instructions.txt": "Be Ada.",
    "intro.txt": "Hello.",
    "context/lamp.txt": "word " * 800,
    "context/.secret.json": "{}",
    "agents/ada.dice.js": "/** @agent ada.dice */\n",
    "agents/marcus.subagent.md": "---\ndescription: x\n---\nBe Marcus.\n",
    "ada.dice.agent.json": "{}",
    "notes/plan.md": "# Plan",
    "conversations/conversation_01.json": "{}",
    ".git/HEAD": "x",
}


def write(root: Path, files: dict[str, str] | None = None) -> Path:
    """Write a project."""
    for path, text in (FILES if files is None else files).items():
        place = root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
    return root


class Bin:
    """A trash that keeps what it is given, or fails."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.fails = ""
        self.paths: list[str] = []

    def __call__(self, root: Path, path: str) -> None:
        from studio_qt.errors import StorageError

        if self.fails:
            raise StorageError(self.fails)
        self.folder.mkdir(exist_ok=True)
        (root / path).rename(self.folder / f"{len(self.paths)}")
        self.paths.append(path)


class Bench:
    """The page, and what a user does with it."""

    def __init__(self, root: Path, bin_: Bin) -> None:
        self.window = QMainWindow()
        self.window.setMinimumSize(240, 300)
        theme = Theme("dark", self.window)
        theme.apply()
        self.tasks = Tasks(self.window)
        self.errors: list[Exception] = []
        self.tasks.failed.connect(self.errors.append)
        self.desk = Desk(theme, self.tasks, Actions(self.window), Preferences(None))
        self.documents = Documents(self.tasks, self.window)
        self.page = ProjectPage(self.desk, self.documents, trash=bin_)
        self.root, self.trash = root, bin_
        self.opened: list[str] = []
        self.moved: list[tuple[str, str]] = []
        self.removed: list[str] = []
        self.notices: list[str] = []
        self.page.open_wanted.connect(self.opened.append)
        self.page.moved.connect(lambda *pair: self.moved.append(pair))
        self.page.removed.connect(self.removed.append)
        self.page.notice.connect(lambda text, _kind: self.notices.append(text))
        self.window.setCentralWidget(self.page)
        self.window.resize(300, 800)

    async def open(self) -> Bench:
        self.window.show()
        await self.documents.set_project(self.root)
        self.page.show_project(self.root, "Ada")
        await self.settled()
        return self

    async def settled(self) -> None:
        """Wait until nothing is under way, once the loop has come round."""
        await asyncio.sleep(0)
        await until(lambda: not self._busy(), 10)

    def _busy(self) -> bool:
        return bool(self.tasks.names) or not self.page.settled

    async def close(self) -> None:
        await self.documents.shutdown()
        await self.tasks.close()
        for timer in self.window.findChildren(QTimer):
            timer.stop()
        self.window.close()
        self.window.deleteLater()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
        assert self.errors == []

    # Seeing

    def item(self, key: str) -> Item:
        item = self.page.tree.model().item(self.page.tree.model().index_of(key))
        assert item is not None, f"there is no row {key}"
        return item

    def has(self, key: str) -> bool:
        return self.page.tree.model().index_of(key).isValid()

    def names(self, key: str = "") -> list[str]:
        return self.page.tree.model().names_below(key)

    def disk(self) -> set[str]:
        return {
            path.relative_to(self.root).as_posix()
            for path in self.root.rglob("*")
            if path.is_file()
        }

    def find(self, name: str) -> QWidget:
        found = self.window.findChild(QWidget, name)
        assert found is not None, f"there is no {name}"
        return found

    @property
    def field(self) -> NameField:
        found = [one for one in self.page.tree.findChildren(NameField) if one.isVisible()]
        assert found, "no name is being typed"
        return found[-1]

    # Doing

    def place(self, key: str) -> QPoint:
        tree = self.page.tree
        index = tree.model().index_of(key)
        tree.scrollTo(index)
        rect = tree.visualRect(index)
        assert not rect.isEmpty(), f"{key} is not shown"
        return QPoint(90, rect.center().y())

    def click(self, key: str, held: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
        QTest.mouseClick(
            self.page.tree.viewport(), Qt.MouseButton.LeftButton, held, self.place(key)
        )

    def choose(self, key: str) -> None:
        self.page.tree.setFocus()
        self.page.tree.setCurrentIndex(self.page.tree.model().index_of(key))

    def press(
        self, key: Qt.Key, held: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier
    ) -> None:
        QTest.keyClick(self.page.tree, key, held)

    async def run(self, action: str) -> None:
        found = self.desk.actions.find(action)
        assert found is not None
        found.trigger()
        await self.settled()

    async def type_name(self, name: str) -> None:
        field = self.field
        field.selectAll()
        QTest.keyClicks(field, name)
        QTest.keyClick(field, Qt.Key.Key_Return)
        await self.settled()

    def button(self, name: str) -> None:
        found = self.find(name)
        assert isinstance(found, QAbstractButton)
        QTest.mouseClick(found, Qt.MouseButton.LeftButton)

    async def filter(self, words: str) -> None:
        field = self.find("projectFilter")
        assert isinstance(field, QLineEdit)
        field.selectAll()
        QTest.keyClicks(field, words) if words else field.clear()
        QTest.keyClick(field, Qt.Key.Key_Return)
        await self.settled()


OpenBench = Callable[..., Awaitable[Bench]]


@pytest_asyncio.fixture
async def bench_on(tmp_path: Path) -> AsyncIterator[OpenBench]:
    """Open a page on a project of these files."""
    benches: list[Bench] = []

    async def open_bench(files: dict[str, str] | None = None) -> Bench:
        root = write(tmp_path / "ada", files)
        bench = Bench(root, Bin(tmp_path / "trash"))
        benches.append(bench)
        return await bench.open()

    yield open_bench
    for bench in benches:
        await bench.close()


@pytest_asyncio.fixture
async def bench(bench_on: OpenBench) -> Bench:
    """A page on the usual project."""
    return await bench_on()


__all__: Sequence[str] = ["FILES", "Bench", "Bin", "OpenBench", "bench", "bench_on", "write"]

"""A page of editors on a small project, shown in a window of its own."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from PySide6.QtCore import QCoreApplication, QEvent, QObject, Qt, QUrl, Slot
from PySide6.QtGui import QDesktopServices
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QMainWindow, QTabBar, QWidget

from studio_qt.settings import home_folder
from studio_qt.ui.actions import Actions
from studio_qt.ui.desk import Desk
from studio_qt.ui.documents.documents import Documents
from studio_qt.ui.editors.code import CodeEditor
from studio_qt.ui.editors.page import EditorsPage
from studio_qt.ui.editors.status import EditorStatus
from studio_qt.ui.preferences import Preferences
from studio_qt.ui.tasks import Tasks
from studio_qt.ui.theme.theme import Theme
from tests.support.qt import until

FILES = {
    "config.json": '{\n  "name": "Ada",\n  "agents": ["test.roller"]\n}\n',
    "instructions.txt": "Be Ada.\nShe counts.\n",
    "agents/roller.js": "function roll(sides) {\n  // a die (six)\n  return [1, (sides)];\n}\n",
    "agents/omens.py": "def omen(text):\n    return text\n",
    "agents/marcus.subagent.md": "---\nhistory: full\n---\nYou are Marcus.\n\n## Rules\n- Yes.\n",
    "notes.md": "# Notes\n\nThe sea is wide.\n",
}
CONTROL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
ALT = Qt.KeyboardModifier.AltModifier


class Bench:
    """The page with everything that it needs, and hands that type and click."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.window = QMainWindow()
        self.window.setMinimumSize(300, 300)
        self.window.resize(900, 640)
        self.tasks = Tasks(self.window)
        self.failures: list[Exception] = []
        self.tasks.failed.connect(self.failures.append)
        self.theme = Theme("dark", self.window)
        self.theme.apply()
        self.preferences = Preferences(home_folder(), self.window)
        self.actions = Actions(self.window)
        desk = Desk(self.theme, self.tasks, self.actions, self.preferences)
        self.documents = Documents(self.tasks, self.window)
        self.page = EditorsPage(desk, self.documents)
        self.window.setCentralWidget(self.page)
        self.notices: list[tuple[str, str]] = []
        self.page.notice.connect(lambda *notice: self.notices.append(notice))
        self.status: EditorStatus | None = None
        self.page.status_changed.connect(self._hear)

    def _hear(self, status: EditorStatus | None) -> None:
        self.status = status

    async def begin(self) -> Bench:
        await self.documents.set_project(self.root)
        self.window.show()
        self.window.activateWindow()
        return self

    async def end(self) -> None:
        await self.documents.shutdown()
        await self.tasks.close()
        self.window.close()
        self.window.deleteLater()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
        assert self.failures == []

    async def open(self, path: str, text: str | None = None) -> CodeEditor:
        """Open a file, written first when `text` is given."""
        if text is not None:
            self.write(path, text)
        await self.page.open(path)
        return self.editor

    def write(self, path: str, text: str) -> None:
        place = self.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(text.encode())

    def read(self, path: str) -> str:
        return (self.root / path).read_bytes().decode()

    @property
    def editor(self) -> CodeEditor:
        editor = self.page.editor
        assert editor is not None, "no editor is in front"
        return editor

    @property
    def text(self) -> str:
        return self.editor.toPlainText()

    def find(self, name: str, kind: type = QWidget) -> QWidget:
        """Return the control of a name that is shown."""
        found = [one for one in self.window.findChildren(kind, name) if one.isVisible()]
        assert found, f"there is no {name}"
        return found[-1]

    def shows(self, name: str) -> bool:
        return any(one.isVisible() for one in self.window.findChildren(QWidget, name))

    def click(self, name: str) -> None:
        QTest.mouseClick(self.find(name), Qt.MouseButton.LeftButton)

    def press(
        self,
        key: Qt.Key,
        held: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier,
        field: QWidget | None = None,
    ) -> None:
        QTest.keyClick(field or self.editor, key, held)

    def type(self, text: str, field: QWidget | None = None) -> None:
        QTest.keyClicks(field or self.editor, text)

    def place(self, line: int, column: int = 1) -> None:
        self.editor.go_to(line, column)

    def click_tab(self, number: int, button: Qt.MouseButton = Qt.MouseButton.LeftButton) -> None:
        bar = self.page.tabs.tabBar()
        QTest.mouseClick(bar, button, pos=bar.tabRect(number).center())

    def cross(self, number: int) -> QWidget:
        end = self.page.tabs.tabBar().tabButton(number, QTabBar.ButtonPosition.RightSide)
        button = end.findChild(QAbstractButton, "tabClose")
        assert button is not None
        return button

    async def idle(self) -> None:
        """Wait until no task of the page runs."""
        await until(lambda: self.tasks.names == [])
        await asyncio.sleep(0)


class Outside(QObject):
    """Hears what is to be opened with another program, until it is closed."""

    def __init__(self) -> None:
        super().__init__()
        self.opened: list[str] = []
        QDesktopServices.setUrlHandler("file", self, "hear")

    @Slot(QUrl)
    def hear(self, url: QUrl) -> None:
        self.opened.append(url.toLocalFile())

    def close(self) -> None:
        QDesktopServices.unsetUrlHandler("file")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "ada"
    for name, text in FILES.items():
        place = root / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
    return root


@pytest_asyncio.fixture
async def bench(project: Path) -> AsyncIterator[Bench]:
    made = await Bench(project).begin()
    yield made
    await made.end()

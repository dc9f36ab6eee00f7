"""A page of conversations in a shown window, on a real player."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import pytest_asyncio
from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QHBoxLayout, QLineEdit, QMainWindow, QWidget

from studio_qt import CharacterPlayer, StorageError
from studio_qt.files import operations
from studio_qt.ui.actions import Actions
from studio_qt.ui.conversations.page import ConversationsPane
from studio_qt.ui.conversations.view import ConversationList
from studio_qt.ui.desk import Desk
from studio_qt.ui.preferences import Preferences
from studio_qt.ui.tasks import Tasks
from studio_qt.ui.theme.theme import Theme
from studio_qt.ui.widgets.sheet import Sheet
from tests.support.qt import until

__all__ = ["Desktop", "OpenDesktop", "talk"]


def talk(folder: Path, number: int, title: str, *said: str, days: int = 0, **books: object) -> Path:
    """Write a conversation in which the user and the character take turns."""
    time = (datetime.now(UTC) - timedelta(days=days, minutes=number)).strftime("%Y-%m-%dT%H:%M:%SZ")
    roles = ("user", "assistant")
    value = {
        "id": f"conversation_{number:02}",
        "title": title,
        "created": time,
        "updated": time,
        "journal": books,
        "messages": [
            {"role": roles[at % 2], "content": text, "time": time, "id": f"e{at + 1}"}
            for at, text in enumerate(said)
        ],
    }
    path = folder / "conversations" / f"conversation_{number:02}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value), encoding="utf-8")
    return path


class Bin:
    """The trash of the system: a folder, or none where `refuses`."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.refuses = False
        place.mkdir()

    def __call__(self, root: Path, path: str) -> None:
        if self.refuses:
            raise StorageError(f"{path} cannot be deleted: there is no trash.")
        (root / path).rename(self.place / path)

    @property
    def names(self) -> set[str]:
        """What is in it."""
        return {path.name for path in self.place.iterdir()}


class Desktop:
    """A window with the page at its right and a foot at its left, on a player."""

    def __init__(self, player: CharacterPlayer, bin_: Bin) -> None:
        self.player, self.bin = player, bin_
        self.window = QMainWindow()
        self.window.setMinimumSize(700, 600)
        theme = Theme("dark", self.window)
        theme.apply()
        self.tasks = Tasks(self.window)
        self.actions = Actions(self.window)
        self.preferences = Preferences(None, self.window)
        desk = Desk(theme, self.tasks, self.actions, self.preferences)
        self.pane = ConversationsPane(desk)
        inside = QWidget()
        row = QHBoxLayout(inside)
        row.addWidget(self.pane.below(QWidget()))
        row.addWidget(self.pane)
        self.window.setCentralWidget(inside)
        self.notices: list[str] = []
        self.undos: list[Callable[[], None]] = []
        self.wanted: list[tuple[str, str]] = []
        self.failures: list[Exception] = []
        self.pane.notice.connect(lambda text, _kind: self.notices.append(text))
        self.pane.deleted.connect(self._on_deleted)
        self.pane.entry_wanted.connect(lambda *what: self.wanted.append(what))
        self.tasks.failed.connect(self.failures.append)

    async def open(self, place: Path) -> None:
        """Show the window and wait for the list."""
        self.window.show()
        self.pane.set_place(place)
        self.pane.show_player(self.player)
        await until(lambda: bool(self.pane.rows) and self.pane.settled)

    async def close(self) -> None:
        """End everything."""
        self.pane.show_player(None)
        await self.tasks.close()
        await self.player.close()
        self.window.close()
        self.window.deleteLater()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
        assert self.failures == []

    async def idle(self) -> None:
        """Wait until the list is as the player says."""
        await until(lambda: self.pane.settled)
        assert self.failures == []

    @property
    def view(self) -> ConversationList:
        return self.pane.list

    @property
    def names(self) -> list[str]:
        """The titles from the top, each moved in as it is shown."""
        return [f"{'  ' * row.depth}{row.name}" for row in self.pane.rows]

    def find(self, name: str, kind: type[QWidget] = QWidget) -> QWidget:
        found: QWidget | None = self.window.findChild(kind, name)
        assert found is not None, f"there is no {name}"
        return found

    def click(self, name: str) -> None:
        """Press a button that is shown."""
        button = self.find(name)
        assert isinstance(button, QAbstractButton)
        assert button.isVisible(), f"{name} is not shown"
        QTest.mouseClick(button, Qt.MouseButton.LeftButton)

    def click_row(self, number: int, view: ConversationList | None = None) -> None:
        """Click a row of a list."""
        shown = view or self.view
        index = shown.model().index(number, 0)
        place = shown.visualRect(index).center()
        QTest.mouseClick(shown.viewport(), Qt.MouseButton.LeftButton, pos=place)

    def double_click_row(self, number: int, view: ConversationList | None = None) -> None:
        """Double click a row of a list."""
        shown = view or self.view
        place = shown.visualRect(shown.model().index(number, 0)).center()
        QTest.mouseClick(shown.viewport(), Qt.MouseButton.LeftButton, pos=place)
        QTest.mouseDClick(shown.viewport(), Qt.MouseButton.LeftButton, pos=place)

    def press(self, key: Qt.Key, widget: QWidget | None = None, *, control: bool = False) -> None:
        held = Qt.KeyboardModifier.ControlModifier if control else Qt.KeyboardModifier.NoModifier
        QTest.keyClick(widget or self.view, key, held)

    @property
    def field(self) -> QLineEdit:
        """The field in which a title is typed."""
        field = self.find("conversationTitle", QLineEdit)
        assert isinstance(field, QLineEdit)
        return field

    def enabled(self, name: str) -> bool:
        """Whether an action can be done."""
        action = self.actions.find(name)
        assert action is not None
        return action.isEnabled()

    def shown(self, name: str) -> bool:
        """Whether a control of a name is seen."""
        return any(one.isVisible() for one in self.window.findChildren(QWidget, name))

    def sheet(self, name: str) -> Sheet:
        """Return the sheet that lies over the window."""
        return next(one for one in self.window.findChildren(Sheet, name) if one.isVisible())

    def _on_deleted(self, text: str, undo: Callable[[], None]) -> None:
        self.notices.append(text)
        self.undos.append(undo)


OpenDesktop = Callable[..., Awaitable[Desktop]]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A character without conversations."""
    folder = tmp_path / "ada"
    folder.mkdir()
    (folder / "config.json").write_text('{"name": "Ada"}', encoding="utf-8")
    (folder / "instructions.txt").write_text("Be Ada.", encoding="utf-8")
    return folder


@pytest_asyncio.fixture
async def desktop_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[OpenDesktop]:
    """Open a window on a character; what is deleted goes to a folder of the test."""
    bin_ = Bin(tmp_path / "trash")
    monkeypatch.setattr(operations, "to_trash", bin_)
    made: list[Desktop] = []

    async def open_desktop(place: Path, **options: object) -> Desktop:
        player = CharacterPlayer(place, **options)  # type: ignore[arg-type]
        await player.open()
        desktop = Desktop(player, bin_)
        made.append(desktop)
        await desktop.open(place)
        return desktop

    yield open_desktop
    for desktop in made:
        await desktop.close()
    await asyncio.sleep(0)

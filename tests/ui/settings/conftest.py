"""A desk with everything that pages of settings need, and a keychain in memory."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from pathlib import Path

import pytest
import pytest_asyncio
from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QMainWindow, QWidget

from studio_qt.providers.discovery import Door
from studio_qt.providers.keys import Keys
from studio_qt.settings import home_folder
from studio_qt.ui.actions import Actions
from studio_qt.ui.connections import Connections
from studio_qt.ui.desk import Desk
from studio_qt.ui.preferences import Preferences
from studio_qt.ui.tasks import Tasks
from studio_qt.ui.theme.theme import Theme
from tests.support.fixtures import model
from tests.support.qt import until

__all__ = ["model"]

KEY = "sk-very-secret-0123456789"


class Chain:
    """A keychain in memory; `locked` until the test opens it."""

    name = "Test Keyring"

    def __init__(self) -> None:
        self.kept: dict[tuple[str, str], str] = {}

    def get_password(self, service: str, username: str) -> str | None:
        return self.kept.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self.kept[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        del self.kept[service, username]


class Room:
    """A window with a desk and connections."""

    def __init__(self, chain: object | None, doors: Sequence[Door]) -> None:
        self.window = QMainWindow()
        self.window.setObjectName("room")
        self.window.setMinimumSize(420, 420)
        self.window.resize(1240, 820)
        self.tasks = Tasks(self.window)
        self.errors: list[Exception] = []
        self.tasks.failed.connect(self.errors.append)
        self.theme = Theme("light", self.window)
        self.theme.apply()
        self.preferences = Preferences(home_folder(), self.window)
        actions = Actions(self.window)
        self.desk = Desk(self.theme, self.tasks, actions, self.preferences)
        keys = Keys(home_folder(), (lambda: chain) if chain else None)  # type: ignore[arg-type, return-value]
        self.connections = Connections(
            home_folder(), self.tasks, self.window, keys=keys, doors=doors
        )
        self.notices: list[tuple[str, str]] = []
        self.connections.notice.connect(lambda text, kind: self.notices.append((text, kind)))

    def find(self, name: str) -> QWidget:
        """Return the control of that name that is shown, else one that is not."""
        found = self.window.findChildren(QWidget, name)
        assert found, f"there is no {name}"
        return next((one for one in found if one.isVisible()), found[0])

    def shown(self, name: str) -> bool:
        return any(one.isVisible() for one in self.window.findChildren(QWidget, name))

    def click(self, name: str) -> None:
        button = self.find(name)
        assert isinstance(button, QAbstractButton)
        assert button.isVisible(), f"{name} is not shown"
        assert button.isEnabled(), f"{name} cannot be pressed"
        QTest.mouseClick(button, Qt.MouseButton.LeftButton)

    def type(self, name: str, text: str) -> None:
        field = self.find(name)
        assert field.isVisible(), f"{name} is not shown"
        field.setFocus()
        if hasattr(field, "selectAll"):
            field.selectAll()
        if text:
            QTest.keyClicks(field, text)
        else:
            QTest.keyClick(field, Qt.Key.Key_Delete)

    def press(self, key: Qt.Key, name: str) -> None:
        QTest.keyClick(self.find(name), key)

    def words(self, name: str) -> str:
        return self.find(name).text()  # type: ignore[attr-defined, no-any-return]

    async def idle(self) -> None:
        """Wait until nothing runs."""
        await until(lambda: not self.tasks.names, 20)

    async def close(self) -> None:
        await self.tasks.close()
        self.window.close()
        self.window.deleteLater()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)


OpenRoom = Callable[..., Awaitable[Room]]


@pytest.fixture
def chain() -> Chain:
    """A keychain that works."""
    return Chain()


@pytest_asyncio.fixture
async def room_with(chain: Chain) -> AsyncIterator[OpenRoom]:
    """Open a room; `keychain` None is a computer without one, `doors` where servers may be."""
    rooms: list[Room] = []

    async def open_room(*, keychain: object | None = chain, doors: Sequence[Door] = ()) -> Room:
        room = Room(keychain, doors)
        rooms.append(room)
        await room.connections.load()
        return room

    yield open_room
    for room in rooms:
        await room.close()
    await asyncio.sleep(0)


@pytest.fixture(autouse=True)
def nobody_writes_keys(tmp_path: Path) -> Iterator[None]:
    """After each test: the key is in no file that was written, `keys.json` apart."""
    yield
    for path in [*home_folder().rglob("*"), *tmp_path.rglob("*")]:
        if path.is_file() and path.name != "keys.json":
            assert KEY.encode() not in path.read_bytes(), f"{path} holds the key"

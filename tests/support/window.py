"""A real window in a test: opened, typed into, read, and closed with everything behind it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QPlainTextEdit, QWidget

from studio_qt.authoring.trust import TrustBook
from studio_qt.settings import home_folder
from studio_qt.ui.chat.composer import ChatInput
from studio_qt.ui.session import Connection
from studio_qt.ui.window import StudioWindow
from tests.support.qt import until

__all__ = ["Stage", "make_own", "write_package"]

ROLLER = """/**
 * @agent test.roller
 * @tool roll
 * @tool-description Rolls dice and says what came.
 * @tool-params {"type": "object", "properties": {"sides": {"type": "integer"}}}
 * @command @note note
 */
export function onToolCall(name, args, store, studio) {
  store.rolls = (store.rolls || 0) + 1;
  studio.log("roll " + store.rolls);
  studio.toast("rolled " + store.rolls);
  return "You rolled " + (args.sides || 6);
}
export function note(args, store, studio) {
  if (!args.trim()) return "Write what is to be noted.";
  studio.log("noted " + args.trim());
}
"""


def write_package(folder: Path, files: dict[str, str] | None = None, **config: object) -> Path:
    """Make a small character with one agent; `files` replace or add to its files."""
    whole = {"name": "Ada Byron", "agents": ["test.roller"], **config}
    contents = {
        "config.json": json.dumps(whole),
        "description.txt": "A countess who counts.",
        "intro.txt": "*She looks up.* “You are late.”",
        "instructions.txt": "Be Ada.",
        "agents/test.roller.js": ROLLER,
        **(files or {}),
    }
    for name, text in contents.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    make_own(folder)
    return folder


def make_own(place: Path) -> Path:
    """Let a folder count as made here, as the template of a test's author; nothing is asked."""
    TrustBook(home_folder()).made_here(place)
    return place


class Stage:
    """A shown window on a project, which counts as made here unless it comes from `elsewhere`."""

    def __init__(
        self,
        project: Path | None,
        connection: Connection | None = None,
        *,
        elsewhere: bool = False,
    ) -> None:
        if project is not None and project.exists() and not elsewhere:
            make_own(project)
        self.window = StudioWindow(project, connection=connection)

    async def open(self) -> Stage:
        """Show the window and wait until the character, or the reason for none, is drawn."""
        self.window.show()
        await until(lambda: self.window.settled, 20)
        return self

    async def close(self) -> None:
        """Close the window, and take it apart."""
        await self.shut()
        self.take_apart()

    async def shut(self) -> None:
        """Close the window; everything behind it has ended on return."""
        closed = asyncio.Event()
        self.window.closed.connect(closed.set)
        self.window.close()
        await asyncio.wait_for(closed.wait(), 10)

    def take_apart(self) -> None:
        """End all widgets at once, which the program leaves to the end of its process."""
        self.window.deleteLater()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)

    def find(self, name: str, kind: type = QWidget) -> QWidget:
        """Return the visible or hidden control of an object name."""
        found = self.window.findChild(kind, name)
        assert found is not None, f"there is no {name}"
        return found

    def all(self, name: str) -> list[QWidget]:
        """Return every control of an object name that is shown."""
        return [one for one in self.window.findChildren(QWidget, name) if one.isVisible()]

    def click(self, name: str) -> None:
        """Press a button."""
        button = self.find(name)
        assert isinstance(button, QAbstractButton)
        assert button.isVisible(), f"{name} is not shown"
        QTest.mouseClick(button, Qt.MouseButton.LeftButton)

    @property
    def input(self) -> ChatInput:
        field = self.find("chatInput", QPlainTextEdit)
        assert isinstance(field, ChatInput)
        return field

    @property
    def text(self) -> str:
        """The transcript."""
        return self.window.chat.transcript.toPlainText()

    def type(self, text: str, field: QWidget | None = None) -> None:
        """Type letters."""
        QTest.keyClicks(field or self.input, text)

    def press(self, key: Qt.Key, field: QWidget | None = None, *, shift: bool = False) -> None:
        """Press one key."""
        held = Qt.KeyboardModifier.ShiftModifier if shift else Qt.KeyboardModifier.NoModifier
        QTest.keyClick(field or self.input, key, held)

    async def send(self, text: str) -> None:
        """Write a message, send it, and wait for the end of what it sets off."""
        self.input.put(text)
        turns = self.turns()
        self.press(Qt.Key.Key_Return)
        await until(lambda: self.turns() > turns)
        await self.idle()

    async def idle(self) -> None:
        """Wait until nothing runs or moves."""
        await until(lambda: self.window.settled and "send" not in self.window.tasks.names, 20)

    def turns(self) -> int:
        """How many messages of the user there are."""
        player = self.window.session.player
        assert player is not None
        return sum(entry["role"] == "user" for entry in player.entries(0, len(player)))

    async def shows(self, *texts: str) -> None:
        """Wait until the transcript has all of these."""
        await until(lambda: missing(texts, self.text) == [])


def missing(texts: Iterable[str], where: str) -> list[str]:
    """Return those of the texts that are not there."""
    return [text for text in texts if text not in where]

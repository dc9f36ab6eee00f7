"""A window on a small character, with what the tests of Generate and Polish do to it."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QTextCursor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMenu, QWidget

from studio_qt.ui.documents.document import Document
from studio_qt.ui.generating.agentsheet import AgentSheet
from studio_qt.ui.generating.change import ChangeSheet
from studio_qt.ui.generating.sheet import GenerateSheet
from studio_qt.ui.widgets.sheet import Sheet
from tests.support.qt import until
from tests.support.window import Stage, write_package

__all__ = ["BODY", "PROMPT", "Bed", "make_character"]

BODY = "You is Marcus.\n\n%%CONTEXT%%\n\nAnswer shortly, and in you're own words."
PROMPT = f"""---
description: Knows the harbour, secretly. Ask whenever anyone sails.
contextFiles: [lore.txt]
---
{BODY}
"""
Kind = TypeVar("Kind", bound=Sheet)


def make_character(folder: Path) -> Path:
    """Make a character with a sub-agent, a context file and one agent in code."""
    files = {"agents/marcus.subagent.md": PROMPT, "context/lore.txt": "The lamp is cursed."}
    return write_package(folder, files, agents=["test.roller", "marcus.subagent.md"])


class Bed:
    """What a user does, with real clicks and keys."""

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self.window = stage.window
        self.pages = stage.window.pages

    def trigger(self, name: str) -> None:
        """Choose an action of the menus."""
        action = self.action(name)
        assert action.isEnabled(), name
        action.trigger()

    def action(self, name: str) -> QAction:
        found = self.window.inside.desk.actions.find(name)
        assert found is not None, name
        return found

    async def sheet(self, kind: type[Kind]) -> Kind:
        """Wait for an open sheet of a kind."""
        await until(lambda: bool(self.sheets(kind)), 10)
        return self.sheets(kind)[-1]

    def sheets(self, kind: type[Kind]) -> list[Kind]:
        return [one for one in self.window.findChildren(kind) if one.is_open]

    async def dialog(self, action: str = "generateSubAgent") -> GenerateSheet:
        self.trigger(action)
        return await self.sheet(GenerateSheet)

    async def made(self) -> AgentSheet:
        return await self.sheet(AgentSheet)

    async def change(self) -> ChangeSheet:
        return await self.sheet(ChangeSheet)

    async def compared(self) -> ChangeSheet:
        """Wait until a change is shown."""
        sheet = await self.change()
        await until(lambda: sheet.accept_button.isVisible() and not sheet.writing.busy, 10)
        return sheet

    def fill(self, sheet: GenerateSheet, name: str, wish: str) -> None:
        """Type into the dialog."""
        if name:
            QTest.keyClicks(sheet.name, name)
        QTest.keyClicks(sheet.wish, wish)

    def press(self, button: QWidget) -> None:
        assert button.isVisible()
        QTest.mouseClick(button, Qt.MouseButton.LeftButton)

    def ctrl_enter(self, widget: QWidget) -> None:
        QTest.keyClick(widget, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)

    async def open(self, path: str) -> Document:
        """Show a file."""
        await self.pages.editors.open(path)
        await until(lambda: self.pages.editors.editor is not None)
        document = self.window.session.documents.find(path)
        assert document is not None
        return document

    def select(self, words: str) -> None:
        """Select these words in the editor in front."""
        editor = self.pages.editors.editor
        assert editor is not None
        cursor = editor.document().find(words)
        assert cursor.hasSelection(), words
        editor.setTextCursor(QTextCursor(cursor))

    def button(self, name: str) -> QWidget:
        """Return the button beside the path of the file in front."""
        view = self.pages.editors.current
        assert view is not None
        found = view.findChild(QWidget, name)
        assert found is not None
        return found

    async def menu(self) -> QMenu:
        """Wait for the menu of polishes."""
        await until(
            lambda: any(m.isVisible() for m in self.window.findChildren(QMenu, "polishMenu"))
        )
        return next(m for m in self.window.findChildren(QMenu, "polishMenu") if m.isVisible())

    @property
    def toasts(self) -> str:
        return "\n".join(self.pages.toasts.texts)

"""A window on the stores of a small character, as tests of this folder use it."""

from __future__ import annotations

import json
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QPlainTextEdit, QWidget

from studio_qt.engine.player import CharacterPlayer
from studio_qt.ui.stores.detail import StoreDetail
from studio_qt.ui.stores.model import LEFT
from studio_qt.ui.stores.page import AgentStoresPage
from studio_qt.ui.stores.tree import StoreView
from tests.support.qt import until
from tests.support.window import Stage, write_package

__all__ = ["MEMORY", "Shelf", "write_stores"]

MEMORY = "test.memory"

_MEMORY = """/**
 * @agent test.memory
 * @debug true
 * @tool remember
 * @tool-description Remembers a text.
 * @tool-params {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
 * @tool dawdle
 * @tool-description Takes half a second.
 * @command @keep keep
 */
export function onToolCall(name, args, store, studio, context) {
  if (name === "dawdle") {
    const end = Date.now() + 500;
    while (Date.now() < end);
    store.dawdled = true;
    return "Done.";
  }
  store.memories = store.memories || [];
  store.memories.push({ text: args.text, toolCallId: context.toolCallId });
  store.count = store.memories.length;
  return "Remembered.";
}
export function keep(line, store) {
  store.kept = line;
}
"""
_MARCUS = "---\ndescription: Marcus, the pilot.\n---\nYou are Marcus.\n"


def write_stores(folder: Path, files: dict[str, str] | None = None) -> Path:
    """Make a character with an agent that remembers, and a sub-agent with one of its own."""
    marcus = {
        "id": "test.marcus",
        "implementation": "studio.sub-agent",
        "promptFile": "marcus.subagent.md",
        "shared-agents": ["test.memory"],
        "private-agents": ["studio.dice-roller"],
    }
    given = {
        "agents/test.memory.js": _MEMORY,
        "agents/marcus.subagent.md": _MARCUS,
        **(files or {}),
    }
    return write_package(folder, given, agents=["test.memory", marcus])


class Shelf:
    """The page of agent stores in a window."""

    def __init__(self, stage: Stage) -> None:
        self.stage = stage

    @property
    def page(self) -> AgentStoresPage:
        return self.stage.window.pages.stores

    @property
    def detail(self) -> StoreDetail:
        return self.page.detail

    @property
    def player(self) -> CharacterPlayer:
        player = self.stage.window.session.player
        assert player is not None
        return player

    @property
    def tree(self) -> StoreView:
        tree = self.stage.find("storeTree")
        assert isinstance(tree, StoreView)
        return tree

    @property
    def editor(self) -> QPlainTextEdit:
        editor = self.stage.find("storeEditor")
        assert isinstance(editor, QPlainTextEdit)
        return editor

    @property
    def store(self) -> dict[str, object]:
        return self.player.store(MEMORY)

    @property
    def shipped(self) -> dict[str, object] | None:
        """The file of the default, None where there is none."""
        root = self.stage.window.session.root
        assert root is not None
        path = root / f"{MEMORY}.agent.json"
        return json.loads(path.read_text()) if path.exists() else None

    async def open(self, agent_id: str = MEMORY) -> Shelf:
        """Press the button of the rail, and choose an agent."""
        self.stage.click("storesRail")
        self.page.show_agent(agent_id)
        await self.settle()
        return self

    async def settle(self) -> None:
        """Wait until nothing is read, written or drawn any more."""
        await until(lambda: self.page.settled, 20)
        await until(lambda: self.detail.live.value is not None and self.page.settled, 20)

    async def remember(self, text: str) -> None:
        """Let the character remember a text, in a turn of its own."""
        await self.player.send(f'[[call remember {{"text": "{text}"}}]] [[say Yes.]]')
        await self.settle()

    def at(self, *keys: str | int, tree: StoreView | None = None) -> None:
        """Go to a row of a tree, the live one unless another is given."""
        tree = tree or self.tree
        tree.setFocus()
        tree.select_path(tuple(keys))
        assert tree.current_path == tuple(keys)

    def press(self, keys: str, on: QWidget | None = None) -> None:
        """Press keys, written as in menus."""
        QTest.keySequence(on or self.tree, QKeySequence(keys))

    async def write(self, text: str, *, over: bool = True) -> None:
        """Type into the field that is open in a row, and end with Enter."""
        field = next(one for one in self.stage.all("storeField"))
        if over:
            self.press("Ctrl+A", field)
        QTest.keyClicks(field, text)
        QTest.keyClick(field, Qt.Key.Key_Return)
        await self.settle()

    def click(self, name: str) -> None:
        """Press a button."""
        self.stage.click(name)

    def bar_button(self, name: str) -> QAbstractButton:
        """Return a button of the bar above the panes."""
        found = self.detail.bar.findChild(QAbstractButton, name)
        assert found is not None
        return found

    @property
    def shown(self) -> list[str]:
        """What the rows of the live side say that can be seen, from the top."""
        tree, found = self.tree, []
        index = tree.model().index(0, LEFT)
        while index.isValid():
            found.append(str(index.data()))
            index = tree.indexBelow(index)
        return found

"""The form for config.json over a window with documents; closed with everything behind it."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest_asyncio
from PySide6.QtCore import QCoreApplication, QEvent, QTimer
from PySide6.QtWidgets import QMainWindow, QWidget

from studio_qt.ui.actions import Actions
from studio_qt.ui.configform.page import ConfigForm
from studio_qt.ui.configform.sheet import ConfigSheet
from studio_qt.ui.desk import Desk
from studio_qt.ui.documents.documents import Documents
from studio_qt.ui.preferences import Preferences
from studio_qt.ui.tasks import Tasks
from studio_qt.ui.theme.theme import Theme
from tests.support.qt import until

__all__ = ["CONFIG", "FormBench"]

CONFIG = """{
  "name": "Kay", "mine": 1.50,
  "agents": [
    "k.maps", "studio.dice-roller",
    { "id": "k.tides", "implementation": "studio.context-access",  "contextFile": ".tides.json" },
    { "id": "k.marcus", "implementation": "studio.sub-agent", "promptFile": "marcus.subagent.md",
      "shared-agents": ["k.tides"] }
  ]
}
"""
FILES = {
    "config.json": CONFIG,
    "agents/k.maps.js": "/** @agent k.maps */",
    "agents/k.new.lua": "--[[ @agent k.new ]]",
    "agents/marcus.subagent.md": "---\ndescription: x\n---\nBe Marcus.",
    "context/.tides.json": "{}",
    "context/.moon.json": "{}",
    "texts/hello.txt": "Hello.",
}


class FormBench:
    """The form, and what a user does with it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.window = QMainWindow()
        self.window.resize(1200, 800)
        theme = Theme("dark", self.window)
        theme.apply()
        self.tasks = Tasks(self.window)
        self.errors: list[Exception] = []
        self.tasks.failed.connect(self.errors.append)
        self.desk = Desk(theme, self.tasks, Actions(self.window), Preferences(None))
        self.documents = Documents(self.tasks, self.window)
        self.form = ConfigForm(self.desk, self.documents, self.window)
        self.opened: list[str] = []
        self.built: list[str] = []
        self.notices: list[str] = []
        self.form.open_wanted.connect(self.opened.append)
        self.form.builder_wanted.connect(self.built.append)
        self.form.notice.connect(lambda text, _kind: self.notices.append(text))

    async def open(self) -> FormBench:
        """Show the form."""
        self.window.show()
        await self.documents.set_project(self.root)
        self.form.open()
        await until(lambda: self.form.sheet is not None and self.form.sheet.is_open)
        await self.settled()
        return self

    async def settled(self) -> None:
        """Wait until nothing is under way."""
        await until(lambda: not self.tasks.names)

    @property
    def sheet(self) -> ConfigSheet:
        """The dialog."""
        assert self.form.sheet is not None
        return self.form.sheet

    @property
    def text(self) -> str:
        """What the disk has."""
        return (self.root / "config.json").read_text()

    @property
    def data(self) -> dict[str, Any]:
        """What it says."""
        found: dict[str, Any] = json.loads(self.text)
        return found

    @property
    def ids(self) -> list[str]:
        """The rows from the top."""
        items = map(self.sheet.rows.topLevelItem, range(self.sheet.rows.topLevelItemCount()))
        return [item.text(0) for item in items if item is not None]

    def find(self, name: str) -> QWidget:
        """Return a control by its name."""
        found = self.sheet.findChild(QWidget, name)
        assert isinstance(found, QWidget), name
        return found

    async def close(self) -> None:
        """End everything."""
        await self.documents.shutdown()
        await self.tasks.close()
        for timer in self.window.findChildren(QTimer):
            timer.stop()
        self.window.close()
        self.window.deleteLater()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
        assert self.errors == []


@pytest_asyncio.fixture
async def bench(tmp_path: Path) -> AsyncIterator[FormBench]:
    """A project whose form is open."""
    root = tmp_path / "kay"
    for path, text in FILES.items():
        place = root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
    bench = FormBench(root)
    yield await bench.open()
    await bench.close()

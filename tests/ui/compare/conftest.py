"""A window with a comparison in it."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest_asyncio
from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtWidgets import QMainWindow

from studio_qt.ui.actions import Actions
from studio_qt.ui.compare.page import Choice, ComparePage
from studio_qt.ui.desk import Desk
from studio_qt.ui.preferences import Preferences
from studio_qt.ui.tasks import Tasks
from studio_qt.ui.theme.theme import Theme
from tests.support.qt import until


class Bench:
    """A shown comparison."""

    def __init__(self) -> None:
        self.window = QMainWindow()
        self.window.setMinimumSize(300, 200)
        self.window.resize(900, 500)
        theme = Theme("dark", self.window)
        theme.apply()
        actions, preferences = Actions(self.window), Preferences(None, self.window)
        self.desk = Desk(theme, Tasks(self.window), actions, preferences)
        self.page = ComparePage(self.desk)
        self.window.setCentralWidget(self.page)
        self.window.show()

    async def show(self, left: str, right: str, *choices: Choice) -> ComparePage:
        """Compare two texts and wait until they are shown."""
        self.page.show_texts("a.txt", "Before", left, "Now", right, choices)
        await until(lambda: self.page.settled)
        return self.page


@pytest_asyncio.fixture
async def bench() -> AsyncIterator[Bench]:
    made = Bench()
    yield made
    await made.desk.tasks.close()
    made.window.close()
    made.window.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)

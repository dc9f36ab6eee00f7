"""A window with a desk and nothing on it, for the pieces of the shell."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest_asyncio
from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtWidgets import QMainWindow, QVBoxLayout, QWidget

from studio_qt.ui.actions import Actions
from studio_qt.ui.desk import Desk
from studio_qt.ui.preferences import Preferences
from studio_qt.ui.tasks import Tasks
from studio_qt.ui.theme.theme import Theme


class Bench:
    """A shown window with a desk; what is put into it is closed with it."""

    def __init__(self) -> None:
        self.window = QMainWindow()
        self.window.setMinimumSize(300, 300)
        self.window.resize(1000, 700)
        self.inside = QWidget()
        self.column = QVBoxLayout(self.inside)
        self.column.setContentsMargins(0, 0, 0, 0)
        self.window.setCentralWidget(self.inside)
        theme = Theme("dark", self.window)
        theme.apply()
        self.desk = Desk(
            theme, Tasks(self.window), Actions(self.window), Preferences(None, self.window)
        )
        self.failures: list[Exception] = []
        self.desk.tasks.failed.connect(self.failures.append)
        self.window.show()

    def put(self, widget: QWidget) -> QWidget:
        """Let a widget fill the window."""
        self.column.addWidget(widget)
        widget.show()
        return widget

    async def close(self) -> None:
        await self.desk.tasks.close()
        self.window.close()
        self.window.deleteLater()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
        assert self.failures == []


@pytest_asyncio.fixture
async def bench() -> AsyncIterator[Bench]:
    made = Bench()
    yield made
    await made.close()

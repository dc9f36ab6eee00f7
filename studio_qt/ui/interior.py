"""`Interior`: all that fills the window, made after its first paint."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QMainWindow, QMenuBar, QStackedWidget, QVBoxLayout, QWidget

from studio_qt.ui.actions import Actions
from studio_qt.ui.curtain import FOOT, HEAD
from studio_qt.ui.desk import Desk
from studio_qt.ui.documents.documents import Documents
from studio_qt.ui.opening.page import OpeningPage
from studio_qt.ui.preferences import Preferences
from studio_qt.ui.session import Connection, StudioSession
from studio_qt.ui.theme.theme import Theme
from studio_qt.ui.workbench.page import Workbench

if TYPE_CHECKING:
    from studio_qt.ui.statusline import StatusLine
    from studio_qt.ui.tasks import Tasks
    from studio_qt.ui.topbar import TopBar

__all__ = ["Interior"]


class Interior(QWidget):
    """The models that the pages share, and the places where the pages stand.

    `home` None keeps nothing. `connection` answers at first. What is named below comes with
    `furnish`.
    """

    bar: QMenuBar
    head: TopBar
    status: StatusLine

    def __init__(
        self, window: QMainWindow, tasks: Tasks, home: Path | None, connection: Connection | None
    ) -> None:
        super().__init__(window)
        self.preferences = Preferences(home, self)
        self.theme = Theme(self.preferences.window.theme, self)
        self.theme.begin(self.preferences.window.interface_size)
        self.desk = Desk(self.theme, tasks, Actions(window), self.preferences)
        self.documents = Documents(tasks, self)
        self.session = StudioSession(
            connection or Connection(), self.documents, tasks, self.preferences, self
        )
        self.opening = OpeningPage(self.theme)
        self.slot = QStackedWidget()
        self.workbench = Workbench(self.desk, self.slot)
        self.stack = QStackedWidget()
        self._furnished = False
        self._build()
        self.theme.apply()
        self.theme.changed.connect(self._on_theme)
        self.preferences.changed.connect(self._on_preferences)

    @property
    def shown(self) -> QWidget | None:
        """The start page or the chat, whichever is in front."""
        front = self.stack.currentWidget()
        return self.slot.currentWidget() if front is self.workbench else front

    def furnish(self) -> None:
        """Make the bars at head and foot, whose places are kept until then."""
        from studio_qt.ui.mnemonics import Mnemonics
        from studio_qt.ui.statusline import StatusLine
        from studio_qt.ui.topbar import TopBar

        self.bar = QMenuBar()
        self.head = TopBar(self.bar)
        Mnemonics(self.bar, self.window())
        self.status = StatusLine(self.theme)
        self._column.insertWidget(0, self.head)
        self._column.addWidget(self.status)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._furnished = True

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the ground of bars that are not there yet, as the curtain has done."""
        super().paintEvent(event)
        if not self._furnished:
            painter = QPainter(self)
            for top, height, line in (
                (0, HEAD, HEAD - 1),
                (self.height() - FOOT, FOOT, self.height() - FOOT),
            ):
                painter.fillRect(0, top, self.width(), height, self.theme.colour("bg0"))
                painter.fillRect(0, line, self.width(), 1, self.theme.colour("line"))

    def show_page(self, page: QWidget) -> None:
        """Bring the start page or the chat to the front."""
        if self.slot.indexOf(page) >= 0:
            self.slot.setCurrentWidget(page)
            page = self.workbench
        self.stack.setCurrentWidget(page)

    def pages(self) -> list[QWidget]:
        """Return the pages, each of which can be taken away alone."""
        bench = self.workbench
        stacks = (bench.side, bench.large, bench.bottom, self.slot, self.stack)
        found = (stack.widget(at) for stack in stacks for at in range(stack.count()))
        return [page for page in found if page is not None and page is not bench]

    async def close_models(self) -> None:
        """End the player and everything that is open; unsaved text is kept."""
        self.opening.rest()
        await self.session.close()
        await self.documents.shutdown()
        await asyncio.to_thread(self.preferences.flush)

    def _build(self) -> None:
        self.setObjectName("interior")
        self.slot.setObjectName("chatPane")
        self.workbench.set_editing(editing=False)
        self.stack.setObjectName("pages")
        self.stack.addWidget(self.workbench)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, HEAD, 0, FOOT)
        self._column.setSpacing(0)
        self._column.addWidget(self.stack, 1)
        self.theme.stand(self, self.stack, self.slot, *self.workbench.frame)

    def _on_theme(self) -> None:
        self.preferences.change_window(theme=self.theme.asked)

    def _on_preferences(self) -> None:
        chosen = self.preferences.window
        self.theme.take(chosen.theme, chosen.interface_size)

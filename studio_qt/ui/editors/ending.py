"""`Endings`: tabs and texts that are closed end one after the other.

A tab takes one to four milliseconds to end. A project may have twenty, and a change of projects
closes them all.
"""

from __future__ import annotations

import asyncio
from collections import deque

from PySide6.QtCore import SIGNAL, QObject, QTimer
from PySide6.QtWidgets import QWidget
from shiboken6 import Shiboken

from studio_qt.ui.documents.document import Document
from studio_qt.ui.tasks import Tasks

__all__ = ["Endings"]

_PAUSE_MS = 5

_SHOWN = SIGNAL("undoAvailable(bool)")
"""Every editor of Qt listens to this signal of the text that it shows, and nobody else does."""

_LOOK_AGAIN = 0.2
"""Seconds."""


class Endings(QObject):
    """Ends what it is given, one thing in a turn of the loop.

    A tab that waits is hidden, and ends with its parent at the latest.
    """

    def __init__(self, tasks: Tasks, parent: QObject) -> None:
        super().__init__(parent)
        self._tasks = tasks
        self._views: deque[QWidget] = deque()
        self._one = asyncio.Lock()
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_PAUSE_MS)
        self._timer.timeout.connect(self._end_one)

    def end_view(self, view: QWidget) -> None:
        """Hide a tab that was removed, and end it soon."""
        view.hide()
        self._views.append(view)
        if not self._timer.isActive():
            self._timer.start()

    def end_text(self, document: Document) -> None:
        """End the text of a closed document, once nobody writes or shows it any more.

        PySide never gives back the reference that `setDocument` takes, so that Python would not.
        Other pages may show it too, and a text that ends under its editor ends the program.
        """
        self._tasks.start(self._free(document), name="free a text")

    def _end_one(self) -> None:
        view = self._views.popleft()
        if Shiboken.isValid(view):
            view.deleteLater()
        if self._views:
            self._timer.start()

    async def _free(self, document: Document) -> None:
        async with document.lock:
            while document.text.receivers(_SHOWN):  # noqa: ASYNC110 - nothing tells when it ends
                await asyncio.sleep(_LOOK_AGAIN)
        async with self._one:
            document.text.deleteLater()
            await asyncio.sleep(0)

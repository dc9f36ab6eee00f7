"""`Reckoner`: keeps tokens and unsaved lines of a document up to date, off the UI thread."""

from __future__ import annotations

import asyncio

from PySide6.QtCore import QObject, QTimer, Signal
from shiboken6 import isValid

from studio_qt.ui.documents.document import Document
from studio_qt.ui.editors.reckoning import Reckoned, reckon
from studio_qt.ui.tasks import Tasks

__all__ = ["Reckoner"]

_QUIET_MS = 250


class Reckoner(QObject):
    """`reckoned` carries a `Reckoned` after each pause in typing, and after a save."""

    reckoned = Signal(object)

    def __init__(self, tasks: Tasks, document: Document, parent: QObject) -> None:
        super().__init__(parent)
        self._tasks, self._document = tasks, document
        self._busy = self._again = self._stopped = False
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_QUIET_MS)
        self._timer.timeout.connect(self.run)
        document.edited.connect(self._timer.start)
        document.state_changed.connect(self._timer.start)

    @property
    def idle(self) -> bool:
        """Whether what was told last holds for the text as it is."""
        return not self._busy and not self._timer.isActive()

    def wake(self) -> None:
        """Reckon soon: the text itself is shown first."""
        self._timer.start()

    def run(self) -> None:
        """Reckon now; one at a time, and once more when the text changed meanwhile."""
        self._timer.stop()
        if self._busy:
            self._again = True
            return
        self._busy = True
        if self._tasks.start(self._reckon(), name="reckon") is None:
            self._busy = False

    def stop(self) -> None:
        """Reckon no more."""
        self._stopped = True
        self._timer.stop()
        self._document.edited.disconnect(self._timer.start)
        self._document.state_changed.disconnect(self._timer.start)

    async def _reckon(self) -> None:
        document = self._document
        try:
            text, base = document.plain, document.base
            saved = base.file.text if base is not None and document.modified else None
            answer: Reckoned = await asyncio.to_thread(reckon, text, saved)
        finally:
            self._busy = False
        if not isValid(self) or self._stopped:
            return
        if self._again:
            self._again = False
            self.run()
        else:
            self.reckoned.emit(answer)

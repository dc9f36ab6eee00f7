"""`Finding`: words looked up in the fields and values of the tree that had the keyboard last."""

from __future__ import annotations

import asyncio

from PySide6.QtCore import QObject, Qt, QTimer

from studio_qt.jsontext import JsonObject
from studio_qt.ui.stores.differing import find_all
from studio_qt.ui.stores.head import StoreHead
from studio_qt.ui.stores.panes import StorePanes
from studio_qt.ui.stores.values import Path
from studio_qt.ui.tasks import Tasks

__all__ = ["Finding"]

_WAIT_MS = 120
_MOST = 5_000


class Finding(QObject):
    """Searches in a thread, and goes from hit to hit."""

    def __init__(self, tasks: Tasks, head: StoreHead, panes: StorePanes) -> None:
        super().__init__(head)
        self._tasks, self._head, self._panes = tasks, head, panes
        self._hits: list[Path] = []
        self._at = -1
        self._number = 0
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_WAIT_MS)
        self._timer.timeout.connect(self._start)
        head.field.textChanged.connect(self._on_text)
        head.step_wanted.connect(self.step)

    @property
    def hits(self) -> int:
        """How many rows have the words."""
        return len(self._hits)

    def open(self) -> None:
        """Give the keyboard to the field."""
        self._head.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self._head.field.selectAll()

    def step(self, by: int) -> None:
        """Go to the next or an earlier hit; after the last comes the first."""
        if self._hits:
            self._at = (self._at + by) % len(self._hits)
            self._panes.deeds.view.select_path(self._hits[self._at])
            self._say()

    def _on_text(self) -> None:
        self._number += 1
        self._timer.start()

    def _start(self) -> None:
        words = self._head.field.text().strip()
        value = self._panes.model.value(self._panes.deeds.view.side)
        if words and isinstance(value, dict):
            self._tasks.start(self._search(value, words, self._number), name="find in the store")
        else:
            self._hits, self._at = [], -1
            self._say()

    async def _search(self, value: JsonObject, words: str, number: int) -> None:
        found = await asyncio.to_thread(find_all, value, words, _MOST)
        if number == self._number:
            self._hits, self._at = found, -1
            self.step(1)
            self._say()

    def _say(self) -> None:
        count = len(self._hits)
        most = "+" if count == _MOST else ""
        told = f"{self._at + 1} of {count:,}{most}" if count else "nothing found"
        self._head.count.setText(told if self._head.field.text().strip() else "")

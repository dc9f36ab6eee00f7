"""`Copying`: puts a whole conversation on the clipboard, however long it is."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QGuiApplication

from studio_qt.ui.chat.model import ChatModel
from studio_qt.ui.chat.rows import Row, row_text
from studio_qt.ui.tasks import Tasks

__all__ = ["Copying"]

_AT_ONCE = 200
"""Messages that are turned into text in one go."""


class Copying(QObject):
    """Copies as plain text. `notice` tells when that is done, or why it was not."""

    notice = Signal(str, str)

    def __init__(self, tasks: Tasks, model: ChatModel, parent: QObject) -> None:
        super().__init__(parent)
        self._tasks, self._model = tasks, model

    def copy(self, name: str) -> None:
        """Copy the conversation with the character `name`; a long one is ready somewhat later."""
        if len(self._model) > _AT_ONCE:
            self._tasks.start(self._copy_long(name), name="copy transcript")
        else:
            self._take(_transcript(self._model.texts(), name))

    async def _copy_long(self, name: str) -> None:
        conversation, texts = self._model.conversation, list[str]()
        for start in range(0, len(self._model), _AT_ONCE):
            rows = self._model.texts(start, start + _AT_ONCE)
            texts.append(await asyncio.to_thread(_transcript, rows, name))
            if self._model.conversation != conversation:
                self.notice.emit("Nothing was copied: another conversation was opened.", "info")
                return
        self._take("\n\n".join(text for text in texts if text))

    def _take(self, text: str) -> None:
        QGuiApplication.clipboard().setText(text)
        self.notice.emit("The conversation is on the clipboard.", "info")


def _transcript(rows: Sequence[Row], name: str) -> str:
    """Return rows as plain text, without the card."""
    return "\n\n".join(row_text(row, name) for row in rows if row.kind != "about")

"""Questions that operations on files ask, in the window."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QHBoxLayout, QWidget
from shiboken6 import isValid

from studio_qt.ui.theme.theme import Theme
from studio_qt.ui.widgets.basics import label, text_button
from studio_qt.ui.widgets.sheet import MessageSheet, Sheet

__all__ = ["ConflictSheet", "ask_conflict", "ask_yes"]


class ConflictSheet(Sheet):
    """Asks what to do with a file whose name is taken; `answer` is "replace", "both" or ""."""

    widest = 460

    def __init__(self, theme: Theme, over: QWidget, name: str, folder: str) -> None:
        title = f"“{name}” is there already"
        super().__init__(theme, over, title)
        self.setObjectName("conflictSheet")
        self.answer = ""
        self.column.setContentsMargins(20, 18, 20, 16)
        self.column.addWidget(label(title, "title", wrap=True))
        where = f"The folder {folder}" if folder else "The project's folder"
        text = f"{where} has a file or folder of this name. Undo in the tree takes back either."
        self.column.addWidget(label(text, "", wrap=True))
        row = QHBoxLayout()
        row.setSpacing(8)
        skip = text_button("Leave it out", "conflictSkip")
        skip.clicked.connect(self.reject)
        row.addWidget(skip)
        row.addStretch(1)
        for answer, words, kind in (
            ("replace", "Replace", "warn"),
            ("both", "Keep both", "primary"),
        ):
            button = text_button(words, f"conflict{answer.capitalize()}", kind)
            button.clicked.connect(lambda _=False, said=answer: self._say(said))
            row.addWidget(button)
        self._first = button
        self.column.addLayout(row)
        self.finished.connect(self.deleteLater)

    def lay(self) -> None:
        super().lay()
        self._first.setFocus(Qt.FocusReason.PopupFocusReason)

    def _say(self, answer: str) -> None:
        self.answer = answer
        self.accept()


async def ask_conflict(theme: Theme, over: QWidget, name: str, folder: str) -> str:
    """Return "replace", "both", or "" for leaving it out."""
    sheet = ConflictSheet(theme, over, name, folder)
    await _answered(sheet)
    return sheet.answer


async def ask_yes(
    theme: Theme, over: QWidget, title: str, lines: Sequence[str], *, name: str, yes: str
) -> bool:
    """Return whether the user said yes."""
    import html

    text = "<br><br>".join(html.escape(line) for line in lines)
    sheet = MessageSheet(theme, over, title, text, name=name, yes=yes)
    return await _answered(sheet) == int(Sheet.DialogCode.Accepted)


async def _answered(sheet: Sheet) -> int:
    """Show a sheet and return how it ended; it goes when the question is not waited for.

    The focus goes back to where it was.
    """
    before = QApplication.focusWidget()
    answer: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    def take(result: int) -> None:
        if not answer.done():
            answer.set_result(result)

    sheet.finished.connect(take)
    sheet.lay()
    try:
        result = await answer
    except asyncio.CancelledError:
        sheet.hide()
        sheet.deleteLater()
        raise
    if before is not None and isValid(before):
        before.setFocus(Qt.FocusReason.PopupFocusReason)
    return result

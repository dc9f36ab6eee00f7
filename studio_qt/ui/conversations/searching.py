"""`ConversationSearch`: the field that searches all conversations, and what it has found."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QVBoxLayout, QWidget

from studio_qt.ui.conversations.found import FoundList, FoundModel
from studio_qt.ui.desk import Desk
from studio_qt.ui.tasks import sentence
from studio_qt.ui.widgets.basics import label
from studio_qt.ui.widgets.inputs import SearchField
from studio_qt.ui.widgets.tips import plain_tip

if TYPE_CHECKING:
    from studio_qt.engine.player import CharacterPlayer

__all__ = ["ConversationSearch"]

_QUIET_MS = 250
_MOST = 500


class ConversationSearch(QWidget):
    """Searches while one types; `results` is the view, which the page puts into its place.

    `searching_changed` says that there are words to search for, or none any more. `wanted` carries
    a conversation and an entry.
    """

    searching_changed = Signal()
    wanted = Signal(str, str)

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self._desk = desk
        self._player: CharacterPlayer | None = None
        self._task: asyncio.Task[None] | None = None
        self._failed = ""
        self.model = FoundModel(self)
        self.results = FoundList(desk.theme, self.model)
        self.field = SearchField(desk.theme, "Search all conversations", "conversationsField")
        self.logs = _box("Logs", "conversationsLogs", "Search what agents logged, too")
        self.tools = _box("Tools", "conversationsTools", "Search calls of tools and results, too")
        self._says = label("", "quiet", wrap=True, name="conversationsCount")
        self._options = QWidget()
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_QUIET_MS)
        self._build()
        self._connect()

    @property
    def words(self) -> str:
        """What is searched for."""
        return self.field.text().strip()

    @property
    def settled(self) -> bool:
        """Whether nothing is being searched."""
        return self._task is None and not self._timer.isActive()

    @property
    def says(self) -> str:
        """What is told of the search."""
        return self._says.text()

    def set_player(self, player: CharacterPlayer | None) -> None:
        """Search another player's conversations; what was found goes."""
        self._cancel()
        self._player = player
        self.field.clear()
        self.model.clear()

    def focus(self) -> None:
        """Put the focus into the field."""
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.field.selectAll()

    def search(self) -> None:
        """Search now; a search that runs ends."""
        self._cancel()
        self.model.clear()
        self._failed = ""
        self._options.setVisible(bool(self.words))
        self.searching_changed.emit()
        if self._player is not None and self.words:
            self._task = self._desk.tasks.start(
                self._search(self._player, self.words),
                name="search conversations",
                on_error=self._on_error,
            )
        self._say()

    async def _search(self, player: CharacterPlayer, words: str) -> None:
        logs, tools = self.logs.isChecked(), self.tools.isChecked()
        async for finds in player.search_conversations(words, logs=logs, tools=tools, limit=_MOST):
            self.model.add(finds)
            self._say()
        self._task = None
        self._say()

    def _cancel(self) -> None:
        self._timer.stop()
        task, self._task = self._task, None
        if task is not None:
            task.cancel()

    def _on_error(self, error: Exception) -> None:
        self._task = None
        self._failed = sentence(error)
        self._say()

    def _say(self) -> None:
        found, of = self.model.count, self.model.conversations
        if self._failed:
            text = self._failed
        elif found >= _MOST:
            text = f"The first {found} are shown; add a word to find fewer."
        elif found:
            entries = "1 entry" if found == 1 else f"{found} entries"
            text = f"{entries} in {'1 conversation' if of == 1 else f'{of} conversations'}"
            text += " …" if self._task is not None else "."
        else:
            text = "Searching …" if self._task is not None else "Nothing found."
        self._says.setText(text)
        self._says.setAccessibleName(text)

    def _go_down(self) -> None:
        if self.model.rowCount():
            self.results.setFocus(Qt.FocusReason.OtherFocusReason)
            if not self.results.currentIndex().isValid():
                self.results.setCurrentIndex(self.model.index(0))

    def _connect(self) -> None:
        self.field.textChanged.connect(lambda _text: self._timer.start())
        self.field.returnPressed.connect(self.search)
        self.field.down_wanted.connect(self._go_down)
        self._timer.timeout.connect(self.search)
        self.results.opened.connect(self.wanted)
        self.results.left.connect(self.focus)
        for box in (self.logs, self.tools):
            box.toggled.connect(lambda _on: self.search())

    def _build(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 0, 12, 4)
        column.setSpacing(6)
        column.addWidget(self.field)
        options = QVBoxLayout(self._options)
        options.setContentsMargins(2, 0, 2, 0)
        options.setSpacing(4)
        row = QHBoxLayout()
        row.setSpacing(16)
        row.addWidget(self.logs)
        row.addWidget(self.tools)
        row.addStretch(1)
        options.addLayout(row)
        options.addWidget(self._says)
        column.addWidget(self._options)
        self._options.hide()


def _box(words: str, name: str, tip: str) -> QCheckBox:
    box = QCheckBox(words)
    box.setObjectName(name)
    box.setAccessibleName(tip)
    box.setToolTip(plain_tip(tip))
    return box

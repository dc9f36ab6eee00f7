"""`ConversationMenu`: new, clear, copy, and the conversations to take up."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMenu, QWidget

from studio_qt.jsontext import JsonObject

__all__ = ["ConversationMenu"]

_MOST = 20
"""Conversations in the menu, the latest first."""


class ConversationMenu(QMenu):
    """The menu of the chat's header and of the menu bar.

    `list_wanted` asks for the conversations; whoever hears it calls `show_list`.
    """

    list_wanted = Signal()
    load_wanted = Signal(str)

    def __init__(self, parent: QWidget) -> None:
        super().__init__("&Conversation", parent)
        self.setObjectName("conversationMenu")
        self.setAccessibleName("Conversation")
        self.new = self._action("&New conversation", "conversationNew", QKeySequence("Ctrl+N"))
        self.command = self._action(
            "Run a &command…", "conversationCommand", QKeySequence("Ctrl+K")
        )
        self.copy = self._action(
            "Copy &transcript", "conversationCopy", QKeySequence("Ctrl+Shift+C")
        )
        self.addSeparator()
        self.clear_all = self._action("C&lear conversation…", "conversationClear")
        self.addSeparator()
        self.addSection("Conversations")
        self._listed: list[QAction] = []
        self.aboutToShow.connect(self.list_wanted)

    def set_ready(self, ready: bool) -> None:  # noqa: FBT001
        """Allow what needs an open player, or not."""
        for action in (self.new, self.command, self.copy, self.clear_all):
            action.setEnabled(ready)

    def show_list(self, conversations: Sequence[JsonObject], current: str) -> None:
        """List conversations; the one that is open is marked."""
        for action in self._listed:
            self.removeAction(action)
            action.deleteLater()
        self._listed = [self._entry(said, current) for said in conversations[:_MOST]]
        self.addActions(self._listed)

    def _entry(self, said: JsonObject, current: str) -> QAction:
        conversation = str(said["id"])
        title = str(said.get("title") or "").strip() or conversation
        short = title if len(title) <= 48 else f"{title[:47]}…"
        action = QAction(f"{short}   ({said.get('messages', 0)})".replace("&", "&&"), self)
        action.setCheckable(True)
        action.setChecked(conversation == current)
        action.setData(conversation)
        action.triggered.connect(lambda: self.load_wanted.emit(conversation))
        return action

    def _action(self, text: str, name: str, key: QKeySequence | None = None) -> QAction:
        action = self.addAction(text)
        action.setObjectName(name)
        if key is not None:
            action.setShortcut(key)
        return action

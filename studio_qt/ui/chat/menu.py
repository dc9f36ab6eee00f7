"""`ConversationMenu`: the menu of the chat's header, with the conversations to take up."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QWidget

from studio_qt.jsontext import JsonObject
from studio_qt.sentences import shortened
from studio_qt.ui.actions import Actions, Place

__all__ = ["ConversationMenu"]

_MOST = 20
"""Conversations in the menu, the latest first."""


class ConversationMenu(QMenu):
    """What can be done with a whole conversation; each is one of the window's actions too.

    `list_wanted` asks for the conversations; whoever hears it calls `show_list`. Each other signal
    is asked for by its action.
    """

    list_wanted = Signal()
    load_wanted = Signal(str)
    new_wanted = Signal()
    command_wanted = Signal()
    find_wanted = Signal()
    copy_wanted = Signal()
    undo_wanted = Signal()
    redo_wanted = Signal()
    clear_wanted = Signal()
    messages_wanted = Signal()

    def __init__(self, parent: QWidget, actions: Actions, view: QWidget) -> None:
        super().__init__("&Conversation", parent)
        self.setObjectName("chatConversationMenu")
        self.setAccessibleName("Conversation")
        self._actions = actions
        self.new = self._add(
            "conversationNew", "&New conversation", self.new_wanted.emit, 0, "Ctrl+N"
        )
        self.command = self._add(
            "conversationCommand", "Run a &command…", self.command_wanted.emit, 0, "Ctrl+K"
        )
        self.addSeparator()
        self.search = self._add(
            "conversationFind",
            "&Find in the conversation",
            self.find_wanted.emit,
            1,
            "Ctrl+F",
            parent,
        )
        self.go = self._add(
            "conversationMessages",
            "Go to the &messages",
            self.messages_wanted.emit,
            1,
            "Alt+Up",
            parent,
        )
        self.copy = self._add(
            "conversationCopy", "Copy &transcript", self.copy_wanted.emit, 1, "Ctrl+Shift+C"
        )
        self.addSeparator()
        self.undo = self._add(
            "conversationUndo", "&Undo the last edit", self.undo_wanted.emit, 3, "Ctrl+Z", view
        )
        self.redo = self._add(
            "conversationRedo", "&Redo the edit", self.redo_wanted.emit, 3, "Ctrl+Shift+Z", view
        )
        self.clear_all = self._add(
            "conversationClear", "C&lear conversation…", self.clear_wanted.emit, 3
        )
        self.addSeparator()
        self.addSection("Conversations")
        self._listed: list[QAction] = []
        self.aboutToShow.connect(self.list_wanted)

    @property
    def listed(self) -> list[QAction]:
        """The conversations, each a check mark."""
        return list(self._listed)

    def set_ready(self, ready: bool) -> None:  # noqa: FBT001
        """Allow what needs an open player, or not."""
        for action in (
            *(self.new, self.command, self.search, self.go, self.copy),
            *(self.undo, self.redo, self.clear_all),
        ):
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
        short = shortened(title, 48)
        action = QAction(f"{short}   ({said.get('messages', 0)})".replace("&", "&&"), self)
        action.setCheckable(True)
        action.setChecked(conversation == current)
        action.setData(conversation)
        action.triggered.connect(lambda: self.load_wanted.emit(conversation))
        return action

    def _add(
        self,
        name: str,
        text: str,
        slot: Callable[[], object],
        section: int,
        keys: str = "",
        owner: QWidget | None = None,
    ) -> QAction:
        place = Place("Conversation", section)
        action = self._actions.add(name, text, slot, place=place, keys=keys, owner=owner)
        self.addAction(action)
        return action

"""`ChatHeader`: whose conversation this is, who answers, and what can be done with it."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QFrame, QHBoxLayout, QMenu, QToolButton, QVBoxLayout, QWidget

from studio_qt.ui.chat.about import REHEARSAL, who_answers
from studio_qt.ui.theme.theme import Theme
from studio_qt.ui.widgets.basics import Avatar, ElidedLabel, IconButton, label

__all__ = ["ChatHeader"]


class ChatHeader(QFrame):
    """Avatar, name, conversation and description in two lines; the model; the menu."""

    commands_wanted = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("chatHeader")
        self.setAccessibleName("Character")
        self._avatar = Avatar("?", size=36)
        self._name = label("", "name", name="characterName")
        self._place = ElidedLabel("", "quiet")
        self._description = ElidedLabel("", "second")
        self._description.setObjectName("characterDescription")
        self._model = label("", "pill", name="modelLabel")
        self._menu_button = IconButton(theme, "more", "Conversation menu", name="chatMenu")
        self._menu_button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self._new = IconButton(theme, "plus", "New conversation", name="chatNew")
        self._build()

    def set_actions(self, menu: QMenu, new: QAction) -> None:
        """Give the menu, and the action behind the plus."""
        self._menu_button.setMenu(menu)
        self._new.clicked.connect(new.trigger)

    def show_character(self, name: str, description: str, model: str) -> None:
        """Show who is played and who answers."""
        self._avatar.set_name(name)
        self._name.setText(name)
        self._description.set_whole(description or "No description yet")
        self._model.setText(model)
        self._model.setToolTip(who_answers(model))
        self._model.setAccessibleName(who_answers(model))
        self._model.setProperty("role", "pillWarn" if model == REHEARSAL else "pill")
        self._model.style().polish(self._model)
        self._model.setVisible(bool(model))

    def show_place(self, conversation: str, entries: int) -> None:
        """Show which conversation it is, and how long."""
        count = "1 entry" if entries == 1 else f"{entries:,} entries"
        self._place.set_whole(f"{conversation} · {count}" if conversation else "")

    def _build(self) -> None:
        row = QHBoxLayout(self)
        row.setContentsMargins(20, 10, 16, 10)
        row.setSpacing(12)
        row.addWidget(self._avatar)
        column = QVBoxLayout()
        column.setSpacing(2)
        first = QHBoxLayout()
        first.setSpacing(8)
        first.addWidget(self._name)
        first.addWidget(self._place, 1, Qt.AlignmentFlag.AlignBottom)
        column.addLayout(first)
        column.addWidget(self._description)
        row.addLayout(column, 1)
        row.addWidget(self._model, 0, Qt.AlignmentFlag.AlignVCenter)
        row.addWidget(self._new)
        row.addWidget(self._menu_button)

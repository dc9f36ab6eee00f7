"""`ChatHeader`: whose conversation this is, who answers, and what can be done with it."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QPixmap, QResizeEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QMenu,
    QPushButton,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from studio_qt.ui.chat.about import REHEARSAL, who_answers
from studio_qt.ui.chat.rows import shown_text
from studio_qt.ui.theme.dressing import wear
from studio_qt.ui.theme.theme import Theme
from studio_qt.ui.widgets.basics import ElidedLabel, IconButton, label
from studio_qt.ui.widgets.portrait import Portrait
from studio_qt.ui.widgets.tips import plain_tip

__all__ = ["ChatHeader"]

_WIDEST_MODEL = 180
_SHORT = 600
"""Characters of a description that are enough for a line and a tip."""

_WIDE = 640
"""Pixels from which on the description has room beside the name."""


class ChatHeader(QFrame):
    """Avatar, name, "title · id · n entries"; the model; find and the menu.

    The description stands beside the name where there is room, and is the tip of the name.
    """

    find_wanted = Signal()
    model_wanted = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.setObjectName("chatHeader")
        wear("base", "buttons", "bars", "chat", widgets=[self])
        self.setAccessibleName("Character")
        self._avatar = Portrait("?", size=32)
        self._name = label("", "name", name="characterName")
        self._place = ElidedLabel("", "second")
        self._place.setObjectName("conversationPlace")
        self._description = ElidedLabel("", "quiet")
        self._description.setObjectName("characterDescription")
        self._model = QPushButton()
        self._model.setObjectName("modelLabel")
        self._model.setCursor(Qt.CursorShape.PointingHandCursor)
        self._model.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self._model.setLayoutDirection(Qt.LayoutDirection.RightToLeft)  # the arrow at the end
        self._model.clicked.connect(self.model_wanted)
        theme.changed.connect(self._dress)
        self._find = IconButton(theme, "search", "Find in the conversation", name="chatFind")
        self._find.clicked.connect(self.find_wanted)
        self._menu_button = IconButton(theme, "more", "Conversation menu", name="chatMenu")
        self._menu_button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self._build()
        self._dress()

    def set_menu(self, menu: QMenu) -> None:
        """Give the menu of the conversation."""
        self._menu_button.setMenu(menu)

    def set_picture(self, picture: QPixmap | None) -> None:
        """Show the character's picture; None shows initials."""
        self._avatar.set_picture(picture)

    def show_character(self, name: str, description: str, model: str) -> None:
        """Show who is played and who answers."""
        self._avatar.set_name(name)
        self._name.setText(name)
        description = description[:_SHORT]
        self._name.setToolTip(plain_tip(description))
        self._description.set_whole(description or "No description yet")
        metrics = self._model.fontMetrics()
        short = metrics.elidedText(model, Qt.TextElideMode.ElideRight, _WIDEST_MODEL)
        self._model.setText(short)
        self._model.setToolTip(plain_tip(who_answers(model)))
        self._model.setAccessibleName(who_answers(model))
        self._model.setProperty("kind", "modelWarn" if model == REHEARSAL else "model")
        self._model.style().unpolish(self._model)
        self._model.style().polish(self._model)
        self._model.setVisible(bool(model))

    def show_place(self, title: str, conversation: str, entries: int) -> None:
        """Show which conversation it is, and how long."""
        count = "1 entry" if entries == 1 else f"{entries:,} entries"
        shown = shown_text(title)
        words = [shown, conversation, count] if shown else [conversation, count]
        self._place.set_whole(" · ".join(words) if conversation else "")

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._description.setVisible(self.width() >= _WIDE)

    def _dress(self) -> None:
        self._model.setIcon(self._theme.icon("chevron-down", "fg2", 12))
        self._model.setIconSize(QSize(12, 12))

    def _build(self) -> None:
        row = QHBoxLayout(self)
        row.setContentsMargins(16, 9, 12, 9)
        row.setSpacing(10)
        row.addWidget(self._avatar)
        column = QVBoxLayout()
        column.setSpacing(1)
        first = QHBoxLayout()
        first.setSpacing(10)
        self._name.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Preferred)
        first.addWidget(self._name)
        first.addWidget(self._description, 1)
        first.addStretch(0)
        column.addLayout(first)
        column.addWidget(self._place)
        row.addLayout(column, 1)
        row.addWidget(self._model, 0, Qt.AlignmentFlag.AlignVCenter)
        row.addWidget(self._find)
        row.addWidget(self._menu_button)

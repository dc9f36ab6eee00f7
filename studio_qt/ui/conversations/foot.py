"""`ConversationsFoot`: the small list of conversations below the project tree."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from studio_qt.ui.conversations.model import ConversationModel
from studio_qt.ui.conversations.view import ConversationList
from studio_qt.ui.theme.theme import Theme
from studio_qt.ui.widgets.bars import SectionTitle
from studio_qt.ui.widgets.basics import IconButton

__all__ = ["ConversationsFoot"]

_HEIGHT = 150


class ConversationsFoot(QWidget):
    """A heading with +, and the list; `new_wanted` is the +."""

    new_wanted = Signal()

    def __init__(self, theme: Theme, model: ConversationModel) -> None:
        super().__init__()
        self._theme = theme
        self.setObjectName("conversationsFoot")
        self.setAccessibleName("Conversations")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.list = ConversationList(theme, model, "conversationsFootList", counts=False)
        title = SectionTitle("Conversations")
        plus = IconButton(theme, "plus", "New conversation", name="conversationsFootNew", size=15)
        plus.clicked.connect(self.new_wanted)
        title.side.addWidget(plus)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 2, 0, 6)
        column.setSpacing(0)
        head = QHBoxLayout()
        head.setContentsMargins(16, 6, 10, 2)
        head.addWidget(title)
        column.addLayout(head)
        column.addWidget(self.list, 1)
        self.setMinimumHeight(70)
        self._fit()
        theme.changed.connect(self._fit)

    def sizeHint(self) -> QSize:
        """Return the size that it has at first; a step of a resize asks for it 40 times."""
        return self._size

    def _fit(self) -> None:
        self._size = QSize(200, self._theme.scaled(_HEIGHT))

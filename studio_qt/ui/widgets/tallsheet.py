"""`TallSheet`: a sheet with a head, a middle, and a foot, as high as the window lets it."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from studio_qt.ui.theme.theme import Theme
from studio_qt.ui.widgets.basics import IconButton, IconView, label
from studio_qt.ui.widgets.sheet import Sheet

__all__ = ["TallSheet", "scrolled"]


class TallSheet(Sheet):
    """Subclasses put their content into `middle` and their buttons into `foot`.

    `title` and `subtitle` are the labels of the head; its cross is called `name` and "Close".
    """

    tallest = 640
    """Pixels at an interface size of 13."""

    def __init__(self, theme: Theme, over: QWidget, title: str, icon: str, name: str) -> None:
        super().__init__(theme, over, title)
        self.title, self.subtitle = label(title, "title"), label("", "second")
        self.middle = QHBoxLayout()
        self.middle.setContentsMargins(0, 0, 0, 0)
        self.middle.setSpacing(0)
        foot = QFrame()
        foot.setProperty("role", "sheetFoot")
        self.foot = QHBoxLayout(foot)
        self.foot.setContentsMargins(20, 10, 20, 10)
        self.foot.setSpacing(8)
        self.column.setContentsMargins(0, 0, 0, 0)
        self.column.setSpacing(0)
        self.column.addWidget(self._head(icon, name))
        self.column.addLayout(self.middle, 1)
        self.column.addWidget(foot)

    def cover(self) -> None:
        """Lie over the whole window; the card is as high as it may be."""
        height = min(self._theme.scaled(self.tallest), self._over.height() - 32)
        self.card.setMinimumHeight(height)
        super().cover()
        self.card.resize(self.card.width(), height)
        self.card.move(self.card.x(), max(16, (self._over.height() - height) // 2))

    def _head(self, icon: str, name: str) -> QWidget:
        head = QFrame()
        head.setProperty("role", "sheetHead")
        row = QHBoxLayout(head)
        row.setContentsMargins(20, 10, 12, 10)
        row.setSpacing(12)
        words = QVBoxLayout()
        words.setSpacing(2)
        words.addWidget(self.title)
        words.addWidget(self.subtitle)
        close = IconButton(self._theme, "close", "Close", name=f"{name}Close")
        close.clicked.connect(self.reject)
        row.addWidget(IconView(self._theme, icon, "accent2", 20))
        row.addLayout(words, 1)
        row.addWidget(close)
        return head


def scrolled(part: QWidget | None, name: str, accessible: str) -> QScrollArea:
    """Return an area in which a part scrolls up and down.

    A large part is better put in when the area stands in its sheet: then it is dressed once.
    """
    area = QScrollArea()
    area.setObjectName(name)
    area.setAccessibleName(accessible)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    area.setWidgetResizable(True)
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    if part is not None:
        area.setWidget(part)
    return area

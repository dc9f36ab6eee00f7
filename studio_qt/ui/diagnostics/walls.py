"""`WallsSheet`: what keeps the agents of the open character in (BOX-01)."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from studio_qt.ui.theme.theme import Theme
from studio_qt.ui.widgets.basics import IconView, label, text_button
from studio_qt.ui.widgets.sheet import Sheet

__all__ = ["WallsSheet"]

_MISSING = "Missing:"
_NONE = "No agent code runs, so there are no walls."
_INTRODUCTION = "Code of agents runs in processes of its own. This is what keeps them in:"


class WallsSheet(Sheet):
    """Lists the walls that stand, then those that this system does not offer."""

    widest = 560

    def __init__(self, theme: Theme, over: QWidget, walls: Sequence[str]) -> None:
        super().__init__(theme, over, "Walls around agents")
        self.setObjectName("message")
        self._scroll = QScrollArea()
        self._inside = QWidget()
        self._close = text_button("Close", "messageClose")
        standing = [wall for wall in walls if not wall.startswith(_MISSING)]
        missing = [_missing(wall) for wall in walls if wall.startswith(_MISSING)]
        column = QVBoxLayout(self._inside)
        column.setContentsMargins(0, 0, 8, 0)
        column.setSpacing(9)
        for wall in standing:
            column.addLayout(self._line("shield", "ok", wall))
        if missing:
            column.addSpacing(6)
            column.addWidget(label("NOT OFFERED BY THIS SYSTEM", "caps"))
        for wall in missing:
            column.addLayout(self._line("warning", "warn", wall))
        column.addStretch(1)
        self._build(_INTRODUCTION if walls else _NONE)
        self._scroll.setVisible(bool(walls))
        self.finished.connect(self.deleteLater)

    def lay(self) -> None:
        super().lay()
        self._close.setFocus(Qt.FocusReason.PopupFocusReason)

    def cover(self) -> None:
        """Leave the list as much height as it needs and the window has."""
        width = min(self.widest, self._over.width() - 32) - 56
        needed = max(40, self._inside.heightForWidth(width) + 4)
        self._scroll.setFixedHeight(min(needed, max(80, self._over.height() - 220)))
        super().cover()

    def _line(self, icon: str, token: str, text: str) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(10)
        row.addWidget(IconView(self._theme, icon, token, 15), 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(label(text, wrap=True), 1)
        return row

    def _build(self, introduction: str) -> None:
        self.column.setContentsMargins(20, 18, 20, 16)
        self.column.addWidget(label("Walls around agents", "title"))
        self.column.addWidget(label(introduction, "second", wrap=True))
        self._scroll.setObjectName("wallsList")
        self._scroll.setAccessibleName("Walls")
        self._scroll.setFrameShape(QFrame.Shape.NoFrame)
        self._scroll.setWidgetResizable(True)
        self._scroll.setWidget(self._inside)
        self.column.addWidget(self._scroll)
        row = QHBoxLayout()
        row.addStretch(1)
        self._close.clicked.connect(self.reject)
        row.addWidget(self._close)
        self.column.addLayout(row)


def _missing(wall: str) -> str:
    text = wall.removeprefix(_MISSING).strip()
    return text[:1].upper() + text[1:]

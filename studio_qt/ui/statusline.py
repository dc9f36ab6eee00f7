"""`StatusLine`: who answers, and which project is open."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QWidget

from studio_qt.ui.chat.about import REHEARSAL
from studio_qt.ui.theme.theme import Theme
from studio_qt.ui.widgets.basics import ElidedLabel, label

__all__ = ["StatusLine"]


class StatusLine(QFrame):
    """28 px at the foot of the window."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("statusLine")
        self.setAccessibleName("Status")
        self.setFixedHeight(28)
        self._dot = _Dot(theme)
        self._model = label("", "second", name="statusModel")
        self._place = ElidedLabel("", "quiet")
        self._place.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        row = QHBoxLayout(self)
        row.setContentsMargins(16, 0, 16, 0)
        row.setSpacing(8)
        row.addWidget(self._dot)
        row.addWidget(self._model)
        row.addSpacing(24)
        row.addWidget(self._place, 1)
        self.show_player("", None)

    def show_player(self, model: str, place: Path | None) -> None:
        """Show the model's name and the project's folder or file."""
        self._dot.setVisible(bool(model))
        words = "Rehearsal: built in, offline, no key" if model == REHEARSAL else model
        self._model.setText(words)
        self._place.set_whole(_short(place) if place else "")


class _Dot(QWidget):
    """A green point: something answers."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.setFixedSize(8, 8)
        theme.changed.connect(self.update)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._theme.colour("okfill"))
        painter.drawEllipse(QRectF(0, 0, 8, 8))


def _short(place: Path) -> str:
    """Return a path with the user's home folder as ~."""
    home = Path.home()
    return str(Path("~") / place.relative_to(home)) if place.is_relative_to(home) else str(place)

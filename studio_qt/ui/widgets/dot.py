"""`Dot`: a light of 8 px in the colour of a token; the words beside it say what it means."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from studio_qt.ui.theme.theme import Theme

__all__ = ["Dot"]

_SIZE = 8


class Dot(QWidget):
    """A light that follows the theme."""

    def __init__(self, theme: Theme, token: str = "ctl") -> None:
        super().__init__()
        self._theme, self._token = theme, token
        self.setFixedSize(_SIZE, _SIZE)
        theme.changed.connect(self.update)

    def show_token(self, token: str) -> None:
        """Take the colour of another token."""
        self._token = token
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._theme.colour(self._token))
        painter.drawEllipse(QRectF(self.rect()))

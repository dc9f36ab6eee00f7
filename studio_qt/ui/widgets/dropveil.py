"""`DropVeil`: lies over a page while something is held above it that can be dropped."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFont, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from studio_qt.ui.theme.theme import Theme

__all__ = ["DropVeil"]


class DropVeil(QWidget):
    """Says what comes of dropping."""

    def __init__(self, theme: Theme, over: QWidget, name: str, words: str) -> None:
        super().__init__(over)
        self._theme, self._over, self._words = theme, over, words
        self.setObjectName(name)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()

    def lay(self) -> None:
        """Lie over the whole page."""
        self.setGeometry(self._over.rect())
        self.show()
        self.raise_()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        veil = QColor(self._theme.colour("bg0"))
        veil.setAlphaF(0.78)
        painter.fillRect(self.rect(), veil)
        painter.setPen(QPen(self._theme.colour("accent2"), 2, Qt.PenStyle.DashLine))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(16, 16, -16, -16), 10, 10)
        painter.setPen(self._theme.colour("fg"))
        painter.setFont(self._theme.font(15, QFont.Weight.DemiBold))
        painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, self._words)

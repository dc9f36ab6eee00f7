"""`show_in_bands`: lets what is on the screen change band by band, a band in each turn."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QRect, Qt, QTimer
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QWidget

__all__ = ["BANDS", "show_in_bands"]

BANDS = 5
"""Turns in which a window is painted anew; at once takes the time of two frames."""


def show_in_bands(over: QWidget) -> None:
    """Keep what is on the screen of a shown widget, whatever changes in this turn, for a moment.

    What has changed comes from top to bottom in the next turns.
    """
    if not over.isVisible():
        return
    for earlier in over.findChildren(_Bands, options=Qt.FindChildOption.FindDirectChildrenOnly):
        if earlier.whole:
            earlier.rise()
            return
        earlier.end()
    _Bands(over)


class _Bands(QTimer):
    """The bands over one widget, from top to bottom; ends with the last of them."""

    def __init__(self, over: QWidget) -> None:
        super().__init__(over)
        self._over = over
        height = -(-over.height() // BANDS)
        areas = [QRect(0, top, over.width(), height) for top in range(0, over.height(), height)]
        self._bands = [_Band(over, area) for area in areas]
        self.whole = True
        over.installEventFilter(self)
        self.timeout.connect(self._on_turn)
        self.start(0)

    def rise(self) -> None:
        """Lie over what has come since."""
        for band in self._bands:
            band.raise_()

    def end(self) -> None:
        """Take all away at once."""
        self.stop()
        self._over.removeEventFilter(self)
        while self._bands:
            self._take_one()
        self.setParent(None)
        self.deleteLater()

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        """Give up where the size changes: what was on the screen is gone."""
        if event.type() == QEvent.Type.Resize:
            self.end()
        return False

    def _on_turn(self) -> None:
        """Take a band away; what is below it is painted in the next turn."""
        self.whole = False
        self._take_one()
        if not self._bands:
            self.end()

    def _take_one(self) -> None:
        band = self._bands.pop(0)
        band.hide()
        band.deleteLater()


class _Band(QWidget):
    """Paints nothing, and yet is opaque: what was there stays, and nothing below is painted."""

    def __init__(self, over: QWidget, area: QRect) -> None:
        super().__init__(over)
        self.setObjectName("paintedLater")
        self.setProperty("undressed", True)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setAttribute(Qt.WidgetAttribute.WA_NoSystemBackground)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setGeometry(area)
        self.raise_()
        self.show()

    def paintEvent(self, _event: QPaintEvent) -> None:
        pass

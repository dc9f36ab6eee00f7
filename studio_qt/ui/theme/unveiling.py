"""`Unveiling`: keeps a window's picture while its look changes, then paints it pane by pane."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QObject, Qt, QTimer
from PySide6.QtWidgets import QWidget
from shiboken6 import Shiboken

__all__ = ["ROOM", "Unveiling"]

_OPAQUE = Qt.WidgetAttribute.WA_OpaquePaintEvent
ROOM = 300_000
"""Pixels that are painted in one turn, but for a pane that has more."""


class Unveiling(QObject):
    """What is on the screen of one window while `veil` and `start` lie apart, and after.

    Painting everything at once would take the time of two frames. So each pane keeps its old
    picture until it is its turn; it counts as opaque meanwhile, so that nothing that lies below is
    painted over that picture.
    """

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self._veiled: list[tuple[QWidget, bool]] = []
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._unveil)

    @property
    def done(self) -> bool:
        """Whether all can be seen as it is."""
        return not self._veiled and self._window.updatesEnabled()

    def veil(self, panes: Iterable[QWidget], *, alone: bool = False) -> None:
        """Keep the picture of the window and of what stands in it, or of the latter alone."""
        self._timer.stop()
        if not alone:
            self._window.setUpdatesEnabled(False)
        known = {pane for pane, _ in self._veiled}
        for pane in panes:
            if pane not in known:
                self._veiled.append((pane, pane.testAttribute(_OPAQUE)))
                pane.setAttribute(_OPAQUE)
                pane.setUpdatesEnabled(False)

    def start(self) -> None:
        """Paint the window, and its panes in the next turns."""
        self._window.setUpdatesEnabled(True)
        self._timer.start(0)

    def _unveil(self) -> None:
        room = ROOM
        while self._veiled:
            pane, opaque = self._veiled[0]
            if not Shiboken.isValid(pane):
                del self._veiled[0]
                continue
            size = pane.width() * pane.height()
            if room < ROOM and size > room:
                break
            room -= size
            del self._veiled[0]
            pane.setAttribute(_OPAQUE, opaque)
            pane.setUpdatesEnabled(True)
        if self._veiled:
            self._timer.start(0)

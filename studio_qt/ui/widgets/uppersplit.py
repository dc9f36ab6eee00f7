"""`UpperSplit`: a splitter whose focus belongs to its upper, or left, page."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QFocusEvent
from PySide6.QtWidgets import QSplitter, QWidget

from studio_qt.ui.theme.dressing import hold

__all__ = ["UpperSplit"]


class UpperSplit(QSplitter):
    """Holds a page, and later others after it; passes the focus on to the first one."""

    def __init__(self, orientation: Qt.Orientation, upper: QWidget) -> None:
        super().__init__(orientation)
        self._upper = upper
        hold(self)
        self.addWidget(upper)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self._upper.setFocus(event.reason())

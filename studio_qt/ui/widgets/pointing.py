"""`Pointing`: whether a pointer has been over a view yet."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QWidget

__all__ = ["Pointing"]

_COMING = (
    QEvent.Type.HoverEnter,
    QEvent.Type.HoverMove,
    QEvent.Type.DragEnter,
    QEvent.Type.DragMove,
)


class Pointing(QObject):
    """Looks at the events of a viewport until a pointer comes, with or without a drag."""

    def __init__(self, viewport: QWidget, parent: QObject) -> None:
        super().__init__(parent)
        self.came = False
        viewport.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in _COMING:
            self.came = True
            watched.removeEventFilter(self)
        return False

"""Lists to choose from that do not choose by accident."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent, QWheelEvent
from PySide6.QtWidgets import QComboBox

__all__ = ["ChoiceField", "GiveField"]


class ChoiceField(QComboBox):
    """A list of a form; the wheel scrolls past it."""

    def __init__(self, name: str, accessible: str) -> None:
        super().__init__()
        self.setObjectName(name)
        self.setAccessibleName(accessible)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()


class GiveField(ChoiceField):
    """A list of which each choice does something: arrows and letters open it, Enter chooses."""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        arrows = (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown)
        ends = (Qt.Key.Key_Home, Qt.Key.Key_End)
        held = event.modifiers() & (
            Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier
        )
        if event.key() in (*arrows, *ends) or (event.text().isprintable() and event.text()):
            if held and event.key() not in arrows:
                super().keyPressEvent(event)
            else:
                self.showPopup()
        else:
            super().keyPressEvent(event)

"""`KeyHints`: what keys do, in one line at the foot of a dialog."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QSize
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QWidget

from studio_qt.ui.widgets.basics import label

__all__ = ["Hint", "KeyHints"]

Hint = tuple[str, str]
"""A key, and what it does."""

_GAP = 12


class KeyHints(QWidget):
    """Hints from the left and from the right; the last ones make way where there is no room."""

    def __init__(self, left: Sequence[Hint], right: Sequence[Hint] = ()) -> None:
        super().__init__()
        self.setObjectName("keyHints")
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(_GAP)
        self._hints = [_hint(*each) for each in (*left, *right)]
        for hint in self._hints[: len(left)]:
            row.addWidget(hint)
        row.addStretch(1)
        for hint in self._hints[len(left) :]:
            row.addWidget(hint)

    def minimumSizeHint(self) -> QSize:
        return QSize(1, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._fit()

    def _fit(self) -> None:
        room = self.width() + _GAP
        for hint in self._hints:
            room -= hint.sizeHint().width() + _GAP
            hint.setVisible(room >= 0)


def _hint(key: str, does: str) -> QWidget:
    hint = QWidget()
    row = QHBoxLayout(hint)
    row.setContentsMargins(0, 0, 0, 0)
    row.setSpacing(6)
    row.addWidget(label(key, "key"))
    row.addWidget(label(does, "quiet"))
    return hint

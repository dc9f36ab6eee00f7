"""The head of the sheets that a model writes for."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from studio_qt.ui.theme.theme import Theme
from studio_qt.ui.widgets.basics import IconView

__all__ = ["written_head"]


def written_head(theme: Theme, title: QWidget, about: QWidget) -> QHBoxLayout:
    """Return a sparkle beside a title and what is told of it."""
    head, words = QHBoxLayout(), QVBoxLayout()
    head.setSpacing(10)
    head.addWidget(IconView(theme, "sparkle", "accent2", 20), 0, Qt.AlignmentFlag.AlignTop)
    words.setSpacing(2)
    words.addWidget(title)
    words.addWidget(about)
    head.addLayout(words, 1)
    return head

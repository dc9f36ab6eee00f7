"""Telling assistive technology what is shown somewhere and has no focus."""

from __future__ import annotations

from PySide6.QtCore import QObject

__all__ = ["announce"]


def announce(place: QObject, text: str) -> None:
    """Have a text read out that is shown at `place`."""
    from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent  # slow, seldom needed

    QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(place, text))

"""Viewports that Python has made, as quick to ask for as any other widget."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QAbstractScrollArea, QPlainTextEdit, QWidget

__all__ = ["give_viewport"]


def give_viewport(area: QAbstractScrollArea) -> None:
    """Give a view or an editor a viewport like its own; before anything is set up in it.

    When one that Qt has made is asked for, PySide looks through all kinds of widgets that there
    are for what it could be, and the first time that takes longer than making a page.
    """
    viewport = QWidget()
    viewport.setBackgroundRole(QPalette.ColorRole.Base)
    viewport.setAutoFillBackground(True)
    if isinstance(area, QPlainTextEdit):
        viewport.setCursor(Qt.CursorShape.IBeamCursor)
        area.document().documentLayout().setPaintDevice(viewport)  # the other one goes
    area.setViewport(viewport)

"""A tree that is a list of painted rows."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractItemView, QTreeView

__all__ = ["lay_flat"]


def lay_flat(view: QTreeView) -> None:
    """Leave a view its rows alone: of one height, without head or indentation, never edited."""
    view.setHeaderHidden(True)
    view.setIndentation(0)
    view.setRootIsDecorated(False)
    view.setUniformRowHeights(True)
    view.setMouseTracking(True)
    view.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
    view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    view.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)

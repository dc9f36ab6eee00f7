"""Sheets of this page give the focus back to where it was."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from shiboken6 import isValid

from studio_qt.ui.widgets.sheet import Sheet

__all__ = ["lay"]


def lay(sheet: Sheet) -> None:
    """Show a sheet; when it closes, the focus goes back to where it is now."""
    before = QApplication.focusWidget()

    def give_back() -> None:
        if before is not None and isValid(before) and before.isVisible():
            before.setFocus(Qt.FocusReason.PopupFocusReason)

    sheet.finished.connect(give_back)
    sheet.lay()

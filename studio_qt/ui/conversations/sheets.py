"""Sheets of this page: they give the focus back to where it was, and one asks for a title."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QHBoxLayout, QLineEdit, QWidget
from shiboken6 import isValid

from studio_qt.ui.theme.theme import Theme
from studio_qt.ui.widgets.basics import label, text_button
from studio_qt.ui.widgets.sheet import Sheet

__all__ = ["LONGEST_TITLE", "TitleSheet", "lay"]

LONGEST_TITLE = 200


def lay(sheet: Sheet) -> None:
    """Show a sheet; when it closes, the focus goes back to where it is now."""
    before = QApplication.focusWidget()

    def give_back() -> None:
        if before is not None and isValid(before) and before.isVisible():
            before.setFocus(Qt.FocusReason.PopupFocusReason)

    sheet.finished.connect(give_back)
    sheet.lay()


class TitleSheet(Sheet):
    """Asks for a title where no list is seen in which it could be typed; deletes itself."""

    widest = 440

    def __init__(
        self, theme: Theme, over: QWidget, title: str, take: Callable[[str], object]
    ) -> None:
        super().__init__(theme, over, "Rename the conversation")
        self.setObjectName("conversationRenameSheet")
        self._take = take
        self.field = QLineEdit(title)
        self.field.setObjectName("conversationRenameField")
        self.field.setAccessibleName("Title of the conversation")
        self.field.setMaxLength(LONGEST_TITLE)
        self.column.setContentsMargins(20, 18, 20, 16)
        self.column.addWidget(label("Rename the conversation", "title"))
        self.column.addWidget(self.field)
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addStretch(1)
        cancel = text_button("Cancel", "conversationRenameClose")
        cancel.clicked.connect(self.reject)
        rename = text_button("Rename", "conversationRenameRun", "primary")
        rename.clicked.connect(self.rename)
        row.addWidget(cancel)
        row.addWidget(rename)
        self.column.addLayout(row)
        self.finished.connect(self.deleteLater)

    def lay(self) -> None:
        super().lay()
        self.field.setFocus(Qt.FocusReason.PopupFocusReason)
        self.field.selectAll()

    def rename(self) -> None:
        """Take the title that is typed."""
        self._take(self.field.text())
        self.accept()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.rename()
        else:
            super().keyPressEvent(event)

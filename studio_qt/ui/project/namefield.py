"""`NameField`: the field in which the name of a file is typed in its row."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtGui import QHideEvent
from PySide6.QtWidgets import QLabel, QLineEdit, QWidget

from studio_qt.files.names import split_name

__all__ = ["NameField"]


class NameField(QLineEdit):
    """The field of a name, with the sentence that says why it cannot be, below it."""

    def __init__(self, parent: QWidget, check: Callable[[str], str | None]) -> None:
        super().__init__(parent)
        self.setObjectName("treeName")
        self.setAccessibleName("Name")
        self._judge = check
        self.first = ""
        self._says = QLabel(parent)
        self._says.setObjectName("treeNameFault")
        self._says.setWordWrap(True)
        self._says.hide()
        self.textChanged.connect(self._look)
        self.destroyed.connect(self._says.deleteLater)

    @property
    def fault(self) -> str | None:
        """What is wrong with the name as it stands."""
        return self._judge(self.text())

    def begin(self, name: str) -> None:
        """Show a name."""
        self.first = name
        self.setText(name)

    def select_stem(self) -> None:
        """Select the part that one changes; the view has selected everything."""
        self.setSelection(0, len(split_name(self.text())[0]))

    def place_fault(self) -> None:
        """Put the sentence below the field, or above it at the foot of the view."""
        parent = self.parentWidget()
        width = max(160, self.width())
        height = self._says.heightForWidth(width)
        below = self.geometry().bottom() + 3
        if parent is not None and below + height > parent.height():
            below = self.geometry().top() - height - 3
        self._says.setGeometry(self.x(), below, width, height)

    def hideEvent(self, event: QHideEvent) -> None:
        self._says.hide()
        super().hideEvent(event)

    def _look(self) -> None:
        fault = self.fault
        self.setProperty("fault", fault is not None)
        self.style().polish(self)
        self._says.setText(fault or "")
        self.setAccessibleDescription(fault or "")
        self._says.setVisible(fault is not None)
        if fault is not None:
            self._says.raise_()
            self.place_fault()

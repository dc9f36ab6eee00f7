"""The fields in which a value or a name is typed in its row."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QHideEvent, QKeyEvent
from PySide6.QtWidgets import QLabel, QLineEdit, QPlainTextEdit, QWidget

__all__ = ["LineField", "TextField", "ValueField"]

Judge = Callable[[str], str | None]
"""Returns a sentence on what is wrong with a text, or None."""


class LineField(QLineEdit):
    """One line, with the sentence that says why it cannot be, below it."""

    def __init__(self, parent: QWidget, name: str, judge: Judge) -> None:
        super().__init__(parent)
        self.setObjectName("storeField")
        self.setAccessibleName(name)
        self._judge = judge
        self._says = QLabel(parent)
        self._says.setObjectName("treeNameFault")
        self._says.setWordWrap(True)
        self._says.hide()
        self.textChanged.connect(self._look)
        self.destroyed.connect(self._says.deleteLater)

    @property
    def words(self) -> str:
        """What is typed."""
        return self.text()

    @property
    def fault(self) -> str | None:
        """What is wrong with the text as it stands."""
        return self._judge(self.text())

    def begin(self, text: str) -> None:
        """Show a text, selected."""
        self.setText(text)
        self.selectAll()

    def hideEvent(self, event: QHideEvent) -> None:
        self._says.hide()
        super().hideEvent(event)

    def _look(self) -> None:
        fault = self.fault
        self.setProperty("fault", fault is not None)
        self.style().polish(self)
        self.setAccessibleDescription(fault or "")
        self._says.setText(fault or "")
        self._says.setVisible(fault is not None)
        if fault is not None:
            width = max(200, self.width())
            height = self._says.heightForWidth(width)
            self._says.setGeometry(self.x(), self.geometry().bottom() + 3, width, height)
            self._says.raise_()


class TextField(QPlainTextEdit):
    """Several lines. Enter is done (`done`), Shift+Enter begins a line."""

    done = Signal()

    def __init__(self, parent: QWidget, name: str) -> None:
        super().__init__(parent)
        self.setObjectName("storeField")
        self.setAccessibleName(name)
        self.setAccessibleDescription("Enter is done, Shift and Enter begin a new line.")
        self.setTabChangesFocus(True)

    @property
    def words(self) -> str:
        """What is typed."""
        return self.toPlainText()

    @property
    def fault(self) -> str | None:
        """Any text will do."""
        return None

    def begin(self, text: str) -> None:
        """Show a text, the cursor at its end."""
        self.setPlainText(text)
        self.moveCursor(self.textCursor().MoveOperation.End)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        held = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        plain = held == Qt.KeyboardModifier.NoModifier
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and plain:
            self.done.emit()
        else:
            super().keyPressEvent(event)


ValueField = LineField | TextField

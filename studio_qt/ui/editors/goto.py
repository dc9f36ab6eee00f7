"""`GotoSheet`: asks for the line to go to."""

from __future__ import annotations

import re

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QWidget

from studio_qt.ui.theme.theme import Theme
from studio_qt.ui.widgets.basics import label, text_button
from studio_qt.ui.widgets.sheet import Sheet

__all__ = ["GotoSheet"]

_PLACE = re.compile(r"\s*(\d{1,9})\s*(?:[:,]\s*(\d{1,9}))?\s*")


class GotoSheet(Sheet):
    """`chosen` carries line and column, counted from 1. It deletes itself."""

    chosen = Signal(int, int)
    widest = 400

    def __init__(self, theme: Theme, over: QWidget, line: int, lines: int) -> None:
        super().__init__(theme, over, "Go to a line")
        self.setObjectName("gotoSheet")
        self._lines = lines
        self._field = QLineEdit(str(line))
        self._error = label("", "err", wrap=True, name="gotoError")
        self._build()
        self.finished.connect(self.deleteLater)

    def lay(self) -> None:
        super().lay()
        self._field.setFocus(Qt.FocusReason.PopupFocusReason)
        self._field.selectAll()

    def _go(self) -> None:
        found = _PLACE.fullmatch(self._field.text())
        if found is None or int(found[1]) == 0:
            self._error.setText(f"Write a line from 1 to {self._lines:,}, or line:column.")
            self._error.show()
            self.cover()
            return
        self.chosen.emit(min(int(found[1]), self._lines), max(1, int(found[2] or 1)))
        self.accept()

    def _build(self) -> None:
        self.column.addWidget(label("Go to a line", "title"))
        self.column.addWidget(label(f"1 to {self._lines:,}, or line:column", "second"))
        self._field.setObjectName("gotoField")
        self._field.setAccessibleName("Line to go to")
        self._field.returnPressed.connect(self._go)
        self.column.addWidget(self._field)
        self._error.hide()
        self.column.addWidget(self._error)
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addStretch(1)
        cancel = text_button("Cancel", "gotoCancel")
        cancel.clicked.connect(self.reject)
        go = text_button("Go", "gotoGo", "primary")
        go.clicked.connect(self._go)
        row.addWidget(cancel)
        row.addWidget(go)
        self.column.addLayout(row)

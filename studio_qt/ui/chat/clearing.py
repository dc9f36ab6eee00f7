"""`ClearSheet`: asks whether a conversation is to be emptied, and what agents stored with it."""

from __future__ import annotations

from PySide6.QtWidgets import QCheckBox, QWidget

from studio_qt.ui.theme.theme import Theme
from studio_qt.ui.widgets.sheet import MessageSheet

__all__ = ["ClearSheet"]


class ClearSheet(MessageSheet):
    """`reset` says whether agents begin anew as well."""

    def __init__(self, theme: Theme, over: QWidget) -> None:
        super().__init__(
            theme,
            over,
            "Clear this conversation?",
            "All its messages are removed; this can be undone until the next message.",
            name="clear",
            yes="Clear",
        )
        self._reset = QCheckBox("Also reset what the agents have stored in it")
        self._reset.setObjectName("clearReset")
        self._reset.setAccessibleName(self._reset.text())
        self._reset.setAccessibleDescription(
            "Every agent begins with its default again, as in a new conversation."
        )
        self.column.insertWidget(self.column.count() - 1, self._reset)

    @property
    def reset(self) -> bool:
        """Whether the agents' stores are to be reset as well."""
        return self._reset.isChecked()

"""`Foot`: what is to be mended, and what can be done with the form."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QFrame, QHBoxLayout, QPushButton

from studio_qt.ui.theme.theme import Theme
from studio_qt.ui.widgets.basics import IconView, give_icon, label, text_button

__all__ = ["Foot"]

_NARROW = 760
_WORDS = {
    "name": "the name",
    "description": "the description",
    "body": "the prompt",
    "history": "the conversation it sees",
    "context_files": "the context files",
    "model": "the model",
    "max_tokens": "the answer cap",
    "max_rounds": "the inner rounds",
    "temperature": "the temperature",
    "top_p": "top P",
    "shared": "the shared agents",
    "private": "the private agents",
}


class Foot(QFrame):
    """A sentence and the buttons, below each other where it is narrow. Signals are the buttons'."""

    delete_wanted = Signal()
    file_wanted = Signal()
    cancelled = Signal()
    save_wanted = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.setObjectName("builderFootBar")
        self.setProperty("role", "bar")
        self._icon = IconView(theme, "alert", "err")
        self._words = label("", "second", name="builderFoot", wrap=True)
        self._delete = self._quiet("Delete", "builderDelete", "trash")
        self._open = self._quiet("Open the file", "builderOpenFile", "external")
        cancel = text_button("Cancel", "builderCancel")
        self.save = text_button("Save", "builderSave", "primary")
        self.save.setToolTip("Ctrl+S or Ctrl+Enter")
        self._row = QBoxLayout(QBoxLayout.Direction.LeftToRight, self)
        self._row.setContentsMargins(20, 11, 20, 11)
        self._row.setSpacing(8)
        said = QHBoxLayout()
        said.setSpacing(8)
        said.addWidget(self._icon, 0, Qt.AlignmentFlag.AlignVCenter)
        said.addWidget(self._words, 1)
        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        buttons.addStretch(1)
        for button in (self._delete, self._open, cancel, self.save):
            buttons.addWidget(button)
        self._row.addLayout(said, 1)
        self._row.addLayout(buttons)
        self._delete.clicked.connect(self.delete_wanted)
        self._open.clicked.connect(self.file_wanted)
        cancel.clicked.connect(self.cancelled)
        self.save.clicked.connect(self.save_wanted)

    def show_kind(self, *, is_new: bool) -> None:
        """Show the buttons for a file that is there, or not yet."""
        for button in (self._delete, self._open):
            button.setVisible(not is_new)

    def show_state(
        self, errors: Sequence[str], asked: Sequence[str], *, changed: bool, busy: bool
    ) -> None:
        """Say what stands in the way of a save; `asked` are fields that are merely empty yet."""
        wrong = dict.fromkeys(_WORDS[one] for one in errors if one not in asked)
        wanted = dict.fromkeys(_WORDS[one] for one in errors if one in asked)
        self.save.setEnabled(not errors and not busy)
        if wrong:
            count = "One thing" if len(wrong) == 1 else f"{len(wrong)} things"
            text = f"{count} to mend before saving: {', '.join(wrong)}."
        elif wanted:
            text = f"Still to be written: {' and '.join(wanted)}."
        else:
            text = "" if changed else "Nothing is changed so far."
        self._icon.setVisible(bool(wrong))
        self._words.setProperty("role", "err" if wrong else "second")
        self._words.style().polish(self._words)
        self._words.setText(text)
        self.save.setAccessibleDescription(text)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        narrow = event.size().width() < self._theme.scaled(_NARROW)
        ways = QBoxLayout.Direction
        self._row.setDirection(ways.TopToBottom if narrow else ways.LeftToRight)

    def _quiet(self, text: str, name: str, icon: str) -> QPushButton:
        button = text_button(text, name, "quiet")
        give_icon(self._theme, button, icon)
        return button

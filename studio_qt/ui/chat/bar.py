"""`MessageBar`: what can be done with a message, as a row of small buttons below it."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from studio_qt.ui.theme.theme import Theme
from studio_qt.ui.widgets.basics import IconButton, label

__all__ = ["BAR_HEIGHT", "MessageBar"]

BAR_HEIGHT = 26


class MessageBar(QWidget):
    """Copy, edit, answer again, fork, more; and at the right which response of several it is.

    `wanted` carries what was pressed: "copy", "edit", "retry", "fork", "more", "previous",
    "next".
    """

    wanted = Signal(str)

    def __init__(self, theme: Theme, *, reply: bool) -> None:
        super().__init__()
        self._theme = theme
        what = "reply" if reply else "message"
        self.setFixedHeight(BAR_HEIGHT)
        self.setObjectName("messageBar")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(2)
        copy = "copyReply" if reply else "copyMessage"
        row.addWidget(self._button("copy", f"Copy this {what}", copy, "copy"))
        row.addWidget(self._button("pencil", f"Edit this {what}", "editMessage", "edit"))
        again = "Answer again" if reply else "Answer this message again"
        name = "chatRegenerate" if reply else "chatResubmit"
        row.addWidget(self._button("retry", again, name, "retry"))
        row.addWidget(self._button("fork", "Fork the conversation here", "forkHere", "fork"))
        self.more = self._button("more", f"More for this {what}", "messageMore", "more")
        row.addWidget(self.more)
        row.addStretch(1)
        self._choice = QWidget()
        self._build_choice()
        row.addWidget(self._choice)

    def show_choice(self, which: int, of: int) -> None:
        """Show that this is response `which` (from 0) of several; one alone shows nothing."""
        self._choice.setVisible(of > 1)
        self._count.setText(f"{which + 1} of {of}")
        self._count.setAccessibleName(f"Response {which + 1} of {of}")
        self._before.setEnabled(which > 0)
        self._after.setEnabled(which < of - 1)

    def _build_choice(self) -> None:
        row = QHBoxLayout(self._choice)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(4)
        self._before = self._button(
            "chevron-left", "Show the response before", "choosePrevious", "previous"
        )
        self._after = self._button("chevron-right", "Show the response after", "chooseNext", "next")
        self._count = label("", "second", name="choiceCount")
        for widget in (self._before, self._count, self._after):
            row.addWidget(widget)
        self._choice.hide()

    def _button(self, icon: str, tip: str, name: str, deed: str) -> IconButton:
        button = IconButton(self._theme, icon, tip, name=name, size=14, kind="tiny")
        button.clicked.connect(lambda: self.wanted.emit(deed))
        return button

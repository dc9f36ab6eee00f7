"""`StoreHead`: whose store is shown, how it is shown, and what is done to the whole of it."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout

from studio_qt.engine.roster import LoadedAgent
from studio_qt.ui.theme.theme import Theme
from studio_qt.ui.widgets.basics import (
    ElidedLabel,
    IconButton,
    IconView,
    give_icon,
    label,
    text_button,
)
from studio_qt.ui.widgets.inputs import Pill, SearchField, Segments

__all__ = ["StoreHead"]

_ROOMY, _LEAST_FOR_FIELD = 560, 440
"""Pixels in which everything has room; and in which there is some for the field."""


class StoreHead(QFrame):
    """`step_wanted` carries +1 or -1 for the next or an earlier hit of what is searched."""

    step_wanted = Signal(int)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setObjectName("storeHead")
        self._owned = False
        self._icon = IconView(theme, "database", "fg2", 18)
        self._title = ElidedLabel("", "name")
        self._title.setObjectName("storeTitle")
        self._second = ElidedLabel("", "second")
        self._private = Pill("private", "accent", "storePrivate")
        self.field = _Find(theme)
        self.count = label("", "quiet", name="storeFindCount")
        choices = (("tree", "Tree"), ("raw", "Raw text"))
        self.modes = Segments(choices, "storeModes", "How the store is shown")
        self.reset = text_button("Reset to default", "storeReset")
        self.default = text_button("Set default", "setDefault", "primary")
        self.close_button = IconButton(theme, "close", "Close the agent stores", name="storeClose")
        self._build(theme)

    def show_agent(self, agent: LoadedAgent | None) -> None:
        """Name an agent."""
        if agent is None:
            return
        name = agent.id
        if agent.owner is not None:
            name = f"{agent.owner} › {agent.id.removeprefix(f'{agent.owner}.')}"
        self._title.set_whole(name)
        icon = "lock" if agent.owner else "sub-agent" if agent.is_sub_agent else "database"
        self._icon.set_icon(icon, "fg2")
        self._owned = agent.owner is not None
        self._fit()
        told = ", ".join(agent.tools) or "no tools"
        if agent.owner is not None:
            told = f"{told}  ·  only {agent.owner} can call them"
        self._second.set_whole(told)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leave out words where there is no room for them."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        self.reset.setText("Reset" if self.width() < _ROOMY else "Reset to default")
        self.field.setVisible(self.width() >= _LEAST_FOR_FIELD)
        self._private.setVisible(self._owned and self.width() >= _LEAST_FOR_FIELD)

    def _build(self, theme: Theme) -> None:
        give_icon(theme, self.reset, "undo")
        give_icon(theme, self.default, "check", "onaccent")
        self.reset.setAccessibleDescription("Asks first; undo takes it back.")
        self.default.setAccessibleDescription(
            "Copies what the store is now to the default, without call ids, not saved yet."
        )
        self.field.step_wanted.connect(self.step_wanted)
        first, second = QHBoxLayout(), QHBoxLayout()
        first.setSpacing(8)
        second.setSpacing(8)
        name = QHBoxLayout()
        name.setSpacing(8)
        name.addWidget(self._icon)
        name.addWidget(self._title, 1)
        first.addLayout(name, 1)
        for widget in (self._private, self.reset, self.default, self.close_button):
            first.addWidget(widget)
        second.addWidget(self._second, 1)
        for part in (self.count, self.field, self.modes):
            second.addWidget(part)
        self.field.setMaximumWidth(200)
        self.field.setMinimumWidth(90)
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 8, 12, 8)
        column.setSpacing(6)
        column.addLayout(first)
        column.addLayout(second)


class _Find(SearchField):
    step_wanted = Signal(int)

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, "Find in the store", "storeFind")

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            back = event.modifiers() & Qt.KeyboardModifier.ShiftModifier
            self.step_wanted.emit(-1 if back else 1)
        else:
            super().keyPressEvent(event)

"""`StorePane`: one side of a store: its head with buttons, the tree or the text, its foot."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QSizePolicy,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from studio_qt.ui.stores.raw import RawText
from studio_qt.ui.stores.tree import StoreView
from studio_qt.ui.theme.theme import Theme
from studio_qt.ui.widgets.bars import EmptyState
from studio_qt.ui.widgets.basics import ElidedLabel, IconButton

__all__ = ["StorePane"]

_ROOMY = 320
"""Pixels of a pane in which all buttons have room."""

_RARE = (2, 3)
"""The buttons that go first."""

_TREE = (0, 1, 2, 3)
"""The buttons that do something to the tree alone."""

_HEAD = 40
"""The least height of a head, with buttons or without."""

_WIDE = 440
"""Pixels in which what stands beside the title has room as well."""


class StorePane(QFrame):
    """A frame around a tree and a text, of which one is shown, or what is to be said instead."""

    def __init__(
        self, theme: Theme, name: str, view: StoreView, raw: RawText, empty: EmptyState
    ) -> None:
        super().__init__()
        self._theme, self._name = theme, name
        self._raw_wanted = self._is_empty = False
        self._has_buttons = True
        self.view, self.raw, self.empty = view, raw, empty
        self.setObjectName(name)
        self.setProperty("role", "storePane")
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Expanding)
        self.setMinimumWidth(160)
        self.title = ElidedLabel("", "name")
        self.second = ElidedLabel("", "second")
        self.foot = ElidedLabel("", "monoQuiet")
        self.foot.setObjectName(f"{name}Foot")
        self.state = ElidedLabel("", "second")
        self.state.setObjectName(f"{name}State")
        for beside in (self.second, self.state):
            beside.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.buttons = QHBoxLayout()
        self.foot_buttons = QHBoxLayout()
        self._stack = QStackedWidget()
        self._build()

    def add_button(self, icon: str, tip: str, name: str) -> IconButton:
        """Add a button to the head and return it."""
        button = IconButton(self._theme, icon, tip, name=name, size=15)
        self.buttons.addWidget(button)
        return button

    def show_buttons(self, *, shown: bool) -> None:
        """Show the buttons of the head, but for those that have no room, or none of them."""
        self._has_buttons = shown
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leave out the rarer buttons where there is no room for them; keys do the same."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        rare = self.width() < self._theme.scaled(_ROOMY)
        self.second.setVisible(self.width() >= self._theme.scaled(_WIDE) or not self._has_buttons)
        for at in range(self.buttons.count()):
            item = self.buttons.itemAt(at)
            if item is not None and (one := item.widget()) is not None:
                works = self._has_buttons and (at not in _TREE or self.front is self.view)
                one.setVisible(works and not (rare and at in _RARE))

    def show_raw(self, *, raw: bool) -> None:
        """Show the text, or the tree."""
        self._raw_wanted = raw
        self._turn()

    def show_empty(self, *, empty: bool) -> None:
        """Show what there is to say where there is no value."""
        self._is_empty = empty
        self._turn()

    @property
    def front(self) -> QWidget:
        """What is shown."""
        shown = self._stack.currentWidget()
        assert shown is not None
        return shown

    def take_focus(self) -> None:
        """Give the keyboard to what is shown."""
        front = self.front
        (self.raw.editor if front is self.raw else front).setFocus(Qt.FocusReason.OtherFocusReason)

    def _turn(self) -> None:
        wanted = self.empty if self._is_empty else self.raw if self._raw_wanted else self.view
        if self._stack.currentWidget() is not wanted:
            self._stack.setCurrentWidget(wanted)
            self._fit()

    def _build(self) -> None:
        head = QFrame()
        head.setProperty("role", "storePaneHead")
        row = QHBoxLayout(head)
        row.setContentsMargins(12, 4, 8, 4)
        row.setSpacing(8)
        row.addWidget(self.title, 3)
        row.addWidget(self.second, 4)
        self.buttons.setSpacing(2)
        row.addLayout(self.buttons)
        head.setMinimumHeight(self._theme.scaled(_HEAD))
        foot = QFrame()
        foot.setProperty("role", "storePaneFoot")
        below = QHBoxLayout(foot)
        below.setContentsMargins(12, 4, 8, 4)
        below.setSpacing(8)
        below.addWidget(self.foot, 2)
        below.addWidget(self.state, 3)
        below.addLayout(self.foot_buttons)
        foot.setMinimumHeight(self._theme.scaled(36))
        for widget in (self.view, self.raw, self.empty):
            self._stack.addWidget(widget)
        column = QVBoxLayout(self)
        column.setContentsMargins(1, 1, 1, 1)
        column.setSpacing(0)
        column.addWidget(head)
        column.addWidget(self._stack, 1)
        column.addWidget(foot)

"""`NoticeBar` and the stack of them above an editor."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from PySide6.QtCore import Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QVBoxLayout, QWidget

from studio_qt.ui.theme.theme import Theme
from studio_qt.ui.widgets.announcing import announce
from studio_qt.ui.widgets.basics import IconButton, IconView, label, text_button

__all__ = ["Choice", "NoticeBar", "Notices"]

_LOOKS = {"warn": ("warning", "warn"), "err": ("alert", "err"), "info": ("info", "info")}
_LEAST_WORDS = 280
"""Pixels that the sentence needs beside the buttons; with less they go below it."""

_NAMES = ("noticeAction", "noticeSecond", "noticeThird")


class Choice(NamedTuple):
    """A button of a notice: its words, and what it does."""

    text: str
    run: Callable[[], object]


class NoticeBar(QFrame):
    """A sentence and up to three buttons; the first is `noticeAction`. `closed`: by the user."""

    closed = Signal()

    def __init__(
        self, theme: Theme, text: str, choices: Sequence[Choice], tone: str, parent: QWidget
    ) -> None:
        super().__init__(parent)
        self.setObjectName("noticeBar")
        self.setProperty("tone", tone)
        self.setAccessibleName(text)
        self.text = text
        icon, token = _LOOKS[tone]
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(20, 6, 12, 6)
        self._grid.setHorizontalSpacing(8)
        self._grid.setVerticalSpacing(4)
        self._grid.setColumnStretch(1, 1)
        self._grid.addWidget(IconView(theme, icon, token, 16), 0, 0)
        self._grid.addWidget(label(text, "", wrap=True, name="noticeText"), 0, 1)
        self._buttons = QWidget(self)
        row = QHBoxLayout(self._buttons)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        for number, (name, choice) in enumerate(zip(_NAMES, choices, strict=False)):
            kind = "link" if number else "tone"
            button = text_button(choice.text, name, kind)
            button.setAccessibleDescription(text)
            button.clicked.connect(lambda _checked=False, run=choice.run: run())
            row.addWidget(button)
        row.addStretch(1)
        self._buttons.setHidden(not choices)
        close = IconButton(theme, "close", "Dismiss", name="noticeClose", size=14, kind="tiny")
        close.clicked.connect(self.closed)
        self._grid.addWidget(self._buttons, 0, 2)
        self._grid.addWidget(close, 0, 3)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        beside = self._buttons.sizeHint().width() + _LEAST_WORDS <= self.width()
        place = (0, 2) if beside else (1, 1)
        at = self._grid.getItemPosition(self._grid.indexOf(self._buttons))
        if isinstance(at, tuple) and at[:2] != place:
            self._grid.removeWidget(self._buttons)
            self._grid.addWidget(self._buttons, *place)


class Notices(QWidget):
    """The bars of one tab, one a `key`; another of the same key takes its place."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._bars: dict[str, NoticeBar] = {}
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(0)
        self.hide()

    @property
    def texts(self) -> dict[str, str]:
        """What the bars say, by their keys."""
        return {key: bar.text for key, bar in self._bars.items()}

    def put(self, key: str, text: str, choices: Sequence[Choice] = (), tone: str = "warn") -> None:
        """Show a bar; `tone` is "warn", "err" or "info". The same again changes nothing."""
        if (bar := self._bars.get(key)) is not None and bar.text == text:
            return
        self.take(key)
        bar = NoticeBar(self._theme, text, choices, tone, self)
        bar.closed.connect(lambda: self.take(key))
        self._bars[key] = bar
        self._column.addWidget(bar)
        bar.show()
        self.show()
        announce(self, text)

    def take(self, key: str) -> None:
        """Remove a bar, where there is one."""
        if (bar := self._bars.pop(key, None)) is not None:
            self._column.removeWidget(bar)
            bar.hide()
            bar.deleteLater()
        self.setVisible(bool(self._bars))

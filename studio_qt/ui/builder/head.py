"""`Head` and `NoticeLine`: what the form is about, and what has happened around it."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from studio_qt.ui.theme.theme import Theme
from studio_qt.ui.widgets.basics import IconButton, IconView, label, text_button

__all__ = ["Head", "NoticeLine"]

_HEIGHT = 60


class Head(QWidget):
    """The title, the file below it, and a cross; `closed` is the cross."""

    closed = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._subtitle = label("", "second", name="builderSubtitle")
        words = QVBoxLayout()
        words.setSpacing(1)
        words.addStretch(1)
        words.addWidget(label("Sub-Agent Builder", "title"))
        words.addWidget(self._subtitle)
        words.addStretch(1)
        close = IconButton(theme, "close", "Close", name="builderClose")
        close.clicked.connect(self.closed)
        row = QHBoxLayout(self)
        row.setContentsMargins(20, 0, 14, 0)
        row.setSpacing(12)
        row.addWidget(IconView(theme, "sub-agent", "accent2", 20))
        row.addLayout(words, 1)
        row.addWidget(close)
        theme.changed.connect(self._dress)
        self._dress()

    def show_place(self, file: str, character: str) -> None:
        """Name the file, "" for a new one, and the character."""
        where = f" in {character}" if character else ""
        self._subtitle.setText(f"{file or 'a new sub-agent'}{where}")

    def _dress(self) -> None:
        self.setFixedHeight(self._theme.scaled(_HEIGHT))


class NoticeLine(QFrame):
    """A sentence below the head; `theirs_wanted`: what is in the files is to be taken instead."""

    theirs_wanted = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setObjectName("builderNotice")
        self.setProperty("role", "plate")
        self._icon = IconView(theme, "info", "info")
        self._words = label("", "second", wrap=True, name="builderNoticeText")
        self._theirs = text_button("Take what is there", "builderTakeTheirs", "link")
        self._theirs.clicked.connect(self.theirs_wanted)
        row = QHBoxLayout(self)
        row.setContentsMargins(20, 6, 14, 6)
        row.setSpacing(8)
        row.addWidget(self._icon)
        row.addWidget(self._words, 1)
        row.addWidget(self._theirs)
        self.hide()

    def say(self, sentence: str, tone: str = "info", *, theirs: bool = False) -> None:
        """Show a sentence, "" for none; `tone` is info or warn, `theirs` offers what is there."""
        self._words.setText(sentence)
        self._icon.set_icon("warning" if tone == "warn" else "info", tone)
        self._theirs.setVisible(theirs)
        self.setVisible(bool(sentence))

"""`TroubleLine`: why something could not be written, with what can be done about it."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout

from studio_qt.authoring.asking import RefusedError
from studio_qt.errors import ModelError
from studio_qt.ui.tasks import sentence
from studio_qt.ui.theme.theme import Theme
from studio_qt.ui.widgets.basics import IconView, label, text_button

__all__ = ["TroubleLine"]

_TONES = {"err": ("alert", "err"), "warn": ("warning", "warn"), "info": ("info", "info")}


class TroubleLine(QFrame):
    """A plate with a sentence; `settings_wanted` follows its link, which is there at need."""

    settings_wanted = Signal()

    def __init__(self, theme: Theme, name: str) -> None:
        super().__init__()
        self.setObjectName(name)
        self.setProperty("role", "notice")
        self.setProperty("plate", True)
        self._icon = IconView(theme, "alert", "err", 16)
        self._words = label("", "", wrap=True, name=f"{name}Text")
        self._words.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._link = text_button("Settings…", f"{name}Settings", "link")
        self._link.clicked.connect(self.settings_wanted)
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 8, 8, 8)
        row.setSpacing(8)
        row.addWidget(self._icon, 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(self._words, 1)
        row.addWidget(self._link, 0, Qt.AlignmentFlag.AlignTop)
        self.hide()

    @property
    def text(self) -> str:
        """What it says; "" while it is hidden."""
        return "" if self.isHidden() else self._words.text()

    def tell(self, text: str, tone: str = "err", link: str = "") -> None:
        """Say something; "" hides it. `link` are the words that lead to the settings."""
        self._icon.set_icon(*_TONES[tone])
        self.setProperty("tone", tone)
        self.setAccessibleName(text)
        self._words.setText(text)
        self._link.setText(link)
        self._link.setAccessibleName(link)
        self._link.setVisible(bool(link))
        self.style().polish(self)
        self.setVisible(bool(text))

    def tell_error(self, error: Exception) -> None:
        """Say what went wrong; where the model is to blame, its settings are a click away."""
        blames_model = isinstance(error, (ModelError, RefusedError))
        self.tell(sentence(error), "err", "Connections…" if blames_model else "")

"""`EditorTools`: Generate and Polish at the right of an editor's path."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QWidget

from studio_qt.ui.theme.theme import Theme
from studio_qt.ui.widgets.basics import give_icon, text_button
from studio_qt.ui.widgets.tips import plain_tip

__all__ = ["EditorTools"]


class EditorTools(QWidget):
    """The two buttons of a tab. `dress` is called when they come to be seen, since a file moves.

    `generate_wanted` and `polish_wanted` follow the buttons.
    """

    generate_wanted = Signal()
    polish_wanted = Signal()

    def __init__(self, theme: Theme, dress: Callable[[EditorTools], None]) -> None:
        super().__init__()
        self._dress = dress
        self.generate = text_button("Generate", "generateButton", "quiet")
        self.polish = text_button("Polish", "polishButton", "quiet")
        self.generate.setAccessibleName("Generate with the worker model")
        self.polish.setAccessibleName("Polish with the worker model")
        give_icon(theme, self.generate, "sparkle")
        give_icon(theme, self.polish, "wand")
        self.generate.clicked.connect(self.generate_wanted)
        self.polish.clicked.connect(self.polish_wanted)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(4)
        row.addWidget(self.generate)
        row.addWidget(self.polish)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._dress(self)

    def show_kinds(self, *, generate: str, polish: bool) -> None:
        """Show the buttons that fit; `generate` is what would be generated, "" for nothing."""
        self.generate.setVisible(bool(generate))
        self.generate.setAccessibleDescription(generate)
        self.generate.setToolTip(plain_tip(generate))
        self.polish.setVisible(polish)

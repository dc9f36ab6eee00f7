"""`CloseSheet`: asks what is to become of unsaved text."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePosixPath

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from studio_qt.ui.theme.theme import Theme
from studio_qt.ui.widgets.basics import label, text_button
from studio_qt.ui.widgets.sheet import Sheet

__all__ = ["CloseSheet"]

_MOST_NAMED = 6


class CloseSheet(Sheet):
    """`answered` carries "save", "discard" or "cancel", once. It deletes itself.

    `for_good`: nothing brings back what is discarded.
    """

    answered = Signal(str)
    widest = 460

    def __init__(
        self, theme: Theme, over: QWidget, paths: Sequence[str], *, for_good: bool = False
    ) -> None:
        one = len(paths) == 1
        title = f"Save {PurePosixPath(paths[0]).name}?" if one else f"Save {len(paths)} files?"
        super().__init__(theme, over, title)
        self.setObjectName("closeSheet")
        self._answer = "cancel"
        self.column.setContentsMargins(20, 18, 20, 16)
        self.column.addWidget(label(title, "title"))
        self.column.addWidget(
            label(_text(paths, for_good=for_good), "", wrap=True, name="closeText")
        )
        row = QHBoxLayout()
        row.setSpacing(8)
        discard = text_button("Discard", "closeDiscard", "warn")
        cancel = text_button("Cancel", "closeCancel")
        self._save = text_button("Save" if one else "Save all", "closeSave", "primary")
        for button, answer in ((discard, "discard"), (cancel, "cancel"), (self._save, "save")):
            button.clicked.connect(lambda _checked=False, to=answer: self._give(to))
        row.addWidget(discard)
        row.addStretch(1)
        row.addWidget(cancel)
        row.addWidget(self._save)
        self.column.addLayout(row)
        self.finished.connect(self._end)

    def lay(self) -> None:
        super().lay()
        self._save.setFocus(Qt.FocusReason.PopupFocusReason)

    def _give(self, answer: str) -> None:
        self._answer = answer
        self.accept()

    def _end(self) -> None:
        self.answered.emit(self._answer)
        self.deleteLater()


def _text(paths: Sequence[str], *, for_good: bool) -> str:
    undo = "What you discard can be had back by reopening the tab (Ctrl+Shift+T)."
    if for_good:
        undo = (
            "They cannot be kept for the next start either, since the application's own folder "
            "cannot be written: what you do not save now is lost."
        )
    if len(paths) == 1:
        return f"{paths[0]} has changes that are not on the disk. {undo}"
    named = ", ".join(PurePosixPath(path).name for path in paths[:_MOST_NAMED])
    rest = len(paths) - _MOST_NAMED
    others = f" and {rest} more" if rest > 0 else ""
    return f"These have changes that are not on the disk: {named}{others}. {undo}"

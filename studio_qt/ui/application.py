"""`StudioApplication`: takes the files that the system asks the running program to open."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QEvent
from PySide6.QtGui import QFileOpenEvent
from PySide6.QtWidgets import QApplication

__all__ = ["StudioApplication"]


class StudioApplication(QApplication):
    """On macOS a double click comes as an event, at the start as well as later.

    What comes before somebody takes files waits. `words` are the command line's, with the name of
    the program. It has the style of the window from the start: `setStyle` would make PySide read
    all that styles can do, which takes 6 ms.
    """

    def __init__(self, words: Sequence[str]) -> None:
        super().__init__([*(words or ("studio-qt",)), "-style", "Fusion"])
        self.setProperty("style", "Fusion")
        self._waiting: list[Path] = []
        self._taker: Callable[[Path], None] | None = None

    def hand_over(self, taker: Callable[[Path], None] | None) -> None:
        """Give files to `taker` from now on, at first those that wait; None lets them wait."""
        self._taker = taker
        while self._taker is not None and self._waiting:
            self._taker(self._waiting.pop(0))

    def event(self, event: QEvent) -> bool:
        """Only what is sent to the application itself comes here: a filter would see all."""
        if not isinstance(event, QFileOpenEvent):
            return super().event(event)
        if place := event.file() or event.url().toLocalFile():
            self._waiting.append(Path(place))
            self.hand_over(self._taker)
        return True

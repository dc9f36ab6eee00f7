"""`Diagnostics`: opens the log, and copies what a report of a fault needs."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace

import PySide6
from PySide6.QtCore import QObject, QUrl, Signal, qVersion
from PySide6.QtGui import QDesktopServices, QGuiApplication

from studio_qt.ui.actions import Place
from studio_qt.ui.desk import Desk
from studio_qt.ui.diagnostics.logfile import StudioLog
from studio_qt.ui.diagnostics.report import Facts, report

__all__ = ["Diagnostics", "Facts", "StudioLog"]

_COPIED = "The diagnostics are on the clipboard: versions, walls and the end of the log, no keys."


class Diagnostics(QObject):
    """Adds its own actions to Help. `notice` carries a sentence and its kind.

    `facts` is asked for walls, connection and project; screens and versions are added here.
    """

    notice = Signal(str, str)

    def __init__(
        self, desk: Desk, log: StudioLog, facts: Callable[[], Facts], parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._desk, self._log, self._facts = desk, log, facts
        place = Place("Help", 2)
        desk.actions.add("openLog", "Open the &log", self.open_log, place=place)
        text = "Copy &diagnostics"
        desk.actions.add("copyDiagnostics", text, self.copy, place=place, keys="Ctrl+Shift+F1")

    def open_log(self) -> None:
        """Show the log with the program that the system has for text files."""
        place = self._log.path if self._log.path.exists() else self._log.path.parent
        place.parent.mkdir(parents=True, exist_ok=True)
        if not QDesktopServices.openUrl(QUrl.fromLocalFile(str(place))):
            self.notice.emit(f"No program of this system opens {place}.", "error")

    def copy(self) -> None:
        """Put the report on the clipboard."""
        self._desk.tasks.start(self._copy(), name="diagnostics")

    async def _copy(self) -> None:
        facts = self._whole(self._facts())
        text = await asyncio.to_thread(report, facts, self._log)
        QGuiApplication.clipboard().setText(text)
        self.notice.emit(_COPIED, "ok")

    def _whole(self, facts: Facts) -> Facts:
        screens = [
            f"{screen.geometry().width()}×{screen.geometry().height()} at "
            f"{screen.devicePixelRatio():g}"
            for screen in QGuiApplication.screens()
        ]
        qt = f"{qVersion()}, PySide {PySide6.__version__}, {QGuiApplication.platformName()}"
        theme = self._desk.theme.tokens.name
        return replace(facts, qt=qt, screens=screens, theme=theme)

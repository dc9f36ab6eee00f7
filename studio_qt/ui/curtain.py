"""`Curtain`: what the window shows until its inside is made; it needs next to nothing to paint."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from PySide6.QtCore import QRect, Qt, Signal
from PySide6.QtGui import QColor, QGuiApplication, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from studio_qt.resources import resource_text
from studio_qt.ui.keptfile import read_kept
from studio_qt.ui.theme.fonts import interface_font

__all__ = ["FOOT", "HEAD", "Curtain"]

HEAD, FOOT = 40, 28
"""Pixels of the bars at head and foot of the window."""


class Curtain(QWidget):
    """The bars and the ground of the window in the colours of the theme that will be in force.

    `painted` follows the first paint. `home` is where the settings lie; None: the defaults.
    """

    painted = Signal()

    def __init__(self, words: str, home: Path | None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._words = words
        self._painted = False
        self.look = _look(_theme(home))
        """The name of the token table that will be in force."""
        self._colours = _colours(self.look)
        self.setObjectName("curtain")
        self.setProperty("undressed", True)
        self.setAccessibleName(words)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(self._colours["bg1"]))
        bar, line = QColor(self._colours["bg0"]), QColor(self._colours["line"])
        for top, height in ((0, HEAD), (self.height() - FOOT, FOOT)):
            painter.fillRect(QRect(0, top, self.width(), height), bar)
        for top in (HEAD - 1, self.height() - FOOT):
            painter.fillRect(QRect(0, top, self.width(), 1), line)
        painter.setFont(interface_font())  # the one that everything is written in later
        painter.setPen(QColor(self._colours["fg2"]))
        painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, self._words)
        if not self._painted:
            self._painted = True
            self.painted.emit()


def _theme(home: Path | None) -> str:
    """Return the theme that was chosen, read without what reading it properly would import."""
    if forced := os.environ.get("STUDIO_QT_THEME"):
        return forced.strip().lower()
    try:
        kept: Any = read_kept(home / "settings.json") if home else {}
        return str(kept["window"]["theme"])
    except (OSError, ValueError, TypeError, KeyError):
        return "system"  # whoever reads it properly tells what is wrong


def _look(theme: str) -> str:
    dark = QGuiApplication.styleHints().colorScheme() is Qt.ColorScheme.Dark
    if theme in ("light", "dark"):
        dark = theme == "dark"
    return f"{'high-contrast-' if theme == 'contrast' else ''}{'dark' if dark else 'light'}"


def _colours(look: str) -> dict[str, str]:
    groups = json.loads(resource_text(f"themes/{look}.json"))["tokens"].values()
    return {token: colour for group in groups for token, colour in group.items()}

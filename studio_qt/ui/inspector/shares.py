"""`Shares`: which part of the context window each kind of block takes, as a bar with its legend."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QRect, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from studio_qt.ui.inspector.shaping import TONES
from studio_qt.ui.theme.theme import Theme
from studio_qt.ui.widgets.tips import plain_tip

__all__ = ["Shares"]

_BAR, _GAP = 12, 2


class Shares(QWidget):
    """Draws one stretch for each kind, the rest of the window, and the words below it."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._tokens: Mapping[str, int] = {}
        self._free, self._reserve = 0, 0
        self.setObjectName("inspectorShares")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self._fit)
        self._fit()

    def show_shares(self, tokens: Mapping[str, int], window: int, reserve: int) -> None:
        """Show tokens by the names of `TONES`; `window` 0 where there is no bound."""
        used = sum(tokens.values())
        self._tokens = {kind: tokens[kind] for kind in TONES if tokens.get(kind)}
        self._free, self._reserve = max(0, window - used), reserve
        words = ", ".join(f"{kind} {count:,}" for kind, count in self._tokens.items())
        self.setAccessibleName(f"Tokens by kind: {words}; free {self._free:,}")
        self.setToolTip(plain_tip(words.replace(", ", "\n")))
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(200, self._theme.scaled(_BAR + 26))

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        parts = [(TONES[kind], count) for kind, count in self._tokens.items()]
        if self._free:
            parts.append(("line2", self._free))
        total = sum(count for _, count in parts) or 1
        room = self.width() - _GAP * (len(parts) - 1)
        left = 0.0
        for token, count in parts:
            width = max(2.0, room * count / total)
            painter.setBrush(self._theme.colour(token))
            painter.drawRoundedRect(QRectF(left, 0, width, _BAR - 2), 2, 2)
            left += width + _GAP
        self._paint_legend(painter)

    def _paint_legend(self, painter: QPainter) -> None:
        font = self._theme.font(12)
        metrics = QFontMetrics(font)
        painter.setFont(font)
        kinds = [(kind, TONES[kind]) for kind in self._tokens]
        if self._free:
            kinds.append(("free", "line2"))
        line = QRect(0, _BAR + 6, self.width(), self.height() - _BAR - 6)
        end = self.width()
        if self._reserve:
            words = f"{self._reserve:,} kept for the answer"
            width = metrics.horizontalAdvance(words)
            if self.width() > width + 380:
                end -= width + 16
                painter.setPen(self._theme.colour("fg2"))
                painter.drawText(line, int(Qt.AlignmentFlag.AlignRight), words)
        left = 0
        middle = line.top() + metrics.height() / 2
        for words, token in kinds:
            width = 12 + metrics.horizontalAdvance(words)
            if left + width > end:
                break
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(self._theme.colour(token))
            painter.drawEllipse(QRectF(left, middle - 3.5, 7, 7))
            painter.setPen(self._theme.colour("fg2"))
            painter.drawText(left + 12, line.top() + metrics.ascent(), words)
            left += width + 16

    def _fit(self) -> None:
        self.setFixedHeight(self.sizeHint().height())
        self.update()

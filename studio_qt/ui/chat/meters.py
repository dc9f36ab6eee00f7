"""`ChatMeters`: how full the context is, and what agents have spent, below the field."""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QWidget

from studio_qt.ui.theme.theme import Theme
from studio_qt.ui.widgets.bars import Meter
from studio_qt.ui.widgets.basics import label
from studio_qt.ui.widgets.tips import plain_tip

__all__ = ["ChatMeters", "short"]


_ROOMY = 400
"""Pixels from which on the sum has room beside the meters; it is in their tips too."""


class ChatMeters(QWidget):
    """Two meters and a sum. Nothing is computed here."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.setObjectName("chatMeters")
        self._context = Meter(theme, "Context", "contextMeter", warn_at=0.9)
        self._agents = Meter(theme, "Agents", "agentMeter")
        self._all = label("", "quiet", name="agentTokens")
        row = QHBoxLayout(self)
        row.setContentsMargins(4, 0, 4, 0)
        row.setSpacing(16)
        row.addWidget(self._context, 1)
        row.addWidget(self._agents, 1)
        row.addWidget(self._all)

    def minimumSizeHint(self) -> QSize:
        return QSize(1, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._all.setVisible(self.width() >= self._theme.scaled(_ROOMY))

    def show_context(self, tokens: int, window: int, turns_cut: int) -> None:
        """Show about how much the next request holds; `turns_cut` oldest turns do not fit."""
        words = f"{short(tokens)} of {short(window)}"
        self._context.show_value(tokens / max(window, 1), words)
        tip = f"About {tokens:,} of {window:,} tokens would be sent with the next message."
        if turns_cut:
            tip += f" The {turns_cut} oldest turns do not fit and are left out."
        self._context.setToolTip(plain_tip(tip))
        self._context.setAccessibleDescription(tip)

    def show_agents(self, response: int, cap: int, whole: int) -> None:
        """Show what agents spent for the last response, and in the whole conversation."""
        words = f"{short(response)} of {short(cap)}" if cap else short(response)
        self._agents.show_value(response / cap if cap else 0.0, words)
        tip = (
            f"Agents spent {response:,} tokens of model calls of their own for the last response"
            f" (the cap is {cap:,}), and {whole:,} in this conversation."
        )
        self._agents.setToolTip(plain_tip(tip))
        self._agents.setAccessibleDescription(tip)
        self._all.setText(f"{short(whole)} in all" if whole else "")
        self._all.setToolTip(plain_tip(tip))


def short(count: int) -> str:
    """Return a count as people say it: 640, 8.6k, 32k, 1.2M."""
    if count < 1_000:
        return str(count)
    size, unit = (count / 1_000, "k") if count < 999_500 else (count / 1_000_000, "M")
    text = f"{size:.1f}" if size < 100 else f"{size:.0f}"
    return text.removesuffix(".0") + unit

"""Tool activity in a reply: one folded line that opens to calls, arguments and results."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from studio_qt.ui.chat.calls import make_call_view, seconds_text
from studio_qt.ui.chat.facts import CallFacts
from studio_qt.ui.chat.rows import Call, asked_text, shown_part
from studio_qt.ui.prose.view import ProseView
from studio_qt.ui.theme.theme import Theme
from studio_qt.ui.widgets.basics import IconView

__all__ = ["ActivityLine", "FoldLine"]

_TURN_MS = 80


class FoldLine(QWidget):
    """A line that opens and closes what belongs to it; `_fill` builds the inside when needed."""

    def __init__(self, theme: Theme, icon: str, name: str) -> None:
        super().__init__()
        self._theme = theme
        self._inside: QWidget | None = None
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(6)
        head = QHBoxLayout()
        head.setContentsMargins(0, 0, 0, 0)
        head.setSpacing(2)
        self.icon = IconView(theme, icon, "fg3", 14)
        self.button = QPushButton()
        self.button.setObjectName(name)
        self.button.setProperty("kind", "fold")
        self.button.setCheckable(True)
        self.button.setCursor(Qt.CursorShape.PointingHandCursor)
        self.button.toggled.connect(self._on_toggled)
        self._arrow = IconView(theme, "chevron-right", "fg3", 14)
        head.addWidget(self._arrow)
        head.addSpacing(2)
        head.addWidget(self.icon)
        head.addWidget(self.button)
        head.addStretch(1)
        self._column.addLayout(head)

    @property
    def is_open(self) -> bool:
        """Whether the inside is shown."""
        return self.button.isChecked()

    def set_title(self, title: str, spoken: str) -> None:
        """Show a title; `spoken` is the accessible name of the button."""
        if title != self.button.text():
            self.button.setText(title)
        self.button.setAccessibleName(spoken)

    def refill(self) -> None:
        """Build the inside again, where it is open."""
        if self._inside is not None:
            self._column.removeWidget(self._inside)
            self._inside.hide()
            self._inside.deleteLater()
            self._inside = None
        if self.is_open:
            self._inside = self._fill()
            self._column.addWidget(self._inside)
            self._inside.show()  # at once, so that it can be measured

    def _fill(self) -> QWidget:
        raise NotImplementedError

    def _on_toggled(self, opened: bool) -> None:  # noqa: FBT001
        self._arrow.set_icon("chevron-down" if opened else "chevron-right", "fg3")
        self.refill()


class ActivityLine(FoldLine):
    """The tool calls of one message of the model."""

    def __init__(self, theme: Theme, facts: CallFacts | None = None) -> None:
        super().__init__(theme, "bolt", "toolActivity")
        self._facts = facts
        self._calls: tuple[Call, ...] = ()
        self._timer = QTimer(self)
        self._timer.setInterval(_TURN_MS)
        self._timer.timeout.connect(self.icon.turn)

    def show_calls(self, calls: tuple[Call, ...], *, running: bool) -> None:
        """Show calls; while `running`, those without a result are being made."""
        waiting = running and any(call.result is None for call in calls)
        if calls == self._calls and waiting == self._timer.isActive():
            return
        self._calls = calls
        failed = any(call.failed for call in calls)
        names = ", ".join(call.name for call in calls)
        self.set_title(names + _spent(calls, waiting=waiting), _spoken(calls))
        if waiting:
            self.icon.set_icon("spinner", "accent2", turning=True)
            self._timer.start()
        else:
            self._timer.stop()
            icon = "sub-agent" if self._is_sub_agent(calls) else "bolt"
            self.icon.set_icon("alert" if failed else icon, "err" if failed else "fg3")
        self.refill()

    @property
    def views(self) -> list[ProseView]:
        """The texts of the calls, where they are unfolded."""
        return self._inside.findChildren(ProseView) if self._inside is not None else []

    def view_of(self, text: str) -> ProseView | None:
        """Return where an argument or a result is shown, unfolded for it; None where it is not."""
        if not any(text in _texts(call) for call in self._calls):
            return None
        self.button.setChecked(True)
        shown = {shown_part(text), shown_part(asked_text(text))}
        return next((view for view in self.views if view.text in shown), None)

    def _is_sub_agent(self, calls: tuple[Call, ...]) -> bool:
        facts = self._facts
        return facts is not None and all(facts.is_sub_agent(call.agent) for call in calls)

    def _fill(self) -> QWidget:
        card = QFrame()
        card.setObjectName("callCard")
        column = QVBoxLayout(card)
        column.setContentsMargins(12, 10, 10, 12)
        column.setSpacing(10)
        for call in self._calls:
            column.addWidget(make_call_view(self._theme, call, self._facts))
        return card


def _texts(call: Call) -> list[str]:
    inner = [text for part in call.inner for text in _texts(part)]
    return [call.arguments, call.result or "", *inner]


def _spent(calls: tuple[Call, ...], *, waiting: bool) -> str:
    known = [call.seconds for call in calls if call.seconds is not None]
    if waiting:
        return " …"
    return f" · {seconds_text(sum(known))}" if known else ""


def _spoken(calls: tuple[Call, ...]) -> str:
    names = ", ".join(call.name for call in calls)
    return f"Tool calls: {names}. Press to see arguments and results."

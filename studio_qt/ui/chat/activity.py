"""Tool activity in a reply: one folded line that opens to calls, arguments and results."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from studio_qt.ui.chat.rows import Call, call_text
from studio_qt.ui.prose.view import ProseView
from studio_qt.ui.theme.theme import Theme
from studio_qt.ui.widgets.basics import IconButton, IconView, label

__all__ = ["ActivityLine", "FoldLine"]

_SHOWN = 4_000
"""Characters of an argument or a result that are shown; copying always takes all."""

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

    def _fill(self) -> QWidget:
        raise NotImplementedError

    def _on_toggled(self, opened: bool) -> None:  # noqa: FBT001
        self._arrow.set_icon("chevron-down" if opened else "chevron-right", "fg3")
        self.refill()


class ActivityLine(FoldLine):
    """The tool calls of one message of the model."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, "bolt", "toolActivity")
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
            self.icon.set_icon("alert" if failed else "bolt", "err" if failed else "fg3")
        self.refill()

    def _fill(self) -> QWidget:
        card = QFrame()
        card.setObjectName("callCard")
        column = QVBoxLayout(card)
        column.setContentsMargins(12, 10, 10, 12)
        column.setSpacing(10)
        for call in self._calls:
            column.addWidget(_CallView(self._theme, call))
        return card


class _CallView(QWidget):
    """One call: its name and number, the arguments, the result, what a sub-agent called."""

    def __init__(self, theme: Theme, call: Call, *, inner: bool = False) -> None:
        super().__init__()
        self._theme, self._call = theme, call
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addLayout(self._head(copying=not inner))
        if call.arguments not in ("", "{}"):
            column.addWidget(self._words(call.arguments, "fg2"))
        if call.inner:
            column.addLayout(self._inner())
        if call.result is not None:
            column.addLayout(self._result())
        if call.changes:
            changes = self._words("\n".join(call.changes), "ok")
            changes.setAccessibleName(f"What {call.name} changed in its store")
            column.addWidget(changes)

    def _inner(self) -> QHBoxLayout:
        """Return what a sub-agent called, one level deep, along a line."""
        line = QWidget()
        line.setProperty("role", "separator")
        line.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        line.setFixedWidth(2)
        column = QVBoxLayout()
        column.setSpacing(6)
        for part in self._call.inner:
            column.addWidget(_CallView(self._theme, part, inner=True))
        row = QHBoxLayout()
        row.setContentsMargins(6, 2, 0, 2)
        row.setSpacing(12)
        row.addWidget(line)
        row.addLayout(column, 1)
        return row

    def _head(self, *, copying: bool) -> QHBoxLayout:
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(IconView(self._theme, "bolt", "accent2", 13))
        head.addWidget(label(self._call.name, "toolName"))
        if self._call.agent:
            head.addWidget(label(self._call.agent, "quiet"))
        head.addStretch(1)
        if self._call.seconds is not None:
            head.addWidget(label(_seconds(self._call.seconds), "quiet"))
        if self._call.number is not None:
            head.addWidget(label(f"#{self._call.number}", "mono"))
        if copying:
            tip = f"Copy the call of {self._call.name}"
            copy = IconButton(self._theme, "copy", tip, name="copyCall", size=14, kind="tiny")
            copy.clicked.connect(self._copy)
            head.addWidget(copy)
        return head

    def _result(self) -> QHBoxLayout:
        failed = self._call.failed
        row = QHBoxLayout()
        row.setSpacing(8)
        icon = IconView(
            self._theme, "alert" if failed else "arrow-right", "err" if failed else "fg3", 13
        )
        holder = QVBoxLayout()
        holder.setContentsMargins(0, 3, 0, 0)
        holder.addWidget(icon)
        holder.addStretch(1)
        row.addLayout(holder)
        row.addWidget(self._words(self._call.result or "", "err" if failed else "fg"), 1)
        return row

    def _words(self, text: str, colour: str) -> ProseView:
        view = ProseView(self._theme, size=12, colour=colour, plain=True, mono=True)
        view.setAccessibleName(f"{self._call.name}: {text[:80]}")
        more = len(text) - _SHOWN
        view.show_plain(text if more <= 0 else f"{text[:_SHOWN]}\n… {more} more characters")
        return view

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(call_text(self._call))


def _spent(calls: tuple[Call, ...], *, waiting: bool) -> str:
    known = [call.seconds for call in calls if call.seconds is not None]
    if waiting:
        return " …"
    return f" · {_seconds(sum(known))}" if known else ""


def _seconds(seconds: float) -> str:
    return f"{seconds:.1f} s" if seconds >= 1 else f"{max(seconds, 0.01):.2f} s"


def _spoken(calls: tuple[Call, ...]) -> str:
    names = ", ".join(call.name for call in calls)
    return f"Tool calls: {names}. Press to see arguments and results."

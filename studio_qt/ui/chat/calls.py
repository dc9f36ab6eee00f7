"""One tool call unfolded: an agent's, or the card of a sub-agent."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from studio_qt.ui.chat.facts import CallFacts
from studio_qt.ui.chat.rows import Call, asked_text, call_text, shown_part
from studio_qt.ui.prose.view import ProseView
from studio_qt.ui.theme.theme import Theme
from studio_qt.ui.widgets.basics import ElidedLabel, IconButton, IconView, label

__all__ = ["CallView", "SubAgentView", "make_call_view", "seconds_text"]


def seconds_text(seconds: float) -> str:
    """Return a time as words: "4.1 s"."""
    return f"{seconds:.1f} s" if seconds >= 1 else f"{max(seconds, 0.01):.2f} s"


def make_call_view(theme: Theme, call: Call, facts: CallFacts | None) -> QWidget:
    """Return what shows a call, with what a sub-agent called one level deep."""
    if call.inner or (facts is not None and facts.is_sub_agent(call.agent)):
        return SubAgentView(theme, call, facts)
    return CallView(theme, call, facts)


class _View(QWidget):
    """What both have: texts letter by letter, and what the call changed in the store."""

    def __init__(self, theme: Theme, call: Call, facts: CallFacts | None) -> None:
        super().__init__()
        self._theme, self._call, self._facts = theme, call, facts
        self._changes = self._words("", "ok")
        self._changes.setParent(self)
        self._changes.setAccessibleName(f"What {call.name} changed in its store")
        self._changes.hide()
        self._show_changes(call.changes or (facts.changes(call) if facts is not None else ()))
        if facts is not None and not call.changes:
            facts.found.connect(self._on_found)

    def _on_found(self, number: int) -> None:
        if number == self._call.number and self._facts is not None:
            self._show_changes(self._facts.changes(self._call))

    def _show_changes(self, lines: tuple[str, ...]) -> None:
        if lines:
            self._changes.show_plain("\n".join(lines))
            self._changes.show()

    def _words(
        self, text: str, colour: str, *, mono: bool = True, size: int = 12, bold: bool = False
    ) -> ProseView:
        view = ProseView(self._theme, size=size, colour=colour, plain=True, mono=mono)
        if bold:
            font = view.document().defaultFont()
            font.setWeight(font.Weight.Medium)
            view.document().setDefaultFont(font)
        view.setAccessibleName(f"{self._call.name}: {text[:80]}")
        view.show_plain(shown_part(text))
        return view

    def _result(self) -> QHBoxLayout:
        failed = self._call.failed
        row = QHBoxLayout()
        row.setSpacing(8)
        icon = IconView(
            self._theme, "alert" if failed else "arrow-right", "err" if failed else "fg3", 13
        )
        holder = QVBoxLayout()
        holder.setContentsMargins(0, 2, 0, 0)
        holder.addWidget(icon)
        holder.addStretch(1)
        row.addLayout(holder)
        row.addWidget(self._words(self._call.result or "", "err" if failed else "fg"), 1)
        return row

    def _number(self, head: QHBoxLayout) -> None:
        if self._call.number is not None:
            head.addWidget(label(f"#{self._call.number}", "mono"))

    def _copy_button(self) -> IconButton:
        tip = f"Copy the call of {self._call.name}"
        copy = IconButton(self._theme, "copy", tip, name="copyCall", size=14, kind="tiny")
        copy.clicked.connect(self._copy)
        return copy

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(call_text(self._call))


class CallView(_View):
    """A call of an agent: its name and number, the arguments, the result, what it changed."""

    def __init__(
        self, theme: Theme, call: Call, facts: CallFacts | None, *, inner: bool = False
    ) -> None:
        super().__init__(theme, call, facts)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addLayout(self._head(inner=inner))
        if call.arguments not in ("", "{}"):
            column.addWidget(self._words(call.arguments, "fg2"))
        if call.result is not None:
            column.addLayout(self._result())
        column.addWidget(self._changes)

    def _head(self, *, inner: bool) -> QHBoxLayout:
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(IconView(self._theme, "bolt", "accent2", 13))
        head.addWidget(label(self._call.name, "toolName"))
        agent = ElidedLabel(self._call.agent, "quiet")
        head.addWidget(agent, 1)
        if self._call.seconds is not None:
            head.addWidget(label(seconds_text(self._call.seconds), "quiet"))
        self._number(head)
        if not inner:
            head.addWidget(self._copy_button())
        return head


class SubAgentView(_View):
    """What a sub-agent was asked, what it called along a line, and what it answered."""

    def __init__(self, theme: Theme, call: Call, facts: CallFacts | None) -> None:
        super().__init__(theme, call, facts)
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(6)
        grid.setColumnStretch(1, 1)
        grid.addLayout(self._head(), 0, 0, 1, 2)
        if asked := asked_text(call.arguments):
            grid.addWidget(_side("asked"), 1, 0)
            grid.addWidget(self._words(asked, "fg", mono=False, size=13, bold=True), 1, 1)
        if call.inner:
            grid.addLayout(self._inner(), 2, 0, 1, 2)
        if call.result is not None:
            failed = call.failed
            grid.addWidget(_side("failed" if failed else "answered"), 3, 0)
            colour = "err" if failed else "fg"
            words = self._words(call.result, colour, mono=False, size=13, bold=True)
            grid.addWidget(words, 3, 1)
        grid.addWidget(self._changes, 4, 1)

    def _head(self) -> QHBoxLayout:
        call = self._call
        lane, rounds, tokens = (
            self._facts.requests(call.number) if self._facts is not None else ("", 0, 0)
        )
        about = ["sub-agent", *([lane] if lane else [])]
        if rounds:
            about.append("1 round" if rounds == 1 else f"{rounds} rounds")
        spent = [f"{tokens:,} tokens"] if tokens else []
        if call.seconds is not None:
            spent.append(seconds_text(call.seconds))
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(IconView(self._theme, "sub-agent", "accent2", 14))
        head.addWidget(label(call.name, "name"))
        head.addWidget(ElidedLabel(" · ".join(about), "quiet"), 1)
        head.addWidget(label(" · ".join(spent), "quiet", name="callSpent"))
        self._number(head)
        head.addWidget(self._copy_button())
        return head

    def _inner(self) -> QHBoxLayout:
        """Return what it called, one level deep, along a line."""
        line = QWidget()
        line.setProperty("role", "separator")
        line.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        line.setFixedWidth(2)
        column = QVBoxLayout()
        column.setSpacing(8)
        for part in self._call.inner:
            column.addWidget(CallView(self._theme, part, self._facts, inner=True))
        row = QHBoxLayout()
        row.setContentsMargins(6, 2, 0, 2)
        row.setSpacing(12)
        row.addWidget(line)
        row.addLayout(column, 1)
        return row


def _side(words: str) -> QLabel:
    made = label(words, "quiet")
    made.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
    return made

"""`AgentLogPage`: what agents did, call by call, as it happens (STU-05)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent
from PySide6.QtWidgets import (
    QApplication,
    QComboBox,
    QHBoxLayout,
    QPlainTextEdit,
    QSplitter,
    QStackedLayout,
    QVBoxLayout,
    QWidget,
)

from studio_qt.engine.storage import AgentLogLine
from studio_qt.errors import ClosedError
from studio_qt.ui.actions import Place
from studio_qt.ui.agentlog.lines import LogRow, details_text, row_of
from studio_qt.ui.agentlog.model import KEPT, LogModel
from studio_qt.ui.agentlog.table import LogTable
from studio_qt.ui.desk import Desk
from studio_qt.ui.tasks import sentence
from studio_qt.ui.widgets.bars import EmptyState
from studio_qt.ui.widgets.basics import IconButton, give_icon, label, text_button
from studio_qt.ui.widgets.inputs import SearchField

if TYPE_CHECKING:
    from studio_qt.engine.player import CharacterPlayer

__all__ = ["AgentLogPage"]

_BATCH_MS = 50
_STRETCH = 200
"""Entries that are read at a time, from the last one back."""
_ALL = "All agents"


class AgentLogPage(QWidget):
    """The lines of the conversation that is played, the newest below.

    `entry_wanted` carries the id of the entry that holds a call which is to be shown in the chat,
    `counted` how many lines there are, `notice` a sentence and its kind.
    """

    entry_wanted = Signal(str)
    counted = Signal(int)
    notice = Signal(str, str)

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self._desk = desk
        self._player: CharacterPlayer | None = None
        self._offs: list[Callable[[], None]] = []
        self._conversation = ""
        self._waiting: list[AgentLogLine] = []
        self._reading = 0
        self._opened: LogRow | None = None
        self._model = LogModel(self)
        self.table = LogTable(desk.theme, self._model)
        self.agent = QComboBox()
        self.filter = SearchField(desk.theme, "Filter the log", "agentLogFilter")
        self._count = label("", "quiet", name="agentLogCount")
        self.details = QPlainTextEdit()
        self._show_call = text_button("Show in the chat", "agentLogShow", "link")
        self._side = QWidget()
        self._stack = QStackedLayout()
        self._empty = EmptyState(
            desk.theme,
            "log",
            "Agents have done nothing yet",
            "Write “@debug true” in an agent's manifest, or “debug: true” in a sub-agent, and each "
            "of its calls stands here. What fails is always listed.",
            name="agentLogEmpty",
        )
        self._batch = QTimer(self)
        self._batch.setSingleShot(True)
        self._batch.setInterval(_BATCH_MS)
        self._batch.timeout.connect(self._take_batch)
        self._build()
        self._connect()
        self._add_actions()
        self._tell()

    @property
    def rows(self) -> Sequence[LogRow]:
        """What is listed."""
        return self._model.rows

    @property
    def settled(self) -> bool:
        """Whether everything that was said is listed."""
        return not self._batch.isActive() and not self._reading

    def show_player(self, player: CharacterPlayer | None) -> None:
        """Follow an open player; None shows nothing."""
        for off in self._offs:
            off()
        self._offs.clear()
        self._player = player
        self._waiting.clear()
        self._model.begin([])
        self._close_details()
        self._tell()
        if player is not None:
            self._conversation = player.conversation_id
            self._offs = [
                player.on("agentNote", self._on_line),
                player.on("entries", self._on_entries),
            ]
            self._read()

    def focusInEvent(self, event: QFocusEvent) -> None:
        self.table.setFocus(event.reason())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self._side.isVisible():
            self._close_details()
            self.table.setFocus()
        else:
            super().keyPressEvent(event)

    # Acting

    def copy(self) -> None:
        """Copy the selected lines; without a selection all that are listed."""
        rows = self.table.chosen or list(self._model.rows)
        QApplication.clipboard().setText("\n".join(row.text for row in rows))

    def copy_all(self) -> None:
        """Copy every line that is listed."""
        QApplication.clipboard().setText("\n".join(row.text for row in self._model.rows))

    def open_details(self, row: LogRow) -> None:
        """Show everything that a line holds."""
        self._opened = row
        self.details.setPlainText(details_text(row.line))
        self._show_call.setVisible(row.call is not None)
        self._side.show()
        self.table.scrollTo(self.table.currentIndex())

    def show_call(self) -> None:
        """Ask for the call of the current line to be shown in the chat."""
        row = self._opened if self._side.isVisible() else self.table.current
        entry_id = None
        if row is not None and row.call is not None and self._player is not None:
            entry_id = entry_of_call(self._player, row.call)
        if entry_id is not None:
            self.entry_wanted.emit(entry_id)
        else:
            self.notice.emit("This line belongs to no call that is in the conversation.", "info")

    # Following

    def _read(self) -> None:
        if self._player is not None:
            self._reading += 1
            reading = self._read_file(self._player, self._conversation)
            if (
                self._desk.tasks.start(reading, name="read the agent log", on_error=self._fail)
                is None
            ):
                self._reading -= 1

    async def _read_file(self, player: CharacterPlayer, conversation: str) -> None:
        try:
            lines = await player.agent_log(KEPT)
        except ClosedError:
            return  # the project was closed meanwhile
        finally:
            self._reading -= 1
        if self._player is player and self._conversation == conversation:
            known = Counter(_mark(line) for line in lines)
            later = [line for line in self._waiting if not _seen(line, known)]
            self._waiting.clear()
            self._model.begin([row_of(line) for line in (*lines, *later)])
            self._tell()
            self.table.scrollToBottom()

    def _on_line(self, line: object) -> None:
        assert isinstance(line, AgentLogLine)
        self._waiting.append(line)
        if not self._batch.isActive() and not self._reading:
            self._batch.start()

    def _take_batch(self) -> None:
        if self._reading:
            return  # they come with what is being read
        lines, self._waiting = self._waiting[-KEPT:], []
        follows = self.table.at_end
        self._model.add([row_of(line) for line in lines])
        self._tell()
        if follows:
            self.table.scrollToBottom()

    def _on_entries(self, _said: object) -> None:
        """Another conversation has a log of its own."""
        player = self._player
        if player is not None and player.conversation_id != self._conversation:
            self._conversation = player.conversation_id
            self._waiting.clear()
            self._model.begin([])
            self._read()

    # Slots

    def _on_filter(self) -> None:
        agent = self.agent.currentText()
        self._model.filter("" if agent == _ALL else agent, self.filter.text())
        self._tell()
        self.table.scrollToBottom()

    def _close_details(self) -> None:
        self._opened = None
        self._side.hide()

    def _fail(self, error: Exception) -> None:
        self.notice.emit(sentence(error), "error")

    def _tell(self) -> None:
        """Say how many lines there are, and offer their agents."""
        shown, count = len(self._model.rows), self._model.count
        told = f"{count:,} {'line' if count == 1 else 'lines'}"
        self._count.setText(told if shown == count else f"{shown:,} of {told}")
        self._stack.setCurrentIndex(0 if count else 1)
        wanted = [_ALL, *self._model.agents]
        if [self.agent.itemText(at) for at in range(self.agent.count())] != wanted:
            chosen = self.agent.currentText()
            blocked = self.agent.blockSignals(True)
            self.agent.clear()
            self.agent.addItems(wanted)
            self.agent.setCurrentIndex(max(0, wanted.index(chosen) if chosen in wanted else 0))
            self.agent.blockSignals(blocked)
        self.counted.emit(count)

    # Building

    def _connect(self) -> None:
        self.agent.currentTextChanged.connect(lambda _text: self._on_filter())
        self.filter.textChanged.connect(lambda _text: self._on_filter())
        self.filter.down_wanted.connect(self.table.setFocus)
        self.table.opened.connect(self.open_details)
        self._show_call.clicked.connect(self.show_call)

    def _add_actions(self) -> None:
        add, place = self._desk.actions.add, Place("Tools", 6)
        for name, text, keys, slot in (
            ("agentLogCopy", "Copy lines of the agent log", "Ctrl+C", self.copy),
            ("agentLogCopyAll", "Copy the whole agent log", "Ctrl+Shift+C", self.copy_all),
            ("agentLogToChat", "Show the call in the chat", "Ctrl+Return", self.show_call),
        ):
            add(name, text, slot, place=place, keys=keys, owner=self.table)

    def _build(self) -> None:
        self.setObjectName("agentLog")
        self.setAccessibleName("Agent log")
        self.agent.setObjectName("agentLogAgent")
        self.agent.setAccessibleName("Agent whose lines are listed")
        self.agent.setMinimumWidth(140)
        self.filter.setMaximumWidth(220)
        copy = IconButton(
            self._desk.theme, "copy", "Copy every line that is listed", name="agentLogCopyButton"
        )
        copy.clicked.connect(self.copy_all)
        bar = QHBoxLayout()
        bar.setContentsMargins(14, 6, 8, 6)
        bar.setSpacing(8)
        for widget in (self.agent, self.filter, self._count):
            bar.addWidget(widget)
        bar.addStretch(1)
        bar.addWidget(copy)
        listed = QWidget()
        inside = QVBoxLayout(listed)
        inside.setContentsMargins(0, 0, 0, 0)
        inside.setSpacing(0)
        inside.addLayout(bar)
        split = QSplitter(Qt.Orientation.Horizontal)
        split.setObjectName("agentLogSplit")
        split.addWidget(self.table)
        split.addWidget(self._details_pane())
        split.setChildrenCollapsible(False)
        split.setStretchFactor(0, 1)
        split.setSizes([640, 320])
        inside.addWidget(split, 1)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addLayout(self._stack)
        self._stack.addWidget(listed)
        self._stack.addWidget(self._empty)

    def _details_pane(self) -> QWidget:
        self.details.setObjectName("agentLogDetails")
        self.details.setAccessibleName("Everything that the line holds")
        self.details.setReadOnly(True)
        self.details.setTabChangesFocus(True)
        self.details.setFont(self._desk.theme.mono(12))
        give_icon(self._desk.theme, self._show_call, "chat", "accent2")
        close = IconButton(
            self._desk.theme, "close", "Close the details", name="agentLogClose", size=14
        )
        close.clicked.connect(self._close_details)
        head = QHBoxLayout()
        head.setContentsMargins(4, 0, 0, 4)
        head.addWidget(label("Details", "name"))
        head.addStretch(1)
        head.addWidget(self._show_call)
        head.addWidget(close)
        column = QVBoxLayout(self._side)
        column.setContentsMargins(8, 0, 8, 8)
        column.setSpacing(0)
        column.addLayout(head)
        column.addWidget(self.details, 1)
        self._side.setMinimumWidth(180)
        self._side.hide()
        return self._side


def entry_of_call(player: CharacterPlayer, call: int) -> str | None:
    """Return the id of the entry with a call's result, a sub-agent's call for its inner ones."""
    for stop in range(len(player), 0, -_STRETCH):
        for entry in reversed(player.entries(max(0, stop - _STRETCH), stop)):
            inner = entry.get("inner")
            calls = [entry, *(inner if isinstance(inner, list) else ())]
            if entry.get("role") == "tool" and any(
                isinstance(one, dict) and one.get("toolCallId") == call for one in calls
            ):
                return str(entry.get("id"))
    return None


def _mark(line: AgentLogLine) -> tuple[object, ...]:
    return line.time, line.agent_id, line.kind, line.message, line.details.get("ms")


def _seen(line: AgentLogLine, known: Counter[tuple[object, ...]]) -> bool:
    """Whether a line that was told is among those that were read, each of which counts once."""
    mark = _mark(line)
    if known[mark] > 0:
        known[mark] -= 1
        return True
    return False

"""`WritingView`: a model at work: what it does, for how long, and what comes; Stop ends it."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Awaitable, Callable

from PySide6.QtCore import QTimer, Signal
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPlainTextEdit, QSizePolicy, QVBoxLayout, QWidget
from shiboken6 import isValid

from studio_qt.authoring.asking import Progress, Stream, Talk
from studio_qt.ui.desk import Desk
from studio_qt.ui.widgets.basics import IconView, label

__all__ = ["Work", "WritingView"]

Work = Callable[[Talk], Awaitable[object]]

_FRAME_MS = 33
_TICK_MS = 120
_MOST_SHOWN = 200_000
_TAGS = re.compile(r"<text\d*>\n?|\n?</text\d*>")
_BEGUN = re.compile(r"\n?<(?:/?(?:t(?:e(?:x(?:t(?:\d*>?)?)?)?)?)?)?\Z|\n\Z")


class WritingView(QWidget):
    """Runs one piece of work at a time and shows how it goes.

    `written` carries what it returned, `failed` its exception, `stopped` follows `stop`.
    """

    written = Signal(object)
    failed = Signal(object)
    stopped = Signal()

    def __init__(self, desk: Desk, name: str) -> None:
        super().__init__()
        self._desk = desk
        self._task: asyncio.Task[None] | None = None
        self._began = 0.0
        self._pieces: list[str] = []
        self._progress = Progress("")
        self.setObjectName(name)
        self._icon = IconView(desk.theme, "spinner", "accent2", 16, turning=True)
        self._step = label("", "name", name=f"{name}Step")
        self._count = label("", "second", name=f"{name}Count")
        self.text = QPlainTextEdit()
        self._build(name)
        self._frame = self._timer(_FRAME_MS, self._take_pieces)
        self._tick = QTimer(self)
        self._tick.setInterval(_TICK_MS)
        self._tick.timeout.connect(self._on_tick)

    @property
    def busy(self) -> bool:
        """Whether a model is at work."""
        return self._task is not None

    @property
    def words(self) -> str:
        """How it goes, in one line."""
        return f"{self._step.text()} {self._count.text()}".strip()

    def run(self, stream: Stream, work: Work, name: str) -> None:
        """Begin; what was shown of an earlier one goes."""
        if self._task is not None:
            return
        self.text.clear()
        self._pieces.clear()
        self._began = time.monotonic()
        self._progress = Progress("Asking the model")
        self._icon.set_icon("spinner", "accent2", turning=True)
        self._show()
        self._tick.start()
        self._task = self._desk.tasks.start(
            self._run(Talk(stream, self._on_progress), work), name=name, on_error=self._on_error
        )
        if self._task is not None:
            self._task.add_done_callback(self._on_done)

    def stop(self) -> None:
        """End it; the connection to the model closes at once."""
        if self._task is not None:
            self._task.cancel()

    # Inside

    async def _run(self, talk: Talk, work: Work) -> None:
        result = await work(talk)
        self._end("check", "ok")
        self.written.emit(result)

    def _on_error(self, error: Exception) -> None:
        self._end("alert", "err")
        self.failed.emit(error)

    def _on_done(self, task: asyncio.Task[None]) -> None:
        if isValid(self) and task.cancelled() and self._task is task:
            self._end("stopped", "fg3")
            self.stopped.emit()

    def _end(self, icon: str, token: str) -> None:
        self._task = None
        self._tick.stop()
        self._take_pieces()
        self._show()
        self._icon.set_icon(icon, token)

    def _on_progress(self, progress: Progress) -> None:
        if progress.step != self._progress.step:
            self._pieces.clear()
            self.text.clear()
        self._progress = progress
        if progress.piece:
            self._pieces.append(progress.piece)
        if not self._frame.isActive():
            self._frame.start()

    def _take_pieces(self) -> None:
        """Show what has come since the last frame; who reads further up is left there."""
        self._frame.stop()
        words = self._untagged(last=not self.busy)
        if words and self.text.document().characterCount() < _MOST_SHOWN:
            bar = self.text.verticalScrollBar()
            follows = bar.value() >= bar.maximum() - 4
            cursor = QTextCursor(self.text.document())
            cursor.movePosition(QTextCursor.MoveOperation.End)
            cursor.insertText(words)
            if follows:
                bar.setValue(bar.maximum())
        self._show()

    def _untagged(self, *, last: bool) -> str:
        """Return what has come without the tags around it; what may begin one waits."""
        words = _TAGS.sub("", "".join(self._pieces))
        self._pieces.clear()
        if not last and (begun := _BEGUN.search(words)):
            self._pieces.append(begun[0])
            words = words[: begun.start()]
        return words

    def _on_tick(self) -> None:
        self._icon.turn()
        self._show()

    def _show(self) -> None:
        progress = self._progress
        step = progress.step
        if progress.waiting:
            step = progress.waiting
        elif progress.thinking and not self.text.document().characterCount() > 1:
            step = f"{step}: it is thinking"
        self._step.setText(step)
        seconds = time.monotonic() - self._began
        self._count.setText(f"{seconds:.0f} s · {progress.tokens:,} tokens")

    def _dress(self) -> None:
        self.text.setFont(self._desk.theme.mono(12))

    def _timer(self, milliseconds: int, slot: Callable[[], object]) -> QTimer:
        timer = QTimer(self)
        timer.setSingleShot(True)
        timer.setInterval(milliseconds)
        timer.timeout.connect(slot)
        return timer

    def _build(self, name: str) -> None:
        text = self.text
        text.setObjectName(f"{name}Text")
        text.setAccessibleName("What the model writes")
        text.setReadOnly(True)
        text.setTabChangesFocus(True)
        text.setFrameShape(QFrame.Shape.NoFrame)
        text.setProperty("kind", "field")
        text.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Ignored)
        text.setMinimumHeight(self._desk.theme.scaled(100))
        self._desk.theme.changed.connect(self._dress)
        self._dress()
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(self._icon)
        head.addWidget(self._step, 1)
        head.addWidget(self._count)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addLayout(head)
        column.addWidget(text, 1)

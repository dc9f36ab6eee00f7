"""`ChangeSheet`: a text that a model improves, laid beside what it was, to accept or refuse."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from PySide6.QtCore import Qt, Signal, SignalInstance
from PySide6.QtGui import QFontMetricsF, QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from studio_qt.authoring.asking import Stream
from studio_qt.authoring.polishing import Polished
from studio_qt.ui.desk import Desk
from studio_qt.ui.generating.sentences import broken_lines
from studio_qt.ui.generating.trouble import TroubleLine
from studio_qt.ui.generating.writing import Work, WritingView
from studio_qt.ui.theme.fonts import mono_font
from studio_qt.ui.widgets.basics import IconView, label, text_button
from studio_qt.ui.widgets.sheet import Sheet

__all__ = ["ChangeSheet", "Comparison", "MakeComparison"]

_BESIDE = 172
"""Pixels of a side that numbers, signs and edges take."""
_LEAST_COLUMNS = 36


class Comparison(Protocol):
    """What shows two texts side by side; it is a widget."""

    @property
    def closed(self) -> SignalInstance:
        """Follows its cross."""
        ...

    @property
    def settled(self) -> bool:
        """Whether what was asked for last is shown."""
        ...

    def show_texts(
        self, title: str, left_title: str, left: str, right_title: str, right: str
    ) -> None:
        """Show them, the older one at the left."""
        ...

    def go(self, step: int) -> None:
        """Go to the next (1) or the previous (-1) difference."""
        ...


MakeComparison = Callable[[], tuple[QWidget, Comparison]]
"""Makes a comparison; the pair is one object under both of its faces."""


class ChangeSheet(Sheet):
    """Runs a work that returns a `Polished`, then shows what it changed.

    `accepted_text` carries the new text; nothing has been changed by then, and whoever changes it
    closes the sheet. Refusing, Escape and Stop change nothing.
    """

    accepted_text = Signal(str)
    settings_wanted = Signal()
    widest = 1240

    def __init__(
        self, desk: Desk, over: QWidget, title: str, about: str, make: MakeComparison
    ) -> None:
        super().__init__(desk.theme, over, title)
        self.setObjectName("changeDialog")
        self._desk, self._make = desk, make
        self._title = title
        self._old, self._new = "", ""
        self._again: Callable[[], None] | None = None
        self._comparison: Comparison | None = None
        self.writing = WritingView(desk, "changeProgress")
        self.trouble = TroubleLine(desk.theme, "changeTrouble")
        self._notes = label("", "second", wrap=True, name="changeNotes")
        self.accept_button = text_button("Accept", "changeAccept", "primary")
        self.refuse_button = text_button("Refuse", "changeRefuse")
        self.again_button = text_button("Try again", "changeAgain")
        self._pages = QStackedWidget()
        self._build(about)
        self.writing.written.connect(self._on_written)
        self.writing.failed.connect(self._on_failed)
        self.writing.stopped.connect(self._on_stopped)
        self.trouble.settings_wanted.connect(self.settings_wanted)
        self.accept_button.clicked.connect(self.take)
        self.refuse_button.clicked.connect(self.reject)
        self.again_button.clicked.connect(self._on_again)
        self.finished.connect(self.deleteLater)

    @property
    def settled(self) -> bool:
        """Whether the change that was made last is shown."""
        return not self.writing.busy and (self._comparison is None or self._comparison.settled)

    def run(self, stream: Stream, work: Work, old: str) -> None:
        """Let a model improve `old`."""
        self._old = old
        self._again = lambda: self.run(stream, work, old)
        self.trouble.tell("")
        self._notes.hide()
        self.writing.run(stream, work, "polish")
        self._pages.setCurrentWidget(self._writing_page)
        self._show_buttons()
        self.refuse_button.setFocus(Qt.FocusReason.OtherFocusReason)

    def show_change(self, old: str, new: str, notes: Sequence[str] = ()) -> None:
        """Show what became of a text."""
        self._old, self._new = old, new
        if self._comparison is None:
            page, self._comparison = self._make()
            self._comparison.closed.connect(self.reject)
            self._pages.addWidget(page)
            self._page = page
        self._pages.setCurrentWidget(self._page)
        left, right = (broken_lines(text, self._columns()) for text in (old, new))
        self._comparison.show_texts(self._title, "As it is", left, "As it would be", right)
        self._notes.setText(" ".join(notes))
        self._notes.setVisible(bool(notes))
        self._show_buttons()
        first = self.accept_button if old != new else self.refuse_button
        first.setFocus(Qt.FocusReason.OtherFocusReason)

    def take(self) -> None:
        """Accept the change; whoever makes it closes the sheet, or says why it cannot be made."""
        if self.accept_button.isVisible() and self.accept_button.isEnabled():
            self.accept_button.setEnabled(False)  # until it is known what came of it
            self.accepted_text.emit(self._new)

    def tell(self, error: Exception) -> None:
        """Say why a change could not be made."""
        self.accept_button.setEnabled(True)
        self.trouble.tell_error(error)

    def reject(self) -> None:
        """Stop what is being written; refuse the change when there is one."""
        if self.writing.busy:
            self.writing.stop()
        else:
            super().reject()

    def done(self, result: int) -> None:
        """Close; a model that still writes is left alone."""
        self.writing.stop()
        super().done(result)

    def cover(self) -> None:
        """Take most of the window: two texts need room."""
        super().cover()
        over = self._over
        height = over.height() - 2 * min(48, over.height() // 20)
        card = self.card.geometry()
        self.card.setGeometry(card.x(), (over.height() - height) // 2, card.width(), height)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        held = event.modifiers() & Qt.KeyboardModifier.ControlModifier
        if enter and held:
            self.take()
        elif event.key() == Qt.Key.Key_F7 and self._comparison is not None:
            back = event.modifiers() & Qt.KeyboardModifier.ShiftModifier
            self._comparison.go(-1 if back else 1)
        else:
            super().keyPressEvent(event)

    # Slots

    def _on_written(self, made: object) -> None:
        assert isinstance(made, Polished)
        self.show_change(self._old, made.text, made.notes)

    def _on_failed(self, error: Exception) -> None:
        self.trouble.tell_error(error)
        self._show_buttons(failed=True)
        self.again_button.setFocus(Qt.FocusReason.OtherFocusReason)

    def _on_stopped(self) -> None:
        self.trouble.tell("Stopped. The text is as it was.", "info")
        self._show_buttons(failed=True)
        self.again_button.setFocus(Qt.FocusReason.OtherFocusReason)

    def _on_again(self) -> None:
        if self._again is not None:
            self._again()

    # Helpers

    def _columns(self) -> int:
        """Return how many characters a side has room for."""
        chosen = self._desk.preferences.window
        face = mono_font(self._theme.scaled(chosen.editor_size))
        room = self.card.width() / 2 - self._theme.scaled(_BESIDE)
        return max(_LEAST_COLUMNS, int(room / QFontMetricsF(face).horizontalAdvance("0")))

    def _show_buttons(self, *, failed: bool = False) -> None:
        busy = self.writing.busy
        comparing = not busy and not failed
        words = "Stop" if busy else "Refuse" if comparing else "Close"
        self.refuse_button.setText(words)
        self.refuse_button.setAccessibleName(words)
        self.accept_button.setVisible(comparing)
        self.accept_button.setEnabled(self._old != self._new)
        self.again_button.setVisible(not busy and self._again is not None)
        self._head.setVisible(not comparing)
        self._notes.setVisible(comparing and bool(self._notes.text()))
        self.cover()

    def _build(self, about: str) -> None:
        self.column.setContentsMargins(0, 0, 0, 0)
        self.column.setSpacing(0)
        self._head = QWidget()
        head = QHBoxLayout(self._head)
        head.setContentsMargins(20, 18, 20, 4)
        head.setSpacing(10)
        head.addWidget(IconView(self._theme, "wand", "accent2", 20), 0, Qt.AlignmentFlag.AlignTop)
        words = QVBoxLayout()
        words.setSpacing(2)
        words.addWidget(label(self._title, "title"))
        words.addWidget(label(about, "second", wrap=True, name="changeAbout"))
        head.addLayout(words, 1)
        self.column.addWidget(self._head)
        frame = QWidget()
        inside = QVBoxLayout(frame)
        inside.setContentsMargins(20, 12, 20, 0)
        inside.addWidget(self.writing)
        self._writing_page = frame
        self._pages.addWidget(frame)
        self.column.addWidget(self._pages, 1)
        foot = QHBoxLayout()
        foot.setContentsMargins(20, 12, 20, 16)
        foot.setSpacing(8)
        below = QVBoxLayout()
        below.addWidget(self.trouble)
        below.addWidget(self._notes)
        foot.addLayout(below, 1)
        for button in (self.again_button, self.refuse_button, self.accept_button):
            foot.addWidget(button, 0, Qt.AlignmentFlag.AlignBottom)
        self.column.addLayout(foot)

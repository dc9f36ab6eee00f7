"""Find in a conversation: a bar with a count, and marks in what is in sight."""

from __future__ import annotations

import asyncio
from bisect import bisect_left
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLineEdit, QWidget

from studio_qt.ui.chat.hits import Hit, count_hits, count_words, entry_hits, tool_texts
from studio_qt.ui.chat.model import ChatModel
from studio_qt.ui.chat.view import ChatView
from studio_qt.ui.prose.view import ProseView
from studio_qt.ui.tasks import Tasks
from studio_qt.ui.theme.theme import Theme
from studio_qt.ui.widgets.basics import IconButton, label

if TYPE_CHECKING:
    from studio_qt.engine.player import CharacterPlayer

__all__ = ["FindBar"]

_STRETCH = 200
"""Entries that are searched before others get their turn."""

_WAIT_MS = 120


class FindBar(QFrame):
    """Searches every entry of a conversation, also those that have no cell.

    `closed` says that it is done with.
    """

    closed = Signal()

    def __init__(
        self, theme: Theme, tasks: Tasks, view: ChatView, model: ChatModel, parent: QWidget
    ) -> None:
        super().__init__(parent)
        self._theme, self._tasks = theme, tasks
        self._view, self._model = view, model
        self._player: CharacterPlayer | None = None
        self._hits: list[Hit] = []
        self._at = -1
        self._search = 0
        self._aim: ProseView | None = None  # where the hit in a tool call is shown
        self.setObjectName("findBar")
        self.setAccessibleName("Find in the conversation")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.field = _Field()
        self._count = label("", "quiet", name="findCount")
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._start)
        self._build()
        self._connect()
        self.hide()

    @property
    def hits(self) -> int:
        """How often the words were found."""
        return len(self._hits)

    @property
    def current(self) -> Hit | None:
        """What is gone to."""
        return self._hits[self._at] if 0 <= self._at < len(self._hits) else None

    @property
    def settled(self) -> bool:
        """Whether no search is waiting or going on."""
        return not self._timer.isActive() and "find" not in self._tasks.names

    def set_player(self, player: CharacterPlayer | None) -> None:
        """Search an open player's conversation."""
        self._player = player
        self.close_bar()

    def open_bar(self) -> None:
        """Show the bar, ready to be typed into."""
        self.show()
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.field.selectAll()
        if self.field.text():
            self._start()

    def close_bar(self) -> None:
        """Go away, and take the marks away."""
        if self.isHidden():
            return
        self.hide()
        self._hits, self._at = [], -1
        self._search += 1
        self._mark()
        self.closed.emit()

    def step(self, by: int) -> None:
        """Go to the next or an earlier hit; after the last comes the first."""
        if self._hits:
            self._at = (self._at + by) % len(self._hits)
            self._show_hit()

    def _build(self) -> None:
        row = QHBoxLayout(self)
        row.setContentsMargins(16, 6, 12, 6)
        row.setSpacing(6)
        row.addWidget(self.field, 1)
        row.addWidget(self._count)
        theme = self._theme
        for icon, tip, name, by in (
            ("chevron-up", "Find the one before", "findPrevious", -1),
            ("chevron-down", "Find the next", "findNext", 1),
        ):
            button = IconButton(theme, icon, tip, name=name, size=14)
            button.clicked.connect(lambda _=False, to=by: self.step(to))
            row.addWidget(button)
        close = IconButton(theme, "close", "Close the search", name="findClose", size=14)
        close.clicked.connect(self.close_bar)
        row.addWidget(close)

    def _connect(self) -> None:
        self.field.textChanged.connect(lambda: self._timer.start(_WAIT_MS))
        self.field.next_wanted.connect(self.step)
        self.field.closed.connect(self.close_bar)
        self._view.laid.connect(self._mark)
        self._model.replaced.connect(self._again)
        self._model.flushed.connect(self._again)

    def _again(self) -> None:
        """Search anew, for the conversation has changed."""
        if self.isVisible() and self.field.text() and not self._model.running:
            self._timer.start(_WAIT_MS)

    def _start(self) -> None:
        self._timer.stop()
        self._search += 1
        if self._player is not None:
            self._tasks.start(self._run(self._player, self._search), name="find")

    async def _run(self, player: CharacterPlayer, search: int) -> None:
        """Search from the first entry to the last, a stretch at a time."""
        words = self.field.text().casefold()
        found: list[Hit] = []
        for start in range(0, len(player) if words else 0, _STRETCH):
            for at, entry in enumerate(player.entries(start, start + _STRETCH), start):
                hits = entry_hits(entry, at, words)
                if hits and self._model.at_entry(at) is not None:
                    found += hits
            await asyncio.sleep(0)
            if search != self._search:
                return
        self._take(found)

    def _take(self, found: list[Hit]) -> None:
        """Show what was found, beginning with what is in sight or before it."""
        before = self._hits[self._at] if 0 <= self._at < len(self._hits) else None
        self._hits = found
        if not found:
            self._at = -1
        elif before in found:
            self._at = found.index(before)
        else:
            self._at = min(self._first_in_sight(), len(found) - 1)
            self._show_hit()
        self._say()
        self._mark()

    def _first_in_sight(self) -> int:
        rows = self._view.rows_in_sight(self._view.viewport().height())
        slot = self._model.slot(rows[0]) if rows else None
        return bisect_left([hit.entry for hit in self._hits], slot.first) if slot else 0

    def _say(self) -> None:
        if not self.field.text():
            text = ""
        elif self._hits:
            text = f"{self._at + 1} of {len(self._hits)}"
        else:
            text = "Nothing found"
        self._count.setText(text)
        self._count.setAccessibleName(text)

    def _show_hit(self) -> None:
        """Scroll to the hit, and mark it."""
        hit = self._hits[self._at]
        row, nth = self._row_of(hit)
        self._aim = None
        self._say()
        if row is None:
            return
        if hit.tool >= 0:
            self._show_tool_hit(hit, row)
            return
        self._view.show_row(row)
        self._mark()
        cell = self._view.cell(row)
        for view in cell.views if cell is not None else ():
            inside = view.mark(self.field.text(), nth)
            if nth < inside:
                self._bring(view, nth)
                return
            nth -= inside

    def _show_tool_hit(self, hit: Hit, row: int) -> None:
        """Unfold the call, in whichever piece of a long reply it is."""
        text = self._tool_text(hit)
        slot = self._model.slot(row)
        for piece in range(slot.pieces if slot is not None else 1):
            self._view.show_row(row + piece)
            cell = self._view.cell(row + piece)
            view = cell.unfold(text) if cell is not None else None
            if view is not None:
                self._aim = view
                self._view.lay()
                self._bring(view, hit.nth)
                return

    def _tool_text(self, hit: Hit) -> str:
        entries = self._player.entries(hit.entry, hit.entry + 1) if self._player else []
        texts = tool_texts(entries[0]) if entries else []
        return texts[hit.tool] if hit.tool < len(texts) else ""

    def _bring(self, view: ProseView, nth: int) -> None:
        """Scroll until a hit inside a high message is in sight."""
        place = view.marked_place(nth)
        spot = view.mapTo(self._view.viewport(), QPoint(0, place)).y()
        height, bar = self._view.viewport().height(), self._view.verticalScrollBar()
        if not 24 <= spot <= height - 60:
            bar.setValue(bar.value() + spot - height // 3)

    def _row_of(self, hit: Hit) -> tuple[int | None, int]:
        """Return the row of a hit, and which of the row's hits it is."""
        row, nth = self._model.at_entry(hit.entry), hit.nth
        if row is None or self._player is None:
            return None, 0
        if hit.tool >= 0:
            return row, -1
        slot = self._model.slot(row)
        words = self.field.text().casefold()
        if slot is not None:  # the hits of earlier entries of the same reply
            for entry in self._player.entries(slot.first, hit.entry):
                nth += count_hits(entry, words)
        pieces = slot.pieces if slot is not None else 1
        for piece in range(pieces - 1):
            inside = count_words(self._model.row(row + piece).text, words)
            if nth < inside:
                return row + piece, nth
            nth -= inside
        return row + pieces - 1, nth

    def _mark(self) -> None:
        """Mark the words in every cell that is there, and the hit that is gone to."""
        words = self.field.text() if self.isVisible() else ""
        current, nth = (None, -1)
        if words and 0 <= self._at < len(self._hits):
            current, nth = self._row_of(self._hits[self._at])
        aim, tool_nth = self._aim, self.current.nth if self.current is not None else -1
        for row, cell in self._view.items():
            left = nth if row == current else -1
            for view in cell.views:
                inside = view.mark(words, left)
                left = left - inside if left >= inside else -1
            for view in cell.tool_views:
                view.mark(words, tool_nth if view is aim else -1)


class _Field(QLineEdit):
    """Enter goes on, Shift+Enter goes back, Escape closes."""

    next_wanted = Signal(int)
    closed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("findField")
        self.setAccessibleName("Find in the conversation")
        self.setPlaceholderText("Find in the conversation")

    def keyPressEvent(self, event: QKeyEvent) -> None:
        shift = event.modifiers() & Qt.KeyboardModifier.ShiftModifier
        match event.key():
            case Qt.Key.Key_Escape:
                self.closed.emit()
            case Qt.Key.Key_Return | Qt.Key.Key_Enter:
                self.next_wanted.emit(-1 if shift else 1)
            case Qt.Key.Key_Down:
                self.next_wanted.emit(1)
            case Qt.Key.Key_Up:
                self.next_wanted.emit(-1)
            case _:
                super().keyPressEvent(event)

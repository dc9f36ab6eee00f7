"""`Transcript`: the rows of a conversation one below the other, scrolled as people expect."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPoint, Qt, QTimer, QUrl, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QPushButton, QScrollArea, QWidget

from studio_qt.ui.chat.cells import Cell, make_cell
from studio_qt.ui.chat.rows import Row, local_time, row_text
from studio_qt.ui.theme.theme import Theme
from studio_qt.ui.widgets.basics import text_button

__all__ = ["Transcript"]

WIDEST = 760
_SIDE = 20
_ABOVE, _BELOW = 16, 20
_AT_ONCE = 6
"""Cells that are built before the first paint; the others follow in slices, newest first."""

_SLICE = 3
_NEAR = 12
"""Pixels from the end within which new text keeps the view at the end."""


class Transcript(QScrollArea):
    """Cells for rows. It stays at the end as long as the reader is there, and only then."""

    earlier_wanted = Signal()
    retry_wanted = Signal()
    link_wanted = Signal(QUrl)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._name = ""
        self._head: list[Cell] = []
        self._head_text = ""
        self._rows: list[Row] = []
        self._cells: list[Cell] = []
        self._waiting: list[Row] = []
        self._earlier = 0
        self._pinned = False
        self._placing = False
        self._build()

    def _build(self) -> None:
        self.setObjectName("chatView")
        self.setAccessibleName("Conversation")
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.verticalScrollBar().setSingleStep(24)
        self.verticalScrollBar().setAccessibleName("Scroll the conversation")
        self._inside = QWidget()
        self._inside.setObjectName("transcript")
        self.setWidget(self._inside)
        self._more = text_button("Show earlier messages", "chatEarlier", "link")
        self._more.setParent(self._inside)
        self._more.hide()
        self._more.clicked.connect(self.earlier_wanted)
        self._jump = QPushButton("Jump to latest", self)
        self._jump.setObjectName("chatJump")
        self._jump.setAccessibleName("Jump to the latest message")
        self._jump.setProperty("kind", "float")
        self._jump.setCursor(Qt.CursorShape.PointingHandCursor)
        self._jump.hide()
        self._jump.clicked.connect(self.go_to_end)
        self._slices = QTimer(self)
        self._slices.setSingleShot(True)
        self._slices.timeout.connect(self._build_slice)
        self._later = QTimer(self)
        self._later.setSingleShot(True)
        self._later.timeout.connect(self._place)
        self.verticalScrollBar().valueChanged.connect(self._on_scrolled)
        self._theme.changed.connect(self._dress)
        self._dress()

    # What it shows

    @property
    def settled(self) -> bool:
        """Whether every row has its cell and its place."""
        return not (self._waiting or self._slices.isActive() or self._later.isActive())

    @property
    def at_end(self) -> bool:
        """Whether new text keeps the view at the end."""
        return self._pinned

    @property
    def cells(self) -> list[Cell]:
        """The cells of the rows, oldest first."""
        return list(self._cells)

    def toPlainText(self) -> str:
        """Return the transcript as a reader sees it, rows that are still to be built included."""
        rows = [*self._waiting, *self._rows]
        said = [row_text(row, self._name) for row in rows]
        return "\n\n".join(text for text in (self._head_text, *said) if text)

    def start(self, name: str, head: Sequence[Cell], head_text: str) -> None:
        """Begin a conversation with a character: `head` stands above everything."""
        self._name, self._head_text = name, head_text
        self._remove(self._head)
        self._head = list(head)
        for cell in self._head:
            self._adopt(cell)
        self.reset()

    def reset(self) -> None:
        """Remove all rows; the next ones are a new conversation, shown from its end."""
        self._remove(self._cells)
        self._rows, self._cells, self._waiting = [], [], []
        self._slices.stop()
        self._pinned = False
        self._place()
        self.verticalScrollBar().setValue(0)

    def show_rows(self, rows: Sequence[Row], earlier: int) -> None:
        """Show rows; only what differs is touched. `earlier` entries before them are not given."""
        self._earlier = earlier
        first = self._rows[0].key if self._rows else None
        known = next((at for at, row in enumerate(rows) if row.key == first), None)
        if known is None:
            begun = not self._rows
            known = max(len(rows) - _AT_ONCE, 0)
            if not begun:
                self._remove(self._cells)
                self._rows, self._cells = [], []
            self._pinned = self._pinned or bool(rows)
        self._waiting = list(rows[:known])
        self._exchange(list(rows[known:]))
        self._place()
        if self._waiting:
            self._slices.start(0)

    def go_to_end(self) -> None:
        """Show the end, and stay there."""
        self._pinned = True
        self._place()

    # Qt

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place()

    # Helpers

    def _exchange(self, rows: list[Row]) -> None:
        """Make the cells fit `rows`, keeping those whose row is the same or of the same kind."""
        start = 0
        while start < min(len(rows), len(self._rows)) and rows[start] == self._rows[start]:
            start += 1
        end = 0
        most = min(len(rows), len(self._rows)) - start
        while end < most and rows[-1 - end] == self._rows[-1 - end]:
            end += 1
        old = list(zip(self._rows, self._cells, strict=True))[start : len(self._rows) - end]
        fresh = []
        for at, row in enumerate(rows[start : len(rows) - end]):
            if at < len(old) and old[at][0].kind == row.kind:
                cell = old[at][1]
                cell.show_row(row)
                cell.forget_height()
                cell.setAccessibleName(_spoken(row, self._name))
            else:
                cell = self._make(row)
            fresh.append(cell)
        self._remove([cell for _, cell in old if cell not in fresh])
        self._cells[start : len(self._cells) - end] = fresh
        self._rows = rows

    def _make(self, row: Row) -> Cell:
        cell = make_cell(row.kind, self._theme, self._name)
        self._adopt(cell)
        cell.retry_wanted.connect(self.retry_wanted)
        cell.show_row(row)
        cell.setAccessibleName(_spoken(row, self._name))
        return cell

    def _adopt(self, cell: Cell) -> None:
        cell.setParent(self._inside)
        cell.resized.connect(self._place_later)
        cell.link_wanted.connect(self.link_wanted)

    def _remove(self, cells: Sequence[Cell]) -> None:
        for cell in cells:
            cell.hide()
            cell.deleteLater()

    def _build_slice(self) -> None:
        """Build a few more cells above the others, without moving what is on the screen."""
        for row in reversed(self._waiting[-_SLICE:]):
            self._cells.insert(0, self._make(row))
            self._rows.insert(0, row)
        del self._waiting[-_SLICE:]
        self._place(above=True)
        if self._waiting:
            self._slices.start(0)

    def _place_later(self) -> None:
        if not self._later.isActive():
            self._later.start(0)

    def _place(self, *, above: bool = False) -> None:
        """Give every cell its place; keep the end, or the topmost visible cell, where it is.

        At the very top the top is kept, unless cells came in `above`.
        """
        if self._placing:
            return
        self._placing = True
        self._later.stop()
        bar = self.verticalScrollBar()
        anchor = self._anchor() if not self._pinned and (above or bar.value() > 0) else None
        before = anchor.y() if anchor else 0
        width = self.width() - bar.sizeHint().width()  # the same with and without the bar
        height = self._stack(width)
        self._inside.resize(width, max(height, self.viewport().height()))
        if self._pinned:
            bar.setValue(bar.maximum())
        elif anchor is not None:
            bar.setValue(bar.value() + anchor.y() - before)
        self._placing = False
        self._show_jump()

    def _stack(self, width: int) -> int:
        """Place everything for a width; returns the height."""
        inner = max(min(WIDEST, width - 2 * _SIDE), 80)
        left = (width - inner) // 2
        top = _ABOVE
        for at, cell in enumerate(self._head):
            top = self._put(cell, left, top + (cell.space_above if at else 0), inner)
        self._more.setVisible(self._earlier > 0)
        if self._earlier > 0:
            self._more.adjustSize()
            self._more.move((width - self._more.width()) // 2, top + 12)
            top += self._more.height() + 12
        for cell in self._cells:
            top = self._put(cell, left, top + cell.space_above, inner)
        return top + _BELOW

    def _put(self, cell: Cell, left: int, top: int, width: int) -> int:
        height = cell.height_for(width)
        if (cell.x(), cell.y(), cell.width(), cell.height()) != (left, top, width, height):
            cell.setGeometry(left, top, width, height)
        if cell.isHidden():
            cell.show()
        return top + height

    def _anchor(self) -> QWidget | None:
        """Return the topmost cell of which something is visible."""
        top = self.verticalScrollBar().value()
        return next((cell for cell in self._cells if cell.y() + cell.height() > top), None)

    def _on_scrolled(self, value: int) -> None:
        if self._placing:
            return
        self._pinned = value >= self.verticalScrollBar().maximum() - _NEAR
        self._show_jump()

    def _show_jump(self) -> None:
        bar = self.verticalScrollBar()
        self._jump.setVisible(not self._pinned and bar.maximum() - bar.value() > 160)
        if not self._jump.isHidden():
            self._jump.adjustSize()
            spot = QPoint((self.width() - self._jump.width()) // 2, self.height() - 42)
            self._jump.move(spot)
            self._jump.raise_()

    def _dress(self) -> None:
        self._jump.setIcon(self._theme.icon("arrow-down", "fg2", 14))


def _spoken(row: Row, name: str) -> str:
    """Return what assistive technology says of a row before its parts."""
    who = {"user": "You", "reply": name, "log": "Log entry", "error": "Error"}[row.kind]
    at = local_time(row.time)
    return f"{who}, {at}" if at else who

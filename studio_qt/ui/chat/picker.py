"""`Picker`: which message the keys are at, and which range is chosen."""

from __future__ import annotations

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QAccessible, QAccessibleEvent, QKeyEvent

from studio_qt.ui.chat.model import ChatModel
from studio_qt.ui.chat.view import ChatView

__all__ = ["Picker"]

_STEPS = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}


class Picker(QObject):
    """Up and Down go from message to message, with Shift they choose a range.

    `moved` says that another message, or none, is gone to. A message that a button was pressed for
    is `at` without being marked.
    """

    moved = Signal()

    def __init__(self, view: ChatView, model: ChatModel) -> None:
        super().__init__(view)
        self._view, self._model = view, model
        self._at: int | None = None
        self._from: int | None = None
        self._marked = False
        self._turn: int | None = None
        view.key_pressed.connect(self._on_key)
        view.keys_came.connect(self._on_keys_came)
        view.laid.connect(self._mark)
        model.spliced.connect(self._on_spliced)
        model.replaced.connect(self.clear)

    @property
    def at(self) -> int | None:
        """The row that is gone to; None when there is none."""
        return self._at

    @property
    def rows(self) -> range:
        """The chosen rows; only the one that is gone to, unless a range is chosen."""
        if self._at is None:
            return range(0)
        other = self._from if self._from is not None else self._at
        return range(min(self._at, other), max(self._at, other) + 1)

    @property
    def marked(self) -> bool:
        """Whether the user sees which message is gone to."""
        return self._marked

    def aim(self, row: int, *, mark: bool) -> None:
        """Take a row that a button was pressed for, or that a menu is for, which marks it."""
        if row not in self.rows:
            self._at, self._from, self._marked = row, None, mark
            self._note_turn()
            self._mark()
            self.moved.emit()

    def go(self, row: int, *, extend: bool = False) -> None:
        """Go to a row and show it; `extend` chooses up to it."""
        if not 0 <= row < len(self._model) or self._model.row(row).kind == "about":
            return
        start = self._from if self._from is not None else self._at
        self._from = start if extend else None
        self._at, self._marked = row, True
        self._note_turn()
        self._view.show_row(row)
        self._mark()
        if cell := self._view.cell(row):
            QAccessible.updateAccessibility(QAccessibleEvent(cell, QAccessible.Event.Focus))
        self.moved.emit()

    def step(self, by: int, *, extend: bool = False) -> None:
        """Go to the message before or after; from none, to the last in sight."""
        if self._at is None or not self._marked:
            self.go(self._last_in_sight())
        else:
            self.go(self._at + by, extend=extend)

    def clear(self) -> None:
        """Go nowhere."""
        if self._at is not None:
            self._at, self._from, self._marked = None, None, False
            self._mark()
            self.moved.emit()

    def _on_key(self, event: QKeyEvent) -> None:
        by = _STEPS.get(Qt.Key(event.key()))
        if by is None:
            return
        shift = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        self.step(by, extend=shift)
        event.accept()

    def _note_turn(self) -> None:
        slot = self._model.slot(self._at) if self._at is not None else None
        self._turn = slot.turn if slot is not None and slot.kind == "reply" else None

    def _on_keys_came(self) -> None:
        """Show where the keys are, when they came here by the keyboard."""
        if not self._marked and len(self._model):
            self.go(self._last_in_sight())

    def _last_in_sight(self) -> int:
        foot = self._view.viewport().height()
        rows = self._view.rows_in_sight(foot)
        return rows[-1] if rows else len(self._model) - 1

    def _mark(self) -> None:
        """Mark the chosen cells, which come and go."""
        rows = self.rows if self._marked else range(0)
        look = "many" if len(rows) > 1 else "one"
        for row, cell in self._view.items():
            cell.mark(look if row in rows else "")

    def _on_spliced(self, start: int, removed: int, added: int) -> None:
        """Stay with the row; of one that went, with the reply of its turn, or what is there."""
        same = self._reply_of_turn(range(start, start + added))

        def follow(row: int | None) -> int | None:
            if row is None or row < start:
                return row
            if row >= start + removed:
                return row + added - removed
            if row == self._at and same is not None:
                return same
            return min(row, start + added - 1) if added else None

        self._from, self._at = follow(self._from), follow(self._at)

    def _reply_of_turn(self, rows: range) -> int | None:
        """Return the row among `rows` at which the reply of the turn ends that is gone to."""
        for row in reversed(rows):
            slot = self._model.slot(row)
            if slot is not None and slot.foot and slot.turn == self._turn:
                return row
        return None

"""`CommandDialog`: runs an @ command, completes its name, keeps the text when it fails."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QSize, Qt, Signal
from PySide6.QtGui import QFont, QKeyEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QWidget,
)

from studio_qt.ui.commands.matching import Offer, complete, offers, ranked, token
from studio_qt.ui.commands.rows import OFFER, OfferDelegate
from studio_qt.ui.theme.fonts import interface_font
from studio_qt.ui.theme.theme import Theme
from studio_qt.ui.widgets.basics import ElidedLabel, IconView, Separator, label
from studio_qt.ui.widgets.keyhints import KeyHints
from studio_qt.ui.widgets.sheet import Sheet
from studio_qt.ui.widgets.tips import plain_tip

if TYPE_CHECKING:
    from studio_qt.engine.roster import LoadedAgent

__all__ = ["CommandDialog"]

_NOTE = "runs at once, spends nothing from the caps"
_ROW = 34
_MOST_ROWS = 8
_RECENT = 5
"""Lines that ran well and are offered again."""

_OTHERS = 290
"""Pixels of a window that the list leaves to the field, the error and the edges."""


class CommandDialog(Sheet):
    """A sheet over the window. `run_wanted` carries the line; `dismissed` the text that is left.

    Whoever runs the command says `show_failure` or `done_well`.
    """

    run_wanted = Signal(str)
    dismissed = Signal(str)
    low = True

    def __init__(self, theme: Theme, over: QWidget) -> None:
        super().__init__(theme, over, "Run a command")
        self._offers: dict[str, Offer] = {}
        self._recent: list[str] = []
        self._line = ""
        self._busy = False
        self._picked = False
        self.setObjectName("commandDialog")
        self.input = QLineEdit()
        self._error = label("", "", wrap=True, name="commandError")
        self._list = QListWidget()
        self._note = ElidedLabel(_NOTE, "quiet")
        self._build()
        theme.changed.connect(self._fill)

    def open_with(
        self, text: str, commands: Sequence[str], agents: Sequence[LoadedAgent] = ()
    ) -> None:
        """Show the dialog with a text in its field; `commands` of `agents` are completed from.

        One that is open with words in it keeps them.
        """
        if self.input.text().strip() not in ("", "@") and self.come_up():
            return
        self._offers = {offer.command: offer for offer in offers(commands, agents)}
        self._set_busy(busy=False)
        self.input.setText(text)
        self.lay()
        self.input.setFocus(Qt.FocusReason.PopupFocusReason)
        self.input.deselect()
        self.input.end(False)
        self._fill()

    def show_failure(self, text: str) -> None:
        """Show why the command did not run; the text stays to be corrected."""
        self._set_busy(busy=False)
        self._error.setText(text)
        self._error.setAccessibleName(text)
        self._error.show()
        self.cover()
        self.input.setFocus()

    def done_well(self) -> None:
        """Close after success; the line is among the first next time."""
        self._recent = [self._line, *(one for one in self._recent if one != self._line)][:_RECENT]
        self._set_busy(busy=False)
        self.hide()

    def cover(self) -> None:
        """Give the list as many rows as it has, and as the window has room for."""
        rows = min(self._list.count(), _MOST_ROWS) * _ROW + 4
        self._list.setFixedHeight(min(rows, max(2 * _ROW, self._over.height() - _OTHERS)))
        super().cover()

    def reject(self) -> None:
        """Close; the text goes to whoever listens (Escape, or a click beside the sheet).

        That of a command which runs is spent, and "" goes instead.
        """
        if self.is_open:
            text = "" if self._busy else self.input.text()
            self.hide()
            self.dismissed.emit(text)

    # Qt

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self.input and event.type() == QEvent.Type.KeyPress:
            assert isinstance(event, QKeyEvent)
            return self._on_key(event)
        return super().eventFilter(watched, event)

    # Slots

    def _on_key(self, event: QKeyEvent) -> bool:
        match event.key():
            case Qt.Key.Key_Escape:
                self.reject()
            case Qt.Key.Key_Return | Qt.Key.Key_Enter:
                self._run()
            case Qt.Key.Key_Tab | Qt.Key.Key_Backtab:
                self._complete()
            case Qt.Key.Key_Down:
                self._step(1)
            case Qt.Key.Key_Up:
                self._step(-1)
            case _:
                return False
        return True

    def _on_edited(self) -> None:
        self._error.hide()
        self.cover()

    def _on_item(self, item: QListWidgetItem) -> None:
        if item.data(Qt.ItemDataRole.UserRole):
            self._complete()
            self.input.setFocus()

    def _run(self) -> None:
        if self._busy:
            return
        line = self.input.text()
        if self._picked and token(line) not in self._offers and self._chosen() is not None:
            self._complete()  # Enter takes the row that was gone to with the arrows
            return
        self._error.hide()
        self._set_busy(busy=True)
        self._line = line.strip()
        self.run_wanted.emit(line)

    def _complete(self) -> None:
        chosen = self._chosen()
        if chosen is None or self._busy:
            return
        if chosen in self._offers:
            text, place = complete(self.input.text(), chosen)
        else:
            text, place = chosen, len(chosen)  # a line that ran before
        self.input.setText(text)
        self.input.setCursorPosition(place)

    def _step(self, by: int) -> None:
        rows = [at for at in range(self._list.count()) if self._list.item(at).flags()]
        if not rows:
            return
        now = self._list.currentRow()
        place = rows.index(now) + by if now in rows else (0 if by > 0 else len(rows) - 1)
        self._list.setCurrentRow(rows[place % len(rows)])
        self._picked = True

    # Helpers

    def _chosen(self) -> str | None:
        item = self._list.currentItem()
        command = item.data(Qt.ItemDataRole.UserRole) if item is not None else None
        return str(command) if command else None

    def _set_busy(self, *, busy: bool) -> None:
        self._busy = busy
        self.input.setReadOnly(busy)
        self._note.set_whole("running …" if busy else _NOTE)
        if not busy:
            self._error.hide()

    def _fill(self) -> None:
        """List what fits, then the others."""
        if not self.is_open:
            return
        fitting, others = ranked(self.input.text(), list(self._offers))
        self._list.clear()
        self._picked = False
        recent = [line for line in self._recent if token(line) in self._offers]
        if recent and self.input.text().strip() in ("", "@"):
            self._add_head("RECENT")
            for line in recent:
                self._add(line)
            self._add_head("ALL COMMANDS")
        for command in fitting:
            self._add(command)
        if others and fitting:
            self._add_head("OTHER COMMANDS")
        for command in others:
            self._add(command)
        if not self._offers:
            self._add_head("THIS CHARACTER HAS NO COMMANDS")
        if fitting:
            self._list.setCurrentRow(0)
        self.cover()

    def _add(self, line: str) -> None:
        """Add a command, or a whole line that ran before."""
        offer = self._offers[token(line)]
        item = QListWidgetItem(line)
        item.setData(Qt.ItemDataRole.UserRole, line)
        item.setData(OFFER, offer)
        spoken = f"Command {line}, of {offer.agent}. {offer.description}".strip()
        item.setData(Qt.ItemDataRole.AccessibleTextRole, spoken)
        item.setToolTip(plain_tip(offer.description))
        item.setSizeHint(QSize(0, _ROW))
        self._list.addItem(item)

    def _add_head(self, text: str) -> None:
        item = QListWidgetItem(text)
        item.setFlags(Qt.ItemFlag.NoItemFlags)
        font = interface_font(11, QFont.Weight.DemiBold)
        font.setLetterSpacing(QFont.SpacingType.AbsoluteSpacing, 0.8)
        item.setFont(font)
        item.setForeground(self._theme.colour("fg3"))
        item.setSizeHint(QSize(0, 30))
        self._list.addItem(item)

    def _build(self) -> None:
        column = self.column
        head = QHBoxLayout()
        head.addWidget(label("Run a command", "name"))
        self._note.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        head.addWidget(self._note, 1)
        column.addLayout(head)
        self._build_field()
        column.addWidget(self.input)
        column.addWidget(self._error)
        column.addWidget(Separator())
        column.addWidget(self._list)
        column.addWidget(Separator())
        column.addWidget(_keys())

    def _build_field(self) -> None:
        self.input.setObjectName("commandInput")
        self.input.setAccessibleName("Command")
        self.input.setPlaceholderText("@command and what it needs")
        self.input.textEdited.connect(self._on_edited)
        self.input.textChanged.connect(self._fill)
        self.input.installEventFilter(self)
        icon = IconView(self._theme, "alert", "err", 15)
        icon.setParent(self._error)
        icon.move(12, 9)
        self._list.setObjectName("commandList")
        self._list.setItemDelegate(OfferDelegate(self._theme, self._list))
        self._list.setProperty("ledBy", "commandInput")
        self._list.setAccessibleName("Commands")
        self._list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._list.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self._list.itemClicked.connect(self._on_item)


def _keys() -> KeyHints:
    return KeyHints(
        (("Tab", "completes"), ("↑↓", "choose"), ("Enter", "runs")),
        (("Esc", "closes, the text stays as a message"),),
    )

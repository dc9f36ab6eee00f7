"""`PastPanel`: the changes of a store, turn by turn, and what each of them changed."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRect,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QFont, QFontMetrics, QPainter, QPen, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from studio_qt.engine.store_history import StoreChange
from studio_qt.ui.stores.differing import Difference, path_text
from studio_qt.ui.theme.theme import Theme
from studio_qt.ui.widgets.basics import ElidedLabel, give_icon, label, text_button

__all__ = ["PastPanel", "change_words", "sign_of_change"]

Index = QModelIndex | QPersistentModelIndex
_ROLE = int(Qt.ItemDataRole.UserRole)
_ROOMY = 500
"""Pixels in which all words have room."""
_TONES = {"+": "ok", "−": "err", "±": "warn"}
_WORDS = {
    "created": "began with its default",
    "hand": "edited by hand",
    "undo": "put back by an edit of the conversation",
    "reset": "reset to its default",
    "fork": "copied with the fork",
    "outside": "changed by another program",
    "preload": "loaded",
}


class PastPanel(QWidget):
    """The list, the newest first, and beside it what the chosen change did.

    `chosen` carries a `StoreChange` that is to be looked at, or None for now. `restore_wanted`,
    `show_wanted` (the id of the entry that asked) follow its buttons.
    """

    chosen = Signal(object)
    restore_wanted = Signal(object)
    show_wanted = Signal(str)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setObjectName("storeHistory")
        self._theme = theme
        self._model = _Changes(self)
        self.list = QListView()
        self._count = label("", "second", name="storeHistoryCount")
        self._title = ElidedLabel("", "caps")
        self._what = QListView()
        self._details = _Details(self)
        self._asked = ElidedLabel("", "em")
        self._restore = text_button("Restore this", "storeRestore")
        self._now = text_button("Back to now", "storeNow", "link")
        self._show = text_button("Show in the chat", "storeShowInChat", "link")
        self._build()
        self._connect()
        self.show_details([], None)

    @property
    def changes(self) -> Sequence[StoreChange]:
        """What is listed, the newest first."""
        return self._model.changes

    @property
    def change(self) -> StoreChange | None:
        """The change that is chosen."""
        chosen = self.list.selectedIndexes()
        found = chosen[0].data(_ROLE) if chosen else None
        return found if isinstance(found, StoreChange) else None

    @property
    def details(self) -> Sequence[Difference]:
        """What the chosen change did."""
        return self._details.rows

    def show_changes(self, changes: Sequence[StoreChange]) -> None:
        """List changes, given the oldest first; the chosen one stays chosen."""
        line = self.change.line if self.change is not None else -1
        fresh = list(reversed(changes))
        if fresh == list(self._model.changes):
            return
        blocked = self.list.selectionModel().blockSignals(True)
        self._model.show(fresh)
        at = next((row for row, one in enumerate(fresh) if one.line == line), -1)
        if at >= 0:
            self.list.setCurrentIndex(self._model.index(at))
        self.list.selectionModel().blockSignals(blocked)
        count = len(fresh)
        turns = {change.turn for change in fresh}
        self._count.setText(
            f"{count:,} {'change' if count == 1 else 'changes'} in {len(turns):,} "
            f"{'turn' if len(turns) == 1 else 'turns'}"
            if count
            else "no changes yet"
        )

    def show_details(self, found: Sequence[Difference], change: StoreChange | None) -> None:
        """Show what a change did; None is now."""
        self._details.show(found)
        words = change_words(change) if change is not None else ""
        self._title.set_whole(f"Changed by {words}".upper() if words else "WHAT A CHANGE DID")
        self._title.setAccessibleName(f"Changed by {words}" if words else "What a change did")
        asked = f"“{change.asked}”" if change is not None and change.asked else ""
        self._asked.set_whole(
            asked or ("" if change is not None else "Choose a change to see the store as it was.")
        )
        for button in (self._restore, self._now):
            button.setVisible(change is not None)
        self._show.setVisible(bool(change is not None and change.entry_id))

    def choose(self, change: StoreChange) -> None:
        """Choose a change that is listed."""
        if change in self._model.changes:
            row = self._model.changes.index(change)
            self.list.setCurrentIndex(self._model.index(row))

    def to_now(self) -> None:
        """Choose nothing."""
        self.list.clearSelection()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leave out words where there is no room for them."""
        super().resizeEvent(event)
        roomy = self.width() >= self._theme.scaled(_ROOMY)
        self._count.setVisible(roomy)
        self._asked.setVisible(roomy)

    def _on_selection(self) -> None:
        self.chosen.emit(self.change)

    def _on_restore(self) -> None:
        if self.change is not None:
            self.restore_wanted.emit(self.change)

    def _on_show(self) -> None:
        if self.change is not None:
            self.show_wanted.emit(self.change.entry_id)

    def _connect(self) -> None:
        self.list.selectionModel().selectionChanged.connect(self._on_selection)
        self._restore.clicked.connect(self._on_restore)
        self._now.clicked.connect(self.to_now)
        self._show.clicked.connect(self._on_show)

    def _build(self) -> None:
        for view, model, name, words in (
            (self.list, self._model, "storeChanges", "Changes of this store, the newest first"),
            (self._what, self._details, "storeChangeDetails", "What the change did"),
        ):
            view.setObjectName(name)
            view.setAccessibleName(words)
            view.setModel(model)
            view.setUniformItemSizes(True)
            view.setMouseTracking(True)
            view.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
            view.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
            view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setItemDelegate(_ChangeRows(self._theme, self.list))
        self._what.setItemDelegate(_DetailRows(self._theme, self._what))
        give_icon(self._theme, self._restore, "history")
        give_icon(self._theme, self._show, "chat", "accent2")
        head = QHBoxLayout()
        head.setSpacing(10)
        head.addWidget(label("History", "name"))
        head.addWidget(self._count)
        head.addStretch(1)
        for button in (self._now, self._restore):
            head.addWidget(button)
        left, right = QVBoxLayout(), QVBoxLayout()
        left.addWidget(self.list, 1)
        right.setSpacing(4)
        right.addWidget(self._title)
        right.addWidget(self._what, 1)
        below = QHBoxLayout()
        below.addWidget(self._asked, 1)
        below.addWidget(self._show)
        right.addLayout(below)
        body = QHBoxLayout()
        body.setSpacing(16)
        body.addLayout(left, 5)
        body.addLayout(right, 6)
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 10, 20, 12)
        column.setSpacing(8)
        column.addLayout(head)
        column.addLayout(body, 1)


class _Changes(QAbstractListModel):
    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.changes: list[StoreChange] = []

    def show(self, changes: list[StoreChange]) -> None:
        self.beginResetModel()
        self.changes = changes
        self.endResetModel()

    def rowCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self.changes)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid():
            return None
        change = self.changes[index.row()]
        if role == _ROLE:
            return change
        if role == Qt.ItemDataRole.DisplayRole:
            return f"{turn_words(change)}, {change_words(change)}, {_size_words(change)}"
        return None


class _Details(QAbstractListModel):
    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.rows: list[Difference] = []

    def show(self, rows: Sequence[Difference]) -> None:
        self.beginResetModel()
        self.rows = list(rows)
        self.endResetModel()

    def rowCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self.rows)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid():
            return None
        row = self.rows[index.row()]
        if role == _ROLE:
            return row
        if role == Qt.ItemDataRole.DisplayRole:
            return f"{row.sign} {path_text(row.path)}  {row.words}"
        return None


class _Rows(QStyledItemDelegate):
    """Rows of one line with plate and ring."""

    def __init__(self, theme: Theme, view: QListView) -> None:
        super().__init__(view)
        self._theme, self._view = theme, view
        theme.changed.connect(view.viewport().update)

    def sizeHint(self, _option: QStyleOptionViewItem, _index: Index) -> QSize:
        return QSize(100, max(24, self._view.fontMetrics().height() + 8))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        row = QRect(option.rect)
        token = ""
        if option.state & QStyle.StateFlag.State_Selected:
            token = "sel"
        elif option.state & QStyle.StateFlag.State_MouseOver:
            token = "hover"
        if token:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(self._theme.colour(token))
            painter.drawRoundedRect(row, 4, 4)
        if self._view.hasFocus() and index == self._view.currentIndex():
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(self._theme.colour("ring"), 2))
            painter.drawRoundedRect(row.adjusted(1, 1, -1, -1), 4, 4)
        self._words(painter, row, index)
        painter.restore()

    def _words(self, painter: QPainter, row: QRect, index: Index) -> None:
        raise NotImplementedError

    def _write(
        self,
        painter: QPainter,
        left: int,
        row: QRect,
        right: int,
        text: str,
        token: str,
        font: QFont,
    ) -> int:
        """Write a cut text; returns where it ends."""
        metrics = QFontMetrics(font)
        room = max(0, right - left)
        cut = metrics.elidedText(text, Qt.TextElideMode.ElideRight, room)
        painter.setFont(font)
        painter.setPen(self._theme.colour(token))
        painter.drawText(
            QRect(left, row.top(), room, row.height()),
            int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft),
            cut,
        )
        return left + metrics.horizontalAdvance(cut)


class _ChangeRows(_Rows):
    def _words(self, painter: QPainter, row: QRect, index: Index) -> None:
        change = index.data(_ROLE)
        assert isinstance(change, StoreChange)
        mono, face = self._theme.mono(12), self._theme.font(12)
        sign = sign_of_change(change)
        extent = _size_words(change)
        right = row.right() - 8 - QFontMetrics(mono).horizontalAdvance(extent)
        self._write(painter, right, row, row.right() - 4, extent, "fg2", mono)
        self._write(painter, row.left() + 8, row, row.left() + 24, sign, _TONES[sign], mono)
        turn = self._theme.scaled(90)
        strong = self._theme.font(12, QFont.Weight.Medium)
        end = row.left() + 26 + turn
        self._write(painter, row.left() + 26, row, end - 8, turn_words(change), "fg", strong)
        end = self._write(painter, end, row, right - 12, change_words(change), "fg2", face)
        self._write(painter, end + 12, row, right - 12, _time_words(change.time), "fg3", mono)


class _DetailRows(_Rows):
    def _words(self, painter: QPainter, row: QRect, index: Index) -> None:
        told = index.data(_ROLE)
        assert isinstance(told, Difference)
        mono = self._theme.mono(12)
        right = row.right() - 8
        sign = told.sign or "±"
        self._write(painter, row.left() + 8, row, row.left() + 24, sign, _TONES[sign], mono)
        end = self._write(painter, row.left() + 26, row, right, path_text(told.path), "key", mono)
        self._write(painter, end + 10, row, right, told.words, "fg2", self._theme.font(12))


def sign_of_change(change: StoreChange) -> str:
    """Return what a change did to the text, as one sign."""
    if change.removed and change.inserted:
        return "±"
    return "+" if change.inserted or not change.removed else "−"


def change_words(change: StoreChange) -> str:
    """Say what changed a store: the tool with its call's number, a command, a hook."""
    if change.kind == "tool":
        number = f" #{change.tool_call_id}" if change.tool_call_id else " by hand"
        return f"{change.tool or 'a tool call'}{number}"
    if change.kind in ("command", "hook"):
        return f"{change.kind} {change.cause}"
    return _WORDS[change.kind]


def turn_words(change: StoreChange) -> str:
    """Say when a change was."""
    if not change.turn:
        return "Before turn 1"
    return f"{'After turn' if change.ended else 'Turn'} {change.turn:,}"


def _size_words(change: StoreChange) -> str:
    return f"+{change.inserted:,} −{change.removed:,}"


def _time_words(time: str) -> str:
    try:
        return datetime.fromisoformat(time.replace("Z", "+00:00")).astimezone().strftime("%H:%M")
    except ValueError:
        return ""

"""`PastPanel`: the changes of a store, turn by turn, and what each of them changed."""

from __future__ import annotations

from collections.abc import Sequence

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
from studio_qt.ui.stores.telling import change_words, count_changes, turn_words
from studio_qt.ui.stores.timeline import Timeline
from studio_qt.ui.stores.values import short_text
from studio_qt.ui.theme.theme import Theme
from studio_qt.ui.widgets.basics import ElidedLabel, IconButton, give_icon, label, text_button

__all__ = ["PastPanel"]

Index = QModelIndex | QPersistentModelIndex
_ROLE = int(Qt.ItemDataRole.UserRole)
_BY = _ROLE + 1
_ROOMY, _WIDE, _TALL = 560, 760, 160
"""Pixels in which there is room for what was asked, for all words, and for what a change did."""

_TONES = {"+": "ok", "−": "err", "±": "warn"}


class PastPanel(QWidget):
    """The turns as a line with marks, and below it what the change at the knob did.

    `chosen` carries a `StoreChange` that is to be looked at, or None for now. `restore_wanted` and
    `fork_wanted` (with the change, None for now), and `show_wanted` (the id of the entry that
    asked) follow its buttons.
    """

    chosen = Signal(object)
    restore_wanted = Signal(object)
    fork_wanted = Signal(object)
    show_wanted = Signal(str)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setObjectName("storeHistory")
        self._theme = theme
        self._told: StoreChange | None = None
        self.line = Timeline(theme, "storeTimeline")
        self._count = label("", "second", name="storeHistoryCount")
        self._where = label("", "second", name="storeHistoryTurn")
        self._before = IconButton(theme, "chevron-left", "The change before", name="storeBefore")
        self._after = IconButton(theme, "chevron-right", "The change after", name="storeAfter")
        self._title = ElidedLabel("", "caps")
        self._what = QListView()
        self._details = _Details(self)
        self._asks = label("ASKED IN THAT TURN", "caps")
        self._asked = ElidedLabel("", "em")
        self._asked.setObjectName("storeAsked")
        self._restore = text_button("Restore this", "storeRestore")
        self._fork = text_button("Fork from here", "storeFork")
        self._show = text_button("Show in the chat", "storeShowInChat", "link")
        self._right, self._body = QWidget(), QWidget()
        self._build()
        self._connect()
        self.show_details([], None)

    @property
    def changes(self) -> Sequence[StoreChange]:
        """What is shown, the newest first."""
        return tuple(reversed(self.line.changes))

    @property
    def change(self) -> StoreChange | None:
        """The change that is chosen."""
        return self.line.change

    @property
    def details(self) -> Sequence[Difference]:
        """What the change did that is told of."""
        return self._details.rows

    def show_changes(self, changes: Sequence[StoreChange], last_turn: int = 0) -> None:
        """Show changes, the oldest first; the chosen one stays chosen."""
        self.line.show_changes(tuple(changes), last_turn)
        self._count.setText(count_changes(changes))
        if not changes:
            self.show_details([], None)
        self._say()

    def show_details(self, found: Sequence[Difference], change: StoreChange | None) -> None:
        """Tell what a change did, the chosen one or, at now, the last one; None for nothing."""
        self._told = change
        words = change_words(change) if change is not None else ""
        self._details.show(found, words)
        when = turn_words(change) if change is not None else ""
        when = f"{'in ' if when.startswith('Turn') else ''}{when[:1].lower()}{when[1:]}"
        title = f"Changed {when}" if change is not None else "What a change did"
        self._title.set_whole(title.upper())
        self._title.setAccessibleName(f"{title}, {words}" if words else title)
        asked = short_text(change.asked) if change is not None else ""
        self._asked.set_whole(f"“{asked}”" if asked else "")
        self._asks.setVisible(bool(asked))
        self._show.setVisible(bool(change is not None and change.entry_id))
        self._say()

    def choose(self, change: StoreChange | None) -> None:
        """Choose a change that is shown; None is now."""
        self.line.choose(change)

    def to_now(self) -> None:
        """Choose nothing."""
        self.line.choose(None)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leave out words where there is no room for them."""
        super().resizeEvent(event)
        width = self.width()
        self._right.setVisible(width >= self._theme.scaled(_ROOMY))
        self._where.setVisible(width >= self._theme.scaled(_ROOMY))
        self._count.setVisible(width >= self._theme.scaled(_WIDE))
        self._body.setVisible(self.height() >= self._theme.scaled(_TALL))
        self._say()

    def _say(self) -> None:
        """Say where the knob is, and allow what can be done there."""
        change, line = self.change, self.line
        turn = f"Turn {line.turn:,} of {line.last_turn:,}" if line.turn else "Before turn 1"
        self._where.setText(f"{turn}, now" if change is None else turn)
        self._before.setEnabled(line.isEnabled() and line.value() > 0)
        self._after.setEnabled(change is not None)
        roomy = self.width() >= self._theme.scaled(_ROOMY)
        self._restore.setVisible(change is not None and roomy)  # the bar above has it too
        self._fork.setText("Fork from here" if roomy else "Fork")
        self._fork.setEnabled(line.turn > 0)
        self._fork.setAccessibleDescription(
            f"Makes a conversation that goes on after turn {line.turn:,}, its stores as they were "
            "then."
        )

    def _on_value(self) -> None:
        self._say()
        self.chosen.emit(self.change)

    def _on_show(self) -> None:
        if self._told is not None:
            self.show_wanted.emit(self._told.entry_id)

    def _connect(self) -> None:
        line = self.line
        line.valueChanged.connect(self._on_value)
        self._before.clicked.connect(lambda: line.setValue(line.value() - 1))
        self._after.clicked.connect(lambda: line.setValue(line.value() + 1))
        self._restore.clicked.connect(lambda: self.restore_wanted.emit(self.change))
        self._fork.clicked.connect(lambda: self.fork_wanted.emit(self.change))
        self._show.clicked.connect(self._on_show)

    def _build(self) -> None:
        view = self._what
        view.setObjectName("storeChangeDetails")
        view.setAccessibleName("What the change did")
        view.setModel(self._details)
        view.setUniformItemSizes(True)
        view.setMinimumHeight(24)
        view.setMouseTracking(True)
        view.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        view.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        view.setItemDelegate(_DetailRows(self._theme, view))
        give_icon(self._theme, self._restore, "history")
        give_icon(self._theme, self._fork, "fork")
        give_icon(self._theme, self._show, "chat", "accent2")
        head = QHBoxLayout()
        head.setSpacing(10)
        head.addWidget(label("History", "name"))
        head.addWidget(self._count)
        head.addStretch(1)
        for part in (self._before, self._where, self._after, self._restore, self._fork):
            head.addWidget(part)
        left, right = QVBoxLayout(), QVBoxLayout(self._right)
        left.setSpacing(4)
        left.addWidget(self._title)
        left.addWidget(view, 1)
        right.setContentsMargins(0, 0, 0, 0)
        right.setSpacing(4)
        right.addWidget(self._asks)
        right.addWidget(self._asked)
        right.addWidget(self._show, 0, Qt.AlignmentFlag.AlignLeft)
        right.addStretch(1)
        body = QHBoxLayout(self._body)
        body.setContentsMargins(0, 0, 0, 0)
        body.setSpacing(16)
        body.addLayout(left, 5)
        body.addWidget(self._right, 2)
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 8, 20, 8)
        column.setSpacing(4)
        column.addLayout(head)
        column.addWidget(self.line)
        column.addWidget(self._body, 1)
        column.addStretch(0)


class _Details(QAbstractListModel):
    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.rows: list[Difference] = []
        self._by = ""

    def show(self, rows: Sequence[Difference], by: str) -> None:
        self.beginResetModel()
        self.rows, self._by = list(rows), by
        self.endResetModel()

    def rowCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self.rows)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid():
            return None
        row = self.rows[index.row()]
        if role == _ROLE:
            return row
        if role == _BY:
            return self._by
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


class _DetailRows(_Rows):
    def _words(self, painter: QPainter, row: QRect, index: Index) -> None:
        told = index.data(_ROLE)
        assert isinstance(told, Difference)
        mono, by = self._theme.mono(12), index.data(_BY)
        wide = QFontMetrics(mono).horizontalAdvance(by)
        right = row.right() - 8
        if wide < row.width() // 3:
            self._write(painter, right - wide, row, right + 4, by, "fg3", mono)
            right -= wide + 16
        sign = told.sign or "±"
        self._write(painter, row.left() + 8, row, row.left() + 24, sign, _TONES[sign], mono)
        end = self._write(painter, row.left() + 26, row, right, path_text(told.path), "key", mono)
        self._write(painter, end + 10, row, right, told.words, "fg2", self._theme.font(12))

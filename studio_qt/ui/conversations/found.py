"""What a search over all conversations has found: its rows and their view."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, TypeAlias

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
from PySide6.QtGui import QFont, QFontMetrics, QKeyEvent, QMouseEvent, QPainter
from PySide6.QtWidgets import QStyleOptionViewItem, QTreeView, QWidget

from studio_qt.ui.conversations.listing import when_words
from studio_qt.ui.theme.theme import Theme
from studio_qt.ui.widgets.flatlist import lay_flat
from studio_qt.ui.widgets.matches import around, write_pieces
from studio_qt.ui.widgets.rowpainting import MARGIN, Index, RowDelegate
from studio_qt.ui.widgets.tips import plain_tip

if TYPE_CHECKING:
    from studio_qt.engine.searching import FoundEntry

__all__ = ["FoundList", "FoundModel", "Heading"]

_FindRole = Qt.ItemDataRole.UserRole
_ICONS = {"user": "person", "assistant": "speech", "log": "log", "tool": "bolt", "title": "tag"}
_SPEAKERS = {
    "user": "You",
    "assistant": "The character",
    "log": "A log",
    "tool": "A tool",
    "title": "The title",
}


@dataclass(frozen=True, slots=True)
class Heading:
    """A conversation in which something was found, in `count` entries."""

    conversation_id: str
    title: str
    count: int


_Row: TypeAlias = "Heading | FoundEntry"


class FoundModel(QAbstractListModel):
    """A heading for each conversation, and below it the entries in which something was found."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: list[_Row] = []
        self.count = 0
        self.conversations = 0

    def clear(self) -> None:
        """Begin anew."""
        self.beginResetModel()
        self._rows, self.count, self.conversations = [], 0, 0
        self.endResetModel()

    def add(self, finds: Sequence[FoundEntry]) -> None:
        """Add what was found in one conversation; it is not empty."""
        first = finds[0]
        heading = Heading(first.conversation_id, first.title, len(finds))
        start = len(self._rows)
        self.beginInsertRows(QModelIndex(), start, start + len(finds))
        self._rows += [heading, *finds]
        self.endInsertRows()
        self.count += len(finds)
        self.conversations += 1

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self._rows)

    def data(
        self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        if not index.isValid() or index.row() >= len(self._rows):
            return None
        row = self._rows[index.row()]
        if role == _FindRole:
            return row
        if isinstance(row, Heading):
            words = row.title or row.conversation_id
            if role == Qt.ItemDataRole.AccessibleTextRole:
                return f"{words}, {row.count} found"
        else:
            words = f"{row.before}{row.match}{row.after}"
            if role == Qt.ItemDataRole.AccessibleTextRole:
                return f"{_SPEAKERS.get(row.role, row.role)}: {words}"
            if role == Qt.ItemDataRole.ToolTipRole:
                return plain_tip(words)
        return words if role == Qt.ItemDataRole.DisplayRole else None


class FoundList(QTreeView):
    """The view. `opened` carries a conversation and an entry, "" where it is the whole of it."""

    opened = Signal(str, str)
    left = Signal()

    def __init__(self, theme: Theme, model: FoundModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("conversationsFound")
        self.setAccessibleName("Found in conversations")
        self.setAccessibleDescription("Enter shows the entry in its conversation.")
        self.setModel(model)
        self._rows = _Rows(theme, self)
        self.setItemDelegate(self._rows)
        lay_flat(self)
        self.setTabKeyNavigation(False)

    def activate(self, index: Index) -> None:
        """Show what a row is about."""
        row: _Row | None = index.data(_FindRole)
        if row is not None:
            entry = "" if isinstance(row, Heading) else row.entry_id
            self.opened.emit(row.conversation_id, entry)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.activate(self.currentIndex())
        elif event.key() == Qt.Key.Key_Escape:
            self.left.emit()
        else:
            super().keyPressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        index = self.indexAt(event.position().toPoint())
        if event.button() == Qt.MouseButton.LeftButton and index.isValid():
            self.activate(index)


class _Rows(RowDelegate):
    """Paints headings, and lines with the match marked."""

    def sizeHint(self, _option: QStyleOptionViewItem, _index: Index) -> QSize:
        return QSize(120, self.row_height)

    def paint_row(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        row = QRect(option.rect)
        what: _Row | None = index.data(_FindRole)
        self.paint_plate(painter, option, row, index)
        if isinstance(what, Heading):
            self._paint_heading(painter, row, what)
        elif what is not None:
            self._paint_find(painter, row, what)

    def _paint_heading(self, painter: QPainter, row: QRect, heading: Heading) -> None:
        self.paint_icon(painter, "chat", "fg3", row.left() + 16, row, 15)
        small, font = self.face(small=True), self.face(QFont.Weight.DemiBold)
        count = f"{heading.count:,}"
        width = QFontMetrics(small).horizontalAdvance(count)
        right = row.right() - MARGIN - 8
        place = QRect(right - width, row.top(), width + 2, row.height())
        self.write(painter, place, count, "fg3", small)
        room = right - width - 8 - row.left() - 40
        name = heading.title or heading.conversation_id
        shown = QFontMetrics(font).elidedText(name, Qt.TextElideMode.ElideRight, room)
        self.write(
            painter, QRect(row.left() + 40, row.top(), room, row.height()), shown, "fg", font
        )

    def _paint_find(self, painter: QPainter, row: QRect, find: FoundEntry) -> None:
        icon = _ICONS.get(find.role, "note")
        self.paint_icon(painter, icon, "fg3", row.left() + 40, row, 13)
        small = self.face(small=True)
        when = when_words(find.time, datetime.now().astimezone())
        width = QFontMetrics(small).horizontalAdvance(when)
        right = row.right() - MARGIN - 8 - width
        self.write(painter, QRect(right, row.top(), width + 2, row.height()), when, "fg3", small)
        left = row.left() + 60
        place = QRect(left, row.top(), right - 8 - left, row.height())
        metrics = QFontMetrics(self.face())
        found = [(find.match, "macro", "macrobg")]
        pieces = around(find.before, found, find.after, place.width(), metrics)
        write_pieces(self, painter, place, pieces)

"""`LogTable`: the lines as a table that follows its end."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QSize, Qt, Signal
from PySide6.QtGui import (
    QFont,
    QFontMetrics,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
)

from studio_qt.ui.agentlog.lines import LogRow
from studio_qt.ui.agentlog.model import COLUMNS, LogModel, RowRole
from studio_qt.ui.theme.theme import Theme

__all__ = ["LogTable"]

Index = QModelIndex | QPersistentModelIndex
_TONES = {"tool": "ok", "error": "err", "command": "fn", "done": "accent2", "call": "accent2"}
_WIDTHS = (92, 150, 84, 0, 72, 76)
_WHAT = 3
_RIGHT = (4, 5)
_ROOMY, _NARROW = 620, 460
"""Pixels in which all columns have room; and in which the kind of a line has."""

_KIND = 2


class LogTable(QTableView):
    """`opened` carries the row that Enter or a double click chose."""

    opened = Signal(object)

    def __init__(self, theme: Theme, model: LogModel) -> None:
        super().__init__()
        self._theme, self._log = theme, model
        self.setObjectName("agentLogTable")
        self.setAccessibleName("What agents did")
        self.setAccessibleDescription("Enter shows everything that a line holds.")
        self.setModel(model)
        self.setItemDelegate(_Cells(theme, self))
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.setMouseTracking(True)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.verticalHeader().hide()
        self.horizontalHeader().hide()
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.horizontalHeader().setSectionResizeMode(_WHAT, QHeaderView.ResizeMode.Stretch)
        self.horizontalHeader().setMinimumSectionSize(40)
        theme.changed.connect(self._dress)
        self._dress()

    @property
    def at_end(self) -> bool:
        """Whether the last line is in sight, so that the next one will be too."""
        bar = self.verticalScrollBar()
        return bar.value() >= bar.maximum() - self.verticalHeader().defaultSectionSize()

    @property
    def chosen(self) -> list[LogRow]:
        """The selected rows, from the top."""
        rows = sorted({index.row() for index in self.selectedIndexes()})
        return [self._log.rows[row] for row in rows]

    @property
    def current(self) -> LogRow | None:
        """The row that has the ring."""
        found = self.currentIndex().data(RowRole)
        return found if isinstance(found, LogRow) else None

    # Qt

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            if (row := self.current) is not None:
                self.opened.emit(row)
            return
        super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leave what an agent did its room: first tokens and time go, then the kind."""
        super().resizeEvent(event)
        width = self.viewport().width()
        for column in _RIGHT:
            self.setColumnHidden(column, width < self._theme.scaled(_ROOMY))
        self.setColumnHidden(_KIND, width < self._theme.scaled(_NARROW))

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        found = self.indexAt(event.position().toPoint()).data(RowRole)
        if isinstance(found, LogRow):
            self.opened.emit(found)
        event.accept()

    def _dress(self) -> None:
        self.setFont(self._theme.mono(12))
        height = max(24, QFontMetrics(self.font()).height() + 8)
        self.verticalHeader().setMinimumSectionSize(height)
        self.verticalHeader().setDefaultSectionSize(height)
        for column, width in enumerate(_WIDTHS[: len(COLUMNS)]):
            if width:
                self.setColumnWidth(column, self._theme.scaled(width))
        self.viewport().update()


class _Cells(QStyledItemDelegate):
    def __init__(self, theme: Theme, view: LogTable) -> None:
        super().__init__(view)
        self._theme, self._view = theme, view

    def sizeHint(self, _option: QStyleOptionViewItem, _index: Index) -> QSize:
        return QSize(60, self._view.verticalHeader().defaultSectionSize())

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        row = index.data(RowRole)
        assert isinstance(row, LogRow)
        painter.save()
        place = QRect(option.rect)
        selected = bool(option.state & QStyle.StateFlag.State_Selected)
        if selected or row.kind == "error":
            painter.fillRect(place, self._theme.colour("sel" if selected else "redbg"))
        column = index.column()
        painter.setFont(self._font(column))
        painter.setPen(self._theme.colour(self._tone(column, row)))
        flags = Qt.AlignmentFlag.AlignVCenter
        flags |= Qt.AlignmentFlag.AlignRight if column in _RIGHT else Qt.AlignmentFlag.AlignLeft
        inner = place.adjusted(14 if column == 0 else 6, 0, -10, 0)
        text = painter.fontMetrics().elidedText(
            str(index.data()), Qt.TextElideMode.ElideRight, inner.width()
        )
        painter.drawText(inner, int(flags), text)
        if self._view.hasFocus() and index.row() == self._view.currentIndex().row():
            self._ring(painter, place, column)
        painter.restore()

    def _font(self, column: int) -> QFont:
        if column == 1:
            return self._theme.font(12, QFont.Weight.DemiBold)
        return self._theme.font(12) if column == _WHAT else self._view.font()

    def _tone(self, column: int, row: LogRow) -> str:
        if column == _KIND:
            return "info" if row.kind.startswith("round") else _TONES.get(row.kind, "fg2")
        return "fg" if column in (1, _WHAT) else "fg2"

    def _ring(self, painter: QPainter, place: QRect, column: int) -> None:
        painter.setPen(QPen(self._theme.colour("ring"), 2))
        top, bottom = place.top() + 1, place.bottom()
        painter.drawLine(place.left(), top, place.right(), top)
        painter.drawLine(place.left(), bottom, place.right(), bottom)
        if column == 0:
            painter.drawLine(place.left() + 1, top, place.left() + 1, bottom)
        elif place.right() >= self._view.viewport().width() - 1:
            painter.drawLine(place.right(), top, place.right(), bottom)

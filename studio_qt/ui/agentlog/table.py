"""`LogTable`: the lines as a table that follows its end."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import (
    QModelIndex,
    QPersistentModelIndex,
    QRect,
    QSignalBlocker,
    QSize,
    Qt,
    Signal,
)
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
from studio_qt.ui.widgets.rowpictures import RowPictures

__all__ = ["LogTable"]

Index = QModelIndex | QPersistentModelIndex
_TONES = {"tool": "ok", "error": "err", "command": "fn", "done": "accent2", "call": "accent2"}
_WIDTHS = (92, 150, 84, 0, 72, 76)
_WHAT = 3
_RIGHT = (4, 5)
_ROOMY, _NARROW = 620, 460
"""Pixels in which all columns have room; and in which the kind of a line has."""

_KIND = 2
_SELECTED = QStyle.StateFlag.State_Selected.value
_LEFTWARDS = (Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft).value
_RIGHTWARDS = (Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight).value
_MEASURED = 5_000
"""Texts whose width is remembered."""


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
        self._cells = _Cells(theme, self)
        self.setItemDelegate(self._cells)
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

    def row(self, number: int) -> LogRow:
        """Return a row of those that are shown."""
        return self._log.rows[number]

    # Qt

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            if (row := self.current) is not None:
                self.opened.emit(row)
            return
        super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leave what an agent did its room: first tokens and time go, then the kind."""
        with QSignalBlocker(self.horizontalHeader()):  # it is painted anew, and not twice
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
        self._cells.take_faces(self.font())
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
        self._pictures = RowPictures(theme, self)
        self._faces: tuple[QFont, ...] = ()
        self._metrics: tuple[QFontMetrics, ...] = ()
        self._widths: dict[tuple[int, str], int] = {}
        self._elided: dict[tuple[int, str], tuple[int, str, int]] = {}

    def take_faces(self, mono: QFont) -> None:
        """Take the faces in force, one for each column; `mono` is that of the view."""
        bold, plain = self._theme.font(12, QFont.Weight.DemiBold), self._theme.font(12)
        self._faces = tuple({1: bold, _WHAT: plain}.get(at, mono) for at in range(len(COLUMNS)))
        self._metrics = tuple(QFontMetrics(face) for face in self._faces)
        self._widths.clear()
        self._elided.clear()
        self._pictures.clear()

    def sizeHint(self, _option: QStyleOptionViewItem, _index: Index) -> QSize:
        return QSize(60, self._view.verticalHeader().defaultSectionSize())

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        if option.font != self._faces[0]:
            self.take_faces(QFont(option.font))
        number, column = index.row(), index.column()
        row = self._view.row(number)
        place = QRect(option.rect)
        selected = bool(option.state.value & _SELECTED)
        ringed = self._view.hasFocus() and number == self._view.currentIndex().row()
        inner = place.adjusted(14 if column == 0 else 6, 0, -10, 0)
        tone = self._tone(column, row)
        text, width = self._shown(column, row.cells[column], inner.width())
        if not (selected or ringed or row.kind == "error"):
            left = inner.right() + 1 - width if column in _RIGHT else inner.left()
            copied = QRect(left, place.top(), width + 1, place.height())
            paint = partial(self._write, place=inner, column=column, text=text, tone=tone)
            self._pictures.draw(painter, copied, (column, text, tone), "bg1", paint)
            return
        painter.save()
        if selected or row.kind == "error":
            painter.fillRect(place, self._theme.colour("sel" if selected else "redbg"))
        self._write(painter, inner, column, text, tone)
        if ringed:
            self._ring(painter, place, column)
        painter.restore()

    def _write(self, painter: QPainter, place: QRect, column: int, text: str, tone: str) -> None:
        painter.setFont(self._faces[column])
        painter.setPen(self._theme.colour(tone))
        painter.drawText(place, _RIGHTWARDS if column in _RIGHT else _LEFTWARDS, text)

    def _shown(self, column: int, text: str, room: int) -> tuple[str, int]:
        """Return a text as it is shown, with … where it is too long, and how wide that is."""
        width = self._width(column, text)
        if width <= room:
            return text, width
        if (found := self._elided.get((column, text))) is None or found[0] != room:
            elided = self._metrics[column].elidedText(text, Qt.TextElideMode.ElideRight, room)
            self._elided[column, text] = found = room, elided, self._width(column, elided)
        return found[1], min(found[2], room)

    def _width(self, column: int, text: str) -> int:
        """Return how wide a text is; each is measured once."""
        found = self._widths.get((column, text))
        if found is None:
            if len(self._widths) >= _MEASURED:
                self._widths.clear()
                self._elided.clear()
            found = self._metrics[column].horizontalAdvance(text)
            self._widths[column, text] = found
        return found

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

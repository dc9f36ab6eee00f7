"""`ResultView`: results with marked matches."""

from __future__ import annotations

from PySide6.QtCore import QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFont, QFontMetrics, QKeyEvent, QMouseEvent, QPainter, QPen
from PySide6.QtWidgets import (
    QStyleOptionViewItem,
    QTreeView,
    QWidget,
)

from studio_qt.ui.search.engine import FileHits, Hit
from studio_qt.ui.search.model import FileRole, HitRole, ResultModel
from studio_qt.ui.theme.theme import Theme
from studio_qt.ui.widgets.filekinds import KINDS, kind_of
from studio_qt.ui.widgets.flatlist import lay_flat
from studio_qt.ui.widgets.matches import Piece, around, write_pieces
from studio_qt.ui.widgets.rowpainting import MARGIN, Index, RowDelegate

__all__ = ["ResultView"]

_BOX = 15


class ResultView(QTreeView):
    """The list. `opened` carries a path, a line and a column."""

    opened = Signal(str, int, int)

    def __init__(self, theme: Theme, model: ResultModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._results = model
        self.setObjectName("searchResults")
        self.setAccessibleName("Results of the search")
        self.setAccessibleDescription("Enter opens a file at the match.")
        self.setModel(model)
        self._rows = _Rows(theme, self)
        self.setItemDelegate(self._rows)
        lay_flat(self)
        self.setExpandsOnDoubleClick(False)

    def activate(self, index: Index) -> None:
        """Open a match; fold or unfold a file."""
        hit, file = index.data(HitRole), index.data(FileRole)
        if isinstance(hit, Hit) and isinstance(file, FileHits):
            self.opened.emit(file.path, hit.line, hit.column)
        elif index.isValid():
            self.setExpanded(index, not self.isExpanded(index))

    def step(self, by: int) -> None:
        """Go to the next match, or with -1 to the one before, and open it."""
        index = self.currentIndex()
        if not index.isValid():
            index = self._results.index(0, 0)
        while index.isValid():
            index = self.indexBelow(index) if by > 0 else self.indexAbove(index)
            if isinstance(index.data(HitRole), Hit):
                self.setCurrentIndex(index)
                self.activate(index)
                return

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.activate(self.currentIndex())
        elif event.key() == Qt.Key.Key_Space and self._results.replacing:
            self._results.toggle(self.currentIndex())
        else:
            super().keyPressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        place = event.position().toPoint()
        index = self.indexAt(place)
        if event.button() != Qt.MouseButton.LeftButton or not index.isValid():
            return
        if self._rows.box(index, self.visualRect(index)).contains(place):
            self._results.toggle(index)
        else:
            self.activate(index)


class _Rows(RowDelegate):
    """Paints files and lines."""

    def box(self, index: Index, row: QRect) -> QRect:
        """Return where a file's check box is; an empty place where it has none."""
        if index.data(Qt.ItemDataRole.CheckStateRole) is None:
            return QRect()
        return QRect(row.left() + 26, row.top(), 22, row.height())

    def sizeHint(self, _option: QStyleOptionViewItem, _index: Index) -> QSize:
        return QSize(120, self.row_height)

    def paint_row(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        row = QRect(option.rect)
        self.paint_plate(painter, option, row, index)
        hit, file = index.data(HitRole), index.data(FileRole)
        if isinstance(hit, Hit):
            self._line(painter, row, hit)
        elif isinstance(file, FileHits):
            self._file(painter, row, index, file)

    def _file(self, painter: QPainter, row: QRect, index: Index, file: FileHits) -> None:
        self.paint_chevron(painter, row, row.left() + 10, index)
        left = row.left() + 28
        state = index.data(Qt.ItemDataRole.CheckStateRole)
        if state is not None:
            self._paint_box(painter, row, left, checked=state == Qt.CheckState.Checked)
            left += 23
        kind = KINDS[kind_of(file.path)]
        self.paint_icon(painter, kind.icon, kind.token, left, row, 16)
        left += 22
        right = row.right() - MARGIN - 6
        small = self.face(small=True)
        count = f"{len(file.hits):,}"
        width = QFontMetrics(small).horizontalAdvance(count)
        self.write(
            painter, QRect(right - width, row.top(), width + 2, row.height()), count, "fg3", small
        )
        right -= width + 8
        if file.unsaved:
            self.paint_dot(painter, row, right - 8)
            right -= 16
        self._names(painter, QRect(left, row.top(), right - left, row.height()), file.path)

    def _names(self, painter: QPainter, place: QRect, path: str) -> None:
        """Write the name, and the folder after it in a quieter tone."""
        folder, _, name = path.rpartition("/")
        font = self.face(QFont.Weight.Medium)
        metrics = QFontMetrics(font)
        shown = metrics.elidedText(name, Qt.TextElideMode.ElideMiddle, place.width())
        self.write(painter, place, shown, "fg", font)
        left = place.left() + metrics.horizontalAdvance(shown) + 8
        small = self.face(small=True)
        rest = place.right() - left
        if folder and rest > 24:
            shown = QFontMetrics(small).elidedText(folder, Qt.TextElideMode.ElideLeft, rest)
            self.write(painter, QRect(left, place.top(), rest, place.height()), shown, "fg3", small)

    def _line(self, painter: QPainter, row: QRect, hit: Hit) -> None:
        metrics = QFontMetrics(self.face())
        small = self.face(small=True)
        number = f"{hit.line:,}"
        width = QFontMetrics(small).horizontalAdvance(number)
        right = row.right() - MARGIN - 6 - width
        self.write(painter, QRect(right, row.top(), width + 2, row.height()), number, "fg3", small)
        place = QRect(row.left() + 32, row.top(), right - 8 - row.left() - 32, row.height())
        pieces = around(hit.before, _middle(hit), hit.after, place.width(), metrics)
        write_pieces(self, painter, place, pieces)

    def _paint_box(self, painter: QPainter, row: QRect, left: int, *, checked: bool) -> None:
        place = QRectF(left + 0.5, row.top() + (row.height() - _BOX) / 2 + 0.5, _BOX - 1, _BOX - 1)
        painter.setPen(QPen(self._theme.colour("btn" if checked else "ctl"), 1))
        painter.setBrush(self._theme.colour("btn" if checked else "bg2"))
        painter.drawRoundedRect(place, 4, 4)
        if checked:
            self.paint_icon(painter, "check", "onaccent", left + 1, row, 12)


def _middle(hit: Hit) -> list[Piece]:
    """Return what was found, or what goes and what comes."""
    if hit.new is None:
        return [(hit.found, "macro", "macrobg")]
    return [(hit.found, "err", "redbg"), (hit.new, "ok", "greenbg")]

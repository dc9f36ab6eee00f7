"""`BlockList`: the blocks of a request as cards, painted, so that ten thousand cost nothing."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRect,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QFocusEvent,
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
    QFrame,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
)

from studio_qt.ui.inspector.shaping import TONES, Row
from studio_qt.ui.theme.theme import Theme
from studio_qt.ui.widgets.tips import plain_tip

__all__ = ["BlockList", "RowRole"]

Index = QModelIndex | QPersistentModelIndex
RowRole = Qt.ItemDataRole.UserRole + 1

_HEIGHT = 56
_INSET, _STEP = 16, 22
_ROLE_AT, _TITLE_AT = 36, 118
_NARROW = 430
_MARKS = {
    "new": ("new", "+", "greenbg", "ok"),
    "changed": ("changed", "±", "amberbg", "warn"),
    "gone": ("gone", "−", "redbg", "err"),
}


class _Rows(QAbstractListModel):
    """The rows that are in sight: unfolded ones with theirs below them."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._all: Sequence[Row] = ()
        self.open: set[str] = set()
        self.rows: list[Row] = []

    def put(self, rows: Sequence[Row]) -> None:
        self.beginResetModel()
        self._all = rows
        self.rows = [one for row in rows for one in self._with_own(row)]
        self.endResetModel()

    def fold(self, at: int, *, opened: bool) -> None:
        row, place = self.rows[at], QModelIndex()
        if opened:
            self.beginInsertRows(place, at + 1, at + len(row.rows))
            self.open.add(row.key)
            self.rows[at + 1 : at + 1] = row.rows
            self.endInsertRows()
        else:
            self.beginRemoveRows(place, at + 1, at + len(row.rows))
            self.open.discard(row.key)
            del self.rows[at + 1 : at + 1 + len(row.rows)]
            self.endRemoveRows()
        self.dataChanged.emit(self.index(at), self.index(at))

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own default
        return 0 if parent.isValid() else len(self.rows)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid():
            return None
        row = self.rows[index.row()]
        if role == RowRole:
            return row
        if role == Qt.ItemDataRole.DisplayRole:
            return row.title
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return _spoken(row)
        if role == Qt.ItemDataRole.ToolTipRole:
            return plain_tip(f"{row.title}\n{row.side}" if row.side else row.title)
        return None

    def _with_own(self, row: Row) -> Sequence[Row]:
        return (row, *row.rows) if row.key in self.open else (row,)


class BlockList(QListView):
    """The cards. Right and left unfold and fold, Enter asks for the origin.

    `chosen` carries the row that is looked at, `origin_wanted` the one whose origin is to be
    opened.
    """

    chosen = Signal(object)
    origin_wanted = Signal(object)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._rows = _Rows(self)
        self.setObjectName("inspectorBlocks")
        self.setAccessibleName("Blocks of the request")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setProperty("role", "cards")
        self.setModel(self._rows)
        self.setItemDelegate(_Cards(theme, self))
        self.setUniformItemSizes(True)
        self.setViewportMargins(0, 6, 0, 6)
        self.setMouseTracking(True)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.selectionModel().currentChanged.connect(self._on_current)
        theme.changed.connect(self.viewport().update)

    @property
    def rows(self) -> Sequence[Row]:
        """What is in sight, from the top."""
        return tuple(self._rows.rows)

    @property
    def current(self) -> Row | None:
        """The row that is looked at."""
        found = self.currentIndex().data(RowRole)
        return found if isinstance(found, Row) else None

    def show_rows(self, rows: Sequence[Row]) -> None:
        """Show other rows; the one that was looked at stays so when it is among them."""
        key = self.current.key if self.current else ""
        where = self.verticalScrollBar().value()
        self._rows.put(rows)
        self.verticalScrollBar().setValue(where)
        if not self.choose(key):
            first = next((at for at, row in enumerate(self._rows.rows) if row.mark), 0)
            self.setCurrentIndex(self._rows.index(first))

    def choose(self, key: str) -> bool:
        """Look at a row by its key; whether it is there."""
        for at, row in enumerate(self._rows.rows):
            if row.key == key:
                self.setCurrentIndex(self._rows.index(at))
                return True
        return False

    def toggle(self, index: Index) -> None:
        """Fold or unfold a row."""
        row = index.data(RowRole)
        if isinstance(row, Row) and row.rows:
            self._rows.fold(index.row(), opened=row.key not in self._rows.open)

    def is_open(self, row: Row) -> bool:
        """Whether a row is unfolded."""
        return row.key in self._rows.open

    def keyPressEvent(self, event: QKeyEvent) -> None:
        row, key = self.current, event.key()
        if row is None:
            super().keyPressEvent(event)
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.origin_wanted.emit(row)
        elif key == (Qt.Key.Key_Left if self.is_open(row) else Qt.Key.Key_Right) and row.rows:
            self.toggle(self.currentIndex())
        elif key == Qt.Key.Key_Left and row.depth:
            self._to_parent()
        elif key in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            event.accept()
        else:
            super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.scrollTo(self.currentIndex())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.scrollTo(self.currentIndex())

    def mousePressEvent(self, event: QMouseEvent) -> None:
        index = self.indexAt(event.position().toPoint())
        inside = event.position().x() - self.visualRect(index).left()
        super().mousePressEvent(event)
        if index.isValid() and inside < _ROLE_AT + _INSET:
            self.toggle(index)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        index = self.indexAt(event.position().toPoint())
        inside = event.position().x() - self.visualRect(index).left()
        if index.isValid() and inside >= _ROLE_AT + _INSET:
            self.toggle(index)

    def _to_parent(self) -> None:
        at = self.currentIndex().row()
        while at and self._rows.rows[at].depth:
            at -= 1
        self.setCurrentIndex(self._rows.index(at))

    def _on_current(self, index: QModelIndex) -> None:
        row = index.data(RowRole)
        if isinstance(row, Row):
            self.chosen.emit(row)


class _Cards(QStyledItemDelegate):
    def __init__(self, theme: Theme, view: BlockList) -> None:
        super().__init__(view)
        self._theme, self._view = theme, view

    def sizeHint(self, _option: QStyleOptionViewItem, _index: Index) -> QSize:
        return QSize(200, self._theme.scaled(_HEIGHT))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        row = index.data(RowRole)
        if not isinstance(row, Row):
            return
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        left = _INSET + row.depth * _STEP
        card = QRectF(QRect(option.rect)).adjusted(left, 3.5, -_INSET, -3.5)
        self._paint_card(painter, option, card, row)
        self._paint_words(painter, card.toRect(), row)
        painter.restore()

    def _paint_card(
        self, painter: QPainter, option: QStyleOptionViewItem, card: QRectF, row: Row
    ) -> None:
        theme, state = self._theme, QStyle.StateFlag
        selected = bool(option.state & state.State_Selected)
        hovered = bool(option.state & state.State_MouseOver)
        painter.setBrush(theme.colour("sel" if selected else "hover" if hovered else "bg2"))
        painter.setPen(QPen(theme.colour("accent2" if selected else "line"), 1))
        painter.drawRoundedRect(card, 7, 7)
        if option.state & state.State_HasFocus:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(theme.colour("ring"), 2))
            painter.drawRoundedRect(card.adjusted(1, 1, -1, -1), 6, 6)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.colour("line2" if row.cut else TONES[row.tone]))
        painter.drawRoundedRect(
            QRectF(card.left() + 8, card.top() + 9, 3.5, card.height() - 18), 1.7, 1.7
        )
        if row.rows:
            icon = "chevron-down" if self._view.is_open(row) else "chevron-right"
            pixels = theme.scaled(13)
            place = QRect(int(card.left()) + 17, int(card.top()) + 9, pixels, pixels)
            theme.icon(icon, "fg2", pixels).paint(painter, place)

    def _paint_words(self, painter: QPainter, card: QRect, row: Row) -> None:
        theme, narrow = self._theme, card.width() < _NARROW
        half = (card.height() - 12) // 2
        upper = QRect(card.left(), card.top() + 6, card.width() - 12, half)
        lower = upper.translated(0, half)
        quiet = "fg3" if row.cut else "fg2"
        left = card.left() + (_ROLE_AT if row.depth or narrow else _TITLE_AT)
        if not row.depth and not narrow:
            self._write(painter, upper, card.left() + _ROLE_AT, row.role, quiet, theme.mono(12))
        tokens = f"{row.tokens:,}"
        right = self._write_right(painter, upper, upper.right(), tokens, quiet, theme.mono(12))
        title = theme.font(13, QFont.Weight.DemiBold)
        title.setStrikeOut(bool(row.cut))
        end = self._write(
            painter, upper, left, row.title, quiet if row.cut else "fg", title, right - 12
        )
        for text, plate, ink in self._pills(row):
            end = self._pill(painter, upper, end + 8, text, plate, ink, right - 12)
        if row.side and right - end > 120:
            room = QRect(end + 12, upper.top(), right - 16 - end - 12, upper.height())
            font = theme.font(12)
            words = QFontMetrics(font).elidedText(
                row.side, Qt.TextElideMode.ElideRight, room.width()
            )
            self._write_right(painter, upper, right - 16, words, quiet, font)
        if row.cut:
            pixels = theme.scaled(13)
            place = QRect(left, lower.center().y() - pixels // 2, pixels, pixels)
            theme.icon("info", "fg3", pixels).paint(painter, place)
            left += pixels + 7
        self._write(painter, lower, left, row.preview, quiet, theme.font(12), lower.right())

    def _pills(self, row: Row) -> list[tuple[str, str, str]]:
        pills = [("isFile", "bg3", "fg2")] if row.is_file else []
        if row.mark:
            word, sign, plate, ink = _MARKS[row.mark]
            pills.append((f"{sign} {word}", plate, ink))
        return pills

    def _write(
        self,
        painter: QPainter,
        line: QRect,
        left: int,
        text: str,
        token: str,
        font: QFont,
        right: int | None = None,
    ) -> int:
        """Write from the left, shortened where the room ends; returns where the words end."""
        painter.setFont(font)
        painter.setPen(self._theme.colour(token))
        metrics = QFontMetrics(font)
        room = (right if right is not None else left + _TITLE_AT - _ROLE_AT - 6) - left
        words = metrics.elidedText(text, Qt.TextElideMode.ElideRight, max(room, 0))
        flags = int(Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine)
        painter.drawText(QRect(left, line.top(), max(room, 0), line.height()), flags, words)
        return left + metrics.horizontalAdvance(words)

    def _write_right(
        self, painter: QPainter, line: QRect, right: int, text: str, token: str, font: QFont
    ) -> int:
        width = QFontMetrics(font).horizontalAdvance(text)
        self._write(painter, line, right - width, text, token, font, right + 1)
        return right - width

    def _pill(
        self, painter: QPainter, line: QRect, left: int, text: str, plate: str, ink: str, most: int
    ) -> int:
        font = self._theme.font(11, QFont.Weight.DemiBold)
        width = QFontMetrics(font).horizontalAdvance(text) + 14
        if left + width > most:
            return left - 8
        height = self._theme.scaled(17)
        box = QRect(left, line.center().y() - height // 2, width, height)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._theme.colour(plate))
        painter.drawRoundedRect(QRectF(box), height / 2, height / 2)
        painter.setPen(self._theme.colour(ink))
        painter.setFont(font)
        painter.drawText(box, int(Qt.AlignmentFlag.AlignCenter), text)
        return left + width


def _spoken(row: Row) -> str:
    facts = [row.title, row.role, f"about {row.tokens} tokens", row.mark, row.side, row.preview]
    return ". ".join(fact for fact in facts if fact)

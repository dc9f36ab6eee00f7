"""`CheckList`: rows that can be checked, each with a second line and a note at its right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from PySide6.QtCore import (
    QEvent,
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
    QListWidget,
    QListWidgetItem,
    QSizePolicy,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
)

from studio_qt.ui.theme.icons import make_pixmap
from studio_qt.ui.theme.theme import Theme
from studio_qt.ui.widgets.tips import plain_tip

__all__ = ["CheckList", "Row"]

Index = QModelIndex | QPersistentModelIndex
_ROLE = Qt.ItemDataRole.UserRole + 1
_FIXED = Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsEnabled
_FREE = _FIXED | Qt.ItemFlag.ItemIsUserCheckable
_BOX = 16
_LEFT, _TEXT, _CROSS, _LEAST_NOTE = 8, 40, 32, 48


@dataclass(frozen=True, slots=True)
class Row:
    """One row. `key` is what it stands for, and begins its text.

    `below` is a second line. `note` stands at the right in the colour of `tone` ("warn", "err" or
    "" for quiet), `number` behind it. `plate` is filled where the row is checked, or in any case
    where `always`. `mono` writes the key in the monospaced face. `can` is whether it can be
    checked; `mark` is an icon instead of the box.
    """

    key: str
    below: str = ""
    note: str = ""
    number: str = ""
    tone: str = ""
    plate: str = ""
    always: bool = False
    mono: bool = False
    can: bool = True
    fixed: bool = False
    tip: str = ""
    mark: str = ""
    shown: bool = True

    @property
    def spoken(self) -> str:
        """The whole row as assistive technology says it, the key first."""
        return ", ".join(part for part in (self.key, self.below, self.number, self.note) if part)


class CheckList(QListWidget):
    """As high as its rows, up to `most` of them. `toggled` carries a key and whether it is checked.

    A click anywhere on a row, or Space, checks it; Delete takes the check away.
    """

    toggled = Signal(str, bool)

    def __init__(self, theme: Theme, name: str, accessible: str, most: int = 6) -> None:
        super().__init__()
        self._theme, self._most = theme, most
        self._filling = False
        self._rows: list[Row] = []
        self.setObjectName(name)
        self.setAccessibleName(accessible)
        self.setItemDelegate(_Delegate(theme, self))
        self.setMouseTracking(True)
        self.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setTabKeyNavigation(False)
        self.itemChanged.connect(self._on_changed)
        theme.changed.connect(self._on_theme)

    @property
    def checked(self) -> list[str]:
        """The keys of the checked rows, in the order of the rows."""
        return [self.key(at) for at in range(self.count()) if self._is_checked(self.item(at))]

    def key(self, at: int) -> str:
        """Return what a row stands for."""
        return _row(self.item(at)).key

    def show_rows(self, rows: Sequence[Row], checked: Sequence[str]) -> None:
        """Show these rows; the same keys in the same order stay, with place and focus."""
        self._filling = True
        chosen = set(checked)
        if [row.key for row in self._rows] != [row.key for row in rows]:
            self.clear()
            for row in rows:
                item = QListWidgetItem()
                self._fill(item, row, is_checked=row.key in chosen)
                self.addItem(item)
                item.setHidden(not row.shown)
        else:
            for at, row in enumerate(rows):
                item, on = self.item(at), row.key in chosen
                if row != self._rows[at] or self._is_checked(item) != on:
                    self._fill(item, row, is_checked=on)
                    item.setHidden(not row.shown)
        self._rows = list(rows)
        self.setUniformItemSizes(len({bool(row.below) for row in rows}) < 2)
        self._filling = False
        self._fit()

    def set_checked(self, key: str, *, on: bool) -> None:
        """Check a row as if by hand."""
        for at in range(self.count()):
            if self.key(at) == key:
                state = Qt.CheckState.Checked if on else Qt.CheckState.Unchecked
                self.item(at).setCheckState(state)

    def sizeHint(self) -> QSize:
        return QSize(200, self._height())

    def minimumSizeHint(self) -> QSize:
        return QSize(120, self._height())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Delete takes the check away; Escape and Enter belong to the sheet."""
        item = self.currentItem()
        if event.key() in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace) and item is not None:
            if self._is_checked(item) and not _row(item).fixed:
                item.setCheckState(Qt.CheckState.Unchecked)
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            event.ignore()
        else:
            super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Let the keyboard begin at a row, so that it can be seen where it is."""
        super().focusInEvent(event)
        at = self.currentRow()
        if at < 0 or self.item(at).isHidden():
            rows = range(self.count())
            self.setCurrentRow(next((row for row in rows if not self.item(row).isHidden()), -1))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.scheduleDelayedItemsLayout()

    def _fill(self, item: QListWidgetItem, row: Row, *, is_checked: bool) -> None:
        if item.data(_ROLE) != row:
            item.setData(_ROLE, row)
            item.setText(row.spoken)
            item.setToolTip(plain_tip(row.tip))
        item.setFlags(_flags(row, is_checked=is_checked))
        state = Qt.CheckState.Checked if is_checked else Qt.CheckState.Unchecked
        if item.data(Qt.ItemDataRole.CheckStateRole) is None or item.checkState() != state:
            item.setCheckState(state)

    def _fit(self) -> None:
        self.setFixedHeight(self._height())
        self.setVisible(self._height() > 0)
        self.updateGeometry()
        self.viewport().update()

    def _height(self) -> int:
        shown = (at for at in range(self.count()) if not self.item(at).isHidden())
        heights = [self.sizeHintForRow(at) for at in islice(shown, self._most + 1)]
        height = sum(heights[: self._most])
        return height + (heights[self._most] // 2 if len(heights) > self._most else 0)

    @staticmethod
    def _is_checked(item: QListWidgetItem) -> bool:
        return item.checkState() == Qt.CheckState.Checked

    def _on_changed(self, item: QListWidgetItem) -> None:
        if not self._filling:
            self.toggled.emit(_row(item).key, self._is_checked(item))

    def _on_theme(self) -> None:
        self._fit()


class _Delegate(QStyledItemDelegate):
    """Paints a row; a click anywhere on it toggles it."""

    def __init__(self, theme: Theme, view: CheckList) -> None:
        super().__init__(view)
        self._theme, self._view = theme, view

    def sizeHint(self, _option: QStyleOptionViewItem, index: Index) -> QSize:
        row = index.data(_ROLE)
        line = QFontMetrics(self._theme.font(13)).height()
        if isinstance(row, Row) and row.below:
            return QSize(100, line + QFontMetrics(self._theme.mono(12)).height() + 11)
        return QSize(100, max(28, line + 12))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        row = index.data(_ROLE)
        if isinstance(row, Row):
            self._paint(painter, option, index, row)
        painter.restore()

    def editorEvent(
        self, event: QEvent, _model: QObject, option: QStyleOptionViewItem, index: Index
    ) -> bool:
        row = index.data(_ROLE)
        if not index.flags() & Qt.ItemFlag.ItemIsUserCheckable or not isinstance(row, Row):
            return False
        if event.type() == QEvent.Type.MouseButtonDblClick:
            return True
        if event.type() == QEvent.Type.MouseButtonRelease:
            assert isinstance(event, QMouseEvent)
            on_cross = event.position().x() > option.rect.right() - self._theme.scaled(_CROSS)
            if event.button() == Qt.MouseButton.LeftButton and (not row.mark or on_cross):
                self._toggle(index)
            return True
        if isinstance(event, QKeyEvent) and event.key() in (Qt.Key.Key_Space, Qt.Key.Key_Select):
            self._toggle(index)
            return True
        return False

    def _toggle(self, index: Index) -> None:
        item = self._view.item(index.row())
        on = item.checkState() != Qt.CheckState.Checked
        item.setCheckState(Qt.CheckState.Checked if on else Qt.CheckState.Unchecked)

    # Painting

    def _paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: Index, row: Row
    ) -> None:
        place = QRect(option.rect).adjusted(0, 1, 0, -1)
        checked = self._view.item(index.row()).checkState() == Qt.CheckState.Checked
        self._paint_plate(painter, place, option, index, row, checked=checked)
        head = QRect(place)
        if row.below:
            head.setHeight(place.height() // 2 + 2)
        self._paint_box(painter, place.left() + _LEFT, head, row, checked=checked)
        token = "fg" if row.can or checked else "fg3"
        face = self._theme.mono(13) if row.mono else self._theme.font(
            13, QFont.Weight.Medium if checked else QFont.Weight.Normal)  # fmt: skip
        text = QRect(head)
        text.setLeft(place.left() + self._theme.scaled(_TEXT))
        named = text.left() + QFontMetrics(face).horizontalAdvance(row.key) + self._theme.scaled(24)
        text.setRight(self._paint_right(painter, head, row, named) - 8)
        self._write(painter, text, row.key, token, face)
        if row.below:
            below = QRect(text.left(), head.bottom() - 2, place.right() - 8 - text.left(), 0)
            below.setBottom(place.bottom() - 3)
            told = row.below == row.tip  # a sentence, not names of tools
            face = self._theme.font(12) if told else self._theme.mono(12)
            self._write(painter, below, row.below, "fg2" if row.can else "fg3", face, tail=told)

    def _paint_plate(
        self,
        painter: QPainter,
        place: QRect,
        option: QStyleOptionViewItem,
        index: Index,
        row: Row,
        *,
        checked: bool,
    ) -> None:
        token = row.plate if row.plate and (checked or row.always) else ""
        over = bool(option.state & QStyle.StateFlag.State_MouseOver) and row.can
        if token or over:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(self._theme.colour(token or "hover"))
            painter.drawRoundedRect(QRectF(place), 4, 4)
        if self._view.hasFocus() and index == self._view.currentIndex():
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(self._theme.colour("ring"), 2))
            painter.drawRoundedRect(QRectF(place).adjusted(1, 1, -1, -1), 4, 4)

    def _paint_box(
        self, painter: QPainter, left: int, head: QRect, row: Row, *, checked: bool
    ) -> None:
        size = self._theme.scaled(_BOX)
        top = head.top() + (head.height() - size) // 2
        if row.mark:
            self._paint_icon(
                painter, row.mark, "accent2" if checked else "fg3", left, top, size - 2
            )
            return
        painter.setBrush(self._theme.colour("btn" if checked else "bg2" if row.can else "bg1"))
        pen = QPen(self._theme.colour("btn" if checked else "ctl"), 1)
        if not row.can and not checked:
            pen.setStyle(Qt.PenStyle.DashLine)
        painter.setPen(pen)
        painter.drawRoundedRect(QRectF(left + 0.5, top + 0.5, size - 1, size - 1), 4, 4)
        if checked:
            self._paint_icon(painter, "check", "onaccent", left + 2, top + 2, size - 4)

    def _paint_right(self, painter: QPainter, head: QRect, row: Row, named: int) -> int:
        """Paint note and number; returns where they begin. The note leaves the name its room."""
        right = head.right() - 8
        token = row.tone or "fg3"
        if row.mark and not row.fixed:
            size = self._theme.scaled(13)
            top = head.top() + (head.height() - size) // 2
            self._paint_icon(painter, "close", "fg3", right - size, top, size)
            right -= size + 8
        for text, face in ((row.number, self._theme.mono(12)), (row.note, self._theme.font(12))):
            if text:
                metrics = QFontMetrics(face)
                room = max(self._theme.scaled(_LEAST_NOTE), right - named)
                shown = metrics.elidedText(text, Qt.TextElideMode.ElideRight, room)
                width = metrics.horizontalAdvance(shown)
                at = QRect(right - width, head.top(), width + 2, head.height())
                self._write(painter, at, shown, token, face)
                right -= width + self._theme.scaled(14)
        return right

    def _paint_icon(
        self, painter: QPainter, icon: str, token: str, left: int, top: int, size: int
    ) -> None:
        device = painter.device()
        ratio = device.devicePixelRatioF() if device is not None else 1.0
        painter.drawPixmap(left, top, make_pixmap(icon, self._theme.tokens[token], size, ratio))

    def _write(
        self,
        painter: QPainter,
        place: QRect,
        text: str,
        token: str,
        face: QFont,
        *,
        tail: bool = False,
    ) -> None:
        """Write a text that loses its middle where there is no room, or with `tail` its end."""
        painter.setFont(face)
        painter.setPen(self._theme.colour(token))
        cut = Qt.TextElideMode.ElideRight if tail else Qt.TextElideMode.ElideMiddle
        shown = QFontMetrics(face).elidedText(text, cut, place.width())
        painter.drawText(
            place, int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft), shown
        )


def _flags(row: Row, *, is_checked: bool) -> Qt.ItemFlag:
    if not (row.can or is_checked):
        return Qt.ItemFlag.ItemIsSelectable
    return _FIXED if row.fixed else _FREE


def _row(item: QListWidgetItem) -> Row:
    row = item.data(_ROLE)
    assert isinstance(row, Row)
    return row

"""The rows of the palette: a list model, and how a row is painted."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRect,
    QRectF,
    QSize,
    Qt,
)
from PySide6.QtGui import QFont, QFontMetrics, QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from studio_qt.ui.palette.entries import KINDS, Found
from studio_qt.ui.theme.icons import make_pixmap
from studio_qt.ui.theme.theme import Theme
from studio_qt.ui.widgets.tips import plain_tip

__all__ = ["HEAD", "ROW", "Head", "Row", "RowPainter", "Rows"]

ROW, HEAD = 34, 30
"""Pixels of a row, and of a title between rows."""

_ROLE = Qt.ItemDataRole.UserRole
_Index = QModelIndex | QPersistentModelIndex


@dataclass(frozen=True, slots=True)
class Head:
    """A title, or a sentence where there is nothing to choose."""

    text: str


Row = Found | Head


class Rows(QAbstractListModel):
    """What the palette lists."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._rows: Sequence[Row] = ()

    def show_rows(self, rows: Sequence[Row]) -> None:
        """List other rows."""
        self.beginResetModel()
        self._rows = rows
        self.endResetModel()

    def row(self, at: int) -> Row | None:
        """Return a row; None beyond the ends."""
        return self._rows[at] if 0 <= at < len(self._rows) else None

    def choices(self) -> list[int]:
        """Return the places of the rows that can be chosen."""
        return [at for at, row in enumerate(self._rows) if isinstance(row, Found)]

    def height(self) -> int:
        """Return the pixels that all rows need."""
        return sum(ROW if isinstance(row, Found) else HEAD for row in self._rows)

    def rowCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own default
        return 0 if parent.isValid() else len(self._rows)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        row = self.row(index.row())
        if row is None:
            return None
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return row.text if isinstance(row, Head) else row.entry.text
            case Qt.ItemDataRole.AccessibleTextRole:
                return _spoken(row)
            case Qt.ItemDataRole.ToolTipRole:
                return None if isinstance(row, Head) else plain_tip(row.entry.detail) or None
            case Qt.ItemDataRole.SizeHintRole:
                return QSize(0, ROW if isinstance(row, Found) else HEAD)
        return row if role == _ROLE else None

    def flags(self, index: _Index) -> Qt.ItemFlag:
        if isinstance(self.row(index.row()), Found):
            return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        return Qt.ItemFlag.NoItemFlags


class RowPainter(QStyledItemDelegate):
    """Paints icon, words with the letters that were found, aside, and keys or kind.

    `tell_kinds` is False where titles between the rows tell them.
    """

    def __init__(self, theme: Theme, parent: QObject) -> None:
        super().__init__(parent)
        self._theme = theme
        self.tell_kinds = True

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        rect: QRect = option.rect
        state: QStyle.StateFlag = option.state
        row = index.data(_ROLE)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if isinstance(row, Head):
            self._paint_head(painter, rect, row)
        elif isinstance(row, Found):
            chosen = bool(state & QStyle.StateFlag.State_Selected)
            hovered = bool(state & QStyle.StateFlag.State_MouseOver)
            self._paint_plate(painter, rect, "sel" if chosen else "hover" if hovered else "")
            self._paint_entry(painter, rect.adjusted(12, 0, -12, 0), row, chosen=chosen)
        painter.restore()

    def sizeHint(self, _option: QStyleOptionViewItem, index: _Index) -> QSize:
        hint = index.data(Qt.ItemDataRole.SizeHintRole)
        return hint if isinstance(hint, QSize) else QSize(0, ROW)

    def _paint_head(self, painter: QPainter, rect: QRect, head: Head) -> None:
        font = self._theme.font(11, QFont.Weight.DemiBold)
        font.setLetterSpacing(QFont.SpacingType.AbsoluteSpacing, 0.8)
        painter.setFont(font)
        painter.setPen(self._theme.colour("fg3"))
        bottom = Qt.AlignmentFlag.AlignBottom | Qt.AlignmentFlag.AlignLeft
        painter.drawText(rect.adjusted(12, 0, -12, -6), bottom, head.text.upper())

    def _paint_plate(self, painter: QPainter, rect: QRect, token: str) -> None:
        if token:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(self._theme.colour(token))
            painter.drawRoundedRect(QRectF(rect), 6, 6)

    def _paint_entry(self, painter: QPainter, rect: QRect, found: Found, *, chosen: bool) -> None:
        entry, ratio = found.entry, painter.device().devicePixelRatioF()
        colour = self._theme.tokens["accent2" if chosen else "fg2"]
        picture = make_pixmap(entry.icon, colour, 14, ratio)
        painter.drawPixmap(rect.left(), rect.center().y() - 6, picture)
        rect = rect.adjusted(26, 0, 0, 0)
        right = self._paint_right(painter, rect, found)
        rect.setRight(right - 16)
        words, aside = self._theme.font(13), self._theme.font(12)
        used = self._paint_words(painter, rect, entry.text, found.match.text, words, "fg")
        rect.setLeft(rect.left() + used + 10)
        if rect.width() > 24:
            self._paint_words(painter, rect, entry.detail, found.match.detail, aside, "fg3")

    def _paint_right(self, painter: QPainter, rect: QRect, found: Found) -> int:
        """Paint the keys, else the kind; returns where it begins."""
        keys = found.entry.keys
        kind = KINDS[found.kind].removesuffix("s") if self.tell_kinds else ""
        text = keys or kind
        font = self._theme.mono(11) if keys else self._theme.font(12)
        width = QFontMetrics(font).horizontalAdvance(text)
        painter.setFont(font)
        painter.setPen(self._theme.colour("fg2" if keys else "fg3"))
        aligned = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        painter.drawText(rect, aligned, text)
        return rect.right() - width

    def _paint_words(
        self,
        painter: QPainter,
        rect: QRect,
        text: str,
        marks: Collection[int],
        font: QFont,
        token: str,
    ) -> int:
        """Paint a text whose letters at `marks` stand out; returns its width."""
        bold = QFont(font)
        bold.setWeight(QFont.Weight.DemiBold)
        shown = QFontMetrics(bold).elidedText(text, Qt.TextElideMode.ElideRight, rect.width())
        left = rect.left()
        for piece, marked in _pieces(shown, marks):
            face = bold if marked else font
            painter.setFont(face)
            painter.setPen(self._theme.colour("accent2" if marked else token))
            place = QRect(left, rect.top(), rect.right() - left + 1, rect.height())
            aligned = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
            painter.drawText(place, aligned, piece)
            left += QFontMetrics(face).horizontalAdvance(piece)
        return left - rect.left()


def _pieces(text: str, marks: Collection[int]) -> Iterator[tuple[str, bool]]:
    """Yield the text in pieces that are marked, or not, throughout."""
    start = 0
    for at in range(1, len(text) + 1):
        if at == len(text) or (at in marks) != (start in marks):
            yield text[start:at], start in marks
            start = at


def _spoken(row: Row) -> str:
    if isinstance(row, Head):
        return row.text
    kind = KINDS[row.kind].removesuffix("s")
    return ", ".join(filter(None, (row.entry.text, row.entry.detail, row.entry.keys or kind)))

"""How the characters of the library look: picture, name, description, when, how often."""

from __future__ import annotations

from PySide6.QtCore import QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QFont,
    QFontMetrics,
    QKeyEvent,
    QPainter,
    QPainterPath,
    QPixmap,
)
from PySide6.QtWidgets import QStyleOptionViewItem, QTreeView

from studio_qt.ui.library.model import ShelfModel, Shelved, ShelvedRole, count_words, when_words
from studio_qt.ui.theme.theme import Theme
from studio_qt.ui.widgets.basics import initials, paint_initials
from studio_qt.ui.widgets.flatlist import lay_flat
from studio_qt.ui.widgets.rowpainting import MARGIN, Index, RowDelegate

__all__ = ["ShelfView"]

_PICTURE = 40
_PAD = 10
_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


class ShelfView(QTreeView):
    """The list. `wanted` and `forget_wanted` follow Enter, a double click, and Delete."""

    wanted = Signal()
    forget_wanted = Signal()
    moved = Signal()

    def __init__(self, theme: Theme, model: ShelfModel) -> None:
        super().__init__()
        self.setObjectName("libraryList")
        self.setAccessibleName("Characters")
        self.setAccessibleDescription("Enter opens a character, Delete takes it from the list.")
        self.setProperty("role", "painted")
        self.setModel(model)
        self.setItemDelegate(_Rows(theme, self))
        lay_flat(self)
        self.setTabKeyNavigation(False)
        self.selectionModel().currentChanged.connect(lambda *_: self.moved.emit())
        self.doubleClicked.connect(lambda _index: self.wanted.emit())

    @property
    def chosen(self) -> Shelved | None:
        """The current row."""
        one = self.currentIndex().data(ShelvedRole)
        return one if isinstance(one, Shelved) else None

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in _ENTER and self.chosen is not None:
            self.wanted.emit()
        elif event.key() in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
            self.forget_wanted.emit()
        else:
            super().keyPressEvent(event)


class _Rows(RowDelegate):
    def sizeHint(self, _option: QStyleOptionViewItem, _index: Index) -> QSize:
        lines = 2 * self._view.fontMetrics().height() + 4
        return QSize(200, max(lines, self._theme.scaled(_PICTURE)) + 2 * _PAD)

    def paint_row(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        one = index.data(ShelvedRole)
        if not isinstance(one, Shelved):
            return
        row = QRect(option.rect)
        self.paint_plate(painter, option, row, index)
        side = self._theme.scaled(_PICTURE)
        place = QRect(row.left() + MARGIN + 10, row.top() + (row.height() - side) // 2, side, side)
        self._paint_picture(painter, one, place)
        left, right = place.right() + 12, row.right() - MARGIN - 10
        height = self._view.fontMetrics().height()
        top = row.top() + (row.height() - 2 * height - 4) // 2
        first = QRect(left, top, right - left, height)
        second = QRect(left, top + height + 4, right - left, height)
        there = one.facts.there
        end = self._write_end(painter, first, when_words(one.latest) if there else "")
        name = QRect(first)
        name.setRight(end)
        self._write(painter, name, one.facts.name, "fg" if there else "fg3", QFont.Weight.DemiBold)
        end = self._write_end(painter, second, count_words(one) if one.known and there else "")
        text = QRect(second)
        text.setRight(end)
        self._write(painter, text, _line(one), "fg2" if there else "fg3")

    def _write(
        self,
        painter: QPainter,
        place: QRect,
        text: str,
        token: str,
        weight: QFont.Weight = QFont.Weight.Normal,
    ) -> None:
        font = self.face(weight)
        shown = QFontMetrics(font).elidedText(text, Qt.TextElideMode.ElideRight, place.width())
        self.write(painter, place, shown, token, font)

    def _write_end(self, painter: QPainter, place: QRect, text: str) -> int:
        """Write at the right; returns where what is before it must end."""
        if not text:
            return place.right()
        width = self.advance(text, small=True)
        at = QRect(place.right() - width, place.top(), width + 2, place.height())
        self.write(painter, at, text, "fg3", self.face(small=True))
        return place.right() - width - 12

    def _paint_picture(self, painter: QPainter, one: Shelved, place: QRect) -> None:
        radius = place.width() * 0.22
        if not one.facts.there or one.facts.fault:
            self.paint_box(painter, QRectF(place), "bg3", round(radius))
            icon, token = ("broken-chain", "fg3") if not one.facts.there else ("warning", "warn")
            self.paint_icon(
                painter, icon, token, place.left() + (place.width() - 18) // 2, place, 18
            )
            return
        if one.picture is not None:
            painter.save()
            path = QPainterPath()
            path.addRoundedRect(QRectF(place), radius, radius)
            painter.setClipPath(path)
            painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
            painter.drawPixmap(place, QPixmap(one.picture))
            painter.restore()
            return
        paint_initials(painter, place, initials(one.facts.name))


def _line(one: Shelved) -> str:
    if not one.facts.there:
        return f"It is not at {one.path} any more."
    return " ".join((one.facts.fault or one.facts.description).split()) or str(one.path)

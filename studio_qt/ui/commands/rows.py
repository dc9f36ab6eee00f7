"""How the rows of the command dialog are drawn: command, what it is for, whose it is."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, Qt
from PySide6.QtGui import QFont, QFontMetrics, QPainter
from PySide6.QtWidgets import (
    QApplication,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from studio_qt.ui.commands.matching import Offer
from studio_qt.ui.theme.theme import Theme

__all__ = ["OFFER", "OfferDelegate"]

OFFER = Qt.ItemDataRole.UserRole + 1
"""The `Offer` of a row; a row without one is a heading."""

_EDGE, _GAP, _LEAST = 12, 12, 60
_ICON = 14


class OfferDelegate(QStyledItemDelegate):
    """Draws a row in one line; where it is narrow the description goes first."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        offer = index.data(OFFER)
        if not isinstance(offer, Offer):
            super().paint(painter, option, index)
            return
        plate = QStyleOptionViewItem(option)
        self.initStyleOption(plate, index)
        words, plate.text = plate.text, ""
        style = plate.widget.style() if plate.widget else QApplication.style()
        style.drawControl(QStyle.ControlElement.CE_ItemViewItem, plate, painter, plate.widget)
        rect: QRect = option.rect.adjusted(_EDGE, 0, -_EDGE, 0)
        painter.save()
        self._draw(painter, rect, words, offer)
        painter.restore()

    def _draw(self, painter: QPainter, rect: QRect, words: str, offer: Offer) -> None:
        theme = self._theme
        size = theme.scaled(_ICON)
        icon = theme.icon("sub-agent" if offer.is_sub_agent else "bolt", "fg2", size)
        icon.paint(painter, QRect(rect.left(), rect.top(), size, rect.height()))
        left = rect.left() + size + _GAP
        mono, face = theme.mono(13), theme.font(12)
        name = min(QFontMetrics(mono).horizontalAdvance(words) + 1, rect.right() - left)
        self._write(painter, QRect(left, rect.top(), name, rect.height()), words, mono, "fg")
        left += name + _GAP
        whose = "sub-agent" if offer.is_sub_agent else offer.agent
        room = rect.right() - left
        width = min(QFontMetrics(face).horizontalAdvance(whose) + 1, room)
        if room < _LEAST:
            return
        right = Qt.AlignmentFlag.AlignRight
        place = QRect(rect.right() - width, rect.top(), width, rect.height())
        self._write(painter, place, whose, face, "fg2", right)
        if room - width - _GAP >= _LEAST:
            place = QRect(left, rect.top(), room - width - _GAP, rect.height())
            self._write(painter, place, offer.description, face, "fg3")

    def _write(
        self,
        painter: QPainter,
        place: QRect,
        words: str,
        font: QFont,
        token: str,
        side: Qt.AlignmentFlag = Qt.AlignmentFlag.AlignLeft,
    ) -> None:
        painter.setFont(font)
        painter.setPen(self._theme.colour(token))
        shown = QFontMetrics(font).elidedText(words, Qt.TextElideMode.ElideRight, place.width())
        painter.drawText(place, side | Qt.AlignmentFlag.AlignVCenter, shown)

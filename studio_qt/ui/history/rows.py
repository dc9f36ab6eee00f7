"""How a version is put in words, and how its row is drawn."""

from __future__ import annotations

from datetime import datetime

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QFont, QPainter, QPen
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from studio_qt.ui.documents.history import Version
from studio_qt.ui.theme.theme import Theme

__all__ = ["REASON", "SIZE", "VersionRows", "reason_words", "size_words", "time_words"]

REASON = Qt.ItemDataRole.UserRole + 1
SIZE = Qt.ItemDataRole.UserRole + 2

_REASONS = {
    "before saving": ("save", "fg2", "Replaced by a save"),
    "foreign change": ("external", "info", "Replaced by another program"),
    "restored": ("undo", "accent2", "Replaced by an earlier version"),
    "deleted": ("trash", "err", "Removed from the disk"),
    "replaced": ("replace", "fg2", "Replaced by a search"),
    "rewritten": ("replace", "fg2", "Rewritten by the Studio"),
    "closed unsaved": ("close", "warn", "Closed without saving"),
}
_OTHER = ("clock", "fg2")


def time_words(time: float, now: float) -> str:
    """Return when something was, in local time: today by the hour, else by the day too."""
    then, today = datetime.fromtimestamp(time), datetime.fromtimestamp(now)
    clock = f"{then:%H:%M:%S}"
    days = (today.date() - then.date()).days
    if days == 0:
        return f"Today, {clock}"
    if days == 1:
        return f"Yesterday, {clock}"
    return f"{then.day} {then:%B}{f' {then.year}' if then.year != today.year else ''}, {clock}"


def size_words(size: int) -> str:
    """Return a size in bytes for people."""
    if size < 1000:
        return "1 byte" if size == 1 else f"{size} bytes"
    return f"{size / 1024:.1f} KB" if size < 1000 * 1024 else f"{size / 1024 / 1024:.1f} MB"


def reason_words(version: Version) -> str:
    """Return why there is a version, as a phrase."""
    return _REASONS.get(version.reason, (*_OTHER, version.reason.capitalize()))[2]


class VersionRows(QStyledItemDelegate):
    """Draws a version: an icon for its reason, the time, the reason below it, and the size."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme

    def sizeHint(
        self, _option: QStyleOptionViewItem, _index: QModelIndex | QPersistentModelIndex
    ) -> QSize:
        return QSize(120, self._theme.scaled(46))

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        theme, rect = self._theme, QRect(option.rect)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_plate(painter, option, QRectF(rect).adjusted(0, 1, 0, -1))
        version = index.data(Qt.ItemDataRole.UserRole)
        icon, token = _REASONS.get(version.reason, (*_OTHER, ""))[:2]
        pixels = theme.scaled(16)
        theme.icon(icon, token, pixels).paint(
            painter, QRect(rect.left() + 10, rect.center().y() - pixels // 2, pixels, pixels)
        )
        left = rect.left() + 10 + pixels + 10
        inside = QRectF(left, rect.top() + 5, rect.right() - 10 - left, rect.height() - 10)
        upper = QRectF(inside.left(), inside.top(), inside.width(), inside.height() / 2)
        lower = upper.translated(0, upper.height())
        middle = Qt.AlignmentFlag.AlignVCenter
        painter.setFont(theme.mono(12))
        painter.setPen(theme.colour("fg2"))
        size = index.data(SIZE)
        painter.drawText(upper, middle | Qt.AlignmentFlag.AlignRight, size)
        room = inside.width() - painter.fontMetrics().horizontalAdvance(size) - 8
        painter.setPen(theme.colour("fg"))
        painter.setFont(theme.font(13, QFont.Weight.Medium))
        words = painter.fontMetrics().elidedText(
            index.data(), Qt.TextElideMode.ElideRight, int(room)
        )
        painter.drawText(upper, middle, words)
        painter.setPen(theme.colour("fg2"))
        painter.setFont(theme.font(12))
        words = painter.fontMetrics().elidedText(
            index.data(REASON), Qt.TextElideMode.ElideRight, int(inside.width())
        )
        painter.drawText(lower, middle, words)
        painter.restore()

    def _paint_plate(self, painter: QPainter, option: QStyleOptionViewItem, rect: QRectF) -> None:
        state = QStyle.StateFlag
        token = ""
        if option.state & state.State_Selected:
            token = "sel"
        elif option.state & state.State_MouseOver:
            token = "hover"
        painter.setPen(Qt.PenStyle.NoPen)
        if token:
            painter.setBrush(self._theme.colour(token))
            painter.drawRoundedRect(rect, 6, 6)
        if option.state & state.State_HasFocus:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(self._theme.colour("ring"), 2))
            painter.drawRoundedRect(rect.adjusted(1, 1, -1, -1), 5, 5)

"""`RowPictures`: pictures of what rows show at rest, so that it is drawn once and then copied."""

from __future__ import annotations

from collections.abc import Callable, Hashable

from PySide6.QtCore import QObject, QRect
from PySide6.QtGui import QPainter, QPixmap

from studio_qt.ui.theme.theme import Theme

__all__ = ["RowPictures"]

_KEPT = 300
"""Pictures that are kept: what some screens of rows show."""


class RowPictures(QObject):
    """Pictures in the colours of a theme; they go when that changes. The parent is who paints.

    Writing a word costs as much as copying thirty pictures of it, and most of what is painted
    has been painted before. They are opaque, on the ground on which they lie, so that letters look
    as they do when they are written there.
    """

    def __init__(self, theme: Theme, parent: QObject) -> None:
        super().__init__(parent)
        self._theme = theme
        self._kept: dict[Hashable, QPixmap] = {}
        self._drawn = 0
        theme.changed.connect(self.clear)

    @property
    def drawn(self) -> int:
        """How many pictures were drawn so far."""
        return self._drawn

    def clear(self) -> None:
        """Forget all, as after a change of the face."""
        self._kept.clear()

    def draw(
        self,
        painter: QPainter,
        place: QRect,
        key: Hashable,
        ground: str,
        paint: Callable[[QPainter], object],
    ) -> None:
        """Draw what `key` names at a place, where `paint` draws it when it is new.

        `ground` is the token of what lies below. Where a pixel of the picture is not one of the
        screen nothing is kept.
        """
        ratio = _ratio(painter)
        if ratio != int(ratio):
            paint(painter)
            return
        whole = (key, ratio, place.width(), place.height())
        picture = self._kept.get(whole)
        if picture is None:
            if len(self._kept) >= _KEPT:
                self._kept.clear()
            picture = self._kept[whole] = self._make(painter, place, ratio, ground, paint)
        painter.drawPixmap(place.left(), place.top(), picture)

    def _make(
        self,
        painter: QPainter,
        place: QRect,
        ratio: float,
        ground: str,
        paint: Callable[[QPainter], object],
    ) -> QPixmap:
        self._drawn += 1
        picture = QPixmap(place.size() * ratio)
        picture.setDevicePixelRatio(ratio)
        picture.fill(self._theme.colour(ground))
        inner = QPainter(picture)
        inner.setRenderHints(painter.renderHints())
        inner.setRenderHint(QPainter.RenderHint.Antialiasing)
        inner.setLayoutDirection(painter.layoutDirection())
        inner.translate(-place.left(), -place.top())
        paint(inner)
        inner.end()
        return picture


def _ratio(painter: QPainter) -> float:
    device = painter.device()
    return device.devicePixelRatioF() if device is not None else 1.0

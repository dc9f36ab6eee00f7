"""Our stroke icons: SVG files on a 24 px grid, drawn in the colour of a token."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, lru_cache

from PySide6.QtCore import QByteArray, QPoint, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QIcon, QIconEngine, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from studio_qt.resources import resource_text

__all__ = ["Inks", "icon_source", "living_icon", "make_icon", "make_pixmap"]

Inks = Callable[[], tuple[str, str]]
"""Tells the colours in which an icon is drawn, `#rrggbb`; the second is of what is disabled."""

_KEPT = 2048
"""Pictures that are not drawn again: those of some themes and pixel ratios."""


@cache
def make_icon(name: str, colour: str, disabled: str, size: int = 16, room: int = 0) -> QIcon:
    """Return an icon of `size` pixels for every pixel ratio; `colour`, `disabled`: `#rrggbb`.

    `room` pixels stay empty at its right: the distance to words that Qt sets too near. Nothing is
    drawn before somebody sees it, so that a theme costs little where much is hidden.
    """
    inks = (colour, disabled)
    return living_icon(name, lambda: inks, size, room)


@cache
def living_icon(name: str, inks: Inks, size: int = 16, room: int = 0) -> QIcon:
    """Return an icon as `make_icon` does, which asks for its colours when it is painted.

    Both keep their icons for good: with the icon PySide would end what draws it, which Qt may still
    use for a copy in a control. So `inks` must hold nothing that is to end before the program.
    """
    _shape(name)  # a wrong name is told here, not while Qt paints
    return QIcon(_Engine(name, inks, size, room))


@lru_cache(_KEPT)
def make_pixmap(name: str, colour: str, size: int, ratio: float, room: int = 0) -> QPixmap:
    """Return one picture of an icon, `size` pixels large at the device pixel ratio `ratio`.

    It belongs to all who ask for the same: nobody may paint on it.
    """
    return _draw(_renderer(name, colour, size), size, ratio, room)


def icon_source(name: str, colour: str, size: int) -> str:
    """Return an icon's SVG text in a colour; below 13 px its strokes are thicker."""
    width = "2.2" if size < 13 else "1.7"
    text = _shape(name).replace("currentColor", colour)
    return text.replace('stroke-width="1.7"', f'stroke-width="{width}"')


@cache
def _shape(name: str) -> str:
    return resource_text(f"icons/{name}.svg")


def _renderer(name: str, colour: str, size: int) -> QSvgRenderer:
    return QSvgRenderer(QByteArray(icon_source(name, colour, size).encode()))


def _draw(renderer: QSvgRenderer, size: int, ratio: float, room: int) -> QPixmap:
    pixels = round(size * ratio)
    picture = QPixmap(round((size + room) * ratio), pixels)
    picture.fill(Qt.GlobalColor.transparent)
    painter = QPainter(picture)
    renderer.render(painter, QRectF(0, 0, pixels, pixels))
    painter.end()
    picture.setDevicePixelRatio(ratio)
    return picture


class _Engine(QIconEngine):
    """Draws an icon for Qt when it is seen, in the size that is asked for."""

    def __init__(self, name: str, inks: Inks, size: int, room: int) -> None:
        super().__init__()
        self._name, self._inks, self._size, self._room = name, inks, size, room
        self._clones: list[_Engine] = []
        self._sizes: dict[tuple[int, int], QSize] = {}
        self._pictures: dict[tuple[int, int, str, float], QPixmap] = {}

    def actualSize(self, size: QSize, _mode: QIcon.Mode, _state: QIcon.State) -> QSize:
        """Return what fits into a size; Qt asks for it twice each time that it paints an icon."""
        asked = (size.width(), size.height())
        found = self._sizes.get(asked)
        if found is None:
            own = QSize(self._size + self._room, self._size)
            found = own.scaled(size, Qt.AspectRatioMode.KeepAspectRatio)
            self._sizes[asked] = found
        return found

    def availableSizes(
        self,
        mode: QIcon.Mode = QIcon.Mode.Normal,  # noqa: ARG002 - the same in all
        state: QIcon.State = QIcon.State.Off,  # noqa: ARG002
    ) -> list[QSize]:
        return [QSize(self._size + self._room, self._size)]

    def pixmap(self, size: QSize, mode: QIcon.Mode, _state: QIcon.State) -> QPixmap:
        return self._picture(size, mode, 1.0)

    def scaledPixmap(
        self, size: QSize, mode: QIcon.Mode, _state: QIcon.State, scale: float
    ) -> QPixmap:
        return self._picture(size, mode, scale)

    def paint(self, painter: QPainter, rect: QRect, mode: QIcon.Mode, _state: QIcon.State) -> None:
        device = painter.device()
        ratio = device.devicePixelRatioF() if device is not None else 1.0
        picture = self._picture(rect.size(), mode, ratio)
        size = picture.deviceIndependentSize()
        corner = QPoint(
            round((rect.width() - size.width()) / 2), round((rect.height() - size.height()) / 2)
        )
        painter.drawPixmap(rect.topLeft() + corner, picture)

    def clone(self) -> _Engine:
        """Return another one; it is kept, for Qt takes what it is given without a claim to it."""
        self._clones.append(_Engine(self._name, self._inks, self._size, self._room))
        return self._clones[-1]

    def _picture(self, size: QSize, mode: QIcon.Mode, ratio: float) -> QPixmap:
        """Return a picture that fits into a size; below it nothing changes but its pixels."""
        ink = self._inks()[mode == QIcon.Mode.Disabled]
        asked = (size.width(), size.height(), ink, ratio)
        found = self._pictures.get(asked)
        if found is None:
            found = self._pictures[asked] = self._made(size, ink, ratio)
        return found

    def _made(self, size: QSize, ink: str, ratio: float) -> QPixmap:
        height = self.actualSize(size, QIcon.Mode.Normal, QIcon.State.Off).height()
        room = round(self._room * height / self._size)
        return make_pixmap(self._name, ink, height, ratio, room)

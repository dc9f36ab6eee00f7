"""Our stroke icons: SVG files on a 24 px grid, drawn in the colour of a token."""

from __future__ import annotations

from functools import cache

from PySide6.QtCore import QByteArray, QRectF, Qt
from PySide6.QtGui import QIcon, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from studio_qt.resources import resource_text

__all__ = ["icon_source", "make_icon", "make_pixmap"]

_RATIOS = (1.0, 2.0, 3.0)


@cache
def make_icon(name: str, colour: str, disabled: str, size: int = 16, room: int = 0) -> QIcon:
    """Return an icon of `size` pixels for every pixel ratio; `colour`, `disabled`: `#rrggbb`.

    `room` pixels stay empty at its right: the distance to words that Qt sets too near.
    """
    icon = QIcon()
    for mode, ink in ((QIcon.Mode.Normal, colour), (QIcon.Mode.Disabled, disabled)):
        renderer = _renderer(name, ink, size)
        for ratio in _RATIOS:
            icon.addPixmap(_draw(renderer, size, ratio, room), mode)
    return icon


def make_pixmap(name: str, colour: str, size: int, ratio: float, room: int = 0) -> QPixmap:
    """Return one picture of an icon, `size` pixels large at the device pixel ratio `ratio`."""
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

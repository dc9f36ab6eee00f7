"""Pictures of the character: found in its package, and drawn in the place of initials."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path, PurePosixPath

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QRectF, QSize, Qt
from PySide6.QtGui import QImage, QImageReader, QPainter, QPainterPath, QPixmap

from studio_qt.files.there import is_folder
from studio_qt.ui.widgets.basics import Avatar

__all__ = ["Portrait", "picture_in", "picture_name", "read_picture"]

_STEMS = ("avatar", "portrait", "icon", "cover", "card")
_ENDS = (".png", ".jpg", ".jpeg", ".webp", ".gif", ".bmp", ".svg")
_LARGEST = 20_000_000
_SIDE = 192


class Portrait(Avatar):
    """A character's or user's picture, rounded; initials where there is none."""

    def __init__(self, name: str, kind: str = "character", size: int = 28) -> None:
        super().__init__(name, kind, size)
        self.kind = kind
        self._picture: QPixmap | None = None

    def set_picture(self, picture: QPixmap | None) -> None:
        """Show a picture; None shows the initials."""
        self._picture = picture
        self.draw_anew()

    def draw(self, painter: QPainter) -> None:
        if self._picture is None or self._picture.isNull():
            super().draw(painter)
            return
        painter.setRenderHints(
            QPainter.RenderHint.Antialiasing | QPainter.RenderHint.SmoothPixmapTransform
        )
        side = self.width()
        outline = QPainterPath()
        outline.addRoundedRect(QRectF(self.rect()), side * 0.22, side * 0.22)
        painter.setClipPath(outline)
        painter.drawPixmap(self.rect(), self._picture)


def read_picture(place: Path) -> QImage | None:
    """Return the picture of a character's folder or zip, square and small; for a thread.

    It is `avatar`, `portrait`, `icon`, `cover` or `card` with an ending of a picture, in the root.
    None where there is none, or none that can be read.
    """
    import zipfile  # not before the first paint
    import zlib

    try:
        data = _from_folder(place) if is_folder(place) else _from_zip(place)
    except (OSError, EOFError, ValueError, RuntimeError, zipfile.BadZipFile, zlib.error):
        return None
    return picture_in(data)


def _from_folder(place: Path) -> bytes:
    found = picture_name([entry.name for entry in place.iterdir() if entry.is_file()])
    if found is None or (place / found).stat().st_size > _LARGEST:
        return b""
    return (place / found).read_bytes()


def _from_zip(place: Path) -> bytes:
    from studio_qt.files.ziplist import open_list

    with open_list(place) as archive:
        names = [name for name in archive.namelist() if not name.endswith("/")]
        depth = min((name.count("/") for name in names), default=0)
        inside = {PurePosixPath(n).name: n for n in names if n.count("/") == depth}
        found = picture_name(list(inside))
        if found is None or archive.getinfo(inside[found]).file_size > _LARGEST:
            return b""
        with archive.open(inside[found]) as file:
            return file.read(_LARGEST + 1)  # no more than that, whatever the list says


def picture_name(names: Iterable[str]) -> str | None:
    """Return which of the files in a root is the picture, None where none is."""
    known = {name.lower(): name for name in names}
    wanted = (stem + end for stem in _STEMS for end in _ENDS)
    return next((known[name] for name in wanted if name in known), None)


def picture_in(data: bytes) -> QImage | None:
    """Return the picture in the bytes of a file, square and small; None for none. For a thread."""
    if not 0 < len(data) <= _LARGEST:
        return None
    buffer = QBuffer()
    buffer.setData(QByteArray(data))
    buffer.open(QIODevice.OpenModeFlag.ReadOnly)
    reader = QImageReader(buffer)
    reader.setAutoTransform(True)
    size = reader.size()
    if size.isValid() and min(size.width(), size.height()) > 0:
        scale = _SIDE / min(size.width(), size.height())
        if scale < 1:
            reader.setScaledSize(
                QSize(max(1, round(size.width() * scale)), max(1, round(size.height() * scale)))
            )
    image = reader.read()
    if image.isNull():
        return None
    side = min(image.width(), image.height())
    square = image.copy((image.width() - side) // 2, (image.height() - side) // 4, side, side)
    return square.scaled(
        _SIDE,
        _SIDE,
        Qt.AspectRatioMode.KeepAspectRatio,
        Qt.TransformationMode.SmoothTransformation,
    )

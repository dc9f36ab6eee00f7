"""Reading a picture for the preview, in a thread and within bounds."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QImage, QImageReader

from studio_qt.errors import StudioError

__all__ = ["Picture", "read_picture", "weight_text"]

_LONGEST_SIDE = 4096
_MOST_BYTES = 64 * 1024 * 1024
_MOST_MEGABYTES = 256


@dataclass(frozen=True, slots=True)
class Picture:
    """`image` is at most 4,096 pixels long; `size` is what the file has; `weight` in bytes."""

    image: QImage
    size: QSize
    weight: int
    kind: str


def read_picture(place: Path) -> Picture:
    """Return the picture of a file. Slow; may run in any thread.

    Raises StudioError with a sentence where the file is no picture that can be shown.
    """
    try:
        weight = place.stat().st_size
    except OSError as error:
        raise StudioError(f"{place.name} cannot be read: {error.strerror}.") from error
    if weight > _MOST_BYTES:
        raise StudioError(
            f"{place.name} has {weight_text(weight)}; pictures up to "
            f"{weight_text(_MOST_BYTES)} are shown here."
        )
    reader = QImageReader(str(place))
    reader.setDecideFormatFromContent(True)
    reader.setAutoTransform(True)
    reader.setAllocationLimit(_MOST_MEGABYTES)
    size = reader.size()
    if max(size.width(), size.height()) > _LONGEST_SIDE:
        bound = QSize(_LONGEST_SIDE, _LONGEST_SIDE)
        reader.setScaledSize(size.scaled(bound, Qt.AspectRatioMode.KeepAspectRatio))
    kind = bytes(reader.format().data()).decode().upper()
    image = reader.read()
    if image.isNull():
        raise StudioError(f"{place.name} is not a picture that can be shown: it may be damaged.")
    return Picture(image, size if size.isValid() else image.size(), weight, kind)


def weight_text(weight: int) -> str:
    """Return a number of bytes in words."""
    if weight < 1024:
        return "1 byte" if weight == 1 else f"{weight} bytes"
    if weight < 1024 * 1024:
        return f"{weight / 1024:.1f} KB"
    return f"{weight / 1024 / 1024:.1f} MB"

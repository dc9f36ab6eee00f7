"""`Pictures`: the handbook's pictures, decoded on a thread; until then there is room for each."""

from __future__ import annotations

import asyncio

from PySide6.QtCore import QObject, QSize, Qt, Signal
from PySide6.QtGui import QImage, QImageReader
from shiboken6 import isValid

from studio_qt.errors import StudioError
from studio_qt.resources import resource_path
from studio_qt.ui.tasks import Tasks

__all__ = ["Pictures"]


class Pictures(QObject):
    """Gives pictures by their path in the handbook, never wider than asked for.

    `came` carries the path of one that `get` had to leave empty. Each is kept in one size.
    """

    came = Signal(str)

    def __init__(self, tasks: Tasks, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._tasks = tasks
        self._kept: dict[str, QImage] = {}
        self._wanted: dict[str, tuple[QSize, float]] = {}
        self._running = False

    @property
    def settled(self) -> bool:
        """Whether no picture is on its way."""
        return not self._wanted

    def get(self, path: str, width: int, ratio: float) -> QImage | None:
        """Return a picture at most so many device pixels wide, or an empty one of its size.

        Of the file only the head is read. None where there is no such picture.
        """
        try:
            size = QImageReader(str(resource_path(f"handbook/{path}"))).size()
        except StudioError:
            return None
        if not size.isValid():
            return None
        if size.width() > width:
            size.scale(width, size.height(), Qt.AspectRatioMode.KeepAspectRatio)
        kept = self._kept.get(path)
        if kept is not None and kept.size() == size and kept.devicePixelRatio() == ratio:
            return kept
        self._wanted[path] = (size, ratio)
        if not self._running:
            self._running = True
            self._tasks.start(self._decode(), name="pictures of the handbook")
        return _empty(size, ratio)

    async def _decode(self) -> None:
        try:
            while isValid(self) and self._wanted:
                path, (size, ratio) = next(iter(self._wanted.items()))
                image = await asyncio.to_thread(_read, path, size)
                if not isValid(self):
                    return
                if self._wanted.get(path) == (size, ratio):
                    del self._wanted[path]
                    image.setDevicePixelRatio(ratio)
                    self._kept[path] = image
                    self.came.emit(path)
        finally:
            self._running = False


def _read(path: str, size: QSize) -> QImage:
    """Return a picture in a size, on any thread: Python is not held up by it."""
    reader = QImageReader(str(resource_path(f"handbook/{path}")))
    reader.setScaledSize(size)
    image = reader.read()
    return _empty(size, 1.0) if image.isNull() else image


def _empty(size: QSize, ratio: float) -> QImage:
    image = QImage(size, QImage.Format.Format_Alpha8)
    image.fill(0)
    image.setDevicePixelRatio(ratio)
    return image

"""`load_image_formats`: what has to come before pictures are read on another thread."""

from __future__ import annotations

from PySide6.QtGui import QImageReader

__all__ = ["load_image_formats"]


def load_image_formats() -> None:
    """Load Qt's readers of images on the window's thread; 4 ms the first time, then nothing.

    The first use of a reader hands it over to this thread under locks of Qt. From another thread,
    which holds Python's lock meanwhile, both would wait for each other for ever whenever this one
    is just about to delete something that Python knows.
    """
    QImageReader.supportedImageFormats()

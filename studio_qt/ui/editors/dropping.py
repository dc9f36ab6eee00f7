"""Files that are dropped: where they belong, and a widget that takes them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from PySide6.QtCore import QMimeData, Signal
from PySide6.QtGui import QDragEnterEvent, QDragMoveEvent, QDropEvent
from PySide6.QtWidgets import QWidget

__all__ = ["DropPage", "local_files", "sorted_out"]


class DropPage(QWidget):
    """`files_dropped` carries the local paths of what was dropped on it."""

    files_dropped = Signal(list)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAcceptDrops(True)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if event.mimeData().hasUrls():
            event.acceptProposedAction()

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        if event.mimeData().hasUrls():
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        if files := local_files(event.mimeData()):
            self.files_dropped.emit(files)
            event.acceptProposedAction()


def local_files(data: QMimeData) -> list[str]:
    """Return the paths of the files that are dragged."""
    return [url.toLocalFile() for url in data.urls() if url.isLocalFile()]


def sorted_out(root: Path | None, files: Iterable[str]) -> tuple[list[str], list[str]]:
    """Return the files of the project as its paths, and the others; folders of it are left out.

    Looks at the disk.
    """
    inside: list[str] = []
    outside: list[str] = []
    base = root.resolve() if root is not None else None
    for file in files:
        place = Path(file).resolve()
        if base is None or not place.is_relative_to(base):
            outside.append(file)
        elif place.is_file():
            inside.append(place.relative_to(base).as_posix())
    return inside, outside

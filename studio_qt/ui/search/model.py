"""`ResultModel`: files that match, and the lines below each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from studio_qt.ui.search.engine import FileHits, Hit

__all__ = ["FileRole", "HitRole", "ResultModel"]

Index = QModelIndex | QPersistentModelIndex
FileRole = int(Qt.ItemDataRole.UserRole)
"""The `FileHits` of a row, or of the file that a line belongs to."""
HitRole = FileRole + 1
"""The `Hit` of a line; None for a file."""

_NONE = 0  # the internal id of files; lines have the number of their file, plus one


class ResultModel(QAbstractItemModel):
    """Results in the order in which they came. With `replacing`, files can be unchecked."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._files: list[FileHits] = []
        self._off: set[str] = set()
        self.replacing = False

    @property
    def files(self) -> Sequence[FileHits]:
        """All files that match."""
        return self._files

    @property
    def checked(self) -> list[FileHits]:
        """The files in which to replace."""
        return [file for file in self._files if file.path not in self._off]

    @property
    def count(self) -> int:
        """How many matches there are."""
        return sum(len(file.hits) for file in self._files)

    def begin(self, *, replacing: bool) -> None:
        """Forget all results."""
        self.beginResetModel()
        self._files.clear()
        self._off.clear()
        self.replacing = replacing
        self.endResetModel()

    def add(self, files: Sequence[FileHits]) -> None:
        """Add files below the others."""
        if files:
            first = len(self._files)
            self.beginInsertRows(QModelIndex(), first, first + len(files) - 1)
            self._files += files
            self.endInsertRows()

    def toggle(self, index: Index) -> None:
        """Take a file in or out of what is replaced."""
        file = index.data(FileRole)
        if self.replacing and isinstance(file, FileHits):
            self._off ^= {file.path}
            whole = self.index(self._files.index(file), 0)
            self.dataChanged.emit(whole, whole, [Qt.ItemDataRole.CheckStateRole])

    # Qt

    def index(self, row: int, column: int, parent: Index | None = None) -> QModelIndex:
        if column != 0 or not 0 <= row < self.rowCount(parent):
            return QModelIndex()
        above = parent.row() + 1 if parent is not None and parent.isValid() else _NONE
        return self.createIndex(row, 0, above)

    def parent(self, index: Index) -> QModelIndex:  # type: ignore[override]  # Qt has two
        if not index.isValid() or index.internalId() == _NONE:
            return QModelIndex()
        return self.createIndex(index.internalId() - 1, 0, _NONE)

    def rowCount(self, parent: Index | None = None) -> int:
        if parent is None or not parent.isValid():
            return len(self._files)
        return len(self._files[parent.row()].hits) if parent.internalId() == _NONE else 0

    def columnCount(self, _parent: Index | None = None) -> int:
        return 1

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        is_file = index.internalId() == _NONE
        file = self._files[index.row() if is_file else index.internalId() - 1]
        hit = None if is_file else file.hits[index.row()]
        if role == FileRole:
            return file
        if role == HitRole:
            return hit
        if role == Qt.ItemDataRole.CheckStateRole and is_file and self.replacing:
            off = file.path in self._off
            return Qt.CheckState.Unchecked if off else Qt.CheckState.Checked
        if role == Qt.ItemDataRole.DisplayRole:
            return file.path if hit is None else hit.before + hit.found + hit.after
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return self._spoken(file, hit)
        return None

    def _spoken(self, file: FileHits, hit: Hit | None) -> str:
        if hit is None:
            count = f"{len(file.hits)} {'match' if len(file.hits) == 1 else 'matches'}"
            off = ", left as it is" if self.replacing and file.path in self._off else ""
            return f"{file.path}, {count}{', not saved' if file.unsaved else ''}{off}"
        line = f"Line {hit.line}: {hit.before}{hit.found}{hit.after}"
        return line if hit.new is None else f"{line}, becomes {hit.before}{hit.new}{hit.after}"

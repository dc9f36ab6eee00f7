"""`LogModel`: the newest lines of the agent log, those that the filter lets through."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from studio_qt.ui.agentlog.lines import LogRow

__all__ = ["COLUMNS", "KEPT", "LogModel", "RowRole"]

Index = QModelIndex | QPersistentModelIndex
RowRole = int(Qt.ItemDataRole.UserRole)
COLUMNS = ("Time", "Agent", "Kind", "What", "Tokens", "Took")
KEPT = 5_000
"""Lines that are kept; the file has the others."""


class LogModel(QAbstractTableModel):
    """Rows in the order in which they came; the oldest go when there are more than `KEPT`."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._all: list[LogRow] = []
        self._shown: list[LogRow] = []
        self._agent = self._words = ""

    @property
    def rows(self) -> Sequence[LogRow]:
        """What is shown."""
        return self._shown

    @property
    def agents(self) -> list[str]:
        """The agents that have lines, in the order of their names."""
        return sorted({row.agent for row in self._all})

    @property
    def count(self) -> int:
        """How many lines there are, shown or not."""
        return len(self._all)

    def begin(self, rows: Iterable[LogRow]) -> None:
        """Show other lines."""
        self.beginResetModel()
        self._all = list(rows)[-KEPT:]
        self._shown = self._let_through(self._all)
        self.endResetModel()

    def add(self, rows: Sequence[LogRow]) -> None:
        """Add lines below the others."""
        rows = rows[-KEPT:]
        self._all += rows
        self._cut()
        fresh = self._let_through(rows)
        if fresh:
            first = len(self._shown)
            self.beginInsertRows(QModelIndex(), first, first + len(fresh) - 1)
            self._shown += fresh
            self.endInsertRows()

    def filter(self, agent: str, words: str) -> None:
        """Show only the lines of an agent ("" is all) that have the words."""
        wanted = (agent, words.strip().casefold())
        if wanted != (self._agent, self._words):
            self._agent, self._words = wanted
            self.beginResetModel()
            self._shown = self._let_through(self._all)
            self.endResetModel()

    # Qt

    def rowCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self._shown)

    def columnCount(self, _parent: Index | None = None) -> int:
        return len(COLUMNS)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        row = self._shown[index.row()]
        if role == RowRole:
            return row
        if role == Qt.ItemDataRole.AccessibleTextRole and index.column() == 0:
            return row.text
        if role == Qt.ItemDataRole.DisplayRole:
            return row.cells[index.column()]
        return None

    def headerData(
        self,
        section: int,
        orientation: Qt.Orientation,
        role: int = Qt.ItemDataRole.DisplayRole,
    ) -> Any:
        if role == Qt.ItemDataRole.DisplayRole and orientation == Qt.Orientation.Horizontal:
            return COLUMNS[section]
        return None

    # Helpers

    def _let_through(self, rows: Iterable[LogRow]) -> list[LogRow]:
        agent, words = self._agent, self._words
        return [
            row
            for row in rows
            if (not agent or row.agent == agent) and (not words or row.has(words))
        ]

    def _cut(self) -> None:
        """Let the oldest lines go."""
        over = len(self._all) - KEPT
        if over <= 0:
            return
        gone = self._all[:over]
        del self._all[:over]
        shown = len(self._let_through(gone))
        if shown:
            self.beginRemoveRows(QModelIndex(), 0, shown - 1)
            del self._shown[:shown]
            self.endRemoveRows()

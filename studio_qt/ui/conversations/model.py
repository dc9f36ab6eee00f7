"""`ConversationModel`: the rows of the list, shared by all views of it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    Signal,
)

from studio_qt.ui.conversations.listing import Listed, when_words
from studio_qt.ui.widgets.tips import plain_tip

__all__ = ["ConversationModel", "CurrentRole", "ListedRole", "WhenRole"]

_Index = QModelIndex | QPersistentModelIndex

ListedRole = Qt.ItemDataRole.UserRole
CurrentRole = Qt.ItemDataRole.UserRole + 1
"""Whether a row is the conversation that is open."""

WhenRole = Qt.ItemDataRole.UserRole + 2
"""When it was changed last, in words."""

_USABLE = (
    Qt.ItemFlag.ItemIsEnabled
    | Qt.ItemFlag.ItemIsSelectable
    | Qt.ItemFlag.ItemIsEditable
    | Qt.ItemFlag.ItemNeverHasChildren
)


class ConversationModel(QAbstractListModel):
    """One row a conversation. `named` carries an id and the name that was typed for it."""

    named = Signal(str, str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: list[Listed] = []
        self._places: dict[str, int] = {}
        self.current = ""

    @property
    def rows(self) -> Sequence[Listed]:
        """The rows from the top."""
        return self._rows

    def show_rows(self, rows: Sequence[Listed], current: str) -> None:
        """Show other rows; views keep what is selected where it is still there."""
        same = [row.id for row in rows] == [row.id for row in self._rows]
        if same:
            changed = [at for at, row in enumerate(rows) if row != self._rows[at]]
            moved = {self._places.get(self.current), self._places.get(current)}
            self._rows, before, self.current = list(rows), self.current, current
            if before != current:
                changed += [at for at in moved if at is not None]
            for at in changed:
                self.dataChanged.emit(self.index(at), self.index(at))
            return
        self.beginResetModel()
        self._rows, self.current = list(rows), current
        self._places = {row.id: at for at, row in enumerate(rows)}
        self.endResetModel()

    def find(self, conversation: str) -> Listed | None:
        """Return the row of a conversation."""
        at = self._places.get(conversation)
        return None if at is None else self._rows[at]

    def index_of(self, conversation: str) -> QModelIndex:
        """Return where a conversation is; an invalid index where it is not."""
        at = self._places.get(conversation)
        return QModelIndex() if at is None else self.index(at)

    # Qt

    def rowCount(self, parent: _Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self._rows)

    def flags(self, index: _Index) -> Qt.ItemFlag:
        if not index.isValid():
            return Qt.ItemFlag.NoItemFlags
        return _USABLE

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid() or index.row() >= len(self._rows):
            return None
        row = self._rows[index.row()]
        if role == ListedRole:
            return row
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.EditRole):
            return row.name
        if role == CurrentRole:
            return row.id == self.current
        if role == WhenRole:
            return when_words(row.updated, datetime.now().astimezone())
        if role == Qt.ItemDataRole.ToolTipRole:
            return plain_tip("\n".join(self._facts(row)))
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return "\n".join(self._facts(row))
        return None

    def setData(self, index: _Index, value: object, role: int = Qt.ItemDataRole.EditRole) -> bool:
        if role != Qt.ItemDataRole.EditRole or not index.isValid():
            return False
        self.named.emit(self._rows[index.row()].id, str(value))
        return True

    def _facts(self, row: Listed) -> list[str]:
        """Return what there is to say of a conversation, sentence by sentence."""
        if not row.readable:
            return [row.id, "This file is no conversation that can be read."]
        facts = [row.name]
        if row.id == self.current:
            facts.append("This conversation is open.")
        count = "1 entry" if row.messages == 1 else f"{row.messages:,} entries"
        facts.append(f"{row.id}, {count}.")
        if when := when_words(row.updated, datetime.now().astimezone()):
            facts.append(f"Last changed: {when}.")
        if row.origin:
            origin = self.find(row.origin)
            facts.append(f"Forked from {origin.name if origin is not None else row.origin}.")
        if row.model:
            facts.append(f"{row.model} answers.")
        return facts

"""`ProjectModel`: the rows of the tree for Qt, changed step by step and never reset."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from PySide6.QtCore import (
    QAbstractItemModel,
    QMimeData,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    QUrl,
    Signal,
)

from studio_qt.ui.project.changes import Change, Inserted, Removed, Updated
from studio_qt.ui.project.items import ROOT, Item
from studio_qt.ui.widgets.filekinds import KINDS
from studio_qt.ui.widgets.tips import plain_tip

__all__ = ["DRAFT", "PATHS_FORMAT", "ItemRole", "ProjectModel", "StateRole", "UnsavedRole"]

Index = QModelIndex | QPersistentModelIndex
ItemRole = int(Qt.ItemDataRole.UserRole)
"""The `Item` of a row."""
StateRole = ItemRole + 1
"""What is wrong with a row: "error", "warning" or ""; for folders, with what is in them."""
UnsavedRole = ItemRole + 2
"""Whether the text of a row is not saved."""

PATHS_FORMAT = "application/x-character-studio-paths"
"""Relative paths, one a line: how the tree knows what it dragged itself."""

DRAFT = "draft:"
"""How the key of a draft begins."""

_PLAIN = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsDropEnabled
_FOLDER = _PLAIN | Qt.ItemFlag.ItemIsDragEnabled | Qt.ItemFlag.ItemIsEditable
_FILE = _FOLDER | Qt.ItemFlag.ItemNeverHasChildren


class _Node:
    """A row: its item, and where it stands."""

    __slots__ = ("children", "ident", "item", "parent", "row")

    def __init__(self, item: Item, parent: _Node | None, ident: int) -> None:
        self.item = item
        self.parent = parent
        self.ident = ident
        self.row = 0
        self.children: list[_Node] = []


class ProjectModel(QAbstractItemModel):
    """Rows found by their key. `named` carries the key and the new name that was typed.

    A draft is a row whose name is still being typed; it is no part of the tree that changes are
    told against.
    """

    named = Signal(str, str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._idents = 0
        self._by_ident: dict[int, _Node] = {}
        self._by_key: dict[str, _Node] = {}
        self._root = self._node(Item(ROOT, "", "", "group"), None)
        self._by_ident[0] = self._root  # what an invalid index has
        self._problems: Mapping[str, str] = {}
        self._inside: Mapping[str, str] = {}
        self._unsaved: frozenset[str] = frozenset()
        self.place = ""

    # Reading

    def index_of(self, key: str) -> QModelIndex:
        """Return the index of a key, an invalid one where there is none."""
        node = self._by_key.get(key)
        return QModelIndex() if node is None or node is self._root else self._index(node)

    def item(self, index: Index) -> Item | None:
        """Return the item of an index."""
        return self._at(index).item if index.isValid() else None

    def depth(self, index: Index) -> int:
        """Return how many rows stand above an index, without its group."""
        node, depth = self._at(index).parent, -1
        while node is not None and node is not self._root:
            node, depth = node.parent, depth + 1
        return max(depth, 0)

    def has_kind(self, kind: str) -> bool:
        """Return whether there is a row of a kind."""
        return any(node.item.kind == kind for node in self._by_ident.values())

    def marks(self, item: Item) -> tuple[str, bool]:
        """Return what `StateRole` and `UnsavedRole` say of an item."""
        return self._state(item), item.is_file and item.path in self._unsaved

    def keys(self) -> Collection[str]:
        """Return the keys of all rows."""
        return self._by_key.keys()

    def names_below(self, key: str) -> list[str]:
        """Return the names of the rows directly below a key."""
        node = self._by_key.get(key)
        return [child.item.name for child in node.children] if node else []

    # Changing

    def take(self, change: Change) -> None:
        """Take one change; what it names and is not there any more is passed over."""
        if isinstance(change, Updated):
            self._update(change)
        elif isinstance(change, Removed):
            self._remove(change)
        else:
            self._insert(change)

    def add_draft(self, parent: str, kind: str, path: str, name: str) -> QModelIndex:
        """Add a row at the front of `parent` whose name is to be typed; returns its index."""
        node = self._by_key.get(parent, self._root)
        self.drop_draft()
        self.beginInsertRows(self._index(node), 0, 0)
        draft = self._node(Item(f"{DRAFT}{parent}", path, name, kind), node)
        node.children.insert(0, draft)
        _number(node)
        self.endInsertRows()
        return self._index(draft)

    def drop_draft(self) -> None:
        """Take the draft away, where there is one."""
        key = next((key for key in self._by_key if key.startswith(DRAFT)), None)
        if key is not None:
            draft = self._by_key[key]
            self._take_out(draft.parent or self._root, draft.row, 1)

    def set_problems(self, problems: Mapping[str, str]) -> None:
        """Say which files have problems: path to "error" or "warning"."""
        changed = _differences(self._problems, problems)
        self._problems = dict(problems)
        self._inside = self._summed()
        self._repaint(changed)

    def set_unsaved(self, paths: frozenset[str]) -> None:
        """Say whose text is not saved."""
        changed = self._unsaved ^ paths
        self._unsaved = paths
        self._repaint(changed)

    # Qt

    def index(self, row: int, column: int, parent: Index | None = None) -> QModelIndex:
        node = self._at(parent)
        if column != 0 or not 0 <= row < len(node.children):
            return QModelIndex()
        return self._index(node.children[row])

    def parent(self, index: Index) -> QModelIndex:  # type: ignore[override]  # Qt has two of the name
        node = self._at(index).parent if index.isValid() else None
        return QModelIndex() if node is None or node is self._root else self._index(node)

    def rowCount(self, parent: Index | None = None) -> int:
        return len(self._at(parent).children)

    def hasChildren(self, parent: Index | None = None) -> bool:
        return bool(self._at(parent).children)

    def columnCount(self, _parent: Index | None = None) -> int:
        return 1

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        item = self._at(index).item
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.EditRole):
            return item.name
        if role == ItemRole:
            return item
        if role == StateRole:
            return self._state(item)
        if role == UnsavedRole:
            return self.marks(item)[1]
        if role == Qt.ItemDataRole.ToolTipRole:
            return plain_tip(item.path) if item.is_file or item.is_folder else None
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return self._spoken(item)
        return None

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        """Tell the name that was typed; the row changes when the file has."""
        if role != Qt.ItemDataRole.EditRole or not index.isValid():
            return False
        self.named.emit(self._at(index).item.key, str(value))
        return True

    def flags(self, index: Index) -> Qt.ItemFlag:
        if not index.isValid():
            return Qt.ItemFlag.ItemIsDropEnabled
        item = self._at(index).item
        return _FILE if item.is_file else _FOLDER if item.is_folder else _PLAIN

    def mimeTypes(self) -> list[str]:
        return ["text/uri-list", PATHS_FORMAT]

    def mimeData(self, indexes: Sequence[QModelIndex]) -> QMimeData:
        """Return files as URLs for other programs, and as relative paths for the tree itself."""
        items = [item for index in indexes if (item := self.item(index)) is not None]
        return self.mime_of([item.path for item in items if item.is_file or item.is_folder])

    def mime_of(self, paths: Sequence[str]) -> QMimeData:
        """Return what stands for these paths on the clipboard and in a drag."""
        data = QMimeData()
        data.setUrls([QUrl.fromLocalFile(f"{self.place}/{path}") for path in paths])
        data.setData(PATHS_FORMAT, "\n".join(paths).encode())
        return data

    def supportedDropActions(self) -> Qt.DropAction:
        return Qt.DropAction.MoveAction | Qt.DropAction.CopyAction

    def supportedDragActions(self) -> Qt.DropAction:
        return Qt.DropAction.MoveAction | Qt.DropAction.CopyAction

    # Helpers

    def _node(self, item: Item, parent: _Node | None) -> _Node:
        self._idents += 1
        node = _Node(item, parent, self._idents)
        self._by_ident[node.ident] = node
        self._by_key[item.key] = node
        node.children = [self._node(child, node) for child in item.children]
        _number(node)
        return node

    def _index(self, node: _Node) -> QModelIndex:
        if node is self._root:
            return QModelIndex()
        return self.createIndex(node.row, 0, node.ident)

    def _at(self, index: Index | None) -> _Node:
        return self._root if index is None else self._by_ident[index.internalId()]

    def _update(self, change: Updated) -> None:
        node = self._by_key.get(change.item.key)
        if node is not None:
            node.item = change.item
            index = self._index(node)
            self.dataChanged.emit(index, index)

    def _remove(self, change: Removed) -> None:
        parent = self._by_key.get(change.parent)
        nodes = [self._by_key.get(key) for key in change.keys]
        rows = [node.row for node in nodes if node is not None and node.parent is parent]
        if parent is not None and rows:
            self._take_out(parent, min(rows), len(rows))

    def _insert(self, change: Inserted) -> None:
        parent = self._by_key.get(change.parent)
        if parent is None:
            return
        before = self._by_key.get(change.after) if change.after else None
        row = before.row + 1 if before is not None else int(self._has_draft(parent))
        self.beginInsertRows(self._index(parent), row, row + len(change.items) - 1)
        parent.children[row:row] = [self._node(item, parent) for item in change.items]
        _number(parent)
        self.endInsertRows()

    def _has_draft(self, parent: _Node) -> bool:
        return bool(parent.children) and parent.children[0].item.key.startswith(DRAFT)

    def _take_out(self, parent: _Node, row: int, count: int) -> None:
        self.beginRemoveRows(self._index(parent), row, row + count - 1)
        gone = parent.children[row : row + count]
        del parent.children[row : row + count]
        _number(parent)
        self.endRemoveRows()
        while gone:
            node = gone.pop()
            gone.extend(node.children)
            del self._by_ident[node.ident]
            if self._by_key.get(node.item.key) is node:
                del self._by_key[node.item.key]

    def _state(self, item: Item) -> str:
        if item.is_file:
            return self._problems.get(item.path, "")
        return self._inside.get(item.path, "") if item.is_folder else ""

    def _summed(self) -> dict[str, str]:
        """Return the worst of what is in each folder."""
        worst: dict[str, str] = {}
        for path, severity in self._problems.items():
            folder = path.rpartition("/")[0]
            while folder:
                if worst.get(folder) != "error":
                    worst[folder] = severity
                folder = folder.rpartition("/")[0]
        return worst

    def _repaint(self, paths: Collection[str]) -> None:
        keys = set(paths)
        for path in paths:
            keys.update(path[:place] for place, sign in enumerate(path) if sign == "/")
        for key in keys:
            if (node := self._by_key.get(key)) is not None:
                index = self._index(node)
                self.dataChanged.emit(index, index, [StateRole])

    def _spoken(self, item: Item) -> str:
        kind = KINDS[item.kind]
        words = [item.name, kind.words]
        if item.kind == "group":
            return f"{item.name}, {item.count} {'file' if item.count == 1 else 'files'}"
        if item.mark and item.mark != kind.mark:
            words.append(f"{item.mark} tokens")
        if item.apart:
            words.append("not in the prompt")
        if item.path in self._unsaved and item.is_file:
            words.append("not saved")
        state = self._state(item)
        if state:
            words.append(f"has {'an error' if state == 'error' else 'a warning'}")
        return ", ".join(words)


def _number(node: _Node) -> None:
    for row, child in enumerate(node.children):
        child.row = row


def _differences(old: Mapping[str, str], new: Mapping[str, str]) -> set[str]:
    return {path for path in old.keys() | new.keys() if old.get(path) != new.get(path)}

"""`ProjectModel`: the rows of the tree for Qt, changed step by step and never reset.

Qt asks for rows, their flags, sizes and parents thousands of times whenever it lays a tree out: in
Python that was 60 µs a row. So that Qt answers itself, rows are kept in its own model, with all
that they show.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from PySide6.QtCore import (
    QMimeData,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QSignalBlocker,
    QSize,
    Qt,
    QUrl,
    Signal,
)
from PySide6.QtGui import QStandardItemModel

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

_FLAGS = ItemRole - 1
"""Where Qt's model keeps the flags of a row."""

_DISPLAY = int(Qt.ItemDataRole.DisplayRole)
_SIZE = int(Qt.ItemDataRole.SizeHintRole)
_SPOKEN = int(Qt.ItemDataRole.AccessibleTextRole)
_TIP = int(Qt.ItemDataRole.ToolTipRole)

_WIDTH = 120

_FLAG = Qt.ItemFlag
_PLAIN = (_FLAG.ItemIsEnabled | _FLAG.ItemIsSelectable | _FLAG.ItemIsDropEnabled).value
_FOLDER = _PLAIN | (_FLAG.ItemIsDragEnabled | _FLAG.ItemIsEditable).value
_FILE = _FOLDER | _FLAG.ItemNeverHasChildren.value


class _Node:
    """A row: its item, where it stands, and its height."""

    __slots__ = ("children", "depth", "is_tall", "item", "parent", "row")

    def __init__(self, item: Item, parent: _Node | None) -> None:
        self.item = item
        self.parent = parent
        self.depth: int = -2 if parent is None else parent.depth + 1
        self.row = 0
        self.is_tall = False
        self.children: Sequence[_Node] = ()  # no list of its own for each of thousands of files


class ProjectModel(QStandardItemModel):
    """Rows found by their key. `named` carries the key and the new name that was typed.

    `filled` carries parent, first and last row of rows that have come: unlike `rowsInserted` it
    comes when they have what they show. A draft is a row whose name is still being typed; it is
    no part of the tree that changes are told against.
    """

    named = Signal(str, str)
    filled = Signal(QModelIndex, int, int)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.setColumnCount(1)
        self.invisibleRootItem().setFlags(Qt.ItemFlag.ItemIsDropEnabled)
        self._root = _Node(Item(ROOT, "", "", "group"), None)
        self._by_key: dict[str, _Node] = {ROOT: self._root}
        self._stores: set[str] = set()
        self._plain = self._tall = self._group = QSize(_WIDTH, 0)
        self._problems: Mapping[str, str] = {}
        self._inside: Mapping[str, str] = {}
        self._unsaved: frozenset[str] = frozenset()
        self.place = ""

    # Reading

    def index_of(self, key: str) -> QModelIndex:
        """Return the index of a key, an invalid one where there is none."""
        node = self._by_key.get(key)
        return QModelIndex() if node is None or node is self._root else self._index(node)

    def item(self, index: Index) -> Item | None:  # type: ignore[override]  # Qt's is of rows
        """Return the item of an index."""
        item = index.data(ItemRole)
        return item if isinstance(item, Item) else None

    def depth(self, index: Index) -> int:
        """Return how many rows stand above an index, without its group."""
        item = self.item(index)
        node = self._by_key.get(item.key) if item is not None else None
        return max(node.depth, 0) if node is not None else 0

    @property
    def stores(self) -> Collection[str]:
        """The keys of rows whose long names may take two lines."""
        return self._stores

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

    def empty(self) -> None:
        """Take all rows away at once."""
        if self._root.children:
            self._take_out(self._root, 0, len(self._root.children))

    def add_draft(self, parent: str, kind: str, path: str, name: str) -> QModelIndex:
        """Add a row at the front of `parent` whose name is to be typed; returns its index."""
        node = self._by_key.get(parent, self._root)
        self.drop_draft()
        self._put_in(node, 0, [Item(f"{DRAFT}{parent}", path, name, kind)])
        return self._index(node.children[0])

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

    def set_heights(self, plain: int, group: int, tall: int) -> bool:
        """Say how high rows are: plain ones, groups, and those that are `set_tall`.

        Returns whether that is news. The view is not told: it is the one who says so.
        """
        sizes = [QSize(_WIDTH, height) for height in (plain, group, tall)]
        if sizes == [self._plain, self._group, self._tall]:
            return False
        self._plain, self._group, self._tall = sizes
        with QSignalBlocker(self):
            for node in self._by_key.values():
                self._show(node)
        return True

    def set_tall(self, tall: Mapping[str, bool]) -> bool:
        """Say by key which rows take two lines; returns whether that is news, as above."""
        nodes = [self._by_key[key] for key in tall]
        changed = [node for node in nodes if node.is_tall != tall[node.item.key]]
        with QSignalBlocker(self):
            for node in changed:
                node.is_tall = not node.is_tall
                self._show(node)
        return bool(changed)

    # Qt

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        """Tell the name that was typed; the row changes when the file has."""
        if role != Qt.ItemDataRole.EditRole or not index.isValid():
            return False
        if (item := self.item(index)) is not None:
            self.named.emit(item.key, str(value))
        return True

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

    def _index(self, node: _Node) -> QModelIndex:
        if node.parent is None:
            return QModelIndex()
        return self.index(node.row, 0, self._index(node.parent))

    def _show(self, node: _Node) -> None:
        """Let Qt's row have what it shows."""
        if node is not self._root:
            self.setItemData(self._index(node), self._values(node))

    def _values(self, node: _Node) -> dict[int, object]:
        item = node.item
        is_file, is_group = item.is_file, item.kind == "group"
        values: dict[int, object] = {
            _DISPLAY: item.name,
            ItemRole: item,
            StateRole: self._state(item),
            UnsavedRole: is_file and item.path in self._unsaved,
            _SPOKEN: self._spoken(item),
            _SIZE: self._group if is_group else self._tall if node.is_tall else self._plain,
            _FLAGS: _FILE if is_file else _FOLDER if item.kind == "folder" else _PLAIN,
        }
        if is_file or item.is_folder:
            values[_TIP] = plain_tip(item.path) if "<" in item.path else item.path
        return values

    def _update(self, change: Updated) -> None:
        node = self._by_key.get(change.item.key)
        if node is not None:
            node.item = change.item
            self._show(node)

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
        self._put_in(parent, row, change.items)

    def _put_in(self, parent: _Node, row: int, items: Sequence[Item]) -> None:
        nodes = [_Node(item, parent) for item in items]
        for node in nodes:
            self._by_key[node.item.key] = node
            if node.item.kind == "store":
                self._stores.add(node.item.key)
        parent.children = [*parent.children[:row], *nodes, *parent.children[row:]]
        _number(parent)
        above = self._index(parent)
        self.insertRows(row, len(nodes), above)
        with QSignalBlocker(self):  # the view lays its rows out later, and all of them
            for at, node in enumerate(nodes, row):
                index = self.index(at, 0, above)
                self.setItemData(index, self._values(node))
                if not node.item.is_file:
                    self.insertColumns(0, 1, index)
        self.filled.emit(above, row, row + len(nodes) - 1)

    def _has_draft(self, parent: _Node) -> bool:
        return bool(parent.children) and parent.children[0].item.key.startswith(DRAFT)

    def _take_out(self, parent: _Node, row: int, count: int) -> None:
        self.removeRows(row, count, self._index(parent))
        gone = list(parent.children[row : row + count])
        parent.children = [*parent.children[:row], *parent.children[row + count :]]
        _number(parent)
        while gone:
            node = gone.pop()
            gone.extend(node.children)
            if self._by_key.get(node.item.key) is node:
                del self._by_key[node.item.key]
                self._stores.discard(node.item.key)

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
                self._show(node)

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

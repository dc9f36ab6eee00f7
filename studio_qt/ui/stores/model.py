"""`StoreModel`: two values side by side as one tree, for two views that share their rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from studio_qt.jsontext import JsonValue
from studio_qt.ui.stores.nodes import LEFT, RIGHT, Node, Spec, identical, number, runs, same_keys
from studio_qt.ui.stores.pairing import MISSING, Missing, Pair, Pairs, Sign, Slot, pairs_of, sign_of
from studio_qt.ui.stores.values import Key, Path, kind_of, scalar_of, short_text
from studio_qt.ui.widgets.tips import plain_tip

__all__ = ["LEFT", "RIGHT", "Index", "Node", "StoreModel"]

Index = QModelIndex | QPersistentModelIndex

_GROUP = 200
"""Children beyond which they are gathered in groups, so that no row costs thousands of others."""

_SAID: dict[Sign, str] = {
    "": "",
    "+": "only on the left",
    "−": "only on the right",
    "±": "differs",
}

_NONE = Qt.ItemFlag.NoItemFlags
_PLAIN = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
_EDITABLE = _PLAIN | Qt.ItemFlag.ItemIsEditable


class StoreModel(QAbstractItemModel):
    """Rows are built when they are looked at. It shows values; who owns them changes them.

    Column 0 is the left side, column 1 the right one. `editable` tells of each side whether its
    values may be typed over; `typed` get column, path and value of what was, `named` column, path
    and the new name of a field.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._nodes: dict[int, Node] = {}
        self._next = 0
        self.editable = [True, True]
        self.typed: list[Callable[[int, Path, JsonValue], None]] = []
        self.named: list[Callable[[int, Path, str], None]] = []
        self._root = self._make(None, 0, Pair(None, None, {}, {}))

    # Values

    @property
    def root(self) -> Node:
        """What holds the rows; it has none itself."""
        return self._root

    def value(self, side: int) -> Slot:
        """Return a whole side."""
        return self._root.value(side)

    def show(self, left: Slot, right: Slot) -> None:
        """Show other values; rows that stay keep whether they are open."""
        self._root.pair = Pair(None, None, left, right)
        self._sync(self._root)

    # Rows

    def node(self, index: Index) -> Node:
        """Return a row's node; the root for no index."""
        return self._nodes[index.internalId()] if index.isValid() else self._root

    def path(self, index: Index, side: int | None = None) -> Path | None:
        """Return where a row's value is on a side (its column's); None where that has none."""
        node: Node | None = self.node(index)
        at = index.column() if side is None else side
        keys: list[Key] = []
        while node is not None and node.parent is not None:
            if node.pair is not None:
                key = node.key(at)
                if key is None:
                    return None
                keys.append(key)
            node = node.parent
        return tuple(reversed(keys))

    def index_of(self, path: Path, side: int) -> QModelIndex:
        """Return the row of a path, building what it lies in; no index where there is none."""
        node = self._root
        for key in path:
            found = self._child_of(node, key, side)
            if found is None:
                return QModelIndex()
            node = found
        return self._index(node, side)

    def sign(self, node: Node) -> Sign:
        """Return how the two sides of a row stand to each other."""
        if node.sign is None:
            if node.pair is not None:
                node.sign = sign_of(node.pair.left, node.pair.right)
            else:
                node.sign = self._group_sign(node)
        return node.sign

    def label(self, node: Node, side: int) -> str:
        """Return what stands for a row's key."""
        if node.pair is not None:
            key = node.key(side)
            return "" if key is None else str(key)
        return f"{node.start:,} … {node.stop - 1:,}"

    # Qt

    def index(self, row: int, column: int, parent: Index | None = None) -> QModelIndex:
        if column not in (LEFT, RIGHT) or row < 0:
            return QModelIndex()
        children = self._children(self.node(parent) if parent is not None else self._root)
        if row >= len(children):
            return QModelIndex()
        return self.createIndex(row, column, children[row].number)

    def parent(self, index: Index) -> QModelIndex:  # type: ignore[override]  # Qt has two
        above = self.node(index).parent if index.isValid() else None
        return QModelIndex() if above is None else self._index(above, LEFT)

    def rowCount(self, parent: Index | None = None) -> int:
        if parent is not None and parent.isValid() and parent.column() != LEFT:
            return 0
        return len(self._children(self.node(parent) if parent is not None else self._root))

    def hasChildren(self, parent: Index | None = None) -> bool:
        if parent is not None and parent.isValid() and parent.column() != LEFT:
            return False
        node = self.node(parent) if parent is not None else self._root
        if node.children is not None:
            return bool(node.children)
        if node.pair is None:
            return node.stop > node.start
        left, right = node.pair.left, node.pair.right
        return bool(
            (left and isinstance(left, (dict, list))) or (right and isinstance(right, (dict, list)))
        )

    def columnCount(self, _parent: Index | None = None) -> int:
        return 2

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Tell what may be done to a row; views ask it of all rows of an open list at once."""
        node = self._nodes.get(index.internalId()) if index.isValid() else None
        if node is None:
            return _NONE
        side = index.column()
        if node.pair is None or not self.editable[side] or node.value(side) is MISSING:
            return _PLAIN
        return _EDITABLE

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        node, side = self.node(index), index.column()
        if role == Qt.ItemDataRole.DisplayRole:
            return self._words(node, side)
        if role == Qt.ItemDataRole.EditRole:
            value = node.value(side)
            return value if isinstance(value, str) else short_text(_plain(value))
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return self._spoken(node, side)
        if role == Qt.ItemDataRole.ToolTipRole and isinstance(node.value(side), str):
            text = short_text(_plain(node.value(side)), 600)
            return plain_tip(text) if node.pair is not None else None
        return None

    def setData(self, index: Index, value: object, role: int = Qt.ItemDataRole.EditRole) -> bool:
        """Take what was typed, as a value of the kind that is there; False for what it is not."""
        path = self.path(index)
        if role != Qt.ItemDataRole.EditRole or not path:
            return False
        kind = kind_of(_plain(self.node(index).value(index.column())))
        try:
            fresh = scalar_of(kind, str(value))
        except ValueError:
            return False
        for tell in self.typed:
            tell(index.column(), path, fresh)
        return True

    def rename(self, index: Index, name: str) -> None:
        """Tell that a field is to have another name."""
        path = self.path(index)
        if path and path[-1] != name:
            for tell in self.named:
                tell(index.column(), path, name)

    # Building

    def _make(self, parent: Node | None, row: int, pair: Pair | None) -> Node:
        self._next += 1
        node = Node(self._next, parent, row, pair)
        self._nodes[node.number] = node
        return node

    def _index(self, node: Node, side: int) -> QModelIndex:
        if node.parent is None:
            return QModelIndex()
        return self.createIndex(node.row, side, node.number)

    def _children(self, node: Node) -> list[Node]:
        if node.children is None:
            node.children = [
                self._fresh(node, row, spec) for row, spec in enumerate(self._specs(node))
            ]
        return node.children

    def _fresh(self, parent: Node, row: int, spec: Spec) -> Node:
        if isinstance(spec, Pair):
            return self._make(parent, row, spec)
        node = self._make(parent, row, None)
        node.start, node.stop = spec
        return node

    def _specs(self, node: Node) -> Sequence[Spec]:
        """Return what the rows below a node are: pairs, or ranges of groups."""
        pairs = self._pairs(node)
        if node.pair is None:
            return pairs.part(node.start, node.stop)
        if len(pairs) <= _GROUP:
            return pairs.part(0, len(pairs))
        return [(at, min(at + _GROUP, len(pairs))) for at in range(0, len(pairs), _GROUP)]

    def _pairs(self, node: Node) -> Pairs:
        if node.pair is None:
            assert node.parent is not None
            return self._pairs(node.parent)
        if node.pairs is None:
            node.pairs = pairs_of(node.pair.left, node.pair.right)
        return node.pairs

    def _child_of(self, node: Node, key: Key, side: int) -> Node | None:
        row = self._pairs(node).row_of(key, side)
        if row < 0:
            return None
        children = self._children(node)
        if node.pair is not None and children and children[0].pair is None:
            group = next(child for child in children if child.start <= row < child.stop)
            return self._children(group)[row - group.start]
        return children[row]

    def _group_sign(self, node: Node) -> Sign:
        pairs = self._pairs(node)
        seen = pairs.sign_of_all(node.start, node.stop)
        if seen is not None:
            return seen
        for pair in pairs.part(node.start, node.stop):
            sign = sign_of(pair.left, pair.right)
            if sign == "±" or (seen is not None and sign != seen):
                return "±"
            seen = sign
        return seen or ""

    # Coming to other values

    def _sync(self, node: Node) -> None:
        """Bring the rows below a node in step with its values."""
        before, node.pairs, node.sign = node.pairs, None, None
        if node.children is None:
            return
        specs = self._specs(node)
        grouped = bool(node.children) and node.children[0].pair is None
        if not specs or not node.children or grouped != isinstance(specs[0], tuple):
            self._replace(node, 0, len(node.children), specs)
        elif grouped:
            self._sync_groups(node, specs, before)
        else:
            self._sync_rows(node, specs)

    def _sync_groups(self, node: Node, specs: Sequence[Spec], before: Pairs | None) -> None:
        assert node.children is not None
        shared = min(len(node.children), len(specs))
        self._replace(node, shared, len(node.children), specs[shared:])
        pairs, changed = self._pairs(node), []
        for child, spec in zip(node.children[:shared], specs, strict=False):
            assert isinstance(spec, tuple)
            same = (child.start, child.stop) == spec
            if same and before is not None and pairs.stays(before, *spec):
                continue
            (child.start, child.stop), child.sign = spec, None
            changed.append(child.row)
            if child.children is not None:
                self._sync_rows(child, self._specs(child))
        self._tell(node, changed)

    def _sync_rows(self, node: Node, specs: Sequence[Spec]) -> None:
        assert node.children is not None
        old, fresh = node.children, specs
        start, end, most = 0, 0, min(len(old), len(fresh))
        while start < most and identical(old[start], fresh[start]):
            start += 1
        while end < most - start and identical(old[-1 - end], fresh[-1 - end]):
            end += 1
        stop = len(old) - end
        middle = fresh[start : len(fresh) - end]
        if self._move(node, start, stop, middle):
            stop = start + len(middle)
        shared = min(stop - start, len(middle))
        if all(same_keys(old[start + at], middle[at]) for at in range(shared)):
            self._replace(node, start + shared, stop, middle[shared:])
        else:
            self._replace(node, start, stop, middle)
        told = []
        for child, pair in zip(node.children, fresh, strict=True):
            assert isinstance(pair, Pair)
            stays = identical(child, pair)
            if not stays or not same_keys(child, pair):
                told.append(child.row)
            child.pair = pair
            if not stays:
                self._sync(child)
        self._tell(node, told)

    def _move(self, node: Node, start: int, stop: int, middle: Sequence[Spec]) -> bool:
        """Move the row that went from one end of what changed to the other; False if none did."""
        assert node.children is not None
        old = node.children[start:stop]
        if len(old) != len(middle) or len(old) < 2:
            return False
        for source, target, order in (
            (start, stop, [*old[1:], old[0]]),
            (stop - 1, start, [old[-1], *old[:-1]]),
        ):
            if all(identical(one, pair) for one, pair in zip(order, middle, strict=True)):
                above = self._index(node, LEFT)
                self.beginMoveRows(above, source, source, above, target)
                node.children[start:stop] = order
                number(node.children, start)
                self.endMoveRows()
                return True
        return False

    def _replace(self, node: Node, start: int, stop: int, specs: Sequence[Spec]) -> None:
        """Take rows away and put others in their place."""
        assert node.children is not None
        above = self._index(node, LEFT)
        if stop > start:
            self.beginRemoveRows(above, start, stop - 1)
            for child in node.children[start:stop]:
                self._forget(child)
            del node.children[start:stop]
            number(node.children, start)
            self.endRemoveRows()
        if specs:
            self.beginInsertRows(above, start, start + len(specs) - 1)
            node.children[start:start] = [self._fresh(node, 0, spec) for spec in specs]
            number(node.children, start)
            self.endInsertRows()

    def _forget(self, node: Node) -> None:
        del self._nodes[node.number]
        for child in node.children or ():
            self._forget(child)

    def _tell(self, node: Node, rows: Sequence[int]) -> None:
        """Say which rows below a node are to be drawn again; views ask much about each."""
        assert node.children is not None
        for first, last in runs(rows):
            start, end = node.children[first], node.children[last]
            self.dataChanged.emit(self._index(start, LEFT), self._index(end, RIGHT))

    # Words

    def _words(self, node: Node, side: int) -> str:
        value = node.value(side)
        if isinstance(value, Missing):
            return ""
        if node.pair is None:
            return self.label(node, side)
        return f"{self.label(node, side)}  {short_text(value)}"

    def _spoken(self, node: Node, side: int) -> str:
        value, sign = node.value(side), _SAID[self.sign(node)]
        if node.pair is None:
            return ", ".join(filter(None, (self.label(node, side), "items", sign)))
        if isinstance(value, Missing):
            return f"{self.label(node, 1 - side)}, not on this side"
        words = (self.label(node, side), short_text(value), kind_of(value), sign)
        return ", ".join(filter(None, words))


def _plain(value: Slot) -> Any:
    return None if isinstance(value, Missing) else value

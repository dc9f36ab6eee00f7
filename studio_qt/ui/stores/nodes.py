"""The rows of a `StoreModel`, and how those of two moments stand to each other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias

from studio_qt.ui.stores.pairing import MISSING, Pair, Pairs, Sign, Slot
from studio_qt.ui.stores.values import Key

__all__ = ["LEFT", "RIGHT", "Node", "Spec", "identical", "number", "runs", "same_keys"]

LEFT, RIGHT = 0, 1
"""The columns."""

Spec: TypeAlias = "Pair | tuple[int, int]"
"""What a row is made of: its values, or the range of a group."""


class Node:
    """A row: a pair of values, or a group of rows of its parent (`pair` is None)."""

    __slots__ = ("children", "number", "pair", "pairs", "parent", "row", "sign", "start", "stop")

    def __init__(self, number: int, parent: Node | None, row: int, pair: Pair | None) -> None:
        self.number, self.parent, self.row, self.pair = number, parent, row, pair
        self.children: list[Node] | None = None
        self.pairs: Pairs | None = None
        self.sign: Sign | None = None
        self.start = self.stop = 0

    @property
    def depth(self) -> int:
        """How many rows it lies in."""
        depth, node = -1, self.parent
        while node is not None:
            depth, node = depth + 1, node.parent
        return depth

    def key(self, side: int) -> Key | None:
        """Return the key on a side."""
        if self.pair is None:
            return None
        return self.pair.left_key if side == LEFT else self.pair.right_key

    def value(self, side: int) -> Slot:
        """Return the value on a side; of a group that of what it is part of."""
        if self.pair is None:
            return MISSING if self.parent is None else self.parent.value(side)
        return self.pair.left if side == LEFT else self.pair.right


def identical(node: Node, spec: Spec) -> bool:
    """Whether a row shows the very objects of a pair; its numbers may be others."""
    pair = node.pair
    if pair is None or not isinstance(spec, Pair):
        return False
    if pair.left is not spec.left or pair.right is not spec.right:
        return False
    named = isinstance(pair.left_key, str) or isinstance(pair.right_key, str)
    return not named or same_keys(node, spec)


def same_keys(node: Node, spec: Spec) -> bool:
    """Whether a row has the keys of a pair."""
    pair = node.pair
    if pair is None or not isinstance(spec, Pair):
        return False
    return pair.left_key == spec.left_key and pair.right_key == spec.right_key


def number(children: list[Node], start: int) -> None:
    """Tell rows their places, from `start` on."""
    for row in range(start, len(children)):
        children[row].row = row


def runs(rows: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield first and last of each unbroken run of ascending numbers."""
    start = 0
    for at in range(1, len(rows) + 1):
        if at == len(rows) or rows[at] != rows[at - 1] + 1:
            yield rows[start], rows[at - 1]
            start = at

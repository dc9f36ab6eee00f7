"""`Heights`: the heights of a column of rows, summed in a Fenwick tree. No Qt in here."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["Heights"]


class Heights:
    """Heights in pixels. Changing one, and finding the row at a place, cost log n.

    A splice costs what follows it, so that one at the end is cheap.
    """

    def __init__(self, heights: Iterable[int] = ()) -> None:
        self._values: list[int] = []
        self._tree: list[int] = [0]
        self.splice(0, 0, heights)

    def __len__(self) -> int:
        return len(self._values)

    def __getitem__(self, row: int) -> int:
        return self._values[row]

    @property
    def total(self) -> int:
        """The height of all rows."""
        return self.before(len(self._values))

    def before(self, row: int) -> int:
        """Return the height of all rows before `row`, which may be the number of rows."""
        tree, total = self._tree, 0
        while row > 0:
            total += tree[row]
            row &= row - 1
        return total

    def set(self, row: int, height: int) -> None:
        """Give a row another height; raises IndexError where there is none."""
        change = height - self._values[row]
        if not change:
            return
        self._values[row] = height
        tree, place, end = self._tree, row + 1, len(self._tree)
        while place < end:
            tree[place] += change
            place += place & -place

    def at(self, y: int) -> int:
        """Return the row that covers the place `y`, the first or last one beside the column."""
        step = 1 << (len(self._values).bit_length())
        place, left = 0, y
        while step:
            following = place + step
            if following < len(self._tree) and self._tree[following] <= left:
                place = following
                left -= self._tree[following]
            step >>= 1
        return max(0, min(place, len(self._values) - 1))

    def splice(self, start: int, removed: int, fresh: Iterable[int]) -> None:
        """Put `fresh` rows in the place of `removed` ones from `start` on."""
        values = self._values
        values[start : start + removed] = fresh
        tree = self._tree
        del tree[start + 1 :]
        for place in range(start + 1, len(values) + 1):
            total, child, low = values[place - 1], place - 1, place & (place - 1)
            while child > low:  # the nodes that this one covers
                total += tree[child]
                child &= child - 1
            tree.append(total)

"""Two JSON values laid side by side: which child stands beside which, and what differs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from operator import is_
from typing import Literal, TypeAlias

from studio_qt.jsontext import JsonValue
from studio_qt.ui.stores.values import Key

__all__ = ["MISSING", "Missing", "Pair", "Pairs", "Sign", "Slot", "pairs_of", "same", "sign_of"]

Sign = Literal["", "+", "−", "±"]
"""How the left side stands to the right one: equal, only left, only right, different."""


class Missing:
    """What stands on a side that has no such value."""

    def __repr__(self) -> str:
        return "MISSING"


MISSING = Missing()
Slot: TypeAlias = "JsonValue | Missing"
_Keys: TypeAlias = "tuple[Key | None, Key | None]"

_STEP = 512
"""Items of lists that are compared at a time."""

_EXACT = 2_000
"""Values that are looked at for `true` beside `1`, which are equal to Python."""


@dataclass(slots=True)
class Pair:
    """A row of two sides: keys and values, None and MISSING on the side that has none."""

    left_key: Key | None
    right_key: Key | None
    left: Slot
    right: Slot


class Pairs:
    """The rows below two values, made when they are asked for: there may be many thousands."""

    def __init__(self, left: Slot, right: Slot, keys: Sequence[_Keys]) -> None:
        self._left, self._right, self._keys = left, right, keys

    def __len__(self) -> int:
        return len(self._keys)

    def part(self, start: int, stop: int) -> list[Pair]:
        """Return the rows of a range."""
        return [
            Pair(left, right, _value(self._left, left), _value(self._right, right))
            for left, right in self._keys[start:stop]
        ]

    def row_of(self, key: Key, side: int) -> int:
        """Return the row of a key on a side, 0 the left one; -1 where there is none."""
        if isinstance(self._keys, _ListKeys):
            return self._keys.row_of(key, side)
        return next((row for row, keys in enumerate(self._keys) if keys[side] == key), -1)

    def stays(self, before: Pairs, start: int, stop: int) -> bool:
        """Whether a range of rows shows the very objects that it showed before; False if unsure."""
        mine, theirs = self._keys, before._keys
        if not (isinstance(mine, _ListKeys) and isinstance(theirs, _ListKeys) and mine == theirs):
            return False
        pairs = ((self._left, before._left), (self._right, before._right))
        return all(_holds_same(mine, now, then, start, stop) for now, then in pairs)

    def sign_of_all(self, start: int, stop: int) -> Sign | None:
        """Return how both sides of a range of rows stand where that is seen at once, else None."""
        if not isinstance(self._keys, _ListKeys):
            return None
        if self._keys.level and _holds_same(self._keys, self._left, self._right, start, stop):
            return ""
        return self._keys.sign_of_rest(start, stop)


class _ListKeys(Sequence[_Keys]):
    """The keys of two lists, whose last `end` items belong together."""

    def __init__(self, left: int, right: int, end: int) -> None:
        self._left, self._right, self._end = left - end, right - end, end
        self._extent = left, right, end

    def __len__(self) -> int:
        return max(self._left, self._right) + self._end

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _ListKeys) and self._extent == other._extent

    def __hash__(self) -> int:
        return hash(self._extent)

    @property
    def level(self) -> bool:
        """Whether each item stands beside the one of its number."""
        return self._left == self._right

    def sign_of_rest(self, start: int, stop: int) -> Sign | None:
        """Return the sign of a range that only one side has, else None."""
        if start < min(self._left, self._right) or stop > max(self._left, self._right):
            return None
        return "+" if self._left > self._right else "−"

    def row_of(self, key: Key, side: int) -> int:
        """Return the row of a number on a side; -1 where there is none."""
        own = self._right if side else self._left
        if not isinstance(key, int) or not 0 <= key < own + self._end:
            return -1
        return key if key < own else key - own + max(self._left, self._right)

    def __getitem__(self, at):  # type: ignore[no-untyped-def]
        if isinstance(at, slice):
            return [self._one(number) for number in range(*at.indices(len(self)))]
        return self._one(at)

    def _one(self, at: int) -> _Keys:
        beyond = at - max(self._left, self._right)
        if beyond >= 0:
            return self._left + beyond, self._right + beyond
        return at if at < self._left else None, at if at < self._right else None


def same(left: Slot, right: Slot) -> bool:
    """Whether two values spell the same JSON; the order of fields does not count."""
    if left is right:
        return True
    if isinstance(left, (dict, list)):
        return left == right and _alike(left, right, _EXACT) >= 0
    return type(left) is type(right) and left == right


def sign_of(left: Slot, right: Slot) -> Sign:
    """Return how two values stand to each other."""
    if isinstance(right, Missing):
        return "" if isinstance(left, Missing) else "+"
    if isinstance(left, Missing):
        return "−"
    return "" if same(left, right) else "±"


def pairs_of(left: Slot, right: Slot) -> Pairs:
    """Return the rows below two values.

    Fields meet by name, in the order of the left side; items of lists by number, and from the end
    where the lists are not equally long but end alike. Where one side holds no container, or one
    of another kind, the other stands alone.
    """
    if isinstance(left, dict) and isinstance(right, dict):
        return Pairs(left, right, _fields(left, right))
    if isinstance(left, list) and isinstance(right, list):
        return Pairs(left, right, _ListKeys(len(left), len(right), _common_end(left, right)))
    if isinstance(left, (dict, list)):
        return Pairs(left, right, [(key, None) for key in _keys(left)])
    return Pairs(left, right, [(None, key) for key in _keys(right)])


def _holds_same(keys: _ListKeys, one: Slot, other: Slot, start: int, stop: int) -> bool:
    """Whether two lists hold the same objects in a range of rows that stand at their numbers."""
    if one is other:
        return True
    if not (isinstance(one, list) and isinstance(other, list) and keys.level):
        return False
    return all(map(is_, one[start:stop], other[start:stop]))


def _value(value: Slot, key: Key | None) -> Slot:
    if key is None:
        return MISSING
    if isinstance(value, dict):
        return value[str(key)]
    return value[int(key)] if isinstance(value, list) else MISSING


def _keys(value: Slot) -> Sequence[Key]:
    if isinstance(value, dict):
        return list(value)
    return range(len(value)) if isinstance(value, list) else ()


def _fields(left: dict[str, JsonValue], right: dict[str, JsonValue]) -> list[_Keys]:
    """Fields of the right side alone come after the field that they follow there."""
    if left.keys() == right.keys():
        return [(key, key) for key in left]
    after: dict[str | None, list[_Keys]] = {}
    last: str | None = None
    for key in right:
        if key in left:
            last = key
        else:
            after.setdefault(last, []).append((None, key))
    rows = list(after.get(None, ()))
    for key in left:
        rows.append((key, key if key in right else None))
        rows += after.get(key, ())
    return rows


def _common_end(left: list[JsonValue], right: list[JsonValue]) -> int:
    """Return how many last items two lists of different lengths share, beyond a common beginning.

    Slices are compared first: items that are the same objects cost next to nothing there.
    """
    most = min(len(left), len(right))
    if len(left) == len(right) or left[:most] == right[:most]:
        return 0
    end = 0
    while end < most:
        step = min(_STEP, most - end)
        one = left[len(left) - end - step : len(left) - end]
        other = right[len(right) - end - step : len(right) - end]
        if one != other:
            differs = (at for at in range(step) if one[-1 - at] != other[-1 - at])
            return end + next(differs)
        end += step
    return end


def _alike(left: Slot, right: Slot, budget: int) -> int:
    """Look for kinds that differ in equal values; returns what is left to look at, -1 if any do."""
    if budget <= 0 or left is right:
        return budget
    if isinstance(left, dict) and isinstance(right, dict):
        inner = [(one, right[key]) for key, one in left.items()] if len(left) <= budget else []
    elif isinstance(left, list) and isinstance(right, list):
        inner = list(zip(left, right, strict=True)) if len(left) <= budget else []
    else:
        return budget if type(left) is type(right) else -1
    budget -= len(inner)
    for one, other in inner:
        budget = _alike(one, other, max(budget, 0))
        if budget < 0:
            return -1
    return budget

"""`Places`: where each row of a conversation is, kept while entries come and go. No Qt in here."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable

from studio_qt.ui.chat.rows import Row
from studio_qt.ui.chat.slots import Slot

__all__ = ["Places", "alike", "item_name"]


class Places:
    """The slots of a conversation of `length` entries, in their order."""

    def __init__(self, slots: list[Slot] | None = None, length: int = 0) -> None:
        self.slots = slots or []
        self.length = length

    @property
    def last_turn(self) -> int:
        """The turn of the user's last message, 0 before the first."""
        return next((slot.turn for slot in reversed(self.slots) if slot.kind == "user"), 0)

    def of_entry(self, index: int) -> int | None:
        """Return the first slot that an entry is shown in; None where it is not shown."""
        slots = self.slots
        place = bisect_right(slots, index, key=lambda slot: slot.first) - 1
        while place > 0 and slots[place - 1].key == slots[place].key:
            place -= 1
        return place if place >= 0 and slots[place].stop > index else None

    def question(self, index: int | None) -> int | None:
        """Return the user entry at or before an entry, the last one for None."""
        before = len(self.slots)
        if index is not None:
            before = bisect_right(self.slots, index, key=lambda slot: slot.first)
        at = self.last_question(before)
        found = self.slots[at] if at < len(self.slots) else None
        return found.first if found is not None and found.kind == "user" else None

    def last_question(self, before: int | None = None) -> int:
        """Return the slot at which the last turn begins, or the last one that begins `before`."""
        at = len(self.slots) if before is None else before
        while at > 0:
            at -= 1
            if self.slots[at].kind == "user" and not self.slots[at].piece:
                return at
        return 0

    def refresh(
        self, clean: int, behind: int, length: int, index: Callable[[int, int], list[Slot]]
    ) -> int:
        """Find the rows again of all turns between the entries that are as they were.

        Those are the first `clean` and the last `behind` ones; `index` gives the slots of a
        stretch. Returns how many slots stay before them.
        """
        clean = min(clean, self.length, length)
        behind = min(behind, self.length - clean, length - clean)
        slots = self.slots
        low = self.last_question(bisect_left(slots, clean, key=lambda slot: slot.first))
        stop = self.length - behind
        high = bisect_left(slots, stop, key=lambda slot: slot.first)
        while high < len(slots) and (slots[high].kind != "user" or slots[high].piece):
            high += 1
        first = slots[low].first if low else 0
        shift = length - self.length
        end = slots[high].first if high < len(slots) else self.length
        fresh = index(first, end + shift)
        for slot in fresh:
            slot.dirty = slot.stop > clean and slot.first < length - behind
        for slot in slots[high:]:
            slot.first += shift
            slot.stop += shift
        slots[low:high] = fresh
        self.length = length
        return low


def alike(one: Slot | Row, other: Slot | Row) -> bool:
    """Whether two rows show the same."""
    if isinstance(one, Slot):
        if one is other:
            return True
        return isinstance(other, Slot) and one.same(other) and not other.dirty
    return one is other or one == other


def item_name(item: Slot | Row) -> str:
    """Return what no other row has."""
    if isinstance(item, Slot):
        return item.name
    return f"{item.key}/{item.piece}" if item.piece else item.key

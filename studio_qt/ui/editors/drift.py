"""`Drift`: where places that were found earlier are after the edits since."""

from __future__ import annotations

__all__ = ["Drift"]


class Drift:
    """Edits in their order; each is a place, how much went there, and how much came."""

    def __init__(self) -> None:
        self._edits: list[tuple[int, int, int]] = []

    def add(self, at: int, removed: int, added: int) -> None:
        """Note an edit; letters typed one after the other count as one."""
        if self._edits:
            last_at, last_removed, last_added = self._edits[-1]
            if removed == 0 and at == last_at + last_added:
                self._edits[-1] = (last_at, last_removed, last_added + added)
                return
        self._edits.append((at, removed, added))

    def clear(self) -> None:
        """Forget the edits: places were found anew."""
        self._edits.clear()

    def old(self, place: int) -> int:
        """Return where a place of now was; of what came since, the place where it came."""
        for at, removed, added in reversed(self._edits):
            if place >= at + added:
                place += removed - added
            elif place > at:
                place = at
        return place

    def new(self, start: int, end: int) -> tuple[int, int] | None:
        """Return where a part is now; None when it was touched."""
        for at, removed, added in self._edits:
            if start >= at + removed:
                start, end = start + added - removed, end + added - removed
            elif end > at:
                return None
        return start, end

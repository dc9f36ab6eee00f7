"""`Steps`: the values that undo and redo lead to."""

from __future__ import annotations

from studio_qt.jsontext import JsonObject

__all__ = ["Steps"]

_MOST = 200


class Steps:
    """Undo and redo of whole values, which share what did not change."""

    def __init__(self) -> None:
        self._back: list[JsonObject] = []
        self._forth: list[JsonObject] = []

    @property
    def can_undo(self) -> bool:
        """Whether there is a step back."""
        return bool(self._back)

    @property
    def can_redo(self) -> bool:
        """Whether there is a step that was taken back."""
        return bool(self._forth)

    def note(self, before: JsonObject) -> None:
        """Remember what was before an edit."""
        self._back.append(before)
        del self._back[:-_MOST]
        self._forth.clear()

    def undo(self, now: JsonObject) -> JsonObject | None:
        """Return the value before; None where there is none."""
        return _step(self._back, self._forth, now)

    def redo(self, now: JsonObject) -> JsonObject | None:
        """Return the value that was taken back last; None where there is none."""
        return _step(self._forth, self._back, now)

    def clear(self) -> None:
        """Forget everything."""
        self._back.clear()
        self._forth.clear()


def _step(source: list[JsonObject], target: list[JsonObject], now: JsonObject) -> JsonObject | None:
    if not source:
        return None
    target.append(now)
    return source.pop()

"""`Buffers`: the unsaved text of a project as threads may read it while it changes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

__all__ = ["Buffers"]


class Buffers(Mapping[str, str]):
    """Paths and their unsaved text, always as it is now.

    It is exchanged whole and never changed, so that a reader on another thread sees one state of
    it in each call.
    """

    def __init__(self) -> None:
        self._now: dict[str, str] = {}

    def __getitem__(self, path: str) -> str:
        return self._now[path]

    def __iter__(self) -> Iterator[str]:
        return iter(self._now)

    def __len__(self) -> int:
        return len(self._now)

    def get(self, path: str, default: str | None = None) -> str | None:  # type: ignore[override]
        """Return the text of a path, in one step."""
        return self._now.get(path, default)

    def exchange(self, texts: dict[str, str]) -> frozenset[str]:
        """Take other texts; returns the paths whose text is another now."""
        before, self._now = self._now, texts
        paths = before.keys() | texts.keys()
        return frozenset(path for path in paths if before.get(path) != texts.get(path))

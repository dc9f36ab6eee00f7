"""Tells from a QuickJS stack which file a line belongs to, though all are called ``<input>``."""

from __future__ import annotations

import re
from dataclasses import dataclass

__all__ = ["LINES_APART", "Sources"]

LINES_APART = 100_000
"""Agent code starts at line 1, our prelude after so many lines, each library after so many more."""

_FRAME = re.compile(r"<input>:(\d+)")


@dataclass(frozen=True, slots=True)
class Sources:
    """The file names of an agent and its libraries."""

    file: str
    libraries: tuple[str, ...] = ()

    def offset(self, library: int) -> int:
        """Return how many empty lines go before the library of this index."""
        return LINES_APART * (2 + library)

    def place(self, stack: str) -> tuple[str, int] | None:
        """Return file and line of the topmost frame that is not ours, None without one."""
        for found in _FRAME.finditer(stack):
            part, line = divmod(int(found[1]), LINES_APART)
            if part == 0:
                return self.file, line
            if 2 <= part < 2 + len(self.libraries):
                return self.libraries[part - 2], line
        return None

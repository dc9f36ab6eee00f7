"""Tells from a QuickJS stack which file a line belongs to, though all are called ``<input>``.

Lines of compiled code are led back to its source; what the compiler added stands for no line.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from studio_qt.sandbox.sourcemap import SourceMap

__all__ = ["LINES_APART", "Sources"]

LINES_APART = 100_000
"""Agent code starts at line 1, our prelude after so many lines, each library after so many more."""

_FRAME = re.compile(r"<input>:(\d+)(?::(\d+))?")


@dataclass(frozen=True, slots=True)
class Sources:
    """The file names of an agent and its libraries, and the way back to the agent's source."""

    file: str
    libraries: tuple[str, ...] = ()
    map: SourceMap | None = None

    def offset(self, library: int) -> int:
        """Return how many empty lines go before the library of this index."""
        return LINES_APART * (2 + library)

    def place(self, stack: str) -> tuple[str, int] | None:
        """Return file and line of the topmost frame that is not ours, None without one."""
        for found in _FRAME.finditer(stack):
            if place := self._place(int(found[1]), int(found[2] or 1)):
                return place[:2]
        return None

    def named(self, text: str) -> str:
        """Return `text` with places in files for those in ``<input>``, and without our frames."""
        if "<input>" not in text:
            return text
        lines = (self._named_line(line) for line in text.split("\n"))
        return "\n".join(line for line in lines if line is not None)

    def _named_line(self, line: str) -> str | None:
        found = _FRAME.search(line)
        if found is None:
            return line
        place = self._place(int(found[1]), int(found[2] or 1))
        if place is None:
            return None if line.lstrip().startswith("at ") else line
        return line.replace(found[0], ":".join(map(str, place)))

    def _place(self, line: int, column: int) -> tuple[str, int, int] | None:
        part, line = divmod(line, LINES_APART)
        if part == 0:
            found = self.map.find(line, column) if self.map is not None else (line, column)
            return (self.file, *found) if found is not None else None
        if 2 <= part < 2 + len(self.libraries):
            return self.libraries[part - 2], line, column
        return None

"""Source maps of version 3: from a place in compiled code back to the place in its source."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field

__all__ = ["SourceMap"]

_DIGITS = {
    char: value
    for value, char in enumerate("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
}
_MORE = 32

_Segment = tuple[int, int, int]  # column in the compiled line, line and column in the source


@dataclass(slots=True)
class SourceMap:
    """The `mappings` of a map with one source; they are read at the first question."""

    mappings: str
    _lines: list[list[_Segment]] | None = field(default=None, init=False)

    def find(self, line: int, column: int) -> tuple[int, int] | None:
        """Return line and column in the source, all from 1; None where nothing stands for it.

        Columns count UTF-16 units. Raises ValueError when the mappings are broken.
        """
        if self._lines is None:
            self._lines = list(_read(self.mappings))
        segments = self._lines[line - 1] if 0 < line <= len(self._lines) else []
        if not segments:
            return None
        index = bisect_right(segments, column - 1, key=lambda segment: segment[0])
        _, found, across = segments[max(index - 1, 0)]
        return found + 1, across + 1


def _read(mappings: str) -> list[list[_Segment]]:
    lines, source_line, source_column = [], 0, 0
    for text in mappings.split(";"):
        segments, column = [], 0
        for word in filter(None, text.split(",")):
            moved = _numbers(word)
            column += moved[0]
            if len(moved) >= 4:
                source_line += moved[2]
                source_column += moved[3]
                segments.append((column, source_line, source_column))
        lines.append(segments)
    return lines


def _numbers(word: str) -> list[int]:
    """Decode base64 VLQ: five bits a digit, lowest first, the lowest bit of all is the sign."""
    numbers, value, shift = [], 0, 0
    for char in word:
        digit = _DIGITS.get(char)
        if digit is None:
            raise ValueError(f"{char!r} cannot stand in a source map")
        value |= (digit & (_MORE - 1)) << shift
        shift += 5
        if not digit & _MORE:
            numbers.append(-(value >> 1) if value & 1 else value >> 1)
            value = shift = 0
    if shift or not numbers:
        raise ValueError("a source map ends in the middle of a number")
    return numbers

"""The docstring of a Python module, by our own scan (MAN-01).

The host's `ast` would refuse the syntax of a newer Python.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

__all__ = ["Docstring", "module_docstring"]

_BLANK = re.compile(r"(?:[ \t\f\r\n]|\\\r?\n|#[^\r\n]*)*")
_SAME_LINE = re.compile(r"(?:[ \t\f]|\\\r?\n)*")
_STRING = re.compile(
    r'''(?P<prefix>[rRuU]?)(?P<quote>"""|\'\'\')|(?P<prefix1>[rRuU]?)(?P<quote1>["'])'''
)
_STATEMENT_END = re.compile(r"[;#\r\n]|\Z")
_ESCAPE = re.compile(
    r"\\(?:(?P<break>\r\n|\r|\n)|(?P<octal>[0-7]{1,3})|x(?P<x>[0-9a-fA-F]{2})"
    r"|u(?P<u>[0-9a-fA-F]{4})|U(?P<long>[0-9a-fA-F]{8})|N\{(?P<name>[^}\r\n]*)\}|(?P<char>.))"
)
_SIMPLE = {
    "\\": "\\",
    "'": "'",
    '"': '"',
    "a": "\a",
    "b": "\b",
    "f": "\f",
    "n": "\n",
    "r": "\r",
    "t": "\t",
    "v": "\v",
}


@dataclass(frozen=True, slots=True)
class Docstring:
    """The lines of a docstring, each with its line in the file.

    `cooked` is what Python makes of it; `raw` leaves backslashes as they are written.
    """

    cooked: tuple[tuple[int, str], ...]
    raw: tuple[tuple[int, str], ...]


def module_docstring(text: str) -> Docstring | None:
    """Return the string that is the module's first statement, None when it is none.

    Any quotes, the prefixes r and u, strings one after another, and brackets around them.
    """
    position, brackets = _skip_opening(text)
    cooked, raw = _Lines(text), _Lines(text)
    count = 0
    while content := _string_at(text, position):
        start, end, is_raw, after = content
        raw.add_plain(start, end)
        (cooked.add_plain if is_raw else cooked.add_escaped)(start, end)
        count += 1
        position = _skip(text, after, brackets)
    if not count or not _ends(text, position, brackets):
        return None
    return Docstring(cooked.done(), raw.done())


def _skip_opening(text: str) -> tuple[int, int]:
    position = _skip(text, 0, 1)
    brackets = 0
    while text.startswith("(", position):
        brackets += 1
        position = _skip(text, position + 1, brackets)
    return position, brackets


def _skip(text: str, position: int, brackets: int) -> int:
    found = (_BLANK if brackets else _SAME_LINE).match(text, position)
    return found.end() if found else position


def _ends(text: str, position: int, brackets: int) -> bool:
    for left in range(brackets, 0, -1):
        position = _skip(text, position, left)
        if not text.startswith(")", position):
            return False
        position += 1
    return _STATEMENT_END.match(text, _skip(text, position, 0)) is not None


def _string_at(text: str, position: int) -> tuple[int, int, bool, int] | None:
    """Return start and end of the content, whether it is raw, and where the string ends."""
    opening = _STRING.match(text, position)
    if opening is None:
        return None
    quote = opening["quote"] or opening["quote1"]
    prefix = opening["prefix"] or opening["prefix1"] or ""
    end = _closing(text, opening.end(), quote)
    if end is None:
        return None
    return opening.end(), end, prefix in ("r", "R"), end + len(quote)


def _closing(text: str, position: int, quote: str) -> int | None:
    stops = re.compile(r"\\(?:\r\n|[\s\S])|" + quote + ("" if len(quote) > 1 else r"|[\r\n]"))
    for found in stops.finditer(text, position):
        if found[0] == quote:
            return found.start()
        if not found[0].startswith("\\"):
            return None
    return None


class _Lines:
    """Collects text and remembers in which line of the file each of its lines begins."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._counted = (0, 1)
        self._lines: list[tuple[int, list[str]]] = []

    def add_plain(self, start: int, end: int) -> None:
        """Take the source from `start` to `end` as it stands."""
        parts = re.split(r"(\r\n|\r|\n)", self._source[start:end])
        for index in range(0, len(parts), 2):
            if index:
                self._break(start)
            self._put(parts[index], start)
            start += len(parts[index]) + (len(parts[index + 1]) if index + 1 < len(parts) else 0)

    def add_escaped(self, start: int, end: int) -> None:
        """As `add_plain`, with the escapes of an ordinary string resolved."""
        position = start
        for found in _ESCAPE.finditer(self._source, start, end):
            self.add_plain(position, found.start())
            position = found.end()
            pieces = _unescaped(found).split("\n")
            for index, piece in enumerate(pieces):
                if index:
                    self._break(position)
                self._put(piece, found.start())
        self.add_plain(position, end)

    def done(self) -> tuple[tuple[int, str], ...]:
        """Return the lines with their numbers."""
        return tuple((line, "".join(parts)) for line, parts in self._lines)

    def _break(self, offset: int) -> None:
        self._lines.append((self._line(offset), []))

    def _put(self, text: str, offset: int) -> None:
        if not self._lines:
            self._break(offset)
        self._lines[-1][1].append(text)

    def _line(self, offset: int) -> int:
        done, line = self._counted
        if offset < done:
            done, line = 0, 1
        line += len(re.findall(r"\r\n|\r|\n", self._source[done:offset]))
        self._counted = (offset, line)
        return line


def _unescaped(found: re.Match[str]) -> str:
    if found["break"] is not None:
        return ""
    if found["octal"] is not None:
        return chr(int(found["octal"], 8))
    if digits := found["x"] or found["u"] or found["long"]:
        code = int(digits, 16)
        is_character = code <= 0x10FFFF and not 0xD800 <= code <= 0xDFFF
        return chr(code) if is_character else "\ufffd"
    if found["name"] is not None:
        try:
            return unicodedata.lookup(found["name"])
        except KeyError:
            return found[0]
    return _SIMPLE.get(found["char"] or "", found[0])

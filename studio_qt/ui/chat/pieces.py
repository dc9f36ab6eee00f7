"""Long texts in pieces that are drawn one by one, so that no length of a message costs more.

A piece ends where nothing is lost by it: before a paragraph that begins anew, else at a line's
end, else at a blank, and inside a word only when that goes on for thousands of characters.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

__all__ = ["LARGE", "Cutter", "Piece", "cut_text"]

LARGE = 4_000
"""Characters from which on a text is cut."""

_MOST = 6_000
"""Characters of a piece that nothing but force ends."""

_FENCE = re.compile(r"\s{0,3}(```+|~~~+)")
_GOES_ON = re.compile(r"\s|[-*+]\s|\d{1,9}[.)]\s")
_JOINERS = "\u200d\ufe0e\ufe0f"


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of a text.

    `opening` is the line of a code fence that it begins inside of, `closing` what closes the
    fence that it ends inside of; both are "" outside of code.
    """

    start: int
    stop: int
    opening: str = ""
    closing: str = ""

    def of(self, text: str) -> str:
        """Return the piece as a text of its own."""
        body = text[self.start : self.stop]
        head = f"{self.opening}\n" if self.opening else ""
        if not self.closing:
            return head + body
        return "".join([head, body.removesuffix("\n"), "\n", self.closing])


def cut_text(text: str) -> list[Piece]:
    """Return the pieces of a whole text; a short one is one piece."""
    if len(text) <= LARGE:
        return [Piece(0, len(text))]
    cutter = Cutter()
    cutter.follow(text)
    return [*cutter.done, cutter.last(text)]


class Cutter:
    """Cuts a text that grows; what it has cut once stays."""

    def __init__(self) -> None:
        self.done: list[Piece] = []
        self._start = 0
        self._place = 0
        self._fence = ""
        self._head = ""
        self._opening = ""
        self._blank = False

    def last(self, text: str) -> Piece:
        """Return the piece after those that are done; its end may still be written."""
        return Piece(self._start, len(text), self._opening)

    def follow(self, text: str) -> None:
        """Look at what the text, which only ever grows, has more than before."""
        while True:
            end = text.find("\n", self._place)
            line_end = len(text) if end < 0 else end + 1
            self._force(text, line_end)
            if end < 0:
                return
            self._line(text[self._place : end], self._place)
            self._place = line_end

    def _line(self, line: str, place: int) -> None:
        """Look at a whole line, and cut before it where that is due."""
        length = place - self._start
        fence = _FENCE.match(line)
        if self._fence:
            if length >= LARGE and not fence:
                self._cut(place)
        elif line.strip():
            fresh = self._blank and not _GOES_ON.match(line)
            if (fresh and length >= LARGE) or length >= _MOST:
                self._cut(place)
        self._blank = not line.strip()
        if fence and not self._fence:
            self._fence, self._head = fence[1], line
        elif fence and fence[1].startswith(self._fence):
            self._fence = ""

    def _force(self, text: str, end: int) -> None:
        """Cut inside a line that is too long, at a blank where there is one."""
        while end - self._start > _MOST and end - self._place > LARGE:
            begin = max(self._place, self._start)
            limit = min(begin + LARGE, end)
            blank = text.rfind(" ", begin + LARGE // 2, limit)
            place = blank + 1 if blank >= 0 else _whole(text, limit)
            if place <= self._start or place >= end:
                return
            self._cut(place)
            self._place = place

    def _cut(self, place: int) -> None:
        closing = self._fence
        self.done.append(Piece(self._start, place, self._opening, closing))
        self._start = place
        self._opening = self._head if closing else ""


def _whole(text: str, place: int) -> int:
    """Return a place near `place` that is not inside what reads as one sign."""
    for back in range(16):
        at = place - back
        sign, before = text[at : at + 1], text[at - 1 : at]
        joined = sign in _JOINERS or before == "\u200d" or unicodedata.combining(sign or " ")
        if not joined or not sign:
            return at
    return place

"""Words without an end, such as data in Base64: wrapping them at words would stop the window.

To break a word that fills many lines Qt looks at all of it again for each line: 300,000 letters
take seconds for every key. Breaking at any letter takes a thirtieth of that.

Lines without an end, such as JSON that a program wrote, Qt lays out as a whole for each key, which
takes 0.3 ms for 1,000 letters, and twice that, and most of it again for each paint, where they run
out to the right. So they are always wrapped.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from PySide6.QtGui import QTextBlock, QTextCursor, QTextDocument

from studio_qt.ui.highlight import LONGEST_LINE

__all__ = ["LONGEST_WORD", "has_endless_line", "has_endless_word", "what_grew"]

LONGEST_WORD = 4000
"""Letters; breaking a word of so many takes about a millisecond."""

_LINE = "\u2029"


def has_endless_word(raw: str, line_end: str = _LINE) -> bool:
    """Whether a word of a document's raw text is longer than is good to wrap."""
    return any(
        len(word) > LONGEST_WORD
        for line in _lines_beyond(raw, LONGEST_WORD, line_end)
        for word in line.split()
    )


def has_endless_line(raw: str, line_end: str = _LINE) -> bool:
    """Whether a line of a document's raw text is longer than Qt lays out between two keys."""
    return any(True for _ in _lines_beyond(raw, LONGEST_LINE, line_end))


def _lines_beyond(text: str, most: int, line_end: str) -> Iterator[str]:
    """Yield the lines that are longer, leaping over the others: megabytes take no millisecond."""
    start = 0
    while len(text) - start > most:
        last = text.rfind(line_end, start, start + most + 1)
        if last < 0:
            last = text.find(line_end, start)
            last = len(text) if last < 0 else last
            yield text[start:last]
        start = last + 1


def what_grew(text: QTextDocument, at: int, added: int) -> Literal["", "word", "line"]:
    """Return whether a change made such a line, or such a word; looks at what changed, if long."""
    first, last = text.findBlock(at), _last(text, at, added)
    longest = max(first.length(), last.length())
    if longest > LONGEST_LINE:
        return "line"
    if longest <= LONGEST_WORD and (first == last or added <= LONGEST_WORD):
        return ""
    raw = _between(text, at, added)
    if has_endless_line(raw):
        return "line"
    return "word" if has_endless_word(raw) else ""


def _between(text: QTextDocument, at: int, added: int) -> str:
    """Return the lines that a change touched, as raw text."""
    last = _last(text, at, added)
    changed = QTextCursor(text.findBlock(at))
    changed.setPosition(last.position() + last.length() - 1, QTextCursor.MoveMode.KeepAnchor)
    return changed.selectedText()


def _last(text: QTextDocument, at: int, added: int) -> QTextBlock:
    """Return the last line of a change, of which Qt may count one letter too many at the end."""
    return text.findBlock(min(at + added, text.characterCount() - 1))

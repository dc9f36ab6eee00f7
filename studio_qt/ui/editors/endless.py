"""Words without an end, such as data in Base64: wrapping them at words would stop the window.

To break a word that fills many lines Qt looks at all of it again for each line: 300,000 letters
take seconds for every key. Breaking at any letter takes a thirtieth of that.
"""

from __future__ import annotations

from PySide6.QtGui import QTextCursor, QTextDocument

__all__ = ["LONGEST_WORD", "ends_badly", "has_endless_word"]

LONGEST_WORD = 4000
"""Letters; breaking a word of so many takes about a millisecond."""

_LINE = "\u2029"


def has_endless_word(raw: str) -> bool:
    """Whether a word of a document's raw text is longer than is good to wrap."""
    if len(raw) <= LONGEST_WORD:
        return False
    return any(
        len(word) > LONGEST_WORD
        for line in raw.split(_LINE)
        if len(line) > LONGEST_WORD
        for word in line.split()
    )


def ends_badly(text: QTextDocument, at: int, added: int) -> bool:
    """Whether a change made such a word; looks at the lines that changed, if they are long."""
    first, last = text.findBlock(at), text.findBlock(at + added)
    if first == last:
        return first.length() > LONGEST_WORD and has_endless_word(first.text())
    if added <= LONGEST_WORD and max(first.length(), last.length()) <= LONGEST_WORD:
        return False
    changed = QTextCursor(first)
    changed.setPosition(last.position() + last.length() - 1, QTextCursor.MoveMode.KeepAnchor)
    return has_endless_word(changed.selectedText())

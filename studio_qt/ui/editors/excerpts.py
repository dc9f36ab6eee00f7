"""`Excerpt`: the text around a place of an editor, as long as completions need it."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtGui import QTextCursor, QTextDocument

from studio_qt.ui.editors.offsets import Offsets

__all__ = ["Excerpt", "excerpt_at"]

_BEFORE = 32 * 1024
"""Units of Qt's text before a place that are looked at from the beginning of the file."""

_NEAR = 4 * 1024
"""Units before a place that is farther down, and after any place."""


@dataclass(frozen=True, slots=True)
class Excerpt:
    """`text` begins at Qt's place `start`; `at` is the place in it, in characters.

    `whole` says that it begins where the file does.
    """

    text: str
    at: int
    start: int
    whole: bool

    def unit(self, index: int) -> int:
        """Return Qt's place of a character."""
        return self.start + Offsets(self.text).unit(index)


def excerpt_at(document: QTextDocument, position: int) -> Excerpt:
    """Return the text around Qt's place `position`; takes the same time in a file of any size."""
    whole = position <= _BEFORE
    start = 0 if whole else document.findBlock(position - _NEAR).position()
    start = max(start, position - _BEFORE)
    end = min(document.characterCount() - 1, position + (_BEFORE if whole else _NEAR))
    before, after = _piece(document, start, position), _piece(document, position, end)
    return Excerpt(before + after, len(before), start, whole)


def _piece(document: QTextDocument, start: int, end: int) -> str:
    cursor = QTextCursor(document)
    cursor.setPosition(start)
    cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
    return cursor.selectedText().replace("\u2029", "\n")

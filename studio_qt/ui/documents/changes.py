"""Changing one text into another in a QTextDocument by the lines that differ alone.

So cursors, selections, the place in the scroll bar and folded marks stay where they were.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from PySide6.QtGui import QTextCursor, QTextDocument

from studio_qt.ui.documents.plain import to_document

__all__ = ["Change", "changes_between", "put_in"]


class Change(NamedTuple):
    """The lines from `first` up to but without `stop`, counted from 0, become `lines`."""

    first: int
    stop: int
    lines: tuple[str, ...]


def changes_between(old: str, new: str) -> list[Change]:
    """Return what makes `new` of `old`; may take long, so call it on another thread."""
    if old == new:
        return []
    from studio_qt.files.difference import line_blocks  # not for the first text that is shown

    before, after = old.split("\n"), new.split("\n")
    return [
        Change(block.left.start, block.left.stop, tuple(after[b] for b in block.right))
        for block in line_blocks(before, after)
        if not block.same
    ]


def put_in(document: QTextDocument, changes: Sequence[Change]) -> None:
    """Apply changes, from the last to the first, as one step that undo takes back."""
    if not changes:
        return
    cursor = QTextCursor(document)
    cursor.beginEditBlock()
    for change in reversed(changes):
        _select_lines(cursor, document, change)
    cursor.endEditBlock()


def _select_lines(cursor: QTextCursor, document: QTextDocument, change: Change) -> None:
    """Replace lines with the line end before or after them, so that none is left over."""
    end = document.characterCount() - 1
    count = document.blockCount()
    text = "\n".join(change.lines)
    if change.first == change.stop:
        _insert(cursor, document, change)
        return
    start = document.findBlockByNumber(change.first).position()
    if change.lines:
        stop_block = document.findBlockByNumber(change.stop - 1)
        stop = stop_block.position() + stop_block.length() - 1
    elif change.stop < count:
        stop = document.findBlockByNumber(change.stop).position()
    else:
        start, stop = max(0, start - 1), end
    cursor.setPosition(start)
    cursor.setPosition(stop, QTextCursor.MoveMode.KeepAnchor)
    cursor.insertText(to_document(text))


def _insert(cursor: QTextCursor, document: QTextDocument, change: Change) -> None:
    text = to_document("\n".join(change.lines))
    if change.first < document.blockCount():
        cursor.setPosition(document.findBlockByNumber(change.first).position())
        cursor.insertText(f"{text}\n")
    else:
        cursor.setPosition(document.characterCount() - 1)
        cursor.insertText(f"\n{text}")

"""What the keys of a code editor do to the text: each is one undo step on a QTextCursor.

The functions take the cursor of the editor, change the document, and return the cursor that the
editor is to have afterwards.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from PySide6.QtGui import QTextBlock, QTextCursor

from studio_qt.ui.editors.indents import leading, opens_block

__all__ = [
    "Marks",
    "break_line",
    "delete_lines",
    "duplicate_lines",
    "erase_step",
    "indent_lines",
    "insert_step",
    "move_lines",
    "replace_all",
    "smart_home",
    "toggle_comment",
    "unindent_lines",
]

_KEEP = QTextCursor.MoveMode.KeepAnchor
_CLOSERS = ")]}"

Marks = tuple[str | None, tuple[str, str] | None]
"""What begins a comment to the end of the line, and what encloses one; None where there is none."""


def indent_lines(cursor: QTextCursor, unit: str) -> QTextCursor:
    """Move the selected lines one step to the right; empty ones stay."""
    return _edit_lines(cursor, lambda line: unit + line if line.strip() else line)


def unindent_lines(cursor: QTextCursor, width: int) -> QTextCursor:
    """Move the selected lines at most one step of `width` columns to the left."""

    def less(line: str) -> str:
        if line.startswith("\t"):
            return line[1:]
        return line[min(width, len(line) - len(line.lstrip(" "))) :]

    return _edit_lines(cursor, less)


def insert_step(cursor: QTextCursor, unit: str) -> QTextCursor:
    """Put a tab, or blanks up to the next step, in the place of what is selected."""
    start = cursor.selectionStart()
    column = start - cursor.document().findBlock(start).position()
    cursor.insertText(unit if unit == "\t" else " " * (len(unit) - column % len(unit)))
    return cursor


def erase_step(cursor: QTextCursor, unit: str) -> bool:
    """Erase blanks before the cursor back to a step; False where it does not stand in such."""
    before = cursor.block().text()[: cursor.positionInBlock()]
    if cursor.hasSelection() or not before or before.strip(" ") or unit == "\t":
        return False
    back = len(before) % len(unit) or len(unit)
    cursor.movePosition(QTextCursor.MoveOperation.Left, _KEEP, min(back, len(before)))
    cursor.removeSelectedText()
    return True


def break_line(cursor: QTextCursor, unit: str, language: str) -> QTextCursor:
    """Begin a line as deep as this one, or deeper after what opens a block.

    Between two brackets the closing one gets a line of its own.
    """
    with _one_step(cursor):
        cursor.removeSelectedText()
        block, place = cursor.block(), cursor.positionInBlock()
        units = block.document().characterAt
        before = _text_between(block, 0, place)
        depth = leading(before)
        deeper = opens_block(before, language)
        closes = deeper and units(cursor.position()) in tuple(_CLOSERS)
        cursor.insertText("\n" + depth + (unit if deeper else ""))
        if closes:
            here = cursor.position()
            cursor.insertText("\n" + depth)
            cursor.setPosition(here)
    return cursor


def smart_home(cursor: QTextCursor, *, select: bool) -> QTextCursor:
    """Go to the first letter of the line, or to its very beginning when there already."""
    first = cursor.block().position() + len(leading(cursor.block().text()))
    at_first = cursor.position() == first
    mode = _KEEP if select else QTextCursor.MoveMode.MoveAnchor
    cursor.setPosition(cursor.block().position() if at_first else first, mode)
    return cursor


def toggle_comment(cursor: QTextCursor, marks: Marks) -> QTextCursor:
    """Make the selected lines comments, or text again when all of them are comments."""
    prefix, around = marks
    lines = [block.text() for block in _blocks(cursor) if block.text().strip()]
    if not lines:
        return cursor
    depth = min(len(leading(line)) for line in lines)
    if prefix is not None:
        on, off = _line_comment(prefix, depth)
        start = prefix
    elif around is not None:
        on, off = _enclosed(*around, depth)
        start = around[0]
    else:
        return cursor
    commented = all(line.lstrip().startswith(start) for line in lines)
    change = off if commented else on
    return _edit_lines(cursor, lambda line: change(line) if line.strip() else line)


def duplicate_lines(cursor: QTextCursor) -> QTextCursor:
    """Put a copy of the selected lines below them; the selection moves into the copy."""
    first, last = _ends(cursor)
    text = "\n".join(block.text() for block in _blocks(cursor))
    by = last.position() + last.length() - first.position()
    anchor, position = cursor.anchor() + by, cursor.position() + by
    with _one_step(cursor):
        cursor.setPosition(last.position() + last.length() - 1)
        cursor.insertText("\n" + text)
    return _select(cursor, anchor, position)


def move_lines(cursor: QTextCursor, step: int) -> QTextCursor:
    """Move the selected lines one line up (-1) or down (1); at the edge nothing happens."""
    first, last = _ends(cursor)
    other = first.previous() if step < 0 else last.next()
    if not other.isValid():
        return cursor
    moved = "\n".join(block.text() for block in _blocks(cursor))
    by = other.length() * step
    anchor, position = cursor.anchor() + by, cursor.position() + by
    text = f"{moved}\n{other.text()}" if step < 0 else f"{other.text()}\n{moved}"
    top, foot = (other, last) if step < 0 else (first, other)
    with _one_step(cursor):
        cursor.setPosition(top.position())
        cursor.setPosition(foot.position() + foot.length() - 1, _KEEP)
        cursor.insertText(text)
    return _select(cursor, anchor, position)


def delete_lines(cursor: QTextCursor) -> QTextCursor:
    """Remove the selected lines with their ends."""
    first, last = _ends(cursor)
    start, end = first.position(), last.position() + last.length()
    if not last.next().isValid():
        start, end = max(0, start - 1), end - 1
    with _one_step(cursor):
        cursor.setPosition(start)
        cursor.setPosition(end, _KEEP)
        cursor.removeSelectedText()
    if not last.isValid() and start:
        cursor.movePosition(QTextCursor.MoveOperation.StartOfBlock)
    return cursor


def replace_all(cursor: QTextCursor, text: str) -> None:
    """Put another text in the place of the whole document, so that undo brings the old one back."""
    with _one_step(cursor):
        cursor.select(QTextCursor.SelectionType.Document)
        cursor.insertText(text)


# Helpers


@contextmanager
def _one_step(cursor: QTextCursor) -> Iterator[None]:
    cursor.beginEditBlock()
    try:
        yield
    finally:
        cursor.endEditBlock()


def _ends(cursor: QTextCursor) -> tuple[QTextBlock, QTextBlock]:
    """Return the first and the last line of the selection; one that is only touched is out."""
    document = cursor.document()
    first = document.findBlock(cursor.selectionStart())
    last = document.findBlock(cursor.selectionEnd())
    if last != first and cursor.selectionEnd() == last.position():
        last = last.previous()
    return first, last


def _blocks(cursor: QTextCursor) -> Iterator[QTextBlock]:
    block, last = _ends(cursor)
    while block.isValid():
        yield block
        if block == last:
            return
        block = block.next()


def _edit_lines(cursor: QTextCursor, change: Callable[[str], str]) -> QTextCursor:
    """Change the beginnings and ends of lines, so that places in between keep the cursor."""
    worker = QTextCursor(cursor.document())
    with _one_step(worker):
        for block in list(_blocks(cursor)):
            old, new = block.text(), change(block.text())
            if new != old:
                _change_line(worker, block, old, new)
    return cursor


def _change_line(worker: QTextCursor, block: QTextBlock, old: str, new: str) -> None:
    """Replace what differs between the two, from the right to the left.

    What is kept is the longest part that both share; it is the line without its depth and marks.
    """
    core = max(old.strip(), new.strip(), key=lambda text: (text in old) + (text in new))
    if core not in old or core not in new:
        core = ""
    ends = (old.find(core), new.find(core)) if core else (len(old), len(new))
    tail_old, tail_new = old[ends[0] + len(core) :], new[ends[1] + len(core) :]
    end = block.position() + block.length() - 1
    if tail_old != tail_new:
        _replace(worker, end - len(tail_old), end, tail_new)
    start = block.position()
    head_old, head_new = old[: ends[0]], new[: ends[1]]
    common = 0
    while common < min(len(head_old), len(head_new)) and head_old[common] == head_new[common]:
        common += 1
    _replace(worker, start + common, start + len(head_old), head_new[common:])


def _replace(worker: QTextCursor, start: int, end: int, text: str) -> None:
    worker.setPosition(start)
    worker.setPosition(end, _KEEP)
    worker.insertText(text)


def _line_comment(prefix: str, depth: int) -> tuple[Callable[[str], str], Callable[[str], str]]:
    def on(line: str) -> str:
        return f"{line[:depth]}{prefix} {line[depth:]}"

    def off(line: str) -> str:
        lead = leading(line)
        return lead + line[len(lead) + len(prefix) :].removeprefix(" ")

    return on, off


def _enclosed(
    opening: str, closing: str, depth: int
) -> tuple[Callable[[str], str], Callable[[str], str]]:
    def on(line: str) -> str:
        return f"{line[:depth]}{opening} {line[depth:]} {closing}"

    def off(line: str) -> str:
        lead = leading(line)
        inner = line[len(lead) + len(opening) :].removeprefix(" ")
        return lead + inner.rstrip().removesuffix(closing).removesuffix(" ")

    return on, off


def _text_between(block: QTextBlock, start: int, end: int) -> str:
    """Return a part of a line by Qt's places."""
    cursor = QTextCursor(block)
    cursor.setPosition(block.position() + start)
    cursor.setPosition(block.position() + end, _KEEP)
    return cursor.selectedText()


def _select(cursor: QTextCursor, anchor: int, position: int) -> QTextCursor:
    """Select a part; behind the end of the text there is nothing to select."""
    last = cursor.document().characterCount() - 1
    cursor.setPosition(min(anchor, last))
    cursor.setPosition(min(position, last), _KEEP)
    return cursor

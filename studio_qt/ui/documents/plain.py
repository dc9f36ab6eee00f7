"""Text into a QTextDocument and out of it without losing a character.

A QTextDocument takes U+2029, U+FDD0, U+FDD1 and a lone carriage return for the end of a line,
`toPlainText` makes blanks and line ends of U+00A0 and U+2028, and a string that begins with U+FEFF
or U+FFFE loses it, or all its bytes are swapped, on its way to Qt. So these go in as characters
that no text may hold (Unicode keeps them for uses like this one), and out comes the raw text.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator

from PySide6.QtGui import QTextCursor, QTextDocument
from shiboken6 import isValid

__all__ = [
    "document_text",
    "fill_slowly",
    "from_document",
    "prepare_slowly",
    "to_document",
    "utf16_length",
]

_SLICE = 48 * 1024
"""Characters that go into a new document at a time: some milliseconds."""

_LINES = 1_200
"""Lines that are made ready at a time: about a millisecond."""

_STANDINS = {
    "\u2029": "\ufdd2",
    "\ufdd0": "\ufdd3",
    "\ufdd1": "\ufdd4",
    "\r": "\ufdd5",
    "\ufeff": "\ufdd6",
    "\ufffe": "\ufdd7",
}
_ESCAPE = "\ufdde"
_INTO = {**_STANDINS, **{sign: _ESCAPE + sign for sign in (*_STANDINS.values(), _ESCAPE)}}
_OUT = {standin: sign for sign, standin in _INTO.items()}
_SIGNS = (*_STANDINS.values(), _ESCAPE)
"""A document without any of these holds no stand-in: `in` is far faster than an expression."""
_MEANT = re.compile("[\r\u2029\ufdd0-\ufdd7\ufdde\ufeff\ufffe]")
_STANDING = re.compile("\ufdde[\ufdd2-\ufdd7\ufdde]|[\ufdd2-\ufdd7]")


def to_document(text: str) -> str:
    """Return `text`, whose lines end in `\\n`, as a QTextDocument can hold it."""
    if not any(sign in text for sign in _INTO):
        return text
    return _MEANT.sub(lambda found: _INTO[found[0]], text)


def document_text(document: QTextDocument) -> str:
    """Return the whole text of a document, with `\\n` between its lines.

    Half a surrogate pair, which is no character, is left out.
    """
    return from_document(document.toRawText().replace("\u2029", "\n"))


def from_document(text: str) -> str:
    """Return what `to_document` was given."""
    if text.isascii() or not any(sign in text for sign in _SIGNS):
        return text
    return _STANDING.sub(lambda found: _OUT[found[0]], text)


async def fill_slowly(document: QTextDocument, text: str) -> bool:
    """Put text into a new document in slices, so that a large one does not stop the window.

    Nothing of it can be undone. Returns whether one slice was enough.
    """
    document.setUndoRedoEnabled(False)
    cursor = QTextCursor(document)
    ready = to_document(text)
    for number, piece in enumerate(_slices(ready)):
        if number:
            await asyncio.sleep(0)
        ends = len(piece) < _SLICE or piece.endswith("\n")
        cursor.insertText(piece if ends else f"{piece}\n")
        if not ends:
            cursor.deletePreviousChar()
    document.setUndoRedoEnabled(True)
    document.setModified(False)
    return len(ready) <= _SLICE


async def prepare_slowly(document: QTextDocument) -> None:
    """Make what an editor needs of each line, which it does for all of them at once otherwise."""
    done = 0
    while isValid(document) and done < document.blockCount():
        block = document.findBlockByNumber(done)  # each time: the text may be another by now
        for _ in range(_LINES):
            block.layout()
            block = block.next()
            if not block.isValid():
                return
        done += _LINES
        await asyncio.sleep(0)


def _slices(text: str) -> Iterator[str]:
    """Cut a text behind line ends into slices, longer ones only where a line is.

    What is put in within a line makes Qt lay out all of the line at once, each time; what brings a
    line end is laid out when somebody looks.
    """
    start = 0
    while start < len(text):
        end = text.rfind("\n", start, start + _SLICE) + 1
        if end <= start and len(text) - start > _SLICE:
            end = text.find("\n", start + _SLICE) + 1
        yield (piece := text[start : end or None] if end > start else text[start:])
        start += len(piece)


def utf16_length(text: str) -> int:
    """Return how many positions `text` takes in a QTextDocument."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2

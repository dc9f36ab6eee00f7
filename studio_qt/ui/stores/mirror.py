"""`Mirror`: the text of a document, known without asking Qt for all of it after each key."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject
from PySide6.QtGui import QTextCursor, QTextDocument

from studio_qt.ui.documents.plain import from_document, to_document

__all__ = ["Mirror", "Splice", "spliced"]

Splice = tuple[int, int, str]
"""Where, how many characters go, and what comes."""


class Mirror(QObject):
    """Notes what changes in a document whose text is `text`, with line feeds between lines.

    `parts` are for `spliced`, which blocks; `settle` gives back what came of them. Qt counts in
    UTF-16, and tells a change in the midst of a pair wrongly: so where there are pairs, which the
    length shows, all of the text is asked for after all.
    """

    def __init__(self, document: QTextDocument, text: str) -> None:
        super().__init__(document)
        self._document = document
        self._text = to_document(text)
        self._splices: list[Splice] = []
        self._length = len(self._text)
        document.contentsChange.connect(self._on_change)

    @property
    def parts(self) -> tuple[str, tuple[Splice, ...]]:
        """A text, as Qt has it, and what was done to it since."""
        if self._length != self._document.characterCount() - 1:
            self._text = self._document.toRawText().replace("\u2029", "\n")
            self._length = len(self._text)
            self._splices.clear()
        return self._text, tuple(self._splices)

    def settle(self, parts: tuple[str, tuple[Splice, ...]], text: str) -> None:
        """Begin with the text that `spliced` made of parts, unless another was faster."""
        if self._text is parts[0]:
            self._text = text
            del self._splices[: len(parts[1])]

    def _on_change(self, at: int, removed: int, added: int) -> None:
        cursor, end = QTextCursor(self._document), self._document.characterCount() - 1
        cursor.setPosition(min(at, end))
        cursor.setPosition(min(at + added, end), QTextCursor.MoveMode.KeepAnchor)
        new = cursor.selectedText().replace("\u2029", "\n")
        self._splices.append((at, removed, new))
        length = self._length + len(new) - removed
        self._length = length if length == end else -1


def spliced(text: str, splices: Sequence[Splice]) -> tuple[str, str]:
    """Return a text after splices, as Qt has it, and as it is meant; blocks."""
    for at, removed, new in splices:
        text = f"{text[:at]}{new}{text[at + removed :]}"
    return text, from_document(text)

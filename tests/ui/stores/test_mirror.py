"""The text of a store is known without asking the editor for all of it (STU-04)."""

from __future__ import annotations

import random

import pytest
from PySide6.QtGui import QTextCursor, QTextDocument
from PySide6.QtWidgets import QPlainTextDocumentLayout

from studio_qt.ui.documents.plain import document_text
from studio_qt.ui.stores.mirror import Mirror, spliced

PIECES = ["a", "", "\n", "two\nlines\n", "é\u00a0\u2028", "𝄞", "\ufdd2\ufdde", "word " * 9]


@pytest.fixture
def document(qapp: object) -> QTextDocument:
    made = QTextDocument()
    made.setDocumentLayout(QPlainTextDocumentLayout(made))
    return made


@pytest.mark.parametrize("first", ["", "plain\ntext\n", "𝄞\u2029\ufeff\r\nend"])
@pytest.mark.parametrize("seed", range(4))
def test_what_is_noted_is_what_the_document_says(
    document: QTextDocument, first: str, seed: int
) -> None:
    choose = random.Random(seed)
    document.setPlainText(first)
    mirror = Mirror(document, document_text(document))
    for turn in range(60):
        cursor = QTextCursor(document)
        for anchor in (QTextCursor.MoveMode.MoveAnchor, QTextCursor.MoveMode.KeepAnchor):
            cursor.setPosition(choose.randrange(document.characterCount()), anchor)
        match choose.randrange(6):
            case 0:
                cursor.removeSelectedText()
            case 1:
                document.undo()
            case 2:
                document.redo()
            case 3 if turn == 40:
                document.setPlainText("another\ntext")
            case _:
                cursor.insertText(choose.choice(PIECES))
        if choose.randrange(3) == 0:
            parts = mirror.parts
            text, meant = spliced(*parts)
            assert meant == document_text(document)
            mirror.settle(parts, text)
    assert spliced(*mirror.parts)[1] == document_text(document)


def test_a_reader_that_comes_late_changes_nothing(document: QTextDocument) -> None:
    mirror = Mirror(document, "")
    late = mirror.parts
    QTextCursor(document).insertText("new")
    parts = mirror.parts
    mirror.settle(parts, spliced(*parts)[0])
    mirror.settle(late, spliced(*late)[0])
    assert spliced(*mirror.parts)[1] == "new"


def test_the_whole_is_not_asked_for_after_a_key(
    document: QTextDocument, monkeypatch: pytest.MonkeyPatch
) -> None:
    document.setPlainText("text\n" * 1_000)
    mirror = Mirror(document, document_text(document))
    monkeypatch.setattr(QTextDocument, "toRawText", None)
    QTextCursor(document).insertText("é")
    assert spliced(*mirror.parts)[1].startswith("étext\n")

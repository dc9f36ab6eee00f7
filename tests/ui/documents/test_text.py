"""Text goes into a QTextDocument and out of it unharmed, by the lines that differ alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtGui import QTextCursor, QTextDocument
from pytestqt.qtbot import QtBot

from studio_qt.ui.documents.changes import changes_between, put_in
from studio_qt.ui.documents.plain import document_text, fill_slowly, to_document

pytestmark = pytest.mark.usefixtures("qapp")

_HARD = (
    "ab\n\r\u00a0\u2028\u2029\x85\x0b\x0c\ufeff\ufffe\u200b\ufdd0\ufdd1\ufdd2\ufdd3\ufdd5\ufdde😀é"
)


def _document(text: str) -> QTextDocument:
    document = QTextDocument()
    QTextCursor(document).insertText(to_document(text))
    return document


@given(st.text(alphabet=_HARD, max_size=20))
def test_every_character_comes_out_as_it_went_in(text: str) -> None:
    document = _document(text)
    assert document_text(document) == text
    assert document.blockCount() == text.count("\n") + 1


_LINES = st.lists(st.sampled_from(["", "a", "b", "c😀\u2029d", "\u2028"]), min_size=1, max_size=9)


@given(_LINES, _LINES)
def test_changes_make_the_new_text_in_one_undoable_step(old: list[str], new: list[str]) -> None:
    before, after = "\n".join(old), "\n".join(new)
    document = QTextDocument()
    document.setUndoRedoEnabled(False)
    QTextCursor(document).insertText(to_document(before))
    document.setUndoRedoEnabled(True)
    put_in(document, changes_between(before, after))
    assert document_text(document) == after
    if before != after:
        document.undo()
        assert document_text(document) == before
    assert not document.isUndoAvailable()


def test_cursors_outside_the_changed_lines_stay_with_their_line(qtbot: QtBot) -> None:
    before = "\n".join(f"line {number}" for number in range(50))
    document = _document(before)
    cursor = QTextCursor(document.findBlockByNumber(25))
    cursor.movePosition(QTextCursor.MoveOperation.Right, QTextCursor.MoveMode.MoveAnchor, 3)
    after = before.replace("line 3\n", "new\nnew\n").replace("line 24\n", "").replace("49", "last")
    put_in(document, changes_between(before, after))
    assert cursor.block().text() == "line 25"
    assert cursor.positionInBlock() == 3


@pytest.mark.qt_loop
@pytest.mark.parametrize("end", ["", "\n", "\nand more"])
async def test_a_line_without_end_is_put_in_at_once(end: str) -> None:
    """Each piece would have Qt lay out all of the line: 2.5 s for a megabyte instead of 0.25."""
    text = f"one\n{'a word ' * 60_000}{end}"
    document = QTextDocument()
    added: list[int] = []
    document.contentsChange.connect(lambda _at, _removed, many: added.append(many))
    assert not await fill_slowly(document, text)
    assert len([many for many in added if many > 1]) <= 3
    assert document_text(document) == text
    assert not document.isUndoAvailable()


@pytest.mark.qt_loop
@pytest.mark.parametrize("text", ["", "\n", "x", "a\n" * 100_000, "\n" * 100_000 + "z" * 60_000])
async def test_every_text_comes_back_from_its_slices(text: str) -> None:
    document = QTextDocument()
    await fill_slowly(document, text)
    assert document_text(document) == text

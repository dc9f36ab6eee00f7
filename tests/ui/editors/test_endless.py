"""Lines and words without an end: the window goes on answering."""

from __future__ import annotations

import time

import pytest
from PySide6.QtGui import QGuiApplication, QTextOption

from studio_qt.ui.editors.endless import LONGEST_WORD, has_endless_word
from tests.ui.editors.conftest import Bench

ANYWHERE = QTextOption.WrapMode.WrapAnywhere
ENDLESS = "x" * (LONGEST_WORD + 1)


@pytest.mark.parametrize(
    ("raw", "endless"),
    [
        ("", False),
        (ENDLESS, True),
        (f"a\u2029b {ENDLESS} c\u2029d", True),
        ("word " * 50_000, False),
        ("x\u2029" * 50_000, False),
        ("x" * LONGEST_WORD, False),
    ],
)
def test_a_word_is_endless_from_a_length_on(raw: str, endless: bool) -> None:
    assert has_endless_word(raw) is endless


@pytest.mark.qt_loop
async def test_an_endless_word_of_a_file_is_broken_anywhere(bench: Bench) -> None:
    editor = await bench.open("a.txt", f"Short.\n{ENDLESS}\n")
    assert editor.wordWrapMode() is ANYWHERE
    other = await bench.open("notes.md")
    assert other.wordWrapMode() is not ANYWHERE


@pytest.mark.qt_loop
@pytest.mark.parametrize("before", ["", "one\n", "one two "])
async def test_an_endless_word_that_is_pasted_is_broken_anywhere(bench: Bench, before: str) -> None:
    editor = await bench.open("notes.md")
    QGuiApplication.clipboard().setText(f"{before}{ENDLESS}\nand more")
    editor.paste()
    assert editor.wordWrapMode() is ANYWHERE


@pytest.mark.qt_loop
async def test_typing_in_300_000_letters_without_a_blank_takes_no_seconds(bench: Bench) -> None:
    """It took five; the bound has room for a machine that is busy."""
    await bench.open("a.txt", "x" * 300_000)
    started = time.process_time()
    bench.type("y")
    bench.editor.viewport().repaint()
    assert time.process_time() - started < 2

"""Lines and words without an end: the window goes on answering."""

from __future__ import annotations

import random
import time

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QTextOption
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QToolButton

from studio_qt.ui.editors.endless import LONGEST_WORD, has_endless_line, has_endless_word
from studio_qt.ui.editors.notices import NoticeBar
from studio_qt.ui.highlight import LONGEST_LINE, Highlighter
from tests.support.qt import until
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


def told(bench: Bench) -> list[str]:
    return [bar.text for bar in bench.window.findChildren(NoticeBar) if bar.isVisible()]


def long_json(letters: int) -> str:
    return "[" + '{"a": 1}, ' * (letters // 10) + "1]"


def test_long_lines_and_words_are_found_wherever_they_stand() -> None:
    dice = random.Random(5)
    for _ in range(60):
        lengths = [dice.choice([0, 10, 3_999, 4_000, 4_001, 20_000, 20_001]) for _ in range(9)]
        text = "\n".join("a" * length for length in lengths)
        assert has_endless_line(text, "\n") == (max(lengths) > LONGEST_LINE)
        assert has_endless_word(text, "\n") == (max(lengths) > LONGEST_WORD)


@pytest.mark.parametrize("end", ["", "\u2029", "\u2029b"])
def test_a_line_is_endless_from_a_length_on_whatever_its_words_are(end: str) -> None:
    assert has_endless_line(f"a\u2029{long_json(LONGEST_LINE + 50)}{end}")
    assert not has_endless_line(f"{long_json(LONGEST_LINE - 50)}{end}")
    assert not has_endless_line("x\u2029" * LONGEST_LINE)


@pytest.mark.qt_loop
async def test_a_line_without_end_is_wrapped_has_no_colours_and_a_bar_says_so(bench: Bench) -> None:
    """What Qt does with a line it does with all of it, for each key and each colour."""
    text = f'{{"a": 1}}\n{long_json(60_000)}\n{{"b": 2}}'
    editor = await bench.open("long.json", text)
    highlighter = editor.findChild(Highlighter)
    assert highlighter is not None
    await until(lambda: highlighter.settled)
    assert (editor.wrapped, editor.wordWrapMode() is ANYWHERE) == (True, True)
    assert [bool(highlighter.spans(line)) for line in range(3)] == [True, False, True]
    assert ["wrapped" in text for text in told(bench)] == [True]
    editor.set_wrapped(wrapped=False)
    assert editor.wrapped


@pytest.mark.qt_loop
async def test_a_line_that_grows_without_end_is_told_once(bench: Bench) -> None:
    editor = await bench.open("b.json", "[]")
    before = editor.wrapped
    QGuiApplication.clipboard().setText(f"1\n{long_json(30_000)}\n2")
    editor.paste()
    assert (before, editor.wrapped) == (False, True)
    assert len(told(bench)) == 1
    close = bench.window.findChild(QToolButton, "noticeClose")
    assert close is not None
    QTest.mouseClick(close, Qt.MouseButton.LeftButton)
    bench.type("x")
    assert told(bench) == []

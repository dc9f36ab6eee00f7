"""Marks: brackets, problems, unsaved lines, and how they move with the text."""

from __future__ import annotations

import random

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QTextDocument

from studio_qt.errors import Problem
from studio_qt.ui.editors.brackets import bracket_pair
from studio_qt.ui.editors.drift import Drift
from studio_qt.ui.editors.indents import detect_indent
from studio_qt.ui.editors.offsets import Offsets
from studio_qt.ui.editors.reckoning import Change, changed_lines, reckon
from studio_qt.ui.editors.words import words_of
from tests.support.qt import until
from tests.ui.editors.conftest import CONTROL, Bench


def pair(text: str, position: int, *, strings: str = "") -> tuple[int, int | None] | None:
    return bracket_pair(
        QTextDocument(text), position, lambda at: text[at] not in strings, seconds=9
    )


@pytest.mark.parametrize(
    ("text", "position", "answer"),
    [
        ("f(a)", 1, (1, 3)),
        ("f(a)", 4, (3, 1)),
        ("f(a)", 0, None),
        ("([{}])", 0, (0, 5)),
        ("([{}])", 3, (3, 2)),
        ("(]", 0, (0, None)),
        ("(\n\n)", 0, (0, 3)),
        ("((a)", 0, (0, None)),
        ("a)", 2, (1, None)),
        (")(", 1, (1, None)),
        ("", 0, None),
    ],
)
def test_a_bracket_has_a_partner(
    text: str, position: int, answer: tuple[int, int | None] | None, qapp: object
) -> None:
    assert pair(text, position) == answer


def test_brackets_behind_wide_characters_are_found(qapp: object) -> None:
    assert bracket_pair(QTextDocument("😀(😀)"), 2, lambda _at: True, seconds=9) == (2, 5)


def test_a_search_for_a_partner_ends(qapp: object) -> None:
    document = QTextDocument("(" + "\n" * 1000)
    assert bracket_pair(document, 0, lambda _at: True, seconds=-1) is None


@pytest.mark.parametrize(
    ("saved", "now", "changes"),
    [
        ("abc", "abc", ()),
        ("abc", "aXc", (Change(1, 2),)),
        ("abc", "abXc", (Change(2, 3),)),
        ("abc", "ac", (Change(1, 1),)),
        ("abcdef", "aXcdYYf", (Change(1, 2), Change(4, 6))),
        ("", "a", (Change(0, 1),)),
        ("aaa", "aa", (Change(2, 2),)),
    ],
)
def test_unsaved_lines_are_those_that_differ(
    saved: str, now: str, changes: tuple[Change, ...]
) -> None:
    assert changed_lines(list(saved), list(now)) == changes


def test_tokens_are_estimated_for_the_whole_text() -> None:
    assert reckon("a" * 400, None).tokens == 100
    assert reckon("a\nb", "a").changes == (Change(1, 2),)


def test_places_drift_as_the_text_does() -> None:
    rng = random.Random(5)
    for _ in range(200):
        text = [object() for _ in range(30)]
        was = list(text)
        drift = Drift()
        for _ in range(rng.randrange(6)):
            at = rng.randrange(len(text) + 1)
            removed = rng.randrange(min(4, len(text) - at) + 1)
            added = [object() for _ in range(rng.randrange(4))]
            text[at : at + removed] = added
            drift.add(at, removed, len(added))
        for start, thing in enumerate(was):
            now = drift.new(start, start + 1)
            assert now is None or text[now[0]] is thing
            if thing in text and now is not None:
                assert drift.old(now[0]) == start


def test_offsets_count_as_qt_does() -> None:
    text = "a😀b😀c"
    offsets = Offsets(text)
    for index in range(len(text) + 1):
        unit = len(text[:index].encode("utf-16-le")) // 2
        assert (offsets.unit(index), offsets.index(unit)) == (unit, index)


@pytest.mark.parametrize(
    ("text", "step"),
    [
        ("a\n  b\n    c\n  d", "  "),
        ("a\n    b\n        c", "    "),
        ("a\n\tb", "\t"),
        ("a\nb", None),
        ("/**\n * a\n */\nif\n    b\n    c\nd\n    e", "    "),
    ],
)
def test_indentation_is_found_out(text: str, step: str | None) -> None:
    assert detect_indent(text.split("\n")) == step


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("He doesn’t know, does he?", "He doesn’t know does he"),
        ("See https://a.example/thing and me@b.example", "See and"),
        ("%%STORE:memory-store%% keeps", "keeps"),
        ("snake_case camelCase HTML a1 v2 x", ""),
        ("well-kept (prose)", "well kept prose"),
        ("naïve Straße", "naïve Straße"),
        ("C:\\folder\\file a.b", ""),
    ],
)
def test_only_words_of_prose_are_spelt(line: str, words: str) -> None:
    assert [word.text for word in words_of(line)] == words.split()


# In the window


qt_loop = pytest.mark.qt_loop


@qt_loop
async def test_brackets_in_strings_and_comments_count_for_nothing(bench: Bench) -> None:
    editor = await bench.open("a.js", "f('(', 1); // )\n")
    body = bench.page.current.body
    await until(lambda: body.highlighter.settled)
    bench.place(1, 2)
    await until(lambda: editor.marks.brackets is not None)
    assert editor.marks.brackets == (1, 8)
    bench.place(1, 5)
    await until(lambda: not editor._bracket_timer.isActive())
    assert editor.marks.brackets is None


@qt_loop
async def test_unsaved_lines_have_a_bar_until_they_are_saved(bench: Bench) -> None:
    editor = await bench.open("a.txt", "one\ntwo\nthree\n")
    bench.place(2, 1)
    bench.type("x")
    reckoner = bench.page.current.body.reckoner
    await until(lambda: reckoner.idle)
    assert [editor.marks.change_at(line) for line in range(3)] == ["", "changed", ""]
    bench.place(1, 1)
    bench.press(Qt.Key.Key_Return)
    assert editor.marks.change_at(2) == "changed"
    bench.press(Qt.Key.Key_S, CONTROL)
    await bench.idle()
    await until(lambda: reckoner.idle)
    assert [editor.marks.change_at(line) for line in range(4)] == [""] * 4


@qt_loop
async def test_a_problem_stays_with_its_line_and_tells_of_itself(bench: Bench) -> None:
    editor = await bench.open("notes.md")
    bench.page.show_problems([Problem("warning", "notes.md", 3, "Too wide a sea.")])
    bench.place(1, 1)
    bench.press(Qt.Key.Key_Return)
    assert [mark.line for mark in editor.marks.problems] == [3]
    bench.place(4, 2)
    await until(lambda: bench.status is not None and bench.status.problem != "")
    assert bench.status.problem == "Too wide a sea."
    assert editor.tip_at(editor.cursorRect().center()) == "Too wide a sea."
    assert editor.tip_at(QPoint(5, 2)) == ""


@qt_loop
async def test_a_problem_without_a_line_or_behind_the_end_has_a_line_all_the_same(
    bench: Bench,
) -> None:
    editor = await bench.open("notes.md")
    bench.page.show_problems(
        [Problem("error", "notes.md", None, "a"), Problem("error", "notes.md", 99, "b")]
    )
    assert [mark.line for mark in editor.marks.problems] == [0, 3]


@qt_loop
@pytest.mark.parametrize("theme", ["dark", "light"])
async def test_marks_are_drawn_in_the_colours_of_the_theme(bench: Bench, theme: str) -> None:
    bench.theme.choose(theme)
    editor = await bench.open("notes.md")
    bench.page.show_problems([Problem("error", "notes.md", 3, "Too wide.")])
    picture = editor.viewport().grab().toImage()
    err, hover = bench.theme.colour("err"), bench.theme.colour("hover")
    colours = {
        picture.pixelColor(x, y).name()
        for x in range(picture.width())
        for y in range(picture.height() // 4)
    }
    assert hover.name() in colours
    assert any(_near(colour, err.name()) for colour in colours)


def _near(one: str, other: str) -> bool:
    parts = [(int(one[at : at + 2], 16), int(other[at : at + 2], 16)) for at in (1, 3, 5)]
    return all(abs(first - second) < 40 for first, second in parts)

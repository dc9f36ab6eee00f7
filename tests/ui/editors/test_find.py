"""Finding and replacing in a file."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QLineEdit

from studio_qt.errors import StudioError
from studio_qt.ui.editors.finder import Finder
from studio_qt.ui.editors.searching import MOST, Query, Replacement, find_all, replacements
from tests.support.qt import until
from tests.ui.editors.conftest import CONTROL, SHIFT, Bench

SEA = "The sea.\nA Sea of seas.\nseaside\n"
SLOW = r"(a|aa)+$"


def found(text: str, pattern: str, **how: bool) -> list[str]:
    return [text[start:end] for start, end in find_all(text, Query(pattern, **how)).spans]


def test_case_and_whole_words_are_looked_at_when_asked_for() -> None:
    assert len(found(SEA, "sea")) == 4
    assert found(SEA, "Sea", case=True) == ["Sea"]
    assert found(SEA, "sea", word=True) == ["sea", "Sea"]


def test_plain_text_is_no_expression() -> None:
    assert found("a.c abc", "a.c") == ["a.c"]
    assert found("a.c abc", "a.c", expression=True) == ["a.c", "abc"]


def test_expressions_know_lines() -> None:
    assert found("ab\nac\n", "^a.$", expression=True) == ["ab", "ac"]


def test_empty_matches_do_not_count() -> None:
    assert found("abc", "x*", expression=True) == []


def test_places_are_those_of_the_editor_behind_wide_characters() -> None:
    assert find_all("😀a😀a", Query("a")).spans == ((2, 3), (5, 6))
    assert find_all("😀a😀a", Query("a"), (3, 6)).spans == ((5, 6),)


@pytest.mark.parametrize("pattern", ["(", "[a", "*a", "(?P<x", "a{2,1}"])
def test_a_bad_expression_says_what_is_wrong(pattern: str) -> None:
    with pytest.raises(StudioError, match="cannot be read"):
        find_all("a", Query(pattern, expression=True))


def test_an_expression_that_does_not_end_is_given_up() -> None:
    begin = time.process_time()
    with pytest.raises(StudioError, match="takes too long"):
        find_all("a" * 80 + "b", Query(SLOW, expression=True), seconds=0.2)
    assert time.process_time() - begin < 2


def test_the_number_of_matches_is_bounded() -> None:
    many = find_all("a" * (MOST + 5), Query("a"))
    assert (len(many.spans), many.more) == (MOST, True)


def test_groups_stand_in_the_replacement() -> None:
    query = Query(r"(\w+)=(?P<b>\w+)", expression=True)
    assert [one.text for one in replacements("a=1 b=2", query, r"\g<b>:\1")] == ["1:a", "2:b"]


def test_plain_replacements_are_taken_as_they_are() -> None:
    assert [one.text for one in replacements("a", Query("a"), r"\1\n")] == [r"\1\n"]


@pytest.mark.parametrize("template", [r"\3", "\\", r"\g<no>"])
def test_a_bad_replacement_says_so(template: str) -> None:
    with pytest.raises(StudioError, match="replacement"):
        replacements("a", Query("(a)", expression=True), template)


# In the window


async def looking(bench: Bench, pattern: str, *, replace: bool = False) -> QLineEdit:
    """Open the bar, type a pattern, and wait for what is found."""
    bench.press(Qt.Key.Key_H if replace else Qt.Key.Key_F, CONTROL)
    field = bench.find("findField")
    assert isinstance(field, QLineEdit)
    field.clear()
    bench.type(pattern, field)
    await searched(bench)
    return field


async def searched(bench: Bench) -> None:
    finder = bench.page.current.body.find_bar.finder
    await until(lambda: finder.idle)


def count(bench: Bench) -> str:
    return bench.find("findCount").text()


qt_loop = pytest.mark.qt_loop


@qt_loop
async def test_matches_are_counted_and_gone_through_around_the_ends(bench: Bench) -> None:
    await bench.open("sea.txt", SEA)
    field = await looking(bench, "sea")
    assert count(bench) == "4 found"
    seen = []
    for _ in range(5):
        bench.press(Qt.Key.Key_Return, field=field)
        seen.append(count(bench))
    assert seen == ["1 of 4", "2 of 4", "3 of 4", "4 of 4", "1 of 4"]
    bench.press(Qt.Key.Key_Return, SHIFT, field)
    assert count(bench) == "4 of 4"
    assert bench.editor.textCursor().selectedText() == "sea"


@qt_loop
async def test_every_match_on_the_screen_is_marked(bench: Bench) -> None:
    editor = await bench.open("sea.txt", SEA)
    await looking(bench, "sea")
    block = editor.document().findBlockByNumber(1)
    assert list(editor.marks.matches_in(block)) == [(2, 5), (9, 12)]
    bench.click("findClose")
    assert list(editor.marks.matches_in(block)) == []
    assert editor.hasFocus()


@qt_loop
async def test_marks_move_with_the_text_until_the_search_has_run_again(bench: Bench) -> None:
    editor = await bench.open("sea.txt", SEA)
    await looking(bench, "sea")
    bench.place(1, 1)
    bench.type("Oh! ")
    block = editor.document().findBlockByNumber(1)
    assert list(editor.marks.matches_in(block)) == [(2, 5), (9, 12)]
    assert list(editor.marks.matches_in(block.previous())) == [(8, 11)]
    await searched(bench)
    assert list(editor.marks.matches_in(block.previous())) == [(8, 11)]


@qt_loop
async def test_f3_goes_on_without_the_bar_and_in_another_tab(bench: Bench) -> None:
    await bench.open("sea.txt", SEA)
    field = await looking(bench, "sea")
    bench.press(Qt.Key.Key_Escape, field=field)
    assert not bench.shows("findBar")
    bench.press(Qt.Key.Key_F3)
    await until(lambda: bench.editor.textCursor().selectedText() == "sea")
    other = await bench.open("notes.md")
    bench.press(Qt.Key.Key_F3)
    await until(lambda: other.textCursor().selectedText() == "sea")
    assert not other.marks.matches


@qt_loop
async def test_the_selection_is_what_is_looked_for(bench: Bench) -> None:
    editor = await bench.open("sea.txt", SEA)
    editor.select(SEA.index("side"), SEA.index("side") + 4)
    bench.press(Qt.Key.Key_F, CONTROL)
    assert bench.find("findField").text() == "side"
    await searched(bench)
    assert count(bench) == "1 of 1"


@qt_loop
async def test_toggles_narrow_the_search(bench: Bench) -> None:
    await bench.open("sea.txt", SEA)
    await looking(bench, "Sea")
    bench.click("findCase")
    await searched(bench)
    assert count(bench) == "1 found"
    bench.click("findCase")
    bench.click("findWord")
    await searched(bench)
    assert count(bench) == "2 found"


@qt_loop
async def test_a_bad_expression_shows_its_error_in_place(bench: Bench) -> None:
    await bench.open("sea.txt", SEA)
    field = await looking(bench, "(se")
    bench.click("findExpression")
    await searched(bench)
    assert "missing )" in bench.find("findError").text()
    assert field.property("state") == "error"
    bench.type("a)", field)
    await searched(bench)
    assert not bench.shows("findError")
    assert count(bench) == "4 found"


@qt_loop
async def test_no_expression_can_stop_the_window(bench: Bench) -> None:
    await bench.open("a.txt", "a" * 80 + "b")
    await looking(bench, SLOW)
    bench.click("findExpression")
    finder = bench.page.current.body.find_bar.finder
    finder.seconds = 0.3
    await until(lambda: not finder.idle)
    begin = time.monotonic()
    bench.type("c", bench.editor)
    assert time.monotonic() - begin < 1
    await until(lambda: "too long" in finder.error, 10)


@qt_loop
async def test_one_match_is_replaced_and_the_next_selected(bench: Bench) -> None:
    await bench.open("sea.txt", SEA)
    field = await looking(bench, "(s)ea", replace=True)
    bench.click("findExpression")
    bench.type(r"\1ky", bench.find("replaceField"))
    await searched(bench)
    bench.press(Qt.Key.Key_Return, field=field)
    bench.click("replaceOne")
    await until(lambda: bench.text.startswith("The sky."))
    await until(lambda: bench.editor.textCursor().selectedText() == "Sea")
    bench.press(Qt.Key.Key_Return, field=bench.find("replaceField"))
    await until(lambda: "A Sky of seas" in bench.text)


@pytest.mark.clause("STU-01")
@qt_loop
@pytest.mark.parametrize("line", ["a 😀 sea\n", "a 😀 sea\n\n\n"])
@pytest.mark.parametrize("times", [3, 700, 3000])
async def test_all_are_replaced_as_one_step(bench: Bench, times: int, line: str) -> None:
    text = line * times
    await bench.open("sea.txt", text)
    await looking(bench, "sea", replace=True)
    bench.type("deep", bench.find("replaceField"))
    bench.click("replaceAll")
    await until(lambda: bench.text == text.replace("sea", "deep"))
    await until(lambda: bool(bench.notices))
    assert bench.notices[-1] == (f"{times:,} matches were replaced.", "info")
    bench.press(Qt.Key.Key_Z, CONTROL)
    assert bench.text == text


@qt_loop
@pytest.mark.parametrize("line", ["the sea\n", "the sea\n\n\n"])
async def test_a_turn_puts_in_few_replacements_or_one_text_of_some_length(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, line: str
) -> None:
    parts: list[tuple[int, int]] = []
    put_in = Finder._put_in

    def note(finder: Finder, made: Sequence[Replacement], *, join: bool = False) -> None:
        parts.append((len(made), max(one.end - one.start for one in made)))
        put_in(finder, made, join=join)

    monkeypatch.setattr(Finder, "_put_in", note)
    await bench.open("sea.txt", line * 3000)
    await looking(bench, "sea", replace=True)
    bench.type("deep", bench.find("replaceField"))
    bench.click("replaceAll")
    await until(lambda: bench.text == line.replace("sea", "deep") * 3000)
    assert len(parts) > 1
    assert all(count <= 400 and length <= 12_000 for count, length in parts)


@qt_loop
async def test_what_is_typed_while_all_are_replaced_is_a_step_of_its_own(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    text, put_in = "the sea\n\n\n" * 900, Finder._put_in

    def type_after(finder: Finder, made: Sequence[Replacement], *, join: bool = False) -> None:
        put_in(finder, made, join=join)
        monkeypatch.setattr(Finder, "_put_in", put_in)
        asyncio.get_running_loop().call_soon(bench.editor.insertPlainText, "A sea. ")

    monkeypatch.setattr(Finder, "_put_in", type_after)
    editor = await bench.open("sea.txt", text)
    await looking(bench, "sea", replace=True)
    bench.type("deep", bench.find("replaceField"))
    editor.moveCursor(QTextCursor.MoveOperation.Start)
    bench.click("replaceAll")
    await until(lambda: bench.text == f"A deep. {text.replace('sea', 'deep')}")
    for _ in range(3):
        editor.undo()
    assert bench.text == text


@qt_loop
async def test_a_search_can_be_limited_to_a_selection(bench: Bench) -> None:
    editor = await bench.open("sea.txt", SEA)
    editor.select(0, SEA.index("seaside"))
    field = await looking(bench, "sea", replace=True)
    assert bench.find("findInSelection").isChecked()
    assert count(bench) == "3 found"
    bench.type("x", bench.find("replaceField"))
    bench.click("replaceAll")
    await until(lambda: bench.text == "The x.\nA x of xs.\nseaside\n")
    await searched(bench)
    bench.click("findInSelection")
    await searched(bench)
    assert count(bench) == "1 found"
    bench.press(Qt.Key.Key_Escape, field=field)


@qt_loop
async def test_nothing_is_replaced_in_what_is_read_only(bench: Bench) -> None:
    await bench.open("sea.txt", SEA)
    bench.page.set_read_only("Another window has the project.")
    await looking(bench, "sea", replace=True)
    bench.click("replaceAll")
    await bench.idle()
    assert bench.text == SEA


@qt_loop
async def test_in_a_narrow_window_the_buttons_stand_below_the_fields(bench: Bench) -> None:
    await bench.open("sea.txt", SEA)
    field = await looking(bench, "sea", replace=True)
    button = bench.find("findCase")
    bench.window.resize(420, 500)
    await until(lambda: button.mapTo(bench.window, QPoint()).x() < field.width())
    assert field.width() > 250
    bench.window.resize(900, 500)
    await until(lambda: button.mapTo(bench.window, QPoint()).x() > field.width())

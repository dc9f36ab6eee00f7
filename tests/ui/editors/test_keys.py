"""What keys do in an editor."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QGuiApplication, QWheelEvent
from PySide6.QtWidgets import QApplication

from tests.support.qt import until
from tests.ui.editors.conftest import ALT, CONTROL, SHIFT, Bench

pytestmark = pytest.mark.qt_loop


@pytest.mark.clause("STU-01")
async def test_what_is_typed_stands_in_the_text(bench: Bench) -> None:
    await bench.open("instructions.txt")
    bench.type("Well. ")
    assert bench.text == "Well. Be Ada.\nShe counts.\n"
    assert bench.documents.find("instructions.txt").plain == bench.text


async def test_tab_goes_to_the_next_step_of_the_file(bench: Bench) -> None:
    await bench.open("agents/omens.py")
    bench.place(2, 5)
    bench.press(Qt.Key.Key_Tab)
    assert bench.text == "def omen(text):\n        return text\n"


async def test_tab_and_back_tab_move_selected_lines(bench: Bench) -> None:
    await bench.open("agents/roller.js")
    bench.editor.select(0, bench.text.index("return"))
    bench.press(Qt.Key.Key_Tab)
    assert bench.text.startswith("  function roll(sides) {\n    // a die (six)\n    return")
    bench.press(Qt.Key.Key_Backtab, SHIFT)
    bench.press(Qt.Key.Key_Backtab, SHIFT)
    assert bench.text.startswith("function roll(sides) {\n// a die (six)\nreturn")
    for _ in range(3):
        bench.press(Qt.Key.Key_Z, CONTROL)
    assert "\n  // a die (six)\n  return" in bench.text


async def test_a_file_without_indentation_gets_the_width_that_is_preferred(bench: Bench) -> None:
    bench.preferences.change_window(tab_width=3)
    await bench.open("flat.js", "let a;\n")
    bench.press(Qt.Key.Key_Tab)
    assert bench.text == "   let a;\n"


async def test_tabs_stay_tabs(bench: Bench) -> None:
    await bench.open("tabs.js", "if (a) {\n\tb();\n\tc();\n}\n")
    bench.place(2, 6)
    bench.press(Qt.Key.Key_Return)
    bench.press(Qt.Key.Key_Tab)
    assert "\tb();\n\t\t\n\tc" in bench.text


@pytest.mark.parametrize(
    ("path", "text", "typed"),
    [
        ("a.js", "  go();", "  go();\n  "),
        ("a.js", "if (a) {", "if (a) {\n  "),
        ("a.py", "def a():", "def a():\n  "),
        ("a.lua", "if a then", "if a then\n  "),
        ("a.lua", "local function f(a)", "local function f(a)\n  "),
        ("a.yaml", "key:", "key:\n  "),
        ("a.txt", "He said (", "He said (\n"),
    ],
)
async def test_a_new_line_is_as_deep_as_the_code_asks(
    bench: Bench, path: str, text: str, typed: str
) -> None:
    await bench.open(path, text)
    bench.place(1, len(text) + 1)
    bench.press(Qt.Key.Key_Return)
    assert bench.text == typed


async def test_enter_between_brackets_opens_them(bench: Bench) -> None:
    await bench.open("a.js", "  f({})")
    bench.place(1, 6)
    bench.press(Qt.Key.Key_Return)
    assert bench.text == "  f({\n    \n  })"
    assert bench.editor.place == (2, 5)
    bench.press(Qt.Key.Key_Z, CONTROL)
    assert bench.text == "  f({})"


async def test_shift_enter_is_a_line_end_like_any_other(bench: Bench) -> None:
    await bench.open("a.txt", "ab")
    bench.place(1, 2)
    bench.press(Qt.Key.Key_Return, SHIFT)
    assert bench.editor.blockCount() == 2


async def test_a_closing_bracket_that_begins_a_line_goes_back_one_step(bench: Bench) -> None:
    await bench.open("a.js", "if (a) {\n  b();\n  ")
    bench.place(3, 3)
    bench.type("}")
    assert bench.text == "if (a) {\n  b();\n}"


async def test_backspace_in_the_indentation_takes_a_step(bench: Bench) -> None:
    await bench.open("a.py", "if a:\n    if b:\n        c\n")
    bench.place(3, 9)
    bench.press(Qt.Key.Key_Backspace)
    assert bench.text == "if a:\n    if b:\n    c\n"
    bench.place(3, 6)
    bench.press(Qt.Key.Key_Backspace)
    assert bench.text == "if a:\n    if b:\n    \n"


async def test_home_goes_to_the_first_letter_then_to_the_line(bench: Bench) -> None:
    await bench.open("agents/roller.js")
    bench.place(3, 12)
    bench.press(Qt.Key.Key_Home)
    assert bench.editor.place == (3, 3)
    bench.press(Qt.Key.Key_Home)
    assert bench.editor.place == (3, 1)
    bench.press(Qt.Key.Key_Home, SHIFT)
    assert bench.editor.textCursor().selectedText() == "  "


@pytest.mark.parametrize(
    ("path", "text", "commented"),
    [
        ("a.js", "  a();\n    b();\n\n", "  // a();\n  //   b();\n\n"),
        ("a.py", "a\n", "# a\n"),
        ("a.lua", "a\n", "-- a\n"),
        ("a.md", "a 😀 b\n", "<!-- a 😀 b -->\n"),
        ("a.json", "{}\n", "{}\n"),
    ],
)
async def test_comments_go_on_and_off(bench: Bench, path: str, text: str, commented: str) -> None:
    await bench.open(path, text)
    await bench.idle()
    bench.editor.selectAll()
    bench.press(Qt.Key.Key_Slash, CONTROL)
    assert bench.text == commented
    bench.press(Qt.Key.Key_Slash, CONTROL)
    assert bench.text == text


async def test_lines_are_duplicated_moved_and_deleted(bench: Bench) -> None:
    await bench.open("a.txt", "one\ntwo 😀\nthree")
    bench.place(2, 2)
    bench.press(Qt.Key.Key_D, CONTROL)
    assert bench.text == "one\ntwo 😀\ntwo 😀\nthree"
    assert bench.editor.place == (3, 2)
    bench.press(Qt.Key.Key_Down, ALT)
    assert bench.text == "one\ntwo 😀\nthree\ntwo 😀"
    assert bench.editor.place == (4, 2)
    bench.press(Qt.Key.Key_Down, ALT)
    for _ in range(4):
        bench.press(Qt.Key.Key_Up, ALT)
    assert bench.text == "two 😀\none\ntwo 😀\nthree"
    assert bench.editor.place == (1, 2)
    bench.press(Qt.Key.Key_K, CONTROL | SHIFT)
    assert bench.text == "one\ntwo 😀\nthree"
    bench.place(3)
    bench.press(Qt.Key.Key_K, CONTROL | SHIFT)
    assert bench.text == "one\ntwo 😀"


async def test_several_lines_move_together_and_stay_selected(bench: Bench) -> None:
    await bench.open("a.txt", "1\n2\n3\n4\n")
    bench.editor.select(2, 6)
    bench.press(Qt.Key.Key_Up, ALT)
    assert bench.text == "2\n3\n1\n4\n"
    assert bench.editor.textCursor().selectedText() == "2\u20293\u2029"
    bench.press(Qt.Key.Key_Z, CONTROL)
    assert bench.text == "1\n2\n3\n4\n"


async def test_lines_that_are_selected_with_their_end_move_behind_the_last_one(
    bench: Bench,
) -> None:
    await bench.open("a.txt", "1\n2\n3")
    bench.editor.select(2, 4)
    bench.press(Qt.Key.Key_Down, ALT)
    assert bench.text == "1\n3\n2"
    assert bench.editor.textCursor().selectedText() == "2"


async def test_undo_goes_on_behind_a_save(bench: Bench) -> None:
    await bench.open("instructions.txt")
    bench.type("Well. ")
    bench.press(Qt.Key.Key_S, CONTROL)
    await bench.idle()
    assert bench.read("instructions.txt") == "Well. Be Ada.\nShe counts.\n"
    bench.press(Qt.Key.Key_Z, CONTROL)
    assert bench.text == "Be Ada.\nShe counts.\n"
    bench.press(Qt.Key.Key_Z, CONTROL | SHIFT)
    assert bench.text.startswith("Well.")


async def test_edit_actions_go_to_the_field_with_the_keys(bench: Bench) -> None:
    await bench.open("instructions.txt")
    bench.type("x")
    bench.press(Qt.Key.Key_F, CONTROL)
    field = bench.find("findField")
    bench.type("Ada", field)
    bench.actions.find("selectAll").trigger()
    assert field.selectedText() == "Ada"
    bench.actions.find("undo").trigger()
    assert bench.text.startswith("x")
    bench.press(Qt.Key.Key_Escape, field=field)
    bench.actions.find("undo").trigger()
    assert bench.text.startswith("Be Ada")


async def test_tab_can_be_let_out_of_the_editor(bench: Bench) -> None:
    await bench.open("instructions.txt")
    bench.press(Qt.Key.Key_M, CONTROL)
    bench.press(Qt.Key.Key_Tab)
    assert not bench.editor.hasFocus()
    assert bench.text == "Be Ada.\nShe counts.\n"


async def test_nothing_changes_what_is_read_only(bench: Bench) -> None:
    await bench.open("agents/roller.js")
    before = bench.text
    bench.page.set_read_only("The project is open in another window.")
    bench.type("x")
    for key, held in (
        (Qt.Key.Key_Tab, Qt.KeyboardModifier.NoModifier),
        (Qt.Key.Key_Return, Qt.KeyboardModifier.NoModifier),
        (Qt.Key.Key_Slash, CONTROL),
        (Qt.Key.Key_D, CONTROL),
        (Qt.Key.Key_K, CONTROL | SHIFT),
    ):
        bench.press(key, held)
    assert bench.text == before
    assert bench.shows("crumbsLocked")


async def test_go_to_line_takes_line_and_column(bench: Bench) -> None:
    await bench.open("a.txt", "one\ntwo 😀 x\nthree")
    bench.press(Qt.Key.Key_G, CONTROL)
    field = bench.find("gotoField")
    bench.type("2:6", field)
    bench.press(Qt.Key.Key_Return, field=field)
    assert bench.editor.place == (2, 6)
    assert bench.editor.hasFocus()
    bench.type("!")
    assert bench.text == "one\ntwo 😀! x\nthree"


async def test_go_to_line_says_what_it_takes(bench: Bench) -> None:
    await bench.open("instructions.txt")
    bench.press(Qt.Key.Key_G, CONTROL)
    field = bench.find("gotoField")
    bench.type("abc", field)
    bench.press(Qt.Key.Key_Return, field=field)
    assert "line from 1 to 3" in bench.find("gotoError").text()
    bench.press(Qt.Key.Key_Escape, field=field)
    assert not bench.shows("gotoSheet")


async def test_zoom_is_for_all_editors(bench: Bench) -> None:
    first = await bench.open("instructions.txt")
    size = first.font().pixelSize()
    bench.press(Qt.Key.Key_Plus, CONTROL)
    bench.press(Qt.Key.Key_Plus, CONTROL)
    second = await bench.open("notes.md")
    assert (first.font().pixelSize(), second.font().pixelSize()) == (size + 2, size + 2)
    bench.press(Qt.Key.Key_0, CONTROL)
    assert first.font().pixelSize() == size


async def test_prose_is_wrapped_and_code_is_not(bench: Bench) -> None:
    assert (await bench.open("notes.md")).wrapped
    assert not (await bench.open("agents/roller.js")).wrapped
    bench.press(Qt.Key.Key_Z, ALT)
    assert bench.editor.wrapped


async def test_pasted_separators_are_line_ends(bench: Bench) -> None:
    editor = await bench.open("a.txt", "")
    QGuiApplication.clipboard().setText("a\u2028b")
    bench.press(Qt.Key.Key_V, CONTROL)
    assert editor.blockCount() == 2


async def test_the_wheel_zooms_with_control(bench: Bench) -> None:
    editor = await bench.open("instructions.txt")
    size = editor.font().pixelSize()
    for steps in (120, 120, -120):
        event = QWheelEvent(
            QPointF(50, 50),
            QPointF(50, 50),
            QPoint(),
            QPoint(0, steps),
            Qt.MouseButton.NoButton,
            CONTROL,
            Qt.ScrollPhase.NoScrollPhase,
            False,
        )
        QApplication.sendEvent(editor.viewport(), event)
    assert editor.font().pixelSize() == size + 1


async def test_comments_are_those_of_the_language_at_the_place(bench: Bench) -> None:
    await bench.open("agents/marcus.subagent.md")
    await until(lambda: bench.page.current.body.highlighter.settled)
    bench.place(2)
    bench.press(Qt.Key.Key_Slash, CONTROL)
    bench.place(4)
    bench.press(Qt.Key.Key_Slash, CONTROL)
    assert "# history: full\n---\n<!-- You are Marcus. -->\n" in bench.text

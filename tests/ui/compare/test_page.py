"""The comparison as it is used: keys, clicks, scrolling, copying."""

from __future__ import annotations

import asyncio
import time

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible, QColor, QTextCursor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QLabel, QWidget

from studio_qt.ui.compare.page import Choice
from studio_qt.ui.compare.pane import MARK_ALPHA
from studio_qt.ui.theme.tokens import contrast, load_tokens
from tests.support.qt import until
from tests.ui.compare.conftest import Bench

pytestmark = pytest.mark.qt_loop

LEFT = "".join(f"line {number}\n" for number in range(200))
RIGHT = LEFT.replace("line 50\n", "LINE 50\nmore\n").replace("line 150\n", "")


def words(bench: Bench, name: str) -> str:
    found = bench.page.findChild(QLabel, name)
    assert found is not None
    return found.text()


async def test_differences_are_counted_and_the_first_is_looked_at(bench: Bench) -> None:
    page = await bench.show(LEFT, RIGHT)
    assert words(bench, "compareCount") == "1 of 2"
    assert (words(bench, "compareRemoved"), words(bench, "compareAdded")) == ("−2", "+2")
    assert page.left.textCursor().block().text() == "line 50"
    assert page.right.textCursor().block().text() == "LINE 50"
    assert page.left.document().blockCount() == page.right.document().blockCount()


async def test_f7_goes_on_and_around_and_with_shift_back(bench: Bench) -> None:
    page = await bench.show(LEFT, RIGHT)
    page.left.setFocus()
    QTest.keyClick(page.left, Qt.Key.Key_F7)
    assert page.current == 1
    assert page.left.textCursor().block().text() == "line 150"
    QTest.keyClick(page.left, Qt.Key.Key_F7)
    assert page.current == 0
    QTest.keyClick(page.left, Qt.Key.Key_F7, Qt.KeyboardModifier.ShiftModifier)
    assert page.current == 1
    previous = page.findChild(QAbstractButton, "comparePrevious")
    QTest.mouseClick(previous, Qt.MouseButton.LeftButton)
    assert page.current == 0


async def test_the_difference_that_is_looked_at_is_in_sight_on_both_sides(bench: Bench) -> None:
    page = await bench.show(LEFT, RIGHT)
    page.go(1)
    for pane in (page.left, page.right):
        first = pane.firstVisibleBlock().blockNumber()
        assert first < page.comparison.changes[1].start < first + 25


async def test_both_sides_scroll_together_both_ways(bench: Bench) -> None:
    page = await bench.show(LEFT + "x" * 500, RIGHT)
    assert page.left.horizontalScrollBar().maximum() > 1000
    for one, other in ((page.left, page.right), (page.right, page.left)):
        one.verticalScrollBar().setValue(30)
        assert other.verticalScrollBar().value() == 30
        one.horizontalScrollBar().setValue(40)
        assert one.horizontalScrollBar().value() == 40
        assert one.verticalScrollBar().maximum() == other.verticalScrollBar().maximum()
        one.verticalScrollBar().setValue(0)
    page.left.horizontalScrollBar().setValue(0)


async def test_equal_texts_say_so_and_have_nowhere_to_go(bench: Bench) -> None:
    page = await bench.show(LEFT, LEFT)
    assert words(bench, "compareCount") == "The two texts are the same."
    page.go(1)
    assert page.current == -1
    button = page.findChild(QAbstractButton, "compareNext")
    assert button is not None
    assert not button.isEnabled()


async def test_what_is_copied_has_no_fillers_and_every_character(bench: Bench) -> None:
    page = await bench.show("one\nend", "one\nnew\u2029\u00a0😀\ufeff\nmore\nend")
    page.left.selectAll()
    assert page.left.createMimeDataFromSelection().text() == "one\nend"
    page.right.selectAll()
    copied = page.right.createMimeDataFromSelection().text()
    assert copied == "one\nnew\u2029\u00a0😀\ufeff\nmore\nend"
    cursor = page.right.textCursor()
    cursor.setPosition(2)
    cursor.setPosition(7, QTextCursor.MoveMode.KeepAnchor)
    page.right.setTextCursor(cursor)
    assert page.right.createMimeDataFromSelection().text() == "e\nnew"


async def test_panes_can_be_read_but_not_changed(bench: Bench) -> None:
    page = await bench.show("one", "two")
    QTest.keyClicks(page.left, "abc")
    assert page.left.toPlainText() == "one"


async def test_a_choice_is_told_and_escape_closes(bench: Bench) -> None:
    choices = Choice("disk", "Take the disk's"), Choice("mine", "Keep mine", primary=True)
    page = await bench.show("one", "two", *choices)
    heard: list[str] = []
    page.chosen.connect(heard.append)
    page.closed.connect(lambda: heard.append("closed"))
    QTest.mouseClick(page.findChild(QAbstractButton, "compareMine"), Qt.MouseButton.LeftButton)
    page.left.setFocus()
    QTest.keyClick(page.left, Qt.Key.Key_Escape)
    assert heard == ["mine", "closed"]
    await bench.show("one", "two")
    buttons = [one.objectName() for one in page.findChildren(QAbstractButton) if one.isVisible()]
    assert "compareMine" not in buttons


async def test_a_later_comparison_overtakes_an_earlier_one(bench: Bench) -> None:
    bench.page.show_texts("1", "Before", LEFT * 50, "Now", RIGHT * 50)
    page = await bench.show("one", "two")
    await until(lambda: bench.desk.tasks.names == [])
    assert page.left.toPlainText() == "one"


async def test_a_large_comparison_does_not_stop_the_window(bench: Bench) -> None:
    left = "".join(f"a line of some length, number {number}\n" for number in range(15_000))
    right = left.replace("number 7", "No. 7")
    longest, before = 0.0, time.perf_counter()
    bench.page.show_texts("1", "Before", left, "Now", right)
    while not bench.page.settled:
        await asyncio.sleep(0)
        now = time.perf_counter()
        longest, before = max(longest, now - before), now
    assert longest < 0.4, "a generous bound: other processes take turns"
    bench.page.grab()


async def test_every_control_has_a_name(bench: Bench) -> None:
    page = await bench.show("one", "two", Choice("mine", "Keep mine"))
    for control in [*page.findChildren(QAbstractButton), page.left, page.right]:
        assert isinstance(control, QWidget)
        if not control.objectName().startswith("qt_") and control.isVisible():
            interface = QAccessible.queryAccessibleInterface(control)
            assert interface.text(QAccessible.Text.Name), control.objectName()
            assert control.objectName()


async def test_the_editors_face_and_the_theme_are_followed(bench: Bench) -> None:
    page = await bench.show("one", "two")
    width = page.left.gutter_width()
    bench.desk.preferences.change_window(editor_size=30)
    assert page.left.font().pixelSize() == 30
    assert page.left.gutter_width() > width
    before = page.grab().toImage()
    bench.desk.theme.choose("light")
    assert page.grab().toImage() != before


@pytest.mark.parametrize("theme", ["dark", "light", "high-contrast-dark", "high-contrast-light"])
def test_words_on_a_mark_can_be_read(theme: str) -> None:
    tokens = load_tokens(theme)
    for plate, mark in (("redbg", "err"), ("greenbg", "ok")):
        below, above = QColor(tokens[plate]), QColor(tokens[mark])
        parts = [
            round(a * (1 - MARK_ALPHA) + b * MARK_ALPHA)
            for a, b in zip(below.getRgb()[:3], above.getRgb()[:3], strict=True)
        ]
        assert contrast(tokens["fg"], QColor(*parts).name()) >= 4.5

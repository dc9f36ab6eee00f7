"""The pane for large texts: what is copied of it is what it was given."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QTextCursor
from PySide6.QtTest import QTest

from studio_qt.ui.theme.theme import Theme
from studio_qt.ui.widgets.marked import Line, lay, whole
from studio_qt.ui.widgets.textpane import TextPane

pytestmark = pytest.mark.qt_loop


async def shown(*lines: Line) -> TextPane:
    pane = TextPane(Theme("dark"), "samplePane", "Sample")
    pane.resize(400, 300)
    pane.show()
    await pane.show_laid(lay(lines))
    return pane


def copied(pane: TextPane) -> str:
    QTest.keyClick(pane, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    return QGuiApplication.clipboard().text()


@pytest.mark.parametrize(
    "text",
    ["", "one", "a\nb\n", "\n" * 6_000, "word " * 3_000, "x\u2028y\n" * 5_000, "ü🌊\n" * 4_500],
    ids=["empty", "one", "two", "blank", "long", "separators", "many"],
)
async def test_all_of_a_text_is_copied_as_it_was_given(text: str) -> None:
    pane = await shown(*whole(text))
    pane.selectAll()
    assert copied(pane) == (text or copied(pane))
    pane.deleteLater()


async def test_a_part_is_copied_without_breaks_that_only_the_pane_made() -> None:
    text = "word " * 1_000
    pane = await shown(*whole(text))
    cursor = pane.textCursor()
    cursor.setPosition(10)
    cursor.movePosition(QTextCursor.MoveOperation.End, QTextCursor.MoveMode.KeepAnchor)
    pane.setTextCursor(cursor)
    assert copied(pane) == text[10:]
    pane.deleteLater()


async def test_a_text_is_found_again_from_the_other_end() -> None:
    pane = await shown(*whole("Sea and land\nland and SEA"))
    places = []
    for backward in (False, False, False, True):
        assert pane.find_text("sea", backward=backward)
        places.append(pane.textCursor().blockNumber())
    assert places == [0, 1, 0, 1]
    assert not pane.find_text("sky")
    assert not pane.find_text("")
    pane.deleteLater()


async def test_a_later_text_overtakes_one_that_is_being_filled_in() -> None:
    pane = await shown(*whole("first"))
    slow = pane.show_laid(lay(whole("slow\n" * 50_000)))
    await pane.show_laid(lay(whole("quick")))
    assert pane.toPlainText() == "quick"
    slow.close()
    pane.deleteLater()

"""A scrolled view of which only a part is widgets."""

from __future__ import annotations

import time
from itertools import pairwise

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QObject, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot
from shiboken6 import isValid

from studio_qt.ui.chat import view
from studio_qt.ui.chat.about import about_row
from studio_qt.ui.chat.cells import Cell
from studio_qt.ui.chat.messages import ReplyCell
from studio_qt.ui.chat.model import ChatModel
from studio_qt.ui.chat.rows import Row
from studio_qt.ui.chat.view import ChatView
from studio_qt.ui.theme.theme import Theme
from tests.ui.chat.talk import Talk, long_talk

HEAD = [about_row("Ada Byron", "Counts.", "Rehearsal")]


class Shown:
    """A view on a talk."""

    def __init__(self, qtbot: QtBot, talk: Talk, head: list[Row] | None = None) -> None:
        self.talk = talk
        self.theme = Theme("dark")
        self.model = ChatModel()
        self.view = ChatView(self.theme, self.model)
        qtbot.addWidget(self.view)
        self.view.set_name("Ada Byron")
        self.view.resize(500, 600)
        self.view.show()
        self.model.follow(talk, head or [])  # type: ignore[arg-type]
        self.bar = self.view.verticalScrollBar()

    def tops(self) -> dict[str, int]:
        """Return where the cells in sight stand, by their row's name."""
        height = self.view.viewport().height()
        cells = [cell for cell in self.view.cells if 0 <= cell.y() < height]
        return {cell.name: cell.y() for cell in cells}


@pytest.fixture(autouse=True)
def much_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a turn make all rows in sight, however slow the machine is."""
    monkeypatch.setattr(view, "_SLICE_SECONDS", 60.0)


@pytest.fixture
def shown(qtbot: QtBot) -> Shown:
    return Shown(qtbot, long_talk(2_000), HEAD)


def test_a_turn_makes_one_row_where_there_is_little_time_and_shows_all_at_once(
    qtbot: QtBot, shown: Shown, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(view, "_SLICE_SECONDS", -1.0)
    slow = Shown(qtbot, long_talk(2_000), HEAD)
    made = [len(slow.view.cells)]
    seen = [slow.view.viewport().updatesEnabled()]
    slow.view.laid.connect(lambda: made.append(len(slow.view.cells)))
    slow.view.laid.connect(lambda: seen.append(slow.view.viewport().updatesEnabled()))
    qtbot.waitUntil(lambda: slow.view.settled)
    assert made[0] == 1
    assert max(after - before for before, after in pairwise(made)) == 1
    assert not seen[0]
    assert seen[-1]
    assert slow.tops() == shown.tops()


def test_rows_out_of_sight_are_made_after_the_turn_that_scrolls(qtbot: QtBot, shown: Shown) -> None:
    qtbot.waitUntil(lambda: shown.view.settled)
    for _ in range(30):
        before = {cell.name for cell in shown.view.cells}
        shown.bar.setValue(shown.bar.value() - 50)
        assert {cell.name for cell in shown.view.cells} <= before  # those near were there
        qtbot.waitUntil(lambda: shown.view.settled)
    assert shown.view.viewport().updatesEnabled()


def test_a_row_that_is_wanted_is_there_at_once(
    shown: Shown, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(view, "_SLICE_SECONDS", -1.0)
    for row in (3, 1_000, 1_990):
        shown.view.show_row(row)
        cell = shown.view.cell(row)
        assert cell is not None
        assert 0 <= cell.y() < shown.view.viewport().height()


def test_a_long_talk_is_shown_from_its_end_with_few_cells(shown: Shown) -> None:
    assert shown.view.at_end
    assert shown.bar.value() == shown.bar.maximum() > 50_000
    assert 3 <= len(shown.view.cells) < 30
    assert shown.view.cells[-1].name == "e1999"


def test_every_message_can_be_scrolled_to(shown: Shown) -> None:
    seen: set[str] = set()
    shown.bar.setValue(0)
    while not shown.view.at_end:
        seen |= set(shown.tops())
        shown.bar.setValue(shown.bar.value() + 300)
        assert len(shown.view.cells) < 40
    assert {f"e{at}" for at in range(1_990)} <= seen


@pytest.mark.parametrize("step", [-37, 41])
def test_what_is_in_sight_moves_by_what_was_scrolled_however_wrong_the_guesses(
    shown: Shown, step: int
) -> None:
    shown.bar.setValue(shown.bar.maximum() // 2)
    for _ in range(120):
        before = shown.tops()
        shown.bar.setValue(shown.bar.value() + step)
        after = shown.tops()
        both = set(before) & set(after)
        assert both
        assert all(after[name] == before[name] - step for name in both)


def test_what_changes_above_does_not_move_what_is_in_sight(shown: Shown) -> None:
    shown.bar.setValue(shown.bar.maximum() // 2)
    before = shown.tops()
    shown.talk.replace(10, 14, [])
    (entry,) = shown.talk.entries(20, 21)
    shown.talk.replace(20, 21, [{**entry, "content": "Much longer. " * 300}])
    shown.model.flush()
    assert shown.tops() == before
    shown.view.resize(500, 500)
    kept = shown.tops()
    assert all(kept[name] == before[name] for name in kept)


def test_the_end_is_kept_while_a_reply_grows_and_left_alone_by_a_reader_elsewhere(
    shown: Shown,
) -> None:
    shown.talk.append(shown.talk.entry("user", "Go on.", 1_001))
    shown.talk.turn("started")
    for _ in range(30):
        shown.talk.say("token", "A line of words.\n\n")
        shown.model.flush()
        assert shown.bar.value() == shown.bar.maximum()
    shown.bar.setValue(shown.bar.maximum() - 300)
    before = shown.tops()
    shown.talk.say("token", "More.\n\n" * 20)
    shown.model.flush()
    assert {name: shown.tops()[name] for name in before} == before
    assert not shown.view.at_end


def test_a_short_talk_stands_at_the_top(qtbot: QtBot) -> None:
    shown = Shown(qtbot, long_talk(2))
    assert shown.view.cells[0].y() < 40
    assert shown.bar.maximum() == 0
    assert shown.view.at_end


def test_a_cell_with_a_selection_or_the_focus_is_given_to_no_other_row(shown: Shown) -> None:
    cell = shown.view.cells[-2]
    cell.views[0].selectAll()
    name, text = cell.name, cell.views[0].textCursor().selectedText()
    shown.bar.setValue(0)
    shown.bar.setValue(9_000)
    assert cell.name == name
    assert cell.views[0].textCursor().selectedText() == text
    shown.view.go_to_end()
    assert cell in shown.view.cells
    assert shown.view.viewport().rect().intersects(cell.geometry())


def test_an_unfolded_line_is_unfolded_when_it_comes_into_sight_again(qtbot: QtBot) -> None:
    talk = long_talk(600)
    call = {"id": "c", "type": "function", "function": {"name": "roll", "arguments": "{}"}}
    talk.entries(0, 1)
    talk.kept[599]["tool_calls"] = [call]
    shown = Shown(qtbot, talk)
    cell = shown.view.cells[-1]
    assert isinstance(cell, ReplyCell)
    cell.set_folds(frozenset({1}))
    opened = cell.folds()
    shown.bar.setValue(0)
    assert all(not one.folds() for one in shown.view.cells)
    shown.view.go_to_end()
    assert shown.view.cells[-1].folds() == opened != frozenset()


@pytest.mark.parametrize(
    "text", ["x" * 500_000, "word " * 200_000, "a\n" * 100_000, "`" * 20_000, "> " * 5_000 + "x"]
)
def test_no_message_is_so_long_that_the_window_stalls(qtbot: QtBot, text: str) -> None:
    talk = long_talk(10)
    talk.kept[5]["content"] = text
    begun = time.perf_counter()
    shown = Shown(qtbot, talk)
    shown.bar.setValue(shown.bar.maximum() // 2)
    assert time.perf_counter() - begun < 1.5  # some 50 ms on a quiet machine
    for _ in range(10):
        begun = time.perf_counter()
        shown.bar.setValue(shown.bar.value() - 100)
        assert time.perf_counter() - begun < 0.4
    assert len(shown.view.cells) < 40


def test_a_flood_of_log_lines_is_shown_in_one_go(qtbot: QtBot) -> None:
    shown = Shown(qtbot, long_talk(4))
    begun = time.perf_counter()
    for at in range(3_000):
        shown.talk.append(shown.talk.entry("log", f"line {at}", 2, agentId="x.y"))
    shown.model.flush()
    assert time.perf_counter() - begun < 1.5
    assert shown.view.cells[-1].name == f"n{3_004}"
    assert len(shown.view.cells) < 40


def test_the_text_is_that_of_all_messages_also_of_those_out_of_sight(shown: Shown) -> None:
    text = shown.view.toPlainText()
    assert text.startswith("Ada Byron\nCounts.")
    assert all(f"question {at}." in text for at in range(1_000))


def test_a_row_is_scrolled_to_from_far_and_the_page_keys_work(shown: Shown) -> None:
    shown.view.show_row(101)
    assert "e100" in shown.tops()
    shown.view.setFocus()
    before = shown.bar.value()
    QTest.keyClick(shown.view, Qt.Key.Key_PageDown)
    assert shown.bar.value() > before + 300
    QTest.keyClick(shown.view, Qt.Key.Key_Home)
    assert shown.view.cells[0].name == "about"
    QTest.keyClick(shown.view, Qt.Key.Key_End)
    assert shown.view.at_end


def test_another_theme_and_another_width_leave_the_end_at_the_end(shown: Shown) -> None:
    shown.theme.choose("light")
    shown.view.resize(900, 700)
    assert shown.bar.value() == shown.bar.maximum()
    assert shown.view.cells[-1].geometry().bottom() < shown.view.viewport().height()


def test_another_theme_finds_no_cells_but_those_of_rows(shown: Shown) -> None:
    """Each widget costs a change of the theme 0.1 ms, seen or not."""
    for place in (0, shown.bar.maximum() // 2, shown.bar.maximum()):
        shown.bar.setValue(place)
    kept = {cell for cell in shown.view.findChildren(Cell) if cell not in shown.view.cells}
    assert kept
    shown.theme.choose("light")
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    assert not any(isValid(cell) for cell in kept)
    shown.bar.setValue(0)
    assert shown.tops()


def test_a_larger_face_makes_higher_cells_and_leaves_the_end_at_the_end(shown: Shown) -> None:
    before = shown.view.cells[-1].height()
    shown.view.set_face("", 8)
    shown.view.lay()
    assert shown.view.cells[-1].height() > before
    assert shown.bar.value() == shown.bar.maximum()
    shown.bar.setValue(0)  # cells made later have it as well
    assert all(
        cell.views[0].document().defaultFont().pixelSize() == 22 for cell in shown.view.cells[1:]
    )


def test_rows_can_be_laid_to_the_very_end_of_the_window_around_them(qtbot: QtBot) -> None:
    window, sibling = QWidget(), QObject()
    sibling.setParent(window)  # the first to go
    talk = long_talk(400)
    theme, model = Theme("dark"), ChatModel()
    view = ChatView(theme, model, window)
    view.resize(500, 300)
    window.show()
    model.follow(talk)  # type: ignore[arg-type]
    sibling.destroyed.connect(lambda: view.verticalScrollBar().setValue(0))
    window.hide()
    window.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    assert not isValid(view)

"""What is told about a word, by the pointer and by a key."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QHelpEvent, QMouseEvent, QTextCursor
from PySide6.QtWidgets import QApplication

from studio_qt.errors import Fault, Problem
from studio_qt.ui.editors.helpcard import HelpCard
from tests.support.qt import until
from tests.ui.editors.conftest import SHIFT, Bench

pytestmark = pytest.mark.qt_loop

SUB = "agents/marcus.subagent.md"
Key = Qt.Key


def card_of(bench: Bench) -> HelpCard | None:
    view = bench.page.current
    hovering = bench.page.assisting.hovering(view) if view is not None else None
    return hovering.card if hovering is not None else None


def spot(bench: Bench, line: int, column: int) -> QPoint:
    """Return the middle of a character in the viewport."""
    editor = bench.editor
    block = editor.document().findBlockByNumber(line - 1)
    cursor = QTextCursor(block)
    cursor.setPosition(block.position() + column - 1)
    return editor.cursorRect(cursor).center() + QPoint(2, 0)


def rest(bench: Bench, place: QPoint) -> None:
    """Let the pointer rest there, as Qt tells it."""
    viewport = bench.editor.viewport()
    event = QHelpEvent(QEvent.Type.ToolTip, place, viewport.mapToGlobal(place))
    QApplication.sendEvent(viewport, event)


def move(bench: Bench, place: QPoint) -> None:
    viewport = bench.editor.viewport()
    event = QMouseEvent(
        QEvent.Type.MouseMove,
        QPointF(place),
        QPointF(viewport.mapToGlobal(place)),
        Qt.MouseButton.NoButton,
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
    )
    QApplication.sendEvent(viewport, event)


@pytest.mark.clause("STU-08")
@pytest.mark.parametrize(
    ("path", "text", "line", "column", "words"),
    [
        (SUB, "---\nhistory: full\n---\n", 2, 3, "How much of the conversation"),
        (SUB, "---\nhistory: full\n---\n", 2, 11, "whole conversation"),
        (SUB, "---\n---\nSee %%HISTORY%%.\n", 3, 9, "as a conversation"),
        ("agents/omens.py", "def f(studio):\n    studio.log(1)\n", 2, 13, "reads and that stays"),
        ("agents/x.js", "/**\n * @preload true\n */\n", 2, 6, "onLoad"),
        ("config.json", '{ "agents": ["studio.memory-store"] }', 1, 20, "Tools: "),
    ],
)
async def test_a_word_under_the_pointer_is_explained(
    bench: Bench, path: str, text: str, line: int, column: int, words: str
) -> None:
    await bench.open(path, text)
    rest(bench, spot(bench, line, column))
    await until(lambda: card_of(bench) is not None or bench.tasks.names == [])
    if card_of(bench) is None:  # names of the project were not read yet
        rest(bench, spot(bench, line, column))
    card = card_of(bench)
    assert card is not None
    assert words in card.spoken
    assert bench.window.rect().contains(card.geometry())


async def test_the_card_goes_with_the_pointer_and_stays_while_it_is_on_the_word(
    bench: Bench,
) -> None:
    await bench.open(SUB, "---\nhistory: full\n---\n" + "x\n" * 20)
    rest(bench, spot(bench, 2, 3))
    await until(lambda: card_of(bench) is not None)
    move(bench, spot(bench, 2, 5))
    await bench.idle()
    assert card_of(bench) is not None
    move(bench, spot(bench, 15, 1))
    await until(lambda: card_of(bench) is None)


async def test_a_key_explains_the_word_at_the_cursor_and_escape_takes_the_card_away(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []
    monkeypatch.setattr(
        "studio_qt.ui.editors.helpcard.announce", lambda _place, text: told.append(text)
    )
    await bench.open(SUB, "---\nmodel: main\n---\n")
    bench.place(2, 3)
    bench.press(Key.Key_F1, SHIFT)
    await until(lambda: card_of(bench) is not None)
    assert told[0].startswith("model  default: worker\nWhich of the user's two models")
    bench.press(Key.Key_Escape)
    assert card_of(bench) is None
    bench.press(Key.Key_F1, SHIFT)
    assert card_of(bench) is not None
    bench.type("x")
    assert card_of(bench) is None
    assert bench.text.startswith("---\nmoxdel")


async def test_what_is_not_known_is_said_by_the_key_and_not_by_the_pointer(bench: Bench) -> None:
    await bench.open("notes.md", "# Notes\n")
    rest(bench, spot(bench, 1, 4))
    await bench.idle()
    assert card_of(bench) is None
    assert bench.notices == []
    bench.press(Key.Key_F1, SHIFT)
    await until(lambda: bench.notices != [])
    assert bench.notices == [("Nothing is known of this word.", "info")]


async def test_the_problems_of_a_line_are_told_with_the_way_to_mend_them(bench: Bench) -> None:
    await bench.open(SUB, "---\nhistroy: full\n---\n")
    fault = Fault("field-unknown", ("histroy", "history"))
    wrong = Problem("warning", SUB, 2, "“histroy” is <b>no</b> field.", fault)
    bench.page.show_problems([wrong, Problem("error", SUB, 2, "It is red.")])
    rest(bench, spot(bench, 2, 3))
    await until(lambda: card_of(bench) is not None)
    card = card_of(bench)
    assert card is not None
    assert card.spoken.split("\n") == [
        "It is red.", "“histroy” is <b>no</b> field.", "Ctrl+. mends it",
    ]  # fmt: skip


async def test_beside_the_text_only_a_problem_is_told(bench: Bench) -> None:
    await bench.open(SUB, "---\nhistory: full\n---\n")
    rest(bench, QPoint(500, spot(bench, 2, 3).y()))
    await bench.idle()
    assert card_of(bench) is None
    bench.page.show_problems([Problem("error", SUB, 2, "It is red.")])
    rest(bench, QPoint(500, spot(bench, 2, 3).y()))
    card = card_of(bench)
    assert card is not None
    assert card.spoken == "It is red."

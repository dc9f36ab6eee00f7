"""What is not done twice: texts are laid once, replies end as they were drawn, cells wait."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from studio_qt.ui.chat.asking import Asked
from studio_qt.ui.chat.messages import ReplyCell, UserCell
from studio_qt.ui.chat.model import ChatModel
from studio_qt.ui.chat.pieces import LARGE
from studio_qt.ui.chat.pool import CellPool
from studio_qt.ui.chat.rows import Row, Said
from studio_qt.ui.chat.view import ChatView
from studio_qt.ui.prose import view as prose
from studio_qt.ui.prose.draw import ProseWriter
from studio_qt.ui.prose.view import ProseView
from studio_qt.ui.theme.theme import Theme
from tests.ui.chat.talk import Talk

LONG = "\n\n".join(f"The lamp goes round *{number}* times." for number in range(900))


class Calls:
    """Counts the calls of a function."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, owner: object, name: str) -> None:
        self.count = 0
        self._done: Callable[..., object] = getattr(owner, name)

        def counted(*args: object, **more: object) -> object:
            self.count += 1
            return self._done(*args, **more)

        monkeypatch.setattr(owner, name, counted)


@pytest.fixture
def view(qtbot: QtBot) -> ChatView:
    made = ChatView(Theme("dark"), ChatModel())
    qtbot.addWidget(made)
    made.set_name("Ada Byron")
    made.resize(500, 600)
    made.show()
    return made


def test_a_message_that_was_just_sent_is_in_pieces_as_it_is_when_it_is_stored() -> None:
    *pieces, reply = Asked(LONG, "conversation_01").rows()
    assert reply.kind == "reply"
    assert len(pieces) > 5
    assert max(len(piece.text) for piece in pieces) < 2 * LARGE
    assert [piece.piece for piece in pieces] == list(range(len(pieces)))


def test_what_was_sent_is_read_once_however_it_goes_on(
    qtbot: QtBot, view: ChatView, monkeypatch: pytest.MonkeyPatch
) -> None:
    talk = Talk()
    view.model.follow(talk)  # type: ignore[arg-type]
    parsed = Calls(monkeypatch, prose, "parse")
    view.model.ask(LONG)
    qtbot.waitUntil(lambda: view.settled)
    before = parsed.count
    talk.append(talk.entry("user", LONG, 1))
    talk.turn("started")
    qtbot.waitUntil(lambda: not view.model._timer.isActive() and view.settled)
    assert parsed.count == before
    assert before < 6  # those in sight, and near


def test_a_message_is_laid_once_for_the_width_that_it_has(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    holder = QWidget()
    qtbot.addWidget(holder)
    cell = UserCell(Theme("dark"))
    cell.setParent(holder)
    cell.expect(500)
    laid = Calls(monkeypatch, ProseView, "setLineWrapColumnOrWidth")
    cell.show_row(Row("user", "a", (Said(LONG[:LARGE]),)))
    height = cell.height_for(500)
    cell.place(0, 0, 500, height)
    cell.layout().activate()  # type: ignore[union-attr]
    cell.show_row(Row("user", "b", (Said("Short."),)))
    cell.freshen()
    assert cell.height_for(500) < height
    assert laid.count == 0


def test_a_reply_that_ends_stays_as_it_was_drawn(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown, whole = ProseView(Theme("dark")), ProseView(Theme("dark"))
    qtbot.addWidget(shown)
    qtbot.addWidget(whole)
    text = "One *a*.\n\n- b\n\n---\n\n> c\n\n```\nd\n\ne\n```\n\n---\n\n"
    text += "| f | g |\n|---|---|\n| 1 | 2 |\n\n---\n\nThe end of it all."
    whole.show_text(text)
    for end in range(1, len(text) + 1):
        shown.grow_to(text[:end])
    drawn = Calls(monkeypatch, ProseWriter, "clear")
    shown.show_text(text)
    assert drawn.count == 0
    assert shown.toHtml() == whole.toHtml()


def test_only_the_last_piece_of_a_running_reply_says_that_more_is_coming(
    qtbot: QtBot, view: ChatView
) -> None:
    talk = Talk()
    talk.append(talk.entry("user", "Go on.", 1))
    view.model.follow(talk)  # type: ignore[arg-type]
    talk.turn("started")
    view.resize(500, 60_000)
    for start in range(0, len(LONG), 900):
        talk.say("token", LONG[start : start + 900])
    qtbot.waitUntil(lambda: not view.model._timer.isActive() and view.settled)
    cells = [cell for cell in view.cells if isinstance(cell, ReplyCell)]
    carets = [cell.views[-1].toPlainText().endswith("▍") for cell in cells]
    assert len(carets) > 5
    assert carets == [False] * (len(carets) - 1) + [True]


def test_a_cell_of_each_side_waits_while_the_talk_rests(
    qtbot: QtBot, view: ChatView, monkeypatch: pytest.MonkeyPatch
) -> None:
    talk = Talk()
    talk.append(talk.entry("user", "Hello.", 1))
    talk.append(talk.entry("assistant", "Hello to you.", 1))
    view.model.follow(talk)  # type: ignore[arg-type]
    qtbot.waitUntil(lambda: view.settled and not view._rest.isActive())
    made = Calls(monkeypatch, CellPool, "_make")
    view.model.ask("And now?")
    qtbot.waitUntil(lambda: view.settled)
    assert len(view.cells) == 4
    assert made.count == 0


def test_a_text_has_one_format_for_each_look(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    shown = ProseView(Theme("dark"))
    qtbot.addWidget(shown)
    made = Calls(monkeypatch, ProseWriter, "_make_format")
    shown.show_text(LONG[:LARGE])
    assert made.count == 2  # plain, and emphasis

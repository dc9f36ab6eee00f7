"""A reply that broke off goes on where it stands, in a real window."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from studio_qt.ui.chat.rows import Row, Said
from tests.support.model_server import ModelServer, drop_after, failure, text
from tests.support.qt import until
from tests.support.replies import blocked
from tests.support.window import Stage, write_package
from tests.ui.chat.talk import Talk
from tests.ui.chat.test_view import Shown
from tests.ui.conftest import OpenStage


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return write_package(tmp_path / "ada")


def last(stage: Stage) -> dict[str, object]:
    player = stage.window.session.player
    assert player is not None
    return [one for one in player.get_conversation() if one["role"] != "log"][-1]


async def press_continue(stage: Stage) -> None:
    await until(lambda: len(stage.all("chatContinue")) == 1)
    QTest.mouseClick(stage.all("chatContinue")[0], Qt.MouseButton.LeftButton)


@pytest.mark.qt_loop
@pytest.mark.clause("STU-03")
async def test_a_stopped_reply_goes_on_with_its_button(stage_on: OpenStage, project: Path) -> None:
    stage = await stage_on(project)
    stage.input.put("[[slow 2]] [[say One two three four five six seven eight nine ten.]]")
    stage.press(Qt.Key.Key_Return)
    await stage.shows("\nOne two")
    stage.press(Qt.Key.Key_Escape)
    await stage.idle()
    assert stage.text.endswith("(stopped)")
    begun = last(stage)
    assert begun["stopped"] is True
    await press_continue(stage)
    await stage.shows("\nOne two three four five six seven eight nine ten.")
    await stage.idle()
    assert last(stage)["id"] == begun["id"]
    assert last(stage)["content"] == "One two three four five six seven eight nine ten."
    assert stage.all("chatContinue") == []
    assert "(stopped)" not in stage.text


@pytest.mark.qt_loop
@pytest.mark.clause("STU-03")
async def test_a_cut_reply_goes_on_with_the_keys_and_grows_in_its_own_text(
    stage_on: OpenStage, project: Path, model: ModelServer
) -> None:
    stage = await stage_on(project, model.base_url)
    gate = threading.Event()
    model.script(text("The fog", finish="length"))
    await stage.send("Go")
    assert "Cut at the length limit" in stage.text or "(cut at the length limit)" in stage.text
    model.script(blocked(gate, text("", pieces=[" comes", " down."]), after=2))
    QTest.keyClick(
        stage.input,
        Qt.Key.Key_R,
        Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier,
    )
    await stage.shows("The fog comes")  # one text, without a break
    gate.set()
    await stage.idle()
    assert last(stage)["content"] == "The fog comes down."


@pytest.mark.qt_loop
@pytest.mark.clause("LOOP-08")
async def test_a_reply_that_fails_while_it_goes_on_is_kept_and_tried_again(
    stage_on: OpenStage, project: Path, model: ModelServer
) -> None:
    stage = await stage_on(project, model.base_url)
    model.script(drop_after(2, text("", pieces=["One", " two"])))
    await stage.send("Go")
    assert last(stage)["content"] == "One"
    model.script(failure(400, "no such luck"))
    await press_continue(stage)
    await stage.shows("no such luck")
    assert last(stage)["content"] == "One"
    model.script(text(" two."))
    stage.click("chatRetry")
    await stage.shows("One two.")
    await stage.idle()
    assert last(stage)["content"] == "One two."


@pytest.mark.qt_loop
async def test_nothing_goes_on_where_the_reply_is_whole_or_answered(
    stage_on: OpenStage, project: Path
) -> None:
    stage = await stage_on(project)
    action = stage.window.findChild(QAction, "messageContinue")
    assert action is not None
    assert not action.isEnabled()
    await stage.send("[[say Whole.]]")
    assert (action.isEnabled(), stage.all("chatContinue")) == (False, [])
    stage.input.put("[[slow 2]] [[say One two three four five six.]]")
    stage.press(Qt.Key.Key_Return)
    await stage.shows("\nOne two")
    stage.press(Qt.Key.Key_Escape)
    await stage.idle()
    assert action.isEnabled()
    await stage.send("[[say Next.]]")
    await until(lambda: not action.isEnabled())
    assert stage.all("chatContinue") == []


def test_a_reply_of_any_length_goes_on_in_pieces_without_a_break(qtbot: QtBot) -> None:
    words = "Some words of a paragraph.\n\n" * 600
    entries = [
        {"id": "e1", "turn": 1, "role": "user", "content": "Go"},
        {"id": "e2", "turn": 1, "role": "assistant", "content": words + "The end", "stopped": True},
    ]
    shown = Shown(qtbot, Talk(entries))
    shown.talk.turn("started")
    shown.talk.say("token", " of it.\n\nAnd more.")
    qtbot.waitUntil(lambda: shown.view.toPlainText().endswith("And more."))
    assert "The end of it." in shown.view.toPlainText()
    said = "".join(shown.model.row(at).text for at in range(1, len(shown.model)))
    assert said.replace("\n", "") == f"{words}The end of it.And more.".replace("\n", "")


def test_only_words_without_an_answer_behind_them_are_unfinished() -> None:
    words = (Said("One"),)
    assert Row("reply", "e1", words, stopped=True).unfinished
    assert Row("reply", "e1", words, cut=True).unfinished
    assert not Row("reply", "e1", words).unfinished
    assert not Row("reply", "e1", words, stopped=True, rejected=True).unfinished
    assert not Row("reply", "e1", (), stopped=True).unfinished

"""What can be done with a message, in a real window, by mouse and keys."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAction, QContextMenuEvent, QGuiApplication, QTextCursor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu, QPlainTextEdit

from studio_qt.engine.player import CharacterPlayer
from tests.support.model_server import ModelServer, failure, text
from tests.support.qt import until
from tests.support.window import Stage, write_package
from tests.ui.conftest import OpenStage

pytestmark = pytest.mark.qt_loop


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return write_package(tmp_path / "ada")


def player_of(stage: Stage) -> CharacterPlayer:
    player = stage.window.session.player
    assert player is not None
    return player


def contents(stage: Stage) -> list[str]:
    player = player_of(stage)
    return [str(entry["content"]) for entry in player.entries(0, len(player))]


def go_to(stage: Stage, words: str) -> None:
    """Go to the last message in which words stand."""
    chat = stage.window.chat
    rows = range(len(chat.transcript.model))
    found = [row for row in rows if words in chat.transcript.model.row(row).text]
    chat.transcript.setFocus()
    chat.deeds.picker.go(found[-1])


async def answer_again(stage: Stage) -> None:
    """Press the button below a reply, which comes a moment after its last word."""
    await until(lambda: bool(stage.all("chatRegenerate")))
    stage.click("chatRegenerate")


def act(stage: Stage, name: str) -> None:
    action = stage.window.findChild(QAction, name)
    assert action is not None
    assert action.isEnabled(), f"{name} is not to be had"
    action.trigger()


def field(stage: Stage) -> QPlainTextEdit:
    (found,) = stage.all("editField")
    assert isinstance(found, QPlainTextEdit)
    return found


@pytest.mark.clause("PERS-05", "STU-03")
async def test_a_reply_is_edited_where_it_stands_and_the_edit_is_undone_and_redone(
    stage_on: OpenStage, project: Path
) -> None:
    stage = await stage_on(project)
    await stage.send("[[say It is *blue*.]]")
    stage.click("editMessage")
    assert field(stage).toPlainText() == "It is *blue*."
    assert stage.all("editResend") == []
    field(stage).setPlainText("It is *green*.")
    stage.click("editSave")
    await stage.shows("It is green.")
    assert contents(stage)[-1] == "It is *green*."
    view = stage.window.chat.transcript
    view.setFocus()
    QTest.keyClick(view, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    await stage.shows("It is blue.")
    shift = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
    QTest.keyClick(view, Qt.Key.Key_Z, shift)
    await stage.shows("It is green.")


@pytest.mark.clause("PERS-05")
async def test_escape_leaves_a_message_as_it_was(stage_on: OpenStage, project: Path) -> None:
    stage = await stage_on(project)
    await stage.send("[[say blue]]")
    go_to(stage, "blue")
    QTest.keyClick(stage.window.chat.transcript, Qt.Key.Key_F2)
    stage.type("x", field(stage))
    stage.press(Qt.Key.Key_Escape, field(stage))
    assert stage.all("editField") == []
    assert contents(stage)[-1] == "blue"
    assert stage.window.chat.transcript.hasFocus()


@pytest.mark.clause("PERS-05")
async def test_a_message_of_the_user_is_changed_and_sent_again(
    stage_on: OpenStage, project: Path
) -> None:
    stage = await stage_on(project)
    await stage.send("[[say first]]")
    go_to(stage, "[[say first]]")
    act(stage, "messageEdit")
    field(stage).setPlainText("[[say second]]")
    stage.click("editResend")
    await until(lambda: "second" in contents(stage)[-1:])
    await stage.idle()
    assert contents(stage) == ["[[say second]]", "second"]
    assert stage.all("editField") == []


@pytest.mark.clause("PERS-05", "LOOP-08")
async def test_a_text_that_cannot_be_saved_stays_in_its_field_with_the_reason(
    stage_on: OpenStage, project: Path
) -> None:
    stage = await stage_on(project)
    await stage.send("[[say blue]]")
    stage.click("editMessage")
    field(stage).setPlainText("Do not lose me")
    sent = stage.window.tasks.start(player_of(stage).send("[[slow 20]][[say late]]"), name="send")
    await until(lambda: stage.window.chat.running)
    stage.click("editSave")
    await until(lambda: bool(stage.all("editError")))
    assert field(stage).toPlainText() == "Do not lose me"
    stage.window.chat.stop()
    assert sent is not None
    await sent
    stage.click("editSave")
    await until(lambda: "Do not lose me" in contents(stage))


@pytest.mark.clause("PERS-05", "LOOP-08")
async def test_a_message_that_is_sent_again_to_a_failing_provider_keeps_its_new_text(
    stage_on: OpenStage, project: Path, model: ModelServer
) -> None:
    stage = await stage_on(project, model.base_url)
    model.script(text("One."), failure(400, "The kettle is cold"), text("Two."))
    await stage.send("Question")
    go_to(stage, "Question")
    act(stage, "messageEdit")
    field(stage).setPlainText("A better question")
    stage.click("editResend")
    await stage.shows("The kettle is cold")
    assert contents(stage) == ["A better question"]
    stage.click("chatRetry")
    await stage.shows("Two.")
    await stage.idle()


@pytest.mark.clause("PERS-05", "STU-03")
async def test_a_reply_is_answered_again_and_its_responses_are_gone_through(
    stage_on: OpenStage, project: Path, model: ModelServer
) -> None:
    stage = await stage_on(project, model.base_url)
    model.script(text("One."), text("Two."), text("Three."))
    await stage.send("Question")
    for words in ("Two.", "Three."):
        await answer_again(stage)
        await stage.shows(words)
        await stage.idle()
    assert "One." not in stage.text
    assert [label.text() for label in stage.all("choiceCount")] == ["3 of 3"]
    stage.click("choosePrevious")
    await stage.shows("Two.")
    go_to(stage, "Two.")
    view = stage.window.chat.transcript
    QTest.keyClick(view, Qt.Key.Key_Left)
    await stage.shows("One.")
    assert not stage.all("choosePrevious")[0].isEnabled()
    QTest.keyClick(view, Qt.Key.Key_Right)
    await stage.shows("Two.")
    assert [label.text() for label in stage.all("choiceCount")] == ["2 of 3"]


@pytest.mark.clause("PERS-05")
async def test_a_response_is_taken_with_its_stores_where_that_is_chosen(
    stage_on: OpenStage, project: Path
) -> None:
    stage = await stage_on(project)
    await stage.send("[[call roll {}]][[say rolled]]")
    await answer_again(stage)
    await until(lambda: player_of(stage).store("test.roller") == {"rolls": 2})
    await stage.idle()
    go_to(stage, "rolled")
    act(stage, "messageBefore")
    await until(lambda: stage.all("choiceCount")[0].text() == "1 of 2")
    assert player_of(stage).store("test.roller") == {"rolls": 2}
    act(stage, "messageAfter")
    await until(lambda: stage.all("choiceCount")[0].text() == "2 of 2")
    act(stage, "chooseWithStores")
    act(stage, "messageBefore")
    await until(lambda: player_of(stage).store("test.roller") == {"rolls": 1})


@pytest.mark.clause("PERS-05")
async def test_messages_are_deleted_alone_and_from_one_on(
    stage_on: OpenStage, project: Path
) -> None:
    stage = await stage_on(project)
    for words in ("one", "beta", "three"):
        await stage.send(f"[[say {words}]]")
    go_to(stage, "beta")
    QTest.keyClick(stage.window.chat.transcript, Qt.Key.Key_Delete)
    await until(lambda: "beta" not in contents(stage))
    assert len(contents(stage)) == 5
    go_to(stage, "[[say beta]]")
    act(stage, "messageDeleteFrom")
    await until(lambda: contents(stage) == ["[[say one]]", "one"])
    act(stage, "conversationUndo")
    await until(lambda: len(contents(stage)) == 5)
    await stage.shows("three")


@pytest.mark.clause("PERS-05")
async def test_a_range_is_chosen_copied_and_deleted(stage_on: OpenStage, project: Path) -> None:
    stage = await stage_on(project)
    for words in ("one", "beta"):
        await stage.send(f"[[say *{words}*]]")
    view = stage.window.chat.transcript
    go_to(stage, "[[say *beta*]]")
    QTest.keyClick(view, Qt.Key.Key_Up, Qt.KeyboardModifier.ShiftModifier)
    QTest.keyClick(view, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text() == "Ada Byron\none\n\nYou\n[[say *beta*]]"
    QTest.keyClick(view, Qt.Key.Key_Delete)
    await until(lambda: contents(stage) == ["[[say *one*]]", "*beta*"])


@pytest.mark.clause("PERS-05")
async def test_a_reply_is_put_aside_and_says_so(
    stage_on: OpenStage, project: Path, model: ModelServer
) -> None:
    stage = await stage_on(project, model.base_url)
    model.script(text("Bad words."), text("Fine."))
    await stage.send("One")
    go_to(stage, "Bad words.")
    act(stage, "messageReject")
    await until(lambda: bool(player_of(stage).entries(1, 2)[0].get("rejected")))
    await until(
        lambda: any(
            "Put aside" in one.text()
            for one in stage.window.findChildren(type(stage.find("choiceCount")))
            if one.isVisible()
        )
    )
    await stage.send("Two")
    assert "Bad words." not in str(model.last.messages)


@pytest.mark.clause("PERS-05")
async def test_a_fork_begins_with_what_is_up_to_the_message(
    stage_on: OpenStage, project: Path
) -> None:
    stage = await stage_on(project)
    await stage.send("[[say one]]")
    await stage.send("[[say beta]]")
    go_to(stage, "one")
    forked: list[str] = []
    stage.window.chat.deeds.forked.connect(forked.append)
    act(stage, "messageFork")
    await until(lambda: bool(forked))
    assert player_of(stage).conversation_id == "conversation_01"
    stage.window.chat.load(forked[0])
    await until(lambda: "beta" not in stage.text)
    assert contents(stage) == ["[[say one]]", "one"]


@pytest.mark.clause("PERS-05")
async def test_an_earlier_message_is_answered_again_only_after_a_question(
    stage_on: OpenStage, project: Path
) -> None:
    stage = await stage_on(project)
    await stage.send("[[say one]]")
    await stage.send("[[say beta]]")
    go_to(stage, "one")
    act(stage, "messageRetry")
    assert len(contents(stage)) == 4
    stage.click("resubmitConfirm")
    await until(lambda: contents(stage) == ["[[say one]]", "one"])
    await stage.idle()


@pytest.mark.clause("PERS-05")
@pytest.mark.parametrize(("reset", "left"), [(False, {"rolls": 1}), (True, {})])
async def test_clearing_keeps_what_agents_stored_or_resets_it(
    stage_on: OpenStage, project: Path, reset: bool, left: dict[str, int]
) -> None:
    stage = await stage_on(project)
    await stage.send("[[call roll {}]][[say rolled]]")
    stage.window.chat.ask_to_clear()
    if reset:
        stage.click("clearReset")
    stage.click("clearConfirm")
    await until(lambda: not contents(stage))
    await until(lambda: player_of(stage).store("test.roller") == left)
    assert "You are late." in stage.text


@pytest.mark.clause("PERS-05")
async def test_what_is_refused_during_a_reply_is_told(stage_on: OpenStage, project: Path) -> None:
    stage = await stage_on(project)
    await stage.send("[[say one]]")
    stage.input.put("[[slow 20]][[say late]]")
    stage.press(Qt.Key.Key_Return)
    await until(lambda: stage.window.chat.running)
    go_to(stage, "one")
    act(stage, "messageDelete")
    await until(lambda: any("Stop it first" in one for one in stage.window.pages.toasts.texts))
    assert "one" in contents(stage)
    stage.window.chat.stop()
    await stage.idle()


async def test_the_keys_go_from_the_field_to_the_messages_and_back(
    stage_on: OpenStage, project: Path
) -> None:
    stage = await stage_on(project)
    await stage.send("[[say one]]")
    chat = stage.window.chat
    QTest.keyClick(stage.input, Qt.Key.Key_Up, Qt.KeyboardModifier.AltModifier)
    assert chat.transcript.hasFocus()
    assert chat.transcript.model.row(chat.deeds.picker.at).text == "one"
    QTest.keyClick(chat.transcript, Qt.Key.Key_Up)
    assert chat.transcript.model.row(chat.deeds.picker.at).text == "[[say one]]"
    QTest.keyClick(chat.transcript, Qt.Key.Key_Escape)
    assert stage.input.hasFocus()
    assert chat.deeds.picker.at is None


async def test_an_edit_that_is_scrolled_away_or_left_for_another_conversation_is_not_lost(
    stage_on: OpenStage, project: Path
) -> None:
    stage = await stage_on(project)
    await stage.send("[[say one]]")
    stage.click("editMessage")
    field(stage).setPlainText("half of an edit")
    first = player_of(stage).conversation_id
    stage.window.chat.menu.new.trigger()
    await until(lambda: stage.all("editField") == [])
    stage.window.chat.load(first)
    await stage.shows("one")
    stage.click("editMessage")
    assert field(stage).toPlainText() == "half of an edit"


@pytest.mark.clause("STU-03")
@pytest.mark.qt_log_ignore("This plugin does not support")  # a menu without a display
async def test_a_right_click_on_a_text_opens_the_menu_of_its_message(
    stage_on: OpenStage, project: Path
) -> None:
    stage = await stage_on(project)
    await stage.send("[[say some words of a reply]]")
    chat = stage.window.chat
    text_view = chat.transcript.cells[-1].views[0]
    spot = QPoint(4, 4)
    event = QContextMenuEvent(
        QContextMenuEvent.Reason.Mouse, spot, text_view.viewport().mapToGlobal(spot)
    )
    QApplication.sendEvent(text_view.viewport(), event)
    await until(lambda: stage.window.findChild(QMenu, "messageMenu") is not None)
    menu = stage.window.findChild(QMenu, "messageMenu")
    assert menu is not None
    names = [action.objectName() for action in menu.actions() if action.objectName()]
    assert {"messageCopy", "messageEdit", "messageRetry", "messageFork"} <= set(names)
    assert "messageBefore" not in names  # there is one response alone
    cursor = text_view.textCursor()
    cursor.setPosition(0)
    cursor.setPosition(4, QTextCursor.MoveMode.KeepAnchor)
    text_view.setTextCursor(cursor)
    act(stage, "messageCopy")
    assert QGuiApplication.clipboard().text() == "some"
    menu.close()


async def test_keys_do_nothing_to_a_message_that_is_not_seen_to_be_chosen(
    stage_on: OpenStage, project: Path
) -> None:
    stage = await stage_on(project)
    await stage.send("[[say one]]")
    stage.click("copyReply")
    view = stage.window.chat.transcript
    view.setFocus()
    QTest.keyClick(view, Qt.Key.Key_Delete)
    await stage.idle()
    assert len(contents(stage)) == 2
    view.setFocus(Qt.FocusReason.TabFocusReason)
    stage.input.setFocus()
    view.setFocus(Qt.FocusReason.TabFocusReason)
    assert [cell.chosen for cell in view.cells].count("one") == 1


async def test_only_the_last_reply_keeps_room_for_buttons_and_others_have_them_in_their_line(
    stage_on: OpenStage, project: Path
) -> None:
    stage = await stage_on(project)
    await stage.send("[[say one]]")
    last = stage.window.chat.transcript.cells[-1]
    height = last.height()
    (bar,) = stage.all("messageBar")
    assert bar.mapTo(last, QPoint(0, 0)).y() > height // 2
    await stage.send("[[say two]]")
    go_to(stage, "[[say two]]")
    stage.press(Qt.Key.Key_Up, stage.window.chat.transcript)
    (cell,) = [one for one in stage.window.chat.transcript.cells if one.chosen]
    assert cell.height() < height
    (bar,) = [one for one in stage.all("messageBar") if cell.isAncestorOf(one)]
    assert bar.mapTo(cell, QPoint(0, 0)).y() < cell.height() // 2


@pytest.mark.clause("PERS-05")
async def test_a_key_pressed_twice_deletes_the_message_that_was_chosen_and_no_other(
    stage_on: OpenStage, project: Path
) -> None:
    stage = await stage_on(project)
    for number in range(4):
        await stage.send(f"q{number} [[say a{number}]]")
    go_to(stage, "a2")
    for _ in range(2):
        QTest.keyClick(stage.window.chat.transcript, Qt.Key.Key_Delete)
    await until(lambda: "a2" not in contents(stage))
    await stage.idle()
    assert [text[:2] for text in contents(stage)] == ["q0", "a0", "q1", "a1", "q2", "q3", "a3"]

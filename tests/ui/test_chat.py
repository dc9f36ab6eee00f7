"""Talking to a character in a real window."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, Qt
from PySide6.QtGui import QGuiApplication, QInputMethodEvent
from PySide6.QtWidgets import QApplication

from studio_qt.ui.actions import MENUS
from tests.support.model_server import ModelServer, blocked, failure, text, tool_call
from tests.support.qt import until
from tests.support.window import Stage, write_package
from tests.ui.conftest import OpenStage

pytestmark = pytest.mark.qt_loop


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return write_package(tmp_path / "ada")


@pytest.mark.clause("STU-00")
async def test_the_description_is_shown_where_the_character_is_opened(
    stage_on: OpenStage, project: Path
) -> None:
    stage = await stage_on(project)
    assert "A countess who counts." in stage.text
    assert stage.find("characterDescription").accessibleName() == "A countess who counts."
    assert stage.find("characterName").isVisible()
    assert "Ada Byron" in stage.window.windowTitle()
    assert "Rehearsal" in stage.text


@pytest.mark.clause("SYS-07")
async def test_the_introduction_is_shown_and_is_no_entry(
    stage_on: OpenStage, project: Path
) -> None:
    stage = await stage_on(project)
    assert "She looks up. “You are late.”" in stage.text
    assert stage.turns() == 0


@pytest.mark.clause("STU-03", "LOOP-02")
async def test_a_sent_message_is_answered_and_the_reply_grows_as_it_comes(
    stage_on: OpenStage, project: Path
) -> None:
    stage = await stage_on(project)
    words = " ".join(f"word{number}" for number in range(40))
    stage.input.put(f"[[slow 2]][[say {words}]]")
    stage.click("chatSend")
    await until(lambda: "word3" in stage.text.split("Ada Byron")[-1])
    assert "word39" not in stage.text.split("Ada Byron")[-1]
    assert stage.input.toPlainText() == ""
    await stage.idle()
    assert "word39" in stage.text.split("Ada Byron")[-1]


@pytest.mark.clause("STU-03")
async def test_tool_activity_unfolds_to_arguments_and_result_and_copies(
    stage_on: OpenStage, project: Path
) -> None:
    stage = await stage_on(project)
    await stage.send('[[call roll {"sides": 20}]][[say There.]]')
    (line,) = stage.all("toolActivity")
    assert line.text().startswith("roll")
    line.click()
    await until(lambda: bool(stage.all("copyCall")))
    inside = [prose.toPlainText() for prose in stage.all("prose")]
    assert '{"sides":20}' in inside
    assert "You rolled 20" in inside
    stage.click("copyCall")
    assert QGuiApplication.clipboard().text() == 'roll {"sides":20} #1\n→ You rolled 20'


@pytest.mark.clause("BR-01", "BR-02")
async def test_toasts_come_and_log_entries_stay(stage_on: OpenStage, project: Path) -> None:
    stage = await stage_on(project)
    await stage.send("[[call roll {}]][[say Done.]]")
    assert stage.window.pages.toasts.texts == ["rolled 1"]
    assert "roll 1" in stage.text
    stage.click("toastClose")
    assert stage.window.pages.toasts.texts == []


@pytest.mark.clause("BR-01", "BOX-02")
async def test_an_agent_that_floods_with_toasts_costs_no_more_than_those_that_stand(
    stage_on: OpenStage, project: Path
) -> None:
    stage = await stage_on(project)
    toasts = stage.window.pages.toasts
    for number in range(60):
        toasts.show_text(f"toast {number}")
        layout = toasts.layout()
        assert layout is not None
        assert layout.count() <= 4
    assert toasts.texts == ["toast 56", "toast 57", "toast 58", "toast 59"]


@pytest.mark.clause("LOOP-07", "STU-03")
@pytest.mark.parametrize("by", ["button", "escape"])
async def test_stopping_keeps_what_has_come(stage_on: OpenStage, project: Path, by: str) -> None:
    stage = await stage_on(project)
    words = " ".join(f"word{number}" for number in range(200))
    stage.input.put(f"[[slow 30]][[say {words}]]")
    stage.press(Qt.Key.Key_Return)
    await until(lambda: "word1 " in stage.text.split("Ada Byron")[-1])
    assert not stage.find("chatSend").isVisible()
    if by == "button":
        stage.click("chatStop")
    else:
        stage.press(Qt.Key.Key_Escape)
    await stage.idle()
    reply = stage.text.split("Ada Byron")[-1]
    assert "word1 " in reply
    assert "(stopped)" in reply
    assert "word199" not in reply
    assert stage.find("chatSend").isVisible()


@pytest.mark.clause("LOOP-08")
async def test_a_failing_provider_leaves_the_message_and_offers_retry(
    stage_on: OpenStage, project: Path, model: ModelServer
) -> None:
    stage = await stage_on(project, model.base_url)
    model.script(failure(400, "The kettle is cold"), text("Warm again."))
    await stage.send("Hello there")
    assert "The kettle is cold" in stage.text
    assert "Hello there" in stage.text
    stage.click("chatRetry")
    await stage.shows("Warm again.")
    await stage.idle()
    assert "The kettle is cold" not in stage.text
    assert stage.text.count("Hello there") == 1


@pytest.mark.clause("LOOP-08")
async def test_a_text_that_cannot_be_sent_goes_back_into_the_field(
    stage_on: OpenStage, project: Path
) -> None:
    first = await stage_on(project)
    second = await stage_on(project)  # reads only: the first has the folder
    second.input.put("Do not lose me")
    second.press(Qt.Key.Key_Return)
    await until(lambda: second.input.toPlainText() == "Do not lose me")
    assert first.turns() == second.turns() == 0
    assert second.all("chatRetry") == []
    await until(lambda: "conversations" in second.text)


async def test_what_is_typed_while_a_reply_runs_stays(
    stage_on: OpenStage, project: Path, model: ModelServer
) -> None:
    stage = await stage_on(project, model.base_url)
    gate = threading.Event()
    model.script(blocked(gate, text("Late.")))
    stage.input.put("One")
    stage.press(Qt.Key.Key_Return)
    await until(lambda: stage.window.chat.running)
    stage.type("Two")
    stage.press(Qt.Key.Key_Return)
    assert stage.input.toPlainText() == "Two"
    gate.set()
    await stage.shows("Late.")
    assert stage.turns() == 1


@pytest.mark.clause("LOOP-03")
async def test_a_real_server_calls_a_real_tool_through_the_window(
    stage_on: OpenStage, project: Path, model: ModelServer
) -> None:
    stage = await stage_on(project, model.base_url)
    model.script(tool_call("roll", {"sides": 12}), text("It is *twelve*."))
    await stage.send("Roll!")
    assert model.last.tool_results == ["You rolled 12"]
    assert "It is twelve." in stage.text
    assert stage.find("modelLabel").text() == "test-model"


async def test_send_waits_for_something_to_send(stage_on: OpenStage, project: Path) -> None:
    stage = await stage_on(project)
    assert not stage.find("chatSend").isEnabled()
    stage.type("  ")
    assert not stage.find("chatSend").isEnabled()
    stage.type("x")
    assert stage.find("chatSend").isEnabled()


async def test_shift_enter_breaks_the_line_and_the_field_grows_to_eight(
    stage_on: OpenStage, project: Path
) -> None:
    stage = await stage_on(project)
    one = stage.input.height()
    stage.type("a")
    stage.press(Qt.Key.Key_Return, shift=True)
    stage.type("b")
    assert stage.input.toPlainText() == "a\nb"
    assert stage.input.height() > one
    stage.input.put("\n" * 7)
    eight = stage.input.height()
    stage.input.put("\n" * 30)
    assert stage.input.height() == eight
    stage.input.put("")
    assert stage.input.height() == one


async def test_enter_belongs_to_the_input_method_while_it_composes(
    stage_on: OpenStage, project: Path
) -> None:
    stage = await stage_on(project)
    QApplication.sendEvent(stage.input, QInputMethodEvent("にほ", []))
    stage.press(Qt.Key.Key_Return)
    assert stage.turns() == 0
    done = QInputMethodEvent("", [])
    done.setCommitString("日本")
    QApplication.sendEvent(stage.input, done)
    assert "日本" in stage.input.toPlainText()


@pytest.mark.parametrize("name", ["description.txt", "intro.txt"])
async def test_a_character_with_an_endless_text_opens(
    stage_on: OpenStage, project: Path, name: str
) -> None:
    (project / name).write_text("x" * 400_000)
    stage = await stage_on(project)
    loop = asyncio.get_running_loop()
    begun = loop.time()
    stage.window.chat.transcript.go_to_end()
    stage.window.chat.transcript.verticalScrollBar().setValue(0)
    assert loop.time() - begun < 2
    assert "xxx" in stage.text


async def test_pasted_text_comes_in_plain(stage_on: OpenStage, project: Path) -> None:
    stage = await stage_on(project)
    data = QMimeData()
    data.setHtml("<b>bold</b>")
    data.setText("bold\r\nand\rmore")
    stage.input.insertFromMimeData(data)
    assert stage.input.toPlainText() == "bold\nand\nmore"


async def test_a_word_of_half_a_million_letters_can_be_pasted(
    stage_on: OpenStage, project: Path
) -> None:
    stage = await stage_on(project)
    data = QMimeData()
    data.setText("x" * 500_000)
    begun = time.process_time()
    stage.input.insertFromMimeData(data)
    await asyncio.sleep(0)
    assert time.process_time() - begun < 2  # it was half a minute
    assert len(stage.window.chat.draft) == 500_000


@pytest.mark.clause("PERS-01", "CONS-03")
async def test_a_restart_continues_the_conversation(project: Path, stage_on: OpenStage) -> None:
    first = Stage(project)
    await first.open()
    await first.send("[[call roll {}]][[say I remember **this**.]]")
    await first.close()
    second = await stage_on(project)
    assert "I remember this." in second.text
    assert "→ You rolled 6" in second.text
    assert "roll 1" in second.text
    assert second.window.chat.transcript.at_end


async def test_a_long_conversation_opens_with_its_end_and_scrolls_to_its_beginning(
    stage_on: OpenStage, project: Path
) -> None:
    talk = [
        {"role": role, "content": f"{word} {number}."}
        for number in range(120)
        for role, word in (("user", "question"), ("assistant", "reply"))
    ]
    (project / "conversations").mkdir()
    stored = {"id": "conversation_01", "title": "Long", "messages": talk}
    (project / "conversations" / "conversation_01.json").write_text(json.dumps(stored))
    stage = await stage_on(project)
    view = stage.window.chat.transcript
    assert view.at_end
    assert in_sight(stage)[-1] == "reply 119."
    assert len(view.cells) < 40
    assert all(f"reply {number}." in stage.text for number in range(120))
    view.verticalScrollBar().setValue(0)
    await stage.idle()
    assert "question 0." in in_sight(stage)
    assert not view.at_end


def in_sight(stage: Stage) -> list[str]:
    """Return the texts that can be seen in the transcript, from top to bottom."""
    port = stage.window.chat.transcript.viewport()
    shown = [view for view in stage.all("prose") if not view.visibleRegion().isEmpty()]
    shown.sort(key=lambda view: view.mapTo(port, view.rect().topLeft()).y())
    return [view.toPlainText() for view in shown]


async def test_new_text_moves_the_view_only_for_a_reader_at_the_end(
    stage_on: OpenStage, project: Path
) -> None:
    stage = await stage_on(project)
    view, bar = stage.window.chat.transcript, stage.window.chat.transcript.verticalScrollBar()
    lines = "\n\n".join(f"Line {number}." for number in range(40))
    await stage.send(f"[[say {lines}]]")
    assert bar.value() == bar.maximum() > 0
    bar.setValue(bar.maximum() - 400)
    place = bar.value()
    player = stage.window.session.player
    assert player is not None
    await player.send(f"[[say {lines}]]")
    await stage.idle()
    assert bar.value() == place
    stage.click("chatJump")
    assert bar.value() == bar.maximum()
    assert not stage.all("chatJump")
    assert view.at_end


@pytest.mark.clause("CONS-03")
async def test_the_menu_begins_clears_and_takes_up_conversations(
    stage_on: OpenStage, project: Path
) -> None:
    stage = await stage_on(project)
    menu, chat = stage.window.chat.menu, stage.window.chat
    await stage.send("[[say first talk]]")
    menu.new.trigger()
    await until(lambda: "first talk" not in stage.text)
    await stage.send("[[say second talk]]")
    menu.list_wanted.emit()
    await until(lambda: len(menu.listed) == 2)
    (other,) = [action for action in menu.listed if not action.isChecked()]
    other.trigger()
    await stage.shows("first talk")
    assert "second talk" not in stage.text
    chat.ask_to_clear()
    stage.click("clearConfirm")
    await until(lambda: "first talk" not in stage.text)
    assert "You are late." in stage.text
    assert stage.turns() == 0


async def test_an_unanswered_message_of_an_earlier_session_can_be_answered(
    stage_on: OpenStage, project: Path, model: ModelServer
) -> None:
    first = Stage(project, None)
    await first.open()
    await first.send("[[fail 500 gone]]")
    await first.close()
    stage = await stage_on(project, model.base_url)
    model.script(text("Here I am."))
    assert "has not been answered" in stage.text
    stage.click("chatRetry")
    await stage.shows("Here I am.")


async def test_a_reply_is_copied_as_it_was_written(stage_on: OpenStage, project: Path) -> None:
    stage = await stage_on(project)
    await stage.send("[[say *so* it is]]")
    stage.all("copyReply")[-1].click()
    assert QGuiApplication.clipboard().text() == "*so* it is"
    stage.window.chat.copy_all()
    assert QGuiApplication.clipboard().text().startswith("Ada Byron\nShe looks up.")


async def test_streaming_never_holds_the_loop_for_long(stage_on: OpenStage, project: Path) -> None:
    stage = await stage_on(project)
    words = "\n\n".join(f"*Paragraph {number}* “with speech” and more." for number in range(60))
    stage.input.put(f"[[slow 1]][[say {words}]]")
    stage.press(Qt.Key.Key_Return)
    longest = 0.0
    await until(lambda: stage.window.chat.running)
    while stage.window.chat.running:
        before = time.thread_time()  # what others let this thread wait for is not its fault
        await asyncio.sleep(0)
        longest = max(longest, time.thread_time() - before)
    assert longest < 0.1  # on a quiet machine it is some milliseconds
    await stage.shows("Paragraph 59")


async def test_the_menu_bar_has_each_action_once(stage_on: OpenStage, project: Path) -> None:
    stage = await stage_on(project)
    bar = stage.window.pages.menus.bar
    listed = [
        action.objectName()
        for name in MENUS
        for action in bar.menu(name).actions()
        if action.objectName()
    ]
    assert len(listed) == len(set(listed))
    shared = {action.objectName() for action in stage.window.chat.menu.actions()} - {""}
    assert shared <= set(listed)

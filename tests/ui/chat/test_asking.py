"""What was asked for and cannot begin yet: it stays in sight, can be stopped, and is not lost."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel

from tests.support.model_server import ModelServer, text
from tests.support.qt import until
from tests.support.window import Stage, write_package
from tests.ui.chat.test_deeds import act, answer_again, contents, field, go_to, player_of
from tests.ui.conftest import OpenStage

pytestmark = pytest.mark.qt_loop


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return write_package(tmp_path / "ada")


class Hold:
    """Lets loading what was edited wait, as an agent does that does not come to an end."""

    def __init__(self, stage: Stage) -> None:
        self._go_on = asyncio.Event()
        session = stage.window.session
        self._reload = session._reload
        session._reload = self._wait

    async def _wait(self) -> None:
        await self._go_on.wait()
        await self._reload()

    def end(self) -> None:
        self._go_on.set()


def told(stage: Stage) -> bool:
    """Whether it is told in the transcript that something waits."""
    labels = stage.window.chat.transcript.findChildren(QLabel)
    return any(one.isVisible() and one.text().startswith("Waits until") for one in labels)


async def waits(stage: Stage) -> None:
    await until(lambda: told(stage))


@pytest.mark.clause("STU-01", "STU-03")
async def test_a_message_that_waits_for_loading_is_shown_and_says_why(
    stage_on: OpenStage, project: Path
) -> None:
    stage = await stage_on(project)
    hold = Hold(stage)
    stage.input.put("[[say At last.]]")
    stage.press(Qt.Key.Key_Return)
    await stage.shows("[[say At last.]]")
    await waits(stage)
    assert stage.input.toPlainText() == ""
    assert stage.find("chatStop").isVisible()
    assert contents(stage) == []
    hold.end()
    await stage.shows("At last.")
    await stage.idle()
    assert not told(stage)
    assert contents(stage) == ["[[say At last.]]", "At last."]
    assert stage.text.count("[[say At last.]]") == 1


@pytest.mark.clause("LOOP-07")
@pytest.mark.parametrize("by", ["button", "escape"])
async def test_a_message_that_waits_is_stopped_and_goes_back_into_the_field(
    stage_on: OpenStage, project: Path, by: str
) -> None:
    stage = await stage_on(project)
    hold = Hold(stage)
    stage.input.put("Do not lose me")
    stage.press(Qt.Key.Key_Return)
    await waits(stage)
    stage.type("More", stage.input)
    if by == "button":
        stage.click("chatStop")
    else:
        stage.press(Qt.Key.Key_Escape)
    assert stage.input.toPlainText() == "Do not lose me\nMore"
    hold.end()
    await stage.idle()
    assert contents(stage) == []
    assert stage.input.toPlainText() == "Do not lose me\nMore"
    assert stage.find("chatSend").isVisible()


@pytest.mark.clause("STU-01")
async def test_a_window_that_is_closed_meanwhile_keeps_the_message(
    stage_on: OpenStage, project: Path
) -> None:
    stage = Stage(project)
    await stage.open()
    hold = Hold(stage)
    stage.input.put("Do not lose me")
    stage.press(Qt.Key.Key_Return)
    await waits(stage)
    closing = asyncio.ensure_future(stage.close())
    await until(lambda: not stage.window.pages.memory.begun)
    hold.end()
    await closing
    again = await stage_on(project)
    assert again.input.toPlainText() == "Do not lose me"
    assert contents(again) == []


@pytest.mark.clause("PERS-05")
async def test_nothing_is_edited_while_a_message_waits_and_that_is_told(
    stage_on: OpenStage, project: Path
) -> None:
    stage = await stage_on(project)
    await stage.send("[[say one]]")
    hold = Hold(stage)
    stage.input.put("[[say beta]]")
    stage.press(Qt.Key.Key_Return)
    go_to(stage, "one")
    act(stage, "messageDelete")
    toasts = stage.window.pages.toasts
    await until(lambda: any("Stop it first" in one for one in toasts.texts))
    hold.end()
    await stage.shows("beta")
    await stage.idle()
    assert contents(stage) == ["[[say one]]", "one", "[[say beta]]", "beta"]


async def test_a_message_is_not_sent_into_a_conversation_that_was_opened_meanwhile(
    stage_on: OpenStage, project: Path
) -> None:
    stage = await stage_on(project)
    await stage.send("[[say one]]")
    hold = Hold(stage)
    stage.input.put("For the first one")
    stage.press(Qt.Key.Key_Return)
    await waits(stage)
    await player_of(stage).new_conversation()
    hold.end()
    await until(lambda: stage.input.toPlainText() == "For the first one")
    await stage.idle()
    assert contents(stage) == []


@pytest.mark.clause("PERS-05")
async def test_a_reply_asked_for_twice_at_once_is_answered_once(
    stage_on: OpenStage, project: Path, model: ModelServer
) -> None:
    stage = await stage_on(project, model.base_url)
    model.script(text("One."), text("Two."), text("Three."))
    await stage.send("Question")
    await until(lambda: bool(stage.all("chatRegenerate")))
    QTest.mouseDClick(stage.all("chatRegenerate")[0], Qt.MouseButton.LeftButton)
    go_to(stage, "One.")
    for _ in range(2):
        view = stage.window.chat.transcript
        QTest.keyClick(view, Qt.Key.Key_R, Qt.KeyboardModifier.ControlModifier)
    await stage.shows("Two.")
    await stage.idle()
    assert contents(stage) == ["Question", "One.", "Two."]


@pytest.mark.clause("PERS-05")
async def test_a_message_is_answered_again_where_it_is_by_then(
    stage_on: OpenStage, project: Path
) -> None:
    stage = await stage_on(project)
    for words in ("one", "beta", "three"):
        await stage.send(f"[[say {words}]]")
    hold = Hold(stage)
    go_to(stage, "[[say beta]]")
    act(stage, "messageEdit")
    field(stage).setPlainText("[[say delta]]")
    stage.click("editResend")
    stage.click("resubmitConfirm")
    await until(lambda: stage.window.chat.running)
    await player_of(stage).delete(0)
    hold.end()
    await until(lambda: contents(stage)[-1:] == ["delta"])
    await stage.idle()
    assert contents(stage) == ["one", "[[say delta]]", "delta"]


@pytest.mark.clause("PERS-05", "STU-03")
async def test_keys_pressed_quickly_go_through_the_responses_one_by_one(
    stage_on: OpenStage, project: Path, model: ModelServer
) -> None:
    stage = await stage_on(project, model.base_url)
    model.script(text("One."), text("Two."), text("Three."), text("Four."))
    await stage.send("Question")
    for words in ("Two.", "Three.", "Four."):
        await answer_again(stage)
        await stage.shows(words)
        await stage.idle()
    go_to(stage, "Four.")
    view = stage.window.chat.transcript
    for _ in range(3):
        QTest.keyClick(view, Qt.Key.Key_Left)
    await stage.shows("One.")
    for _ in range(2):
        QTest.keyClick(view, Qt.Key.Key_Right)
    await stage.shows("Three.")
    for _ in range(9):
        QTest.keyClick(view, Qt.Key.Key_Right)
    await stage.shows("Four.")
    assert json.dumps(stage.window.pages.toasts.texts) == "[]"


@pytest.mark.clause("PERS-05")
async def test_a_key_means_the_message_that_is_marked_though_others_have_just_gone(
    stage_on: OpenStage, project: Path
) -> None:
    stage = await stage_on(project)
    for words in ("one", "beta", "three"):
        await stage.send(f"[[say {words}]]")
    go_to(stage, "three")
    player = player_of(stage)
    await player.truncate(5)
    QTest.keyClick(stage.window.chat.transcript, Qt.Key.Key_Delete)  # what was marked is not there
    go_to(stage, "[[say beta]]")
    await player.delete(0)
    QTest.keyClick(stage.window.chat.transcript, Qt.Key.Key_Delete)
    await until(lambda: contents(stage) == ["one", "beta", "[[say three]]"])

"""Builders of screens of the whole window in which something is said, asked or goes wrong."""

from __future__ import annotations

import json
import shutil
import threading
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QAction, QEnterEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QWidget

from studio_qt.errors import StorageError
from studio_qt.ui.chat.activity import ActivityLine
from studio_qt.ui.chat.model import ChatModel
from studio_qt.ui.chat.view import ChatView
from studio_qt.ui.session import Connection
from studio_qt.ui.widgets.sheet import Sheet
from studio_qt.ui.widgets.toasts import Toast
from tests.support.model_server import ModelServer, blocked, failure, text
from tests.ui.chat.talk import Talk
from tests.ui.look.scene import Scene

__all__ = [
    "asks",
    "command_error",
    "compared",
    "edited",
    "failed",
    "streaming",
    "unfolded",
    "zip_player",
]

REPLY = (
    "*She tilts the lamp until the wick stands clear.* “Marcus knows the Teeth better than the "
    "men who drew them. Ask him before the ebb,” *she says,* “not after it. "
)


async def streaming(scene: Scene) -> QWidget:
    """A reply of which the first half has come."""
    gate, server = threading.Event(), scene.enter(ModelServer())
    scene.at_end(gate.set)
    pieces = [f"{word} " for word in REPLY.split()]
    server.script(blocked(gate, text("".join(pieces), pieces=pieces), after=len(pieces) - 4))
    stage = await scene.stage(scene.keeper(), Connection(server.base_url, model="test-model"))
    stage.input.put("Shall I ask Marcus?")
    stage.press(Qt.Key.Key_Return)
    await scene.wait(lambda: "better than the" in stage.text)
    return stage.window


async def failed(scene: Scene) -> QWidget:
    """The provider refused to answer; a word is sought that is there several times."""
    server = scene.enter(ModelServer())
    server.script(failure(401, {"error": {"message": "Incorrect API key provided."}}))
    stage = await scene.stage(scene.keeper(), Connection(server.base_url, model="test-model"))
    stage.input.put("Shall I ask Marcus?")
    stage.press(Qt.Key.Key_Return)
    await scene.wait(lambda: bool(stage.all("chatRetry")))
    await stage.idle()
    stage.window.chat.open_find()
    field = stage.window.chat.findChild(QLineEdit, "findField")
    assert field is not None
    QTest.keyClicks(field, "Marcus")
    await scene.wait(lambda: stage.window.chat.finder.settled)
    return stage.window


async def edited(scene: Scene) -> QWidget:
    """The last reply is being changed where it stands."""
    stage = await scene.stage(scene.keeper())
    stage.click("editMessage")
    await scene.wait(lambda: bool(stage.all("editField")))
    return stage.window


async def command_error(scene: Scene) -> QWidget:
    """A command that its agent refused."""
    stage = await scene.stage(scene.keeper())
    stage.type("@")
    await scene.wait(lambda: stage.find("commandDialog").isVisible())
    field = stage.find("commandInput")
    stage.type("memory forget all", field)
    stage.press(Qt.Key.Key_Return, field)
    await scene.wait(lambda: bool(stage.all("commandError")))
    return stage.window


def asks(question: str) -> Callable[[Scene], Awaitable[QWidget]]:
    """Return the builder of a sheet that asks before something is lost."""

    async def build(scene: Scene) -> QWidget:
        window = (await scene.stage(scene.keeper())).window
        editors = window.pages.editors
        if question == "close":
            for path in ("instructions.txt", "intro.txt"):
                await editors.open(path)
                QTest.keyClicks(editors.editor, "She waits. ")
            editors.departures.leave(editors.views)
        elif question == "clear":
            window.chat.ask_to_clear()
        else:
            window.pages.project.files._trash = _no_trash
            window.pages.project.select("agents/keeper.omens.py")
            _act(window, "deleteFile")
        await scene.wait(lambda: any(one.isVisible() for one in window.findChildren(Sheet)))
        return window

    return build


async def compared(scene: Scene) -> QWidget:
    """What another program wrote, beside what is in the editor."""
    keeper = scene.keeper()
    window = (await scene.stage(keeper)).window
    pages = window.pages
    await pages.editors.open("intro.txt")
    QTest.keyClicks(pages.editors.editor, "*She waits.* ")
    intro = keeper / "intro.txt"
    intro.write_text(
        intro.read_text(encoding="utf-8").replace("Twelve past five", "Half past five"),
        encoding="utf-8",
    )
    await window.session.documents.files_changed(frozenset({"intro.txt"}))
    pages.comparing.compare_with_disk("intro.txt")
    shown = pages.comparing.page
    await scene.wait(lambda: shown.isVisible() and shown.settled and window.settled)
    return window


async def zip_player(scene: Scene) -> QWidget:
    """A zip that is played, and one notice of each kind, which stay."""
    packed = shutil.make_archive(str(scene.folder / "Lantern Keeper"), "zip", scene.keeper())
    window = (await scene.stage(scene.folder / packed)).window
    toasts = window.pages.toasts
    toasts.show_text("The lamp needs oil in an hour.")
    toasts.show_text("3 matches replaced in 2 files.", "ok")
    toasts.show_text("intro.txt cannot be written: the disk is full. Free some space.", "error")
    for toast in window.findChildren(Toast):
        at = QPointF(4, 4)
        QApplication.sendEvent(toast, QEnterEvent(at, at, at))  # the mouse keeps it
    await scene.wait(lambda: window.settled)
    return window


async def unfolded(scene: Scene) -> QWidget:
    """A chat alone: tools unfolded with what a sub-agent called, a log entry, and alternatives."""
    talk = Talk(_entries())
    theme = scene.desk().theme
    model = ChatModel(scene.window)
    view = scene.put(ChatView(theme, model))
    view.set_name("Lantern Keeper")
    scene.window.show()
    model.follow(talk)  # type: ignore[arg-type]
    talk.say("toolCall", _inner(18, "recall_memory", {"query": "visitor"}, "Forty fathoms."))
    talk.say("toolCall", _inner(19, "read_weather", {"hour": "04:10"}, "Fog, closing by 04:40."))
    await scene.wait(lambda: view.settled and bool(view.findChildren(ActivityLine)))
    for line in view.findChildren(ActivityLine):
        line.button.click()
    await scene.wait(lambda: view.settled)
    return scene.window


# Helpers


def _entries() -> list[dict[str, Any]]:
    call = {
        "id": "call_17",
        "type": "function",
        "function": {"name": "marcus", "arguments": json.dumps({"question": "May I cross?"})},
        "toolCallId": 17,
    }
    answer = {"tool_call_id": "call_17", "toolCallId": 17, "agentId": "marcus", "name": "marcus"}
    said = "*She listens to the tube.* “Slack water at ten past four.”"
    return [
        {"id": "a", "role": "user", "content": "“Ask Marcus whether I can cross.”", "turn": 1},
        {"id": "b", "role": "assistant", "content": "No.", "turn": 1, "rejected": True}
        | {"response": 1},
        {"id": "c", "role": "assistant", "content": "", "turn": 1, "tool_calls": [call]}
        | {"response": 2},
        {"id": "d", "role": "tool", "content": "“Slack water.”", "turn": 1, **answer}
        | {"response": 2},
        {"id": "e", "role": "assistant", "content": said, "turn": 1, "response": 2},
        {"id": "f", "role": "log", "content": "“He kept his word.”", "turn": 1}
        | {"agentId": "marcus", "command": "@marcus how do you feel?"},
    ]


def _inner(number: int, name: str, args: dict[str, str], result: str) -> dict[str, object]:
    told = {"agentId": "studio.memory-store", "toolName": name, "args": args, "result": result}
    return {**told, "toolCallId": number, "parentToolCallId": 17}


def _act(window: QWidget, name: str) -> None:
    action = window.findChild(QAction, name)
    assert action is not None, f"there is no {name}"
    action.trigger()


def _no_trash(_root: Path, path: str) -> None:
    raise StorageError(f"The system has no trash for {path}.")

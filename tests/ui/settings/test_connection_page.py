"""The page of connections: cards, fields, the test, and the learned profile."""

from __future__ import annotations

import threading

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QComboBox, QLabel, QPushButton

from studio_qt.providers.connections import SavedConnection
from studio_qt.providers.discovery import Door
from studio_qt.providers.profile import Profile
from studio_qt.settings import home_folder
from studio_qt.ui.settings.page import SettingsDialog
from tests.support.local_servers import lm_studio
from tests.support.model_server import (
    ModelServer,
    blocked,
    drop_after,
    failure,
    plain,
    text,
    tool_call,
)
from tests.support.qt import until
from tests.ui.settings.conftest import KEY, Chain, OpenRoom, Room

pytestmark = [pytest.mark.qt_loop, pytest.mark.clause("STU-10")]


async def opened(room: Room) -> Room:
    made = SettingsDialog(room.desk, room.connections, room.window)
    room.window.show()
    made.open_on("connections")
    await room.idle()
    return room


async def on_server(room_with: OpenRoom, server: ModelServer, model: str = "test-model") -> Room:
    """A room with the connection "Mine" to a server, chosen and shown."""
    room = await room_with()
    saved = SavedConnection(name="Mine", base_url=server.base_url, model=model)
    room.connections.save(saved, choose=True)
    await room.idle()
    return await opened(room)


async def test_a_new_connection_is_made_from_its_address_and_key(
    room_with: OpenRoom, model: ModelServer, chain: Chain
) -> None:
    room = await opened(await room_with())
    room.click("connectionNew")
    assert room.find("connectionAddress").hasFocus()
    room.type("connectionAddress", model.base_url)
    room.press(Qt.Key.Key_Return, "connectionAddress")
    await room.idle()
    assert [one.base_url for one in room.connections.saved] == [model.base_url]
    room.type("connectionKey", KEY)
    room.press(Qt.Key.Key_Return, "connectionKey")
    await room.idle()
    assert room.words("connectionKeyPlace") == "kept in the system's keychain"
    assert list(chain.kept.values()) == [KEY]
    room.click("connectionUse")
    await room.idle()
    assert room.connections.current.api_key == KEY


async def test_what_is_wrong_is_told_below_its_field_and_nothing_is_lost(
    room_with: OpenRoom, model: ModelServer
) -> None:
    room = await on_server(room_with, model)
    room.type("connectionAddress", "https://example.org/v1?api_key=abc")
    room.press(Qt.Key.Key_Return, "connectionAddress")
    await room.idle()
    assert "own field" in room.find("connectionAddress").accessibleDescription()
    assert room.words("connectionAddress") == "https://example.org/v1?api_key=abc"
    assert room.connections.current.base_url == model.base_url
    room.type("connectionName", "Rehearsal")
    room.press(Qt.Key.Key_Return, "connectionName")
    assert "another name" in room.find("connectionName").accessibleDescription()


async def test_a_connection_is_renamed_and_stays_the_chosen_one(
    room_with: OpenRoom, model: ModelServer
) -> None:
    room = await on_server(room_with, model)
    room.type("connectionName", "At home")
    room.press(Qt.Key.Key_Return, "connectionName")
    await room.idle()
    chosen = room.connections.chosen
    assert chosen is not None
    assert chosen.name == "At home"
    assert room.shown("connection_At home")
    assert room.words("connectionName") == "At home"


async def test_models_are_offered_with_what_is_told_of_them(room_with: OpenRoom) -> None:
    with lm_studio() as server:
        room = await on_server(room_with, server, model="qwen3-32b")
        box = room.find("connectionModel")
        assert isinstance(box, QComboBox)
        rows = [box.itemText(place) for place in range(1, box.count())]
        assert rows == [
            "qwen3-32b  (24,576 tokens · tools)",
            "gemma-3-4b  (8,192 tokens · no tools)",
        ]
        worker = room.find("connectionWorker")
        assert isinstance(worker, QComboBox)
        worker.setFocus()
        room.press(Qt.Key.Key_Down, "connectionWorker")
        room.press(Qt.Key.Key_Down, "connectionWorker")
        await room.idle()
    assert room.connections.current.worker_model == "gemma-3-4b"


async def test_a_model_that_no_list_has_can_be_typed(
    room_with: OpenRoom, model: ModelServer
) -> None:
    model.models = None
    room = await on_server(room_with, model)
    box = room.find("connectionModel")
    assert isinstance(box, QComboBox)
    line = box.lineEdit()
    assert line is not None
    line.setObjectName("modelLine")
    room.type("modelLine", "my/own-model")
    room.press(Qt.Key.Key_Return, "modelLine")
    await room.idle()
    assert room.connections.current.model == "my/own-model"


async def test_the_test_tells_of_first_token_tool_call_and_streaming(
    room_with: OpenRoom, model: ModelServer
) -> None:
    model.script(text("one two three"), tool_call("note_word", {"word": "lantern"}))
    room = await on_server(room_with, model)
    room.click("connectionTest")
    await room.idle()
    said = room.words("connectionVerdict")
    assert said.startswith("First token after")
    assert "a tool call came back whole" in said
    assert said.endswith("streaming ends cleanly.")


async def test_a_model_that_calls_no_tool_works_with_a_warning(
    room_with: OpenRoom, model: ModelServer
) -> None:
    model.script(text("one two three"), text("I cannot."))
    room = await on_server(room_with, model)
    room.click("connectionTest")
    await room.idle()
    assert "called no tool" in room.words("connectionVerdict")


TROUBLES = [
    (failure(401, {"error": {"message": f"bad key {KEY}"}}), "Check the API key"),
    (drop_after(2), "broke off"),
    (plain({"error": {"message": "insufficient_quota"}}, 402), "no credit"),
    (text(""), "answered with nothing"),
]


@pytest.mark.parametrize(("reply", "words"), TROUBLES)
async def test_a_test_that_fails_says_why_and_what_to_do(
    room_with: OpenRoom, model: ModelServer, reply: object, words: str
) -> None:
    room = await on_server(room_with, model)
    model.always = reply  # type: ignore[assignment]
    room.click("connectionTest")
    await room.idle()
    assert words in room.words("connectionVerdict")
    assert KEY not in room.words("connectionVerdict")
    assert room.find("connectionTest").isEnabled()


async def test_a_slow_server_leaves_the_window_alone_and_its_verdict_comes_to_its_card(
    room_with: OpenRoom, model: ModelServer
) -> None:
    gate = threading.Event()
    model.script(blocked(gate, text("one two")), tool_call("note_word", {"word": "lantern"}))
    room = await on_server(room_with, model)
    room.click("connectionTest")
    await model.received(1)
    assert room.words("connectionTest") == "Stop the test"
    room.click("connection_Rehearsal")
    gate.set()
    await room.idle()
    room.click("connection_Mine")
    assert "First token" in room.words("connectionVerdict")


async def test_a_list_that_comes_late_is_told_where_its_connection_is_shown_alone(
    room_with: OpenRoom, model: ModelServer
) -> None:
    gate = threading.Event()
    model.models_reply = blocked(gate, failure(500, "The kettle is cold"))
    room = await room_with()
    room.connections.save(SavedConnection(name="Mine", base_url=model.base_url), choose=True)
    with lm_studio() as other:
        room.connections.save(SavedConnection(name="Other", base_url=other.base_url))
        made = SettingsDialog(room.desk, room.connections, room.window)
        room.window.show()
        made.open_on("connections")
        await until(lambda: bool(model.others))
        room.click("connection_Other")
        gate.set()
        await room.idle()
        box = room.find("connectionModel")
        assert "kettle" not in box.accessibleDescription()
        assert isinstance(box, QComboBox)
        assert box.count() == 3
    room.click("connection_Mine")
    await room.idle()
    assert "The kettle is cold" in room.find("connectionModel").accessibleDescription()
    room.click("connection_Other")
    assert "kettle" not in room.find("connectionModel").accessibleDescription()


async def test_a_server_without_models_says_that_a_name_can_be_written(
    room_with: OpenRoom, model: ModelServer
) -> None:
    model.models = []
    room = await on_server(room_with, model)
    hints = [one.text() for one in room.window.findChildren(QLabel) if one.isVisible()]
    assert "none is listed: write its name" in hints


async def test_a_server_that_loads_its_model_is_waited_for_and_the_test_can_be_stopped(
    room_with: OpenRoom, model: ModelServer
) -> None:
    model.always = failure(503, {"error": {"message": "Loading model"}})
    room = await on_server(room_with, model)
    room.click("connectionTest")
    await until(lambda: "still loading" in room.words("connectionVerdict"))
    room.click("connectionTest")
    await room.idle()
    assert room.words("connectionVerdict") == "The test was stopped."
    assert room.words("connectionTest") == "Test the connection"


async def test_rehearsal_can_be_chosen_again(room_with: OpenRoom, model: ModelServer) -> None:
    room = await on_server(room_with, model)
    room.click("connection_Rehearsal")
    room.click("rehearsalUse")
    await room.idle()
    assert room.connections.chosen is None
    assert room.find("connection_Rehearsal").accessibleDescription().startswith("answers")


async def test_a_connection_and_its_key_are_removed(
    room_with: OpenRoom, model: ModelServer, chain: Chain
) -> None:
    room = await on_server(room_with, model)
    room.type("connectionKey", KEY)
    room.press(Qt.Key.Key_Return, "connectionKey")
    await room.idle()
    room.click("connectionKeyRemove")
    await room.idle()
    assert chain.kept == {}
    room.click("connectionRemove")
    room.click("removeConnectionClose")
    await until(lambda: not room.shown("removeConnection"))
    assert len(room.connections.saved) == 1
    room.click("connectionRemove")
    room.click("removeConnectionConfirm")
    await room.idle()
    assert room.connections.saved == ()
    assert not room.shown("connectionAddress")


async def test_a_key_moves_between_memory_and_the_users_file_as_he_says(
    room_with: OpenRoom, model: ModelServer
) -> None:
    room = await opened(await room_with(keychain=None))
    saved = SavedConnection(name="Mine", base_url=model.base_url, model="test-model")
    room.connections.save(saved, key=KEY, choose=True)
    await room.idle()
    room.click("connection_Mine")
    assert "until the program ends" in room.words("connectionKeyPlace")
    room.click("connectionKeyInFile")
    await room.idle()
    assert (home_folder() / "keys.json").exists()
    assert "keys.json" in room.words("connectionKeyPlace")
    room.click("connectionKeyInFile")
    await room.idle()
    assert not (home_folder() / "keys.json").exists()
    assert room.connections.current.api_key == KEY


async def test_a_found_server_is_kept_with_a_click(room_with: OpenRoom) -> None:
    with lm_studio() as server:
        room = await opened(await room_with(doors=[Door(server.port, "?")]))
        await until(lambda: room.connections.looked_at is not None)
        assert "LM Studio was found" in room.words("connectionsFound")
        room.click(f"connection_found 127.0.0.1:{server.port}")
        await room.idle()
        assert [one.name for one in room.connections.saved] == ["LM Studio"]
        assert room.shown("connection_LM Studio")
    assert room.connections.chosen is None


# The learned profile ------------------------------------------------------------------------


def learned(room: Room, model: ModelServer) -> Profile:
    return room.connections.profiles.get(model.base_url, "test-model", Profile())


def choose(room: Room, name: str, words: str) -> None:
    button = room.find(name)
    assert isinstance(button, QPushButton)
    (action,) = [one for one in button.menu().actions() if one.text() == words]
    action.trigger()


async def test_the_profile_tells_what_was_learned_and_takes_the_users_word(
    room_with: OpenRoom, model: ModelServer
) -> None:
    room = await on_server(room_with, model)
    start = Profile()
    known = Profile(single_system=True, refused_fields=("top_p",))
    room.connections.profiles.put(model.base_url, "test-model", known, start)
    room.click("connection_Rehearsal")
    room.click("connection_Mine")
    await room.idle()
    told = room.find("profileSystemMessages").accessibleDescription()
    assert told.startswith("one, the first. learned from an answer on")
    choose(room, "profileToolCalls", "no")
    await room.idle()
    assert learned(room, model).takes_tools is False
    assert "set by you" in room.find("profileToolCalls").accessibleDescription()
    choose(room, "profileTopP", "sent")
    await room.idle()
    assert learned(room, model).refused_fields == ()
    room.click("profileResetSystemMessages")
    await room.idle()
    assert learned(room, model) == Profile(takes_tools=False)


async def test_a_profile_that_the_user_changed_shapes_the_next_request(
    room_with: OpenRoom, model: ModelServer
) -> None:
    model.script(text("one two"), text("No tools here."))
    room = await on_server(room_with, model)
    choose(room, "profileToolCalls", "no")
    await room.idle()
    room.click("connectionTest")
    await room.idle()
    assert "tools" not in model.last.body


async def test_everything_is_forgotten_and_can_be_copied(
    room_with: OpenRoom, model: ModelServer
) -> None:
    room = await on_server(room_with, model)
    choose(room, "profileIsfileMarks", "sent")
    await room.idle()
    room.click("profileCopy")
    assert '"takes_is_file": true' in QGuiApplication.clipboard().text()
    room.click("profileForget")
    await room.idle()
    assert learned(room, model) == Profile()
    assert not room.find("profileForget").isEnabled()


async def test_the_context_window_leads_to_the_page_where_it_is_set(
    room_with: OpenRoom, model: ModelServer
) -> None:
    room = await on_server(room_with, model)
    room.preferences.change_player(context_window=24_576)
    await room.idle()
    assert "24,576" in room.words("profileContext")
    room.click("profileContext")
    await room.idle()
    assert room.shown("setting_context_window")


async def test_the_main_model_is_chosen_from_the_table_of_models(room_with: OpenRoom) -> None:
    with lm_studio() as server:
        room = await on_server(room_with, server, model="qwen3-32b")
        dialog = room.window.findChild(SettingsDialog, "settingsDialog")
        assert isinstance(dialog, SettingsDialog)
        dialog.show_page("models")
        await room.idle()
        assert "lists 2 models" in room.words("modelsHead")
        room.press(Qt.Key.Key_Down, "modelsTable")
        room.press(Qt.Key.Key_Return, "modelsTable")
        await room.idle()
    assert room.connections.current.model == "gemma-3-4b"

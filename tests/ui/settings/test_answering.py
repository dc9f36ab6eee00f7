"""The panel in which a model is chosen, by mouse and keyboard."""

from __future__ import annotations

import pytest
import pytest_asyncio
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox

from studio_qt.providers.discovery import Door
from studio_qt.settings import home_folder
from studio_qt.ui.answering.page import WhoAnswers
from tests.support.local_servers import LocalServer, lm_studio, locked_llama_cpp
from tests.support.model_server import ModelServer, drop_after, failure, text, tool_call
from tests.support.qt import until
from tests.ui.settings.conftest import KEY, Chain, OpenRoom, Room

pytestmark = [pytest.mark.qt_loop, pytest.mark.clause("STU-10")]


async def shown(room: Room) -> WhoAnswers:
    page = WhoAnswers(room.desk, room.connections)
    room.window.setCentralWidget(page)
    room.window.show()
    await until(lambda: room.connections.looked_at is not None)
    await room.idle()
    return page


@pytest_asyncio.fixture
async def room(room_with: OpenRoom) -> Room:
    opened = await room_with()
    await shown(opened)
    return opened


def found(server: LocalServer) -> str:
    return f"answering-found-127.0.0.1:{server.port}"


def checked(room: Room) -> list[str]:
    page = room.window.centralWidget()
    return [key for key, card in page._cards.items() if card.isChecked()]  # type: ignore[attr-defined]


async def test_rehearsal_is_chosen_at_first_and_nothing_has_to_be_done(room: Room) -> None:
    assert checked(room) == ["rehearsal"]
    assert "No server answered" in room.words("answeringLooked")


async def test_a_found_server_answers_after_one_click(room_with: OpenRoom) -> None:
    with lm_studio() as server:
        room = await room_with(doors=[Door(server.port, "?")])
        await shown(room)
        room.click(found(server))
        await room.idle()
        assert room.connections.current.base_url == server.base_url
        assert room.connections.current.model == "qwen3-32b"
        card = room.find(found(server))
        assert card.accessibleName() == "LM Studio"
        assert "takes tools" in card.accessibleDescription()
        assert "qwen3-32b is loaded" in card.accessibleDescription()


async def test_the_model_of_a_found_server_is_chosen_below_its_card(room_with: OpenRoom) -> None:
    with lm_studio() as server:
        room = await room_with(doors=[Door(server.port, "?")])
        await shown(room)
        room.click(found(server))
        await room.idle()
        field = room.find("answeringModel")
        assert isinstance(field, QComboBox)
        room.press(Qt.Key.Key_Down, "answeringModel")
        await room.idle()
    assert room.connections.current.model == "gemma-3-4b"


async def test_a_server_that_needs_a_key_asks_for_it_before_it_answers(
    room_with: OpenRoom, chain: Chain
) -> None:
    with locked_llama_cpp() as server:
        room = await room_with(doors=[Door(server.port, "?")])
        await shown(room)
        room.click(found(server))
        await room.idle()
        assert room.connections.chosen is None
        assert room.find("answeringServerKey").hasFocus()
        room.type("answeringServerKey", KEY)
        room.press(Qt.Key.Key_Return, "answeringServerKey")
        await room.idle()
    assert room.connections.current.api_key == KEY
    assert list(chain.kept.values()) == [KEY]
    assert room.words("answeringServerKeyPlace") == "kept in the system's keychain"


async def test_arrows_move_between_the_cards_and_go_round(room_with: OpenRoom) -> None:
    with lm_studio() as server:
        room = await room_with(doors=[Door(server.port, "?")])
        page = await shown(room)
        page._cards["rehearsal"].setFocus()
        room.press(Qt.Key.Key_Down, "answering-rehearsal")
        await room.idle()
        assert room.connections.current.base_url == server.base_url
        assert room.find(found(server)).hasFocus()
        room.press(Qt.Key.Key_Up, found(server))
        room.press(Qt.Key.Key_Up, "answering-rehearsal")
        assert checked(room) == ["other"]
        assert room.shown("answeringAddress")
        await room.idle()
    assert room.connections.chosen is None


async def test_another_provider_is_tested_and_used(room: Room, model: ModelServer) -> None:
    model.script(text("one two three four five"), tool_call("note_word", {"word": "lantern"}))
    room.click("answering-other")
    room.type("answeringAddress", model.base_url)
    room.type("answeringKey", KEY)
    room.click("answeringTest")
    await room.idle()
    assert room.words("answeringWords").startswith("Works. First token after")
    assert "a tool call came back whole" in room.words("answeringWords")
    assert model.last.headers["authorization"] == f"Bearer {KEY}"
    room.click("answeringUse")
    await room.idle()
    used = room.connections.current
    assert (used.base_url, used.api_key, used.model) == (model.base_url, KEY, "test-model")
    assert not room.shown("answeringAddress")
    assert checked(room)[0].startswith("saved-")


async def test_a_refused_key_is_told_and_what_was_typed_stays(
    room: Room, model: ModelServer
) -> None:
    model.models_reply = failure(401, {"error": {"message": f"Incorrect API key: {KEY}"}})
    room.click("answering-other")
    room.type("answeringAddress", model.base_url)
    room.type("answeringKey", KEY)
    room.click("answeringTest")
    await room.idle()
    said = room.words("answeringWords")
    assert "refused the key" in said
    assert KEY not in said
    assert room.words("answeringAddress") == model.base_url
    assert room.words("answeringKey") == KEY


async def test_a_stream_that_breaks_off_fails_the_test_with_a_reason(
    room: Room, model: ModelServer
) -> None:
    model.script(drop_after(2), text("x"))
    room.click("answering-other")
    room.type("answeringAddress", model.base_url)
    room.click("answeringTest")
    await room.idle()
    model.script(*[])
    assert "broke off" in room.words("answeringWords")


async def test_an_address_that_is_none_is_told_below_the_form(room: Room) -> None:
    room.click("answering-other")
    room.type("answeringAddress", "ftp://x")
    room.click("answeringUse")
    assert "no base URL" in room.words("answeringWords")
    assert room.connections.saved == ()


async def test_typing_is_not_lost_when_a_search_ends(room: Room) -> None:
    room.click("answering-other")
    room.type("answeringAddress", "https://half.typed")
    await room.connections.look()
    assert room.words("answeringAddress") == "https://half.typed"
    assert room.shown("answeringAddress")


async def test_without_a_keychain_the_place_of_the_key_is_told_and_a_file_is_offered(
    room_with: OpenRoom,
) -> None:
    room = await room_with(keychain=None)
    await shown(room)
    room.click("answering-other")
    assert "until the program ends" in room.words("answeringKeyPlace")
    room.click("answeringKeyInFile")
    assert "keys.json" in room.words("answeringKeyPlace")
    room.type("answeringAddress", "https://one.example")
    room.type("answeringKey", KEY)
    room.click("answeringUse")
    await room.idle()
    assert (home_folder() / "keys.json").exists()


async def test_looking_again_finds_a_server_that_was_started_meanwhile(
    room_with: OpenRoom,
) -> None:
    with lm_studio() as server:
        doors = [Door(9, "?")]
        room = await room_with(doors=doors)
        await shown(room)
        doors.append(Door(server.port, "?"))
        room.click("answeringLookAgain")
        await room.idle()
        assert room.shown(found(server))

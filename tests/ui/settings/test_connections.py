"""`Connections`: what the window knows of who answers."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path

import pytest

from studio_qt.errors import StudioError
from studio_qt.providers.connections import ConnectionFile, SavedConnection
from studio_qt.providers.discovery import Door
from studio_qt.settings import home_folder
from studio_qt.ui.session import Connection
from tests.support.local_servers import lm_studio
from tests.support.qt import until
from tests.ui.settings.conftest import KEY, Chain, OpenRoom

pytestmark = [pytest.mark.qt_loop, pytest.mark.clause("STU-10")]
URL = "https://one.example/v1"
ONE = SavedConnection(name="One", base_url=URL, model="m", worker_model="w")
TWO = SavedConnection(name="Two", base_url="http://127.0.0.1:9/v1")


async def test_without_anything_saved_rehearsal_answers(room_with: OpenRoom) -> None:
    room = await room_with()
    assert room.connections.current == Connection()
    assert room.connections.chosen is None


async def test_a_saved_connection_answers_with_its_key_from_the_keychain(
    room_with: OpenRoom, chain: Chain
) -> None:
    room = await room_with()
    room.connections.save(ONE, key=f" {KEY}\n", choose=True)
    await room.idle()
    assert room.connections.current == Connection(URL, KEY, "m", "w")
    assert list(chain.kept.values()) == [KEY]
    again = await room_with()
    assert again.connections.current == Connection(URL, KEY, "m", "w")


async def test_choosing_quickly_ends_with_the_last_choice(room_with: OpenRoom) -> None:
    room = await room_with()
    room.connections.save(ONE, key=KEY)
    room.connections.save(TWO)
    for name in ("One", "Two", None, "One", "Two"):
        room.connections.choose(name)
        assert (room.connections.chosen and room.connections.chosen.name) == name
    await room.idle()
    assert room.connections.current == Connection(TWO.base_url)
    assert ConnectionFile(home_folder()).load().current == "Two"


async def test_what_is_given_to_a_session_is_told_once_for_each_new_value(
    room_with: OpenRoom,
) -> None:
    room = await room_with()
    told: list[Connection] = []
    room.connections.current_changed.connect(lambda: told.append(room.connections.current))
    room.connections.save(ONE, key=KEY, choose=True)
    await room.idle()
    room.connections.save(TWO)
    await room.idle()
    assert told == [Connection(URL, KEY, "m", "w")]


async def test_another_address_begins_without_the_key_of_the_old_one(
    room_with: OpenRoom, chain: Chain
) -> None:
    room = await room_with()
    room.connections.save(ONE, key=KEY, choose=True)
    await room.idle()
    moved = SavedConnection(name="One", base_url="https://evil.example/v1", model="m")
    room.connections.save(moved)
    await room.idle()
    assert room.connections.current.api_key is None
    assert chain.kept == {}


async def test_removing_a_connection_removes_its_key(room_with: OpenRoom, chain: Chain) -> None:
    room = await room_with()
    room.connections.save(ONE, key=KEY, choose=True)
    await room.idle()
    room.connections.remove("One")
    await room.idle()
    assert (room.connections.current, chain.kept) == (Connection(), {})


async def test_a_key_that_two_connections_share_stays_when_one_goes(
    room_with: OpenRoom, chain: Chain
) -> None:
    room = await room_with()
    room.connections.save(ONE, key=KEY)
    room.connections.save(SavedConnection(name="Also", base_url=URL), key=KEY)
    await room.idle()
    room.connections.remove("One")
    await room.idle()
    assert list(chain.kept.values()) == [KEY]


async def test_what_can_be_no_connection_changes_nothing(room_with: OpenRoom) -> None:
    room = await room_with()
    with pytest.raises(StudioError):
        room.connections.save(ONE, key="schlüssel")
    with pytest.raises(StudioError):
        room.connections.choose("Nobody")
    assert (room.connections.saved, room.tasks.names) == ((), [])


async def test_a_key_of_the_last_session_is_asked_for_again(room_with: OpenRoom) -> None:
    room = await room_with(keychain=None)
    room.connections.save(ONE, key=KEY, choose=True)
    await room.idle()
    assert room.connections.current.api_key == KEY
    again = await room_with(keychain=None)
    assert again.connections.current == Connection(URL, None, "m", "w")
    assert "Enter it again" in again.notices[0][0]


async def test_a_file_takes_the_key_only_with_consent(room_with: OpenRoom) -> None:
    room = await room_with(keychain=None)
    room.connections.save(ONE, key=KEY, key_in_file=True, choose=True)
    await room.idle()
    assert (home_folder() / "keys.json").exists()
    again = await room_with(keychain=None)
    assert again.connections.current.api_key == KEY


async def test_a_locked_keychain_holds_up_nothing(
    room_with: OpenRoom, chain: Chain, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = await room_with()
    first.connections.save(ONE, key=KEY, choose=True)
    await first.idle()
    gate = threading.Event()

    class Locked(Chain):
        def get_password(self, service: str, username: str) -> str | None:
            assert threading.current_thread() is not threading.main_thread()
            gate.wait(20)
            return KEY

    monkeypatch.setattr("studio_qt.ui.connections._KEYCHAIN_SECONDS", 0.05)
    room = await room_with(keychain=Locked())
    assert room.connections.current.api_key is None
    assert "Unlock it" in room.notices[0][0]
    gate.set()
    await until(lambda: room.connections.current.api_key == KEY)


async def test_a_keychain_that_never_answers_does_not_keep_the_window_open(
    room_with: OpenRoom,
) -> None:
    gate = threading.Event()

    class Stuck(Chain):
        def get_password(self, service: str, username: str) -> str | None:
            gate.wait(20)
            return None

    room = await room_with(keychain=Stuck())
    room.connections.save(ONE, key=KEY, choose=True)
    await until(lambda: any(thread.name == "keychain" for thread in threading.enumerate()))
    await asyncio.wait_for(room.tasks.close(), 2)
    assert any(thread.name == "keychain" for thread in threading.enumerate())
    gate.set()


async def test_a_broken_file_is_told_and_rehearsal_answers(room_with: OpenRoom) -> None:
    (home_folder() / "connections.json").write_text("{")
    room = await room_with()
    assert room.connections.current == Connection()
    assert "Rehearsal answers" in room.notices[0][0]


async def test_a_folder_that_cannot_be_written_is_told_and_the_choice_holds(
    room_with: OpenRoom, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("STUDIO_QT_HOME", str(tmp_path / "file" / "x"))
    room = await room_with()
    room.connections.save(ONE, key=KEY, choose=True)
    await room.idle()
    assert "cannot be written" in str(room.errors[0])
    assert room.connections.current.base_url == URL


async def test_a_found_server_answers_with_the_model_that_is_loaded(room_with: OpenRoom) -> None:
    with lm_studio() as server:
        room = await room_with(doors=[Door(server.port, "LM Studio")])
        await room.connections.look()
        room.connections.use(room.connections.found[0])
        await room.idle()
        assert room.connections.current == Connection(server.base_url, None, "qwen3-32b")
        room.connections.use(room.connections.found[0], model="gemma-3-4b")
        await room.idle()
    assert [one.model for one in room.connections.saved] == ["gemma-3-4b"]

"""Conversations, stores and defaults on disk."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from studio_qt import CharacterPlayer, ClosedError, PackageError, StorageError, StudioError
from tests.engine.conftest import MakePlayer
from tests.support.model_server import ModelServer, text, tool_call
from tests.support.packages import agent, build, zip_of

COUNT = agent(
    "t.count",
    "export const onToolCall = (name, args, store) => `${(store.n = (store.n ?? 0) + 1)}`;",
    tools=["count"],
)
FILES = {"agents/t.count.js": COUNT}


def stored(tmp_path: Path, name: str) -> object:
    return json.loads((tmp_path / "package/conversations" / name).read_text(encoding="utf-8"))


@pytest.mark.clause("PERS-01", "CONS-03")
async def test_a_restart_continues_the_conversation_last_played(
    make_player: MakePlayer, model: ModelServer, tmp_path: Path
) -> None:
    player = await make_player(FILES)
    model.script(tool_call("count"), text("One."))
    await player.send("Cöunt")
    before = player.get_conversation()
    await player.close()
    on_disk = stored(tmp_path, "conversation_01.json")
    assert on_disk["messages"] == before
    assert set(on_disk) >= {"id", "title", "created", "updated", "messages", "package"}
    assert stored(tmp_path, "conversation_01.t.count.agent.json") == {"n": 1}
    player = await make_player()
    assert player.get_conversation() == before
    model.script(text("Still here."))
    await player.send("Hello again")
    assert [m["content"] for m in model.requests[-1].messages] == [
        "Cöunt",
        "One.",
        "Hello again",
    ]


@pytest.mark.clause("PERS-02", "CONS-03")
async def test_conversations_have_their_own_stores_and_can_be_taken_up_again(
    make_player: MakePlayer, model: ModelServer
) -> None:
    player = await make_player(FILES)
    model.always = text("Ok.")
    await player.call_tool("count", {})
    await player.send("first")
    assert await player.new_conversation() == "conversation_02"
    assert (len(player), player.store("t.count")) == (0, {})
    await player.send("second")
    await player.load_conversation("conversation_01")
    assert (player.conversation_id, player.store("t.count")) == ("conversation_01", {"n": 1})
    listed = await player.list_conversations()
    assert listed == sorted(listed, key=lambda c: (c["updated"], c["id"]), reverse=True)
    assert {c["id"]: c["messages"] for c in listed} == {"conversation_01": 2, "conversation_02": 2}
    with pytest.raises(StudioError, match="conversation_99"):
        await player.load_conversation("conversation_99")
    assert player.conversation_id == "conversation_01"


@pytest.mark.clause("PERS-02")
async def test_an_empty_conversation_is_taken_for_the_new_one_where_that_is_wished(
    make_player: MakePlayer, model: ModelServer
) -> None:
    player = await make_player(FILES)
    model.always = text("Ok.")
    first = player.conversation_id
    assert await player.new_conversation(unless_empty=True) == first
    await player.send("Hello.")
    pressed = (player.new_conversation(unless_empty=True) for _ in range(2))
    second, again = await asyncio.gather(*pressed)
    assert second == again != first
    await player.rename_conversation(second, "Storm night")
    third = await player.new_conversation(unless_empty=True)
    assert third != second
    assert len(await player.list_conversations()) == 3


@pytest.mark.clause("PKG-09", "PERS-02")
async def test_a_default_fills_new_conversations_only(
    make_player: MakePlayer, model: ModelServer, tmp_path: Path
) -> None:
    default = tmp_path / "package/t.count.agent.json"
    player = await make_player({**FILES, "t.count.agent.json": '{"n": 10}'})
    model.always = text("Ok.")
    await player.send("Hi")
    assert player.store("t.count") == {"n": 10}
    default.write_text('{"n": 70}')
    assert await player.call_tool("count", {}) == "11"
    await player.new_conversation()
    assert await player.call_tool("count", {}) == "71"
    await player.load_conversation("conversation_01")
    assert player.store("t.count") == {"n": 11}


@pytest.mark.clause("PKG-09")
async def test_all_stores_are_made_when_the_first_turn_begins(
    make_player: MakePlayer, model: ModelServer, tmp_path: Path
) -> None:
    player = await make_player({**FILES, "t.count.agent.json": '{"n": 10}'})
    file = tmp_path / "package/conversations/conversation_01.t.count.agent.json"
    assert not file.exists()
    model.script(text("Ok."))
    await player.send("Hi")
    assert json.loads(file.read_text()) == {"n": 10}
    (tmp_path / "package/t.count.agent.json").write_text('{"n": 99}')
    await player.close()
    player = await make_player()
    assert player.store("t.count") == {"n": 10}


@pytest.mark.clause("PKG-09")
async def test_a_default_that_is_no_object_is_a_problem_and_counts_as_empty(
    make_player: MakePlayer,
) -> None:
    player = await make_player({**FILES, "t.count.agent.json": "[1, 2"})
    assert player.store("t.count") == {}
    assert "t.count.agent.json" in [problem.file for problem in player.problems()]


@pytest.mark.clause("PERS-03")
async def test_saving_a_default_strips_tool_call_ids_at_any_depth(
    make_player: MakePlayer, tmp_path: Path
) -> None:
    player = await make_player(FILES)
    record = {"text": "x", "toolCallId": 4, "more": [{"toolCallId": 5, "toolCallIds": [6]}]}
    await player.set_store("t.count", {"a": [record], "toolCallId": 1})
    path = await player.save_default("t.count")
    assert path == tmp_path / "package/t.count.agent.json"
    assert json.loads(path.read_text()) == {"a": [{"text": "x", "more": [{"toolCallIds": [6]}]}]}
    assert player.store("t.count")["toolCallId"] == 1


@pytest.mark.clause("PERS-05", "CTX-02")
async def test_clear_removes_the_entries_and_keeps_the_stores(
    make_player: MakePlayer, model: ModelServer
) -> None:
    player = await make_player(FILES)
    model.script(tool_call("count"), text("One."), text("Fresh."))
    await player.send("Count")
    await player.clear()
    assert (player.get_conversation(), player.store("t.count")) == ([], {"n": 1})
    await player.send("Anew")
    assert [m["content"] for m in model.requests[-1].messages] == ["Anew"]


@pytest.mark.clause("CONS-01", "PKG-13")
async def test_a_zip_plays_and_keeps_its_conversations_with_the_user(
    model: ModelServer, tmp_path: Path
) -> None:
    folder = build(tmp_path / "src", {**FILES, "instructions.txt": "From the zip."})
    package = zip_of(folder, tmp_path / "Hero.zip", inside="hero")
    for words in ("One.", "Two."):
        model.script(text(words))
        async with CharacterPlayer(package, base_url=model.base_url, model="m") as player:
            await player.send("Hi")
    assert model.requests[-1].messages[0]["content"] == "From the zip."
    assert [m["content"] for m in model.requests[-1].messages[1:]] == ["Hi", "One.", "Hi"]
    home = Path(os.environ["STUDIO_QT_HOME"])
    assert list(home.rglob("conversation_01.json"))
    assert sorted(p.name for p in tmp_path.glob("Hero*")) == ["Hero.zip"]


@pytest.mark.clause("PERS-01")
async def test_a_second_opener_reads_and_is_told_who_writes(
    make_player: MakePlayer, model: ModelServer, tmp_path: Path
) -> None:
    player = await make_player(FILES)
    model.script(text("Mine."))
    await player.send("Hi")
    script = (
        "import asyncio, sys\nfrom studio_qt import CharacterPlayer, StorageError\n"
        "async def main():\n"
        "    async with CharacterPlayer(sys.argv[1]) as player:\n"
        "        print(len(player))\n"
        "        try:\n            await player.send('x')\n"
        "        except StorageError as error:\n            print(error)\n"
        "asyncio.run(main())\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path / "package")],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    length, refusal = done.stdout.splitlines()
    assert length == "2"
    assert str(os.getpid()) in refusal


@pytest.mark.clause("PKG-10")
async def test_what_cannot_be_opened_says_why(tmp_path: Path) -> None:
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken/config.json").write_text('{\n  "name": "x",\n  oops\n}')
    for place, words in ((tmp_path / "nowhere", "nowhere"), (tmp_path / "broken", "line 3")):
        player = CharacterPlayer(place)
        with pytest.raises(PackageError, match=words):
            await player.open()
        await player.close()


@pytest.mark.clause("LANG-01")
async def test_a_language_that_is_missing_refuses_the_character(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = build(tmp_path / "p", {"agents/t.x.py": '"""\n@agent t.x\n"""\n', **FILES})
    missing = {"python": "wasmtime is not installed"}
    monkeypatch.setattr("studio_qt.engine.places.available_languages", lambda: missing)
    player = CharacterPlayer(root)
    with pytest.raises(PackageError, match=r"t\.x.*wasmtime is not installed"):
        await player.open()
    await player.close()


async def test_using_a_player_before_opening_or_after_closing_is_refused(tmp_path: Path) -> None:
    player = CharacterPlayer(build(tmp_path / "p"))
    with pytest.raises(ClosedError, match="open"):
        await player.send("Hi")
    await player.open()
    await player.close()
    await player.close()
    with pytest.raises(ClosedError):
        player.get_conversation()
    with pytest.raises(ClosedError):
        await player.open()


async def test_a_data_folder_that_cannot_be_written_opens_for_reading(tmp_path: Path) -> None:
    root = build(tmp_path / "p")
    (root / "conversations").write_text("a file is in the way")
    async with CharacterPlayer(root) as player:
        assert len(player) == 0
        with pytest.raises(StorageError, match="conversations"):
            await player.send("Hi")


@pytest.mark.clause("PERS-01")
async def test_a_bare_message_array_is_taken_up(
    make_player: MakePlayer, model: ModelServer, tmp_path: Path
) -> None:
    old = [{"role": "user", "content": "Before"}, {"role": "assistant", "content": "Then."}]
    files = {"conversations/conversation_01.json": json.dumps(old)}
    player = await make_player(files)
    model.script(text("Now."))
    await player.send("After")
    assert [m["content"] for m in model.requests[0].messages] == ["Before", "Then.", "After"]


@pytest.mark.parametrize("value", [{"x": {1, 2}}, {"x": b"bytes"}, [1]])
async def test_a_store_that_is_not_json_is_refused(make_player: MakePlayer, value: object) -> None:
    player = await make_player(FILES)
    with pytest.raises(StudioError):
        await player.set_store("t.count", value)  # type: ignore[arg-type]
    with pytest.raises(StudioError, match=r"t\.count"):
        player.store("t.nosuch")


@pytest.mark.clause("PERS-04", "CONS-01")
async def test_a_player_that_cannot_save_says_so_on_closing_and_lets_everything_go(
    make_player: MakePlayer, tmp_path: Path
) -> None:
    player = await make_player(FILES)
    store = tmp_path / "package/conversations/conversation_01.t.count.agent.json"
    store.mkdir(parents=True)  # no file can replace a folder
    with pytest.raises(StorageError):
        await player.call_tool("count", {})
    with pytest.raises(StorageError):
        await player.close()
    store.rmdir()
    player = await make_player()
    assert await player.call_tool("count", {})

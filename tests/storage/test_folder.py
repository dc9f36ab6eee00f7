"""A folder of conversations: names, lists, the one played last, one writer."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from studio_qt.engine.storage import AgentLogLine, DataFolder
from studio_qt.errors import ClosedError, StorageError, StudioError
from tests.storage.conftest import Opener

HOLD = """
import sys
from pathlib import Path
from studio_qt.files import FolderLock
lock = FolderLock(Path(sys.argv[1]), process="studio-qt")
lock.acquire()
print("held", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def holder(place: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Another process that has the folder."""
    command = [sys.executable, "-c", HOLD, str(place)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        assert child.stdout.readline().strip() == b"held"
        yield child
        child.kill()


async def prepare(place: Path) -> dict[Path, bytes]:
    """A conversation on disk whose journal has more than its snapshot, ends torn, with a draft."""
    folder = await DataFolder.open(place, package_hash="p1")
    conversation = await folder.create()
    conversation.append({"role": "user", "content": "Hello"})
    await conversation.put_store("t.a", '{"n": 1}')
    conversation.draft("Good d")
    files = {path: path.read_bytes() for path in place.glob("conversation*")}
    await folder.close()
    for path in place.glob("conversation*"):
        path.unlink()
    files[place / "conversation_01.journal.jsonl"] += b'{"n":'
    for path, data in files.items():
        path.write_bytes(data)
    return files


@pytest.mark.clause("PERS-01")
async def test_conversations_are_numbered_from_one_with_two_digits(folder: DataFolder) -> None:
    made = await asyncio.gather(*(folder.create() for _ in range(3)))
    assert [c.id for c in made] == ["conversation_01", "conversation_02", "conversation_03"]


@pytest.mark.parametrize(
    ("name", "following"),
    [
        ("conversation_99.json", "conversation_100"),
        ("conversation_04.t.a.agent.json", "conversation_05"),
        ("Conversation_06.JSON", "conversation_07"),
        ("conversation_x.json", "conversation_01"),
    ],
)
async def test_a_number_that_left_anything_behind_is_not_used_again(
    folder: DataFolder, place: Path, name: str, following: str
) -> None:
    (place / name).write_text("{}")
    assert (await folder.create()).id == following


@pytest.mark.parametrize(
    "conversation_id",
    ["conversation_02", "../conversation_01", "conversation_1", "", "CONVERSATION_01", "x\0", None],
)
async def test_a_conversation_that_is_not_there_is_an_error(
    folder: DataFolder, conversation_id: str
) -> None:
    await folder.create()
    with pytest.raises(StudioError):
        await folder.load(conversation_id)


async def test_an_open_conversation_is_handed_out_once(folder: DataFolder) -> None:
    made = await folder.create()
    assert await folder.load(made.id) is made
    await made.close()
    assert await folder.load(made.id) is not made


async def test_the_list_has_what_open_closed_and_killed_conversations_hold(
    place: Path, opener: Opener
) -> None:
    await prepare(place)
    folder = await opener()
    second = await folder.create(title="Second")
    third = await folder.create()
    second.append({"role": "user", "content": "Hi"})
    third.append({"role": "user", "content": "Third one"})
    await third.close()
    found = [(s.id[-2:], s.title, s.messages) for s in await folder.summaries()]
    assert found == [("01", "Hello", 1), ("02", "Second", 1), ("03", "Third one", 1)]
    told = (await folder.summaries())[0].to_json()
    assert set(told) >= {"id", "title", "messages", "updated", "origin", "model"}


async def test_a_list_does_not_name_what_another_program_removed(
    folder: DataFolder, place: Path
) -> None:
    made = await folder.create()
    await made.close()
    (place / "conversation_01.json").unlink()
    assert await folder.summaries() == []


async def test_the_conversation_played_last_is_remembered(opener: Opener) -> None:
    folder = await opener()
    assert folder.last_played is None
    for _ in range(3):
        await folder.create()
    await folder.mark_played("conversation_02")
    await folder.close()
    assert (await opener()).last_played == "conversation_02"


@pytest.mark.parametrize("content", ["{", "[]", '{"conversation": "../x"}', "{}", '"x"'])
async def test_without_a_mark_the_conversation_changed_last_is_resumed(
    opener: Opener, place: Path, content: str
) -> None:
    folder = await opener()
    first, _ = await folder.create(), await folder.create()
    later = "2999-01-01T00:00:00Z"
    first._state.updated = later
    first._state.changed += 1
    await folder.close()
    (place / "last-played.json").write_text(content)
    assert (await opener()).last_played == "conversation_01"


async def test_a_second_opener_is_told_who_writes_and_touches_nothing(
    place: Path, request: pytest.FixtureRequest, opener: Opener
) -> None:
    files = await prepare(place)
    holder = request.getfixturevalue("holder")
    folder = await opener()
    assert not folder.writable
    assert f"studio-qt (process {holder.pid})" in str(folder.refusal)
    found = await folder.load("conversation_01")
    assert [e["content"] for e in found.entries()] == ["Hello", "Good d"]
    assert found.store_text("t.a") == '{"n": 1}'
    found.log_agent(AgentLogLine("t.a", "error", "only here"))
    await folder.mark_played("conversation_01")
    await found.checkpoint()
    await folder.close()
    now = {path: path.read_bytes() for path in place.glob("*") if path.name != ".lock"}
    assert now == files


async def test_a_second_opener_cannot_change_anything(
    place: Path, request: pytest.FixtureRequest, opener: Opener
) -> None:
    await prepare(place)
    holder = request.getfixturevalue("holder")
    folder = await opener()
    found = await folder.load("conversation_01")
    with pytest.raises(StorageError, match=str(holder.pid)):
        await folder.create()
    with pytest.raises(StorageError, match=str(holder.pid)):
        found.append({"role": "user", "content": "no"})
    with pytest.raises(StorageError, match=str(holder.pid)):
        await found.put_store("t.a", "{}")
    with pytest.raises(StorageError, match=str(holder.pid)):
        await found.issue_tool_call_id()
    assert len(found) == 2


async def test_a_second_opener_sets_nothing_aside(
    place: Path, request: pytest.FixtureRequest, opener: Opener
) -> None:
    place.mkdir()
    (place / "conversation_01.json").write_text("{")
    (place / "conversation_02.json").write_text("[]")
    (place / "conversation_02.t.a.agent.json").write_text("{")
    request.getfixturevalue("holder")
    folder = await opener()
    with pytest.raises(StudioError, match="not a conversation"):
        await folder.load("conversation_01")
    assert (await folder.load("conversation_02")).store_ids == ()
    assert len(list(place.glob("conversation*"))) == 3


async def test_a_folder_is_free_when_the_writer_was_killed(
    place: Path, holder: subprocess.Popen[bytes], opener: Opener
) -> None:
    assert not (await opener()).writable
    holder.kill()
    holder.wait()
    assert (await opener()).writable


async def test_a_folder_that_cannot_be_made_opens_empty_for_reading(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    async with await DataFolder.open(tmp_path / "file" / "data", package_hash="p1") as folder:
        assert not folder.writable
        assert "file" in str(folder.refusal)
        assert await folder.summaries() == []
        blank = folder.blank()
        assert (len(blank), blank.id, blank.writable) == (0, "conversation_01", False)
        with pytest.raises(StorageError):
            blank.append({"role": "user", "content": "no"})
        with pytest.raises(StorageError):
            await folder.create()


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may write everywhere")
async def test_a_read_only_folder_opens_for_reading(place: Path) -> None:
    await prepare(place)
    place.chmod(0o500)
    try:
        async with await DataFolder.open(place, package_hash="p1") as folder:
            assert not folder.writable
            assert len(await folder.load("conversation_01")) == 2
    finally:
        place.chmod(0o700)


async def test_a_closed_folder_refuses_and_closes_its_conversations(folder: DataFolder) -> None:
    made = await folder.create()
    await folder.close()
    await folder.close()
    assert made.closed
    with pytest.raises(ClosedError):
        await folder.create()
    with pytest.raises(ClosedError):
        await folder.load("conversation_01")

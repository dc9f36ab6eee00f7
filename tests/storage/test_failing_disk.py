"""A disk that refuses: the error names the folder, memory keeps, the next write catches up."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from studio_qt.engine.storage import AgentLogLine, Conversation, DataFolder
from studio_qt.engine.storage import journal as journal_module
from studio_qt.errors import StorageError
from tests.storage.conftest import Reopen


class Disk:
    """A disk with room for `room` bytes more in the files that lines are appended to."""

    def __init__(self) -> None:
        self.room = 1 << 40

    def file(self, descriptor: int, mode: str) -> journal_module.FileIO:
        disk = self

        class Limited(journal_module.FileIO):
            def write(self, data: object) -> int:
                part = memoryview(data)[: disk.room]
                if not part:
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
                disk.room -= len(part)
                return super().write(part)

        return Limited(descriptor, mode)


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch) -> Iterator[Disk]:
    """Every journal opened from now on is on this disk."""
    disk = Disk()
    real = journal_module.FileIO
    made = disk.file
    with monkeypatch.context() as patch:
        patch.setattr(journal_module.LineFile, "file_type", staticmethod(made))
        yield disk
    assert journal_module.FileIO is real


async def test_a_full_disk_names_the_folder_and_loses_nothing(
    disk: Disk, conversation: Conversation, reopen: Reopen, place: Path
) -> None:
    disk.room = 30  # the next line is torn after 30 bytes
    with pytest.raises(StorageError, match=r"conversations.*full"):
        conversation.append({"role": "user", "content": "one"})
    with pytest.raises(StorageError):
        await conversation.put_store("t.a", '{"n": 1}')
    assert len(conversation) == 1
    assert conversation.store_text("t.a") == '{"n": 1}'
    disk.room = 1 << 40
    conversation.append({"role": "assistant", "content": "two"})
    found = await reopen()
    assert [e["content"] for e in found.entries()] == ["one", "two"]
    assert found.store_text("t.a") == '{"n": 1}'
    assert found.notices == ()


async def test_a_torn_line_of_a_full_disk_is_whole_again_after_the_next(
    disk: Disk, conversation: Conversation, place: Path
) -> None:
    for room in (1, 7, 50):
        disk.room = room
        with pytest.raises(StorageError):
            conversation.draft("piece")
    disk.room = 1 << 40
    conversation.draft("last")
    data = (place / "conversation_01.journal.jsonl").read_bytes()
    assert data.endswith(b'"k":"draft","text":"last"}\n')
    assert data.count(b'"k":"draft"') == 4


async def test_a_full_disk_at_the_end_is_told_and_everything_is_let_go(
    disk: Disk, conversation: Conversation, folder: DataFolder, place: Path
) -> None:
    disk.room = 0
    with pytest.raises(StorageError):
        conversation.append({"role": "user", "content": "one"})
    with pytest.raises(StorageError):
        await folder.close()
    async with await DataFolder.open(place, package_hash="p1") as again:
        assert again.writable


async def test_a_store_that_could_not_be_written_is_written_at_the_next_checkpoint(
    conversation: Conversation, place: Path
) -> None:
    store = place / "conversation_01.t.a.agent.json"
    store.mkdir()  # no file can replace a folder
    with pytest.raises(StorageError):
        await conversation.put_store("t.a", '{"n": 1}')
    assert conversation.store_text("t.a") == '{"n": 1}'
    with pytest.raises(StorageError):
        await conversation.checkpoint()
    store.rmdir()
    await conversation.checkpoint()
    assert store.read_text() == '{"n": 1}'


async def test_a_snapshot_that_fails_is_a_notice_and_the_journal_has_it(
    conversation: Conversation, reopen: Reopen, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise StorageError("the disk is full")

    conversation.append({"role": "user", "content": "one"})
    with monkeypatch.context() as patch:
        patch.setattr("studio_qt.engine.storage.snapshotfile.write_atomic", full)
        await conversation.checkpoint()
        await conversation.snapshot_done()
    assert conversation.notices == ("the disk is full",)
    assert (await reopen()).entry(0)["content"] == "one"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no full disk to lend")
async def test_the_systems_own_full_disk_is_understood(
    conversation: Conversation, place: Path
) -> None:
    log = place / "conversation_01.agent-log.jsonl"
    log.symlink_to("/dev/full")
    conversation.log_agent(AgentLogLine("t.a", "call", "kept in memory"))
    assert [line.message for line in conversation.agent_log()] == ["kept in memory"]
    assert "full" in conversation.notices[0]
    log.unlink()


async def test_a_conversation_that_cannot_be_mended_opens_for_reading(
    folder: DataFolder, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise StorageError("the disk is full")

    (place / "conversation_01.json").write_text('[{"role": "user", "content": "Hi"}]')
    with monkeypatch.context() as patch:
        patch.setattr("studio_qt.engine.storage.mending.write_atomic", full)
        found = await folder.load("conversation_01")
    assert (len(found), found.writable, found.refusal) == (1, False, "the disk is full")
    with pytest.raises(StorageError, match="full"):
        found.append({"role": "user", "content": "no"})

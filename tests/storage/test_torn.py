"""Torn and damaged journals: what is whole is kept, what is broken is never overwritten."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from studio_qt.engine.storage import AgentLogLine, Conversation, DataFolder
from studio_qt.errors import StudioError
from tests.storage.conftest import Opener, Reopen

JOURNAL = "conversation_01.journal.jsonl"


def keep(place: Path) -> dict[Path, bytes]:
    """The files of the folder, as they are this moment."""
    return {path: path.read_bytes() for path in place.iterdir() if path.name != ".lock"}


def put_back(place: Path, files: dict[Path, bytes]) -> None:
    """Make the folder what it was, as if the process had been killed there."""
    for path in place.iterdir():
        if path.name != ".lock":
            path.unlink()
    for path, data in files.items():
        path.write_bytes(data)


async def fresh(place: Path) -> tuple[DataFolder, Conversation]:
    folder = await DataFolder.open(place, package_hash="p1")
    return folder, await folder.load("conversation_01")


@pytest.mark.clause("PERS-04")
async def test_a_last_line_torn_at_any_byte_is_dropped_and_cut_off(
    conversation: Conversation, folder: DataFolder, place: Path
) -> None:
    conversation.append({"role": "user", "content": "kept"})
    size = (place / JOURNAL).stat().st_size
    conversation.append({"role": "assistant", "content": 'tor\nn "é"'})
    files = keep(place)
    await folder.close()
    whole = files[place / JOURNAL]
    for end in range(size, len(whole)):
        put_back(place, {**files, place / JOURNAL: whole[:end]})
        again, found = await fresh(place)
        async with again:
            assert [e["content"] for e in found.entries()] == ["kept"], end
            assert found.append({"role": "assistant", "content": "new"})["id"] == "e2"
            assert found.notices == ()
        again, found = await fresh(place)
        async with again:
            assert [e["content"] for e in found.entries()] == ["kept", "new"], end
            assert found.notices == (), end


@pytest.mark.clause("PERS-04", "LOOP-06")
async def test_a_store_line_torn_at_any_byte_leaves_the_store_before(
    conversation: Conversation, folder: DataFolder, place: Path
) -> None:
    await conversation.put_store("t.a", '{"n": 1}')
    files = keep(place)
    size = len(files[place / JOURNAL])
    await conversation.put_store("t.a", '{"n": 2}')
    whole = (place / JOURNAL).read_bytes()
    await folder.close()
    for end in range(size, len(whole) + 1):
        put_back(place, {**files, place / JOURNAL: whole[:end]})
        again, found = await fresh(place)
        async with again:
            expected = '{"n": 2}' if end == len(whole) else '{"n": 1}'
            assert found.store_text("t.a") == expected
            assert (place / "conversation_01.t.a.agent.json").read_text() == expected
            assert found.notices == ()


@pytest.mark.clause("PERS-04")
async def test_a_kill_between_any_two_writes_of_a_store_and_its_file_keeps_the_newest(
    conversation: Conversation, folder: DataFolder, place: Path
) -> None:
    texts = [f'{{"n": {n}, "pad": "{"p" * 200}"}}' for n in range(5)]
    stages = []
    for text in texts:
        await conversation.put_store("t.a", text)
        stages.append(keep(place))
    await folder.close()
    store = place / "conversation_01.t.a.agent.json"
    for stage in range(5):  # the file is any of those since the last settled moment
        put_back(place, {**stages[4], store: stages[stage][store]})
        again, found = await fresh(place)
        async with again:
            assert found.store_text("t.a") == texts[4]
            assert found.notices == ()


async def test_bytes_of_nothing_after_a_power_cut_are_set_aside(
    conversation: Conversation, folder: DataFolder, place: Path
) -> None:
    conversation.append({"role": "user", "content": "kept"})
    files = keep(place)
    await folder.close()
    put_back(place, {**files, place / JOURNAL: files[place / JOURNAL] + b"\0" * 64 + b"\n\0"})
    again, found = await fresh(place)
    async with again:
        assert [e["content"] for e in found.entries()] == ["kept"]
        assert "set aside" in found.notices[0]
        assert len(list(place.glob("*.journal.set-aside-*.jsonl"))) == 1


async def test_a_damaged_line_in_the_middle_keeps_what_is_before_and_the_journal(
    conversation: Conversation, folder: DataFolder, place: Path
) -> None:
    for text in ("one", "two", "three"):
        conversation.append({"role": "user", "content": text})
    files = keep(place)
    await folder.close()
    lines = files[place / JOURNAL].split(b"\n")
    lines[-3] = b'{"broken'
    put_back(place, {**files, place / JOURNAL: b"\n".join(lines)})
    again, found = await fresh(place)
    async with again:
        assert [e["content"] for e in found.entries()] == ["one"]
        assert "damaged" in found.notices[0]
        assert found.append({"role": "user", "content": "new"})["content"] == "new"
    aside = next(place.glob("*.journal.set-aside-*.jsonl"))
    assert b"three" in aside.read_bytes()
    again, found = await fresh(place)
    async with again:
        assert [e["content"] for e in found.entries()] == ["one", "new"]
        assert found.notices == ()


async def test_a_kill_while_the_journal_is_continued_in_a_new_file_loses_nothing(
    conversation: Conversation, folder: DataFolder, place: Path
) -> None:
    conversation.append({"role": "user", "content": "w" * 1_200_000})
    await conversation.put_store("t.a", '{"n": 1}')
    await conversation.checkpoint()
    before = b""
    while not (place / "conversation_01.journal.0001.jsonl").exists():
        before = (place / JOURNAL).read_bytes()
        await asyncio.sleep(0)
    await folder.close()
    files = keep(place)
    del files[place / JOURNAL]
    for rest in (None, b"", b'{"n":9,"k":"seg', before):
        put_back(place, files if rest is None else {**files, place / JOURNAL: rest})
        again, found = await fresh(place)
        async with again:
            assert len(found) == 1
            assert found.store_text("t.a") == '{"n": 1}'
            assert found.notices == ()


async def test_lines_that_a_kill_left_in_two_files_are_read_once(
    conversation: Conversation, folder: DataFolder, place: Path
) -> None:
    await conversation.put_store("t.a", json.dumps({"n": 0, "pad": "p" * 300}))
    for n in (1, 2):
        await conversation.put_store("t.a", json.dumps({"n": n, "pad": "p" * 300}))
        conversation.append({"role": "user", "content": f"turn {n}"})
        conversation.mark_turn_end(n)
    files = keep(place)
    await folder.close()
    finished = place / "conversation_01.journal.0001.jsonl"
    half = files[place / JOURNAL].split(b"\n")[:-3]
    put_back(place, {**files, finished: b"\n".join([*half, b""])})
    (place / "conversation_01.json").write_text("{")
    again, found = await fresh(place)
    async with again:
        assert [e["content"] for e in found.entries()] == ["turn 1", "turn 2"]
        assert json.loads((await found.stores_after(2))["t.a"])["n"] == 2


async def test_finished_parts_hold_no_streamed_pieces_but_what_is_still_open(
    conversation: Conversation, folder: DataFolder, place: Path
) -> None:
    for n in range(3000):
        conversation.draft(f"piece {n} " + "x" * 400)
    conversation.append({"role": "assistant", "content": "whole"})
    conversation.draft("still ")
    await conversation.checkpoint()
    await conversation.snapshot_done()
    conversation.draft("open")
    files = keep(place)
    await folder.close()
    finished = place / "conversation_01.journal.0001.jsonl"
    assert finished.stat().st_size < 2000
    for damaged in ({}, {place / "conversation_01.json": b"{"}):
        put_back(place, {**files, **damaged})
        again, found = await fresh(place)
        async with again:
            assert [e["content"] for e in found.entries()] == ["whole", "still open"]


@pytest.mark.clause("PERS-04")
async def test_a_file_that_cannot_be_read_is_set_aside_and_the_journal_has_the_rest(
    conversation: Conversation, reopen: Reopen, place: Path
) -> None:
    conversation.append({"role": "user", "content": "Hello"})
    await conversation.close()
    (place / "conversation_01.json").write_text('{"messages": [{"role"')
    found = await reopen()
    assert found.entry(0)["content"] == "Hello"
    aside = next(place.glob("conversation_01.set-aside-*.json"))
    assert aside.read_text() == '{"messages": [{"role"'
    assert aside.name in found.notices[0]
    assert (await reopen()).notices == ()


async def test_a_damaged_snapshot_is_read_from_all_parts_of_the_journal(
    conversation: Conversation, reopen: Reopen, place: Path
) -> None:
    for text in ("a" * 1_100_000, "b" * 1_100_000, "c"):
        conversation.append({"role": "user", "content": text})
        conversation = await reopen()
    await conversation.close()
    (place / "conversation_01.json").write_bytes(b"\xff\xfe")
    found = await reopen()
    assert [str(e["content"])[0] for e in found.entries()] == ["a", "b", "c"]


@pytest.mark.parametrize("content", ["", "{", "[1]", "{}", '{"messages": {}}', '"x"', "\0\0"])
async def test_a_file_that_is_no_conversation_and_has_no_journal_says_so(
    folder: DataFolder, place: Path, content: str
) -> None:
    (place / "conversation_07.json").write_text(content)
    assert [s.readable for s in await folder.summaries()] == [False]
    with pytest.raises(StudioError, match="set aside as conversation_07"):
        await folder.load("conversation_07")
    aside = next(place.glob("conversation_07.set-aside-*.json"))
    assert aside.read_text() == content
    assert (await folder.create()).id == "conversation_08"


async def test_a_torn_agent_log_goes_on_after_its_last_whole_line(
    conversation: Conversation, reopen: Reopen, place: Path, opener: Opener
) -> None:
    conversation.log_agent(AgentLogLine("t.a", "call", "first", {"args": {"n": 1}}))
    await conversation.close()
    log = place / "conversation_01.agent-log.jsonl"
    log.write_bytes(log.read_bytes() + b'{"time": "tor')
    found = await reopen()
    found.log_agent(AgentLogLine("t.a", "call", "second"))
    assert [line.message for line in found.agent_log()] == ["first", "second"]
    assert found.agent_log()[0].details == {"args": {"n": 1}}
    assert log.read_bytes().count(b"\n") == 2

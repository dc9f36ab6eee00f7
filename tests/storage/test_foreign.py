"""What other programs do to the files: their change wins, and nothing of ours is thrown away."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from studio_qt.engine.storage import Conversation, DataFolder
from tests.storage.conftest import Reopen

STORE = "conversation_01.t.a.agent.json"


def edit(path: Path, change: dict[str, Any]) -> None:
    """Change a JSON file as another program would."""
    path.write_text(json.dumps({**json.loads(path.read_bytes()), **change}), "utf-8")


@pytest.mark.clause("PERS-01")
async def test_a_bare_array_of_messages_is_a_conversation(folder: DataFolder, place: Path) -> None:
    messages = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Ho"}]
    (place / "conversation_03.json").write_text(json.dumps(messages))
    found = await folder.load("conversation_03")
    assert [(e["id"], e["turn"], e["content"]) for e in found.entries()] == [
        ("e1", 1, "Hi"),
        ("e2", 1, "Ho"),
    ]
    assert found.title == "Hi"
    assert found.stores_started
    assert found.append({"role": "user", "content": "more"})["id"] == "e3"


async def test_ids_given_to_foreign_entries_are_stable(folder: DataFolder, place: Path) -> None:
    messages = [{"role": "user", "content": "Hi", "id": 5}, {"role": "user", "id": "e1"}]
    (place / "conversation_01.json").write_bytes(
        b"\xef\xbb\xbf" + json.dumps({"messages": messages}).encode()
    )
    first = [e["id"] for e in (await folder.load("conversation_01")).entries()]
    assert first == ["e2", "e1"]
    await folder.close()
    async with await DataFolder.open(place, package_hash="p1") as again:
        assert [e["id"] for e in (await again.load("conversation_01")).entries()] == first


async def test_a_changed_snapshot_wins_and_the_journal_is_set_aside(
    conversation: Conversation, reopen: Reopen, place: Path
) -> None:
    first = conversation.append({"role": "user", "content": "mine"})
    await conversation.issue_tool_call_id()
    await conversation.put_store("t.a", '{"n": 1}')
    await conversation.close()
    edit(place / "conversation_01.json", {"messages": [{"role": "user", "content": "theirs"}]})
    found = await reopen()
    assert [e["content"] for e in found.entries()] == ["theirs"]
    assert found.entry(0)["id"] != first["id"]
    assert found.store_text("t.a") == '{"n": 1}'
    assert found.last_tool_call_id == 1
    aside = next(place.glob("*.journal.set-aside-*.jsonl"))
    assert b"mine" in aside.read_bytes()
    assert aside.name in found.notices[0]
    found = await reopen()
    assert [e["content"] for e in found.entries()] == ["theirs"]
    assert found.notices == ()


async def test_a_snapshot_changed_after_a_kill_wins_over_newer_journal_lines(
    conversation: Conversation, place: Path, tmp_path: Path
) -> None:
    conversation.append({"role": "user", "content": "only in the journal"})
    copy = tmp_path / "copy"
    copy.mkdir()
    for path in place.glob("conversation*"):
        (copy / path.name).write_bytes(path.read_bytes())
    edit(copy / "conversation_01.json", {"title": "theirs"})
    async with await DataFolder.open(copy, package_hash="p1") as folder:
        found = await folder.load("conversation_01")
        assert (found.title, len(found)) == ("theirs", 0)
        assert found.append({"role": "user", "content": "x"})["id"] == "e2"


async def test_a_changed_store_wins_and_is_journaled(
    conversation: Conversation, reopen: Reopen, place: Path
) -> None:
    await conversation.put_store("t.a", '{"n": 1}')
    await conversation.close()
    (place / STORE).write_bytes(b'\xef\xbb\xbf{"n": 99}')
    found = await reopen()
    assert found.store_text("t.a") == '{"n": 99}'
    assert found.notices == ()
    assert b"changed by another program" in (place / "conversation_01.journal.jsonl").read_bytes()
    assert (await reopen()).store_text("t.a") == '{"n": 99}'


async def test_a_store_set_back_to_an_earlier_text_by_hand_stays_so(
    conversation: Conversation, reopen: Reopen, place: Path
) -> None:
    for n in (1, 2):
        await conversation.put_store("t.a", f'{{"n": {n}}}')
    await conversation.close()
    (place / STORE).write_text('{"n": 1}')
    assert (await reopen()).store_text("t.a") == '{"n": 1}'


@pytest.mark.parametrize("content", [b"", b"{", b"[1]", b"\xff", b"\0\0", b"3"])
async def test_a_store_that_is_no_object_is_set_aside_and_the_journal_has_the_text(
    conversation: Conversation, reopen: Reopen, place: Path, content: bytes
) -> None:
    await conversation.put_store("t.a", '{"n": 1}')
    await conversation.put_store("t.a", '{"n": 2}')
    await conversation.close()
    (place / STORE).write_bytes(content)
    found = await reopen()
    assert found.store_text("t.a") == '{"n": 2}'
    assert (place / STORE).read_text() == '{"n": 2}'
    if content:
        assert next(place.glob("*.agent.set-aside-*.json")).read_bytes() == content
        assert "set aside" in found.notices[0]
    assert (await reopen()).notices == ()


async def test_a_store_removed_by_hand_is_gone(
    conversation: Conversation, reopen: Reopen, place: Path
) -> None:
    await conversation.put_store("t.a", '{"n": 1}')
    await conversation.close()
    (place / STORE).unlink()
    assert (await reopen()).store_ids == ()
    assert (await reopen()).store_ids == ()


async def test_a_store_laid_into_the_folder_belongs_to_the_conversation(
    conversation: Conversation, reopen: Reopen, place: Path
) -> None:
    await conversation.close()
    (place / STORE).write_text('{"n": 5}')
    assert (await reopen()).store_text("t.a") == '{"n": 5}'


async def test_a_store_changed_while_it_is_open_is_taken_over_when_asked(
    conversation: Conversation, reopen: Reopen, place: Path
) -> None:
    for agent in ("t.a", "t.b", "t.c"):
        await conversation.put_store(agent, '{"n": 1}')
    (place / STORE).write_text('{"theirs": true}')
    (place / "conversation_01.t.b.agent.json").write_text("nothing")
    assert await conversation.foreign_store_changes() == ("t.a",)
    assert conversation.store_text("t.a") == '{"theirs": true}'
    assert (place / "conversation_01.t.b.agent.json").read_text() == '{"n": 1}'
    assert "set aside" in conversation.notices[0]
    assert await conversation.foreign_store_changes() == ()
    assert (await reopen()).store_text("t.a") == '{"theirs": true}'


async def test_a_store_emptied_while_it_is_open_stays_and_one_removed_is_gone(
    conversation: Conversation, reopen: Reopen, place: Path
) -> None:
    for agent in ("t.a", "t.b"):
        await conversation.put_store(agent, '{"n": 1}')
    (place / STORE).write_bytes(b"")
    (place / "conversation_01.t.b.agent.json").unlink()
    assert await conversation.foreign_store_changes() == ("t.b",)
    assert conversation.store_ids == ("t.a",)
    assert (await reopen()).store_ids == ("t.a",)


async def test_a_store_removed_while_the_agent_changed_it_is_written_again(
    conversation: Conversation, place: Path
) -> None:
    await conversation.put_store("t.a", '{"n": 1}')
    (place / STORE).unlink()
    await conversation.put_store("t.a", '{"n": 2}')
    assert (place / STORE).read_text() == '{"n": 2}'
    assert conversation.notices == ()


async def test_a_store_changed_by_both_keeps_the_other_version_aside(
    conversation: Conversation, place: Path
) -> None:
    await conversation.put_store("t.a", '{"n": 1}')
    (place / STORE).write_text('{"theirs": true}')
    await conversation.put_store("t.a", '{"n": 2}')
    assert (place / STORE).read_text() == '{"n": 2}'
    assert next(place.glob("*.agent.set-aside-*.json")).read_text() == '{"theirs": true}'
    assert len(conversation.notices) == 1


async def test_a_snapshot_changed_while_it_is_open_is_set_aside_before_ours_is_written(
    conversation: Conversation, place: Path
) -> None:
    (place / "conversation_01.json").write_text('{"messages": []}')
    conversation.append({"role": "user", "content": "mine"})
    await conversation.close()
    assert b"mine" in (place / "conversation_01.json").read_bytes()
    aside = next(place.glob("conversation_01.set-aside-*.json"))
    assert aside.read_text() == '{"messages": []}'
    assert aside.name in conversation.notices[0]


async def test_without_its_journal_a_conversation_opens_as_its_files_are(
    conversation: Conversation, reopen: Reopen, place: Path
) -> None:
    conversation.append({"role": "user", "content": "Hello"})
    conversation.spend_agent_tokens(50)
    await conversation.put_store("t.a", '{"n": 1}')
    await conversation.close()
    (place / "conversation_01.journal.jsonl").unlink()
    found = await reopen()
    assert found.entry(0)["content"] == "Hello"
    assert (found.store_text("t.a"), found.agent_tokens) == ('{"n": 1}', 50)
    assert found.notices == ()

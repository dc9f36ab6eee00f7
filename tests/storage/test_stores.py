"""Agent stores of a conversation: saved at once, scoped, named by checked ids."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from studio_qt.engine.storage import Conversation, DataFolder
from studio_qt.errors import StudioError
from tests.storage.conftest import Reopen


@pytest.mark.clause("LOOP-06", "PERS-01")
async def test_a_store_is_on_disk_when_it_was_put(conversation: Conversation, place: Path) -> None:
    await conversation.put_store("studio.memory", '{"a": 1}')
    await conversation.put_store("crew.oracle.studio.memory", '{"b": 2}')
    assert (place / "conversation_01.studio.memory.agent.json").read_text() == '{"a": 1}'
    private = place / "conversation_01.crew.oracle.studio.memory.agent.json"
    assert private.read_text() == '{"b": 2}'


async def test_an_unchanged_store_writes_nothing(conversation: Conversation, place: Path) -> None:
    assert await conversation.put_store("t.a", '{"a": 1}')
    before = {path: path.stat().st_mtime_ns for path in place.iterdir()}
    assert not await conversation.put_store("t.a", '{"a": 1}')
    assert {path: path.stat().st_mtime_ns for path in place.iterdir()} == before


async def test_a_small_change_of_a_large_store_is_a_short_journal_line(
    conversation: Conversation, place: Path
) -> None:
    text = json.dumps({"list": list(range(20_000))})
    await conversation.put_store("t.a", text)
    journal = place / "conversation_01.journal.jsonl"
    before = journal.stat().st_size
    await conversation.put_store("t.a", text.replace("777,", "888,", 1), tool_call_id=3)
    line = journal.read_bytes()[before:]
    assert len(line) < 400
    assert json.loads(line)["call"] == 3


@pytest.mark.clause("PERS-02")
async def test_stores_are_scoped_to_their_conversation(folder: DataFolder) -> None:
    first, second = await folder.create(), await folder.create()
    await first.put_store("t.a", '{"who": 1}')
    assert second.store_text("t.a") is None
    await second.put_store("t.a", '{"who": 2}')
    assert first.store_text("t.a") == '{"who": 1}'


@pytest.mark.clause("PERS-02")
async def test_a_conversation_does_not_read_stores_of_one_whose_number_begins_alike(
    folder: DataFolder, place: Path
) -> None:
    first = await folder.create()
    (place / "conversation_010.t.a.agent.json").write_text("{}")
    await first.close()
    assert (await folder.load("conversation_01")).store_ids == ()


@pytest.mark.parametrize(
    "agent_id",
    ["", "..", "a/b", "a\\b", "../x", "a..b", "C:x", "a\0b", ".a", "a ", "x" * 242, "a*"],
)
async def test_an_id_that_could_be_a_path_is_refused(
    conversation: Conversation, tmp_path: Path, agent_id: str
) -> None:
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(StudioError):
        await conversation.put_store(agent_id, "{}")
    assert sorted(tmp_path.rglob("*")) == before
    assert conversation.store_ids == ()


async def test_an_id_of_other_letters_and_marks_is_a_file_name(
    conversation: Conversation, reopen: Reopen
) -> None:
    for agent_id in ("größe.würfel", "a b", "日本.x", "a%2fb", "a'b"):
        await conversation.put_store(agent_id, "{}")
    assert len((await reopen()).store_ids) == 5


async def test_ids_that_differ_in_case_alone_share_a_store_on_every_system(
    conversation: Conversation,
) -> None:
    await conversation.put_store("t.Dice", '{"n": 1}')
    assert conversation.store_text("t.dice") == '{"n": 1}'
    await conversation.put_store("T.DICE", '{"n": 2}')
    assert conversation.store_ids == ("t.Dice",)


async def test_lone_surrogates_do_not_break_a_store(
    conversation: Conversation, reopen: Reopen
) -> None:
    await conversation.put_store("t.a", '{"a": "\ud83d"}')
    assert (await reopen()).store_text("t.a") == '{"a": "\ufffd"}'


async def test_a_removed_store_is_gone_for_good(
    conversation: Conversation, reopen: Reopen, place: Path
) -> None:
    await conversation.put_store("t.a", '{"a": 1}')
    await conversation.remove_store("t.a")
    await conversation.remove_store("t.a")
    assert not (place / "conversation_01.t.a.agent.json").exists()
    assert (await reopen()).store_ids == ()


async def test_a_store_removed_while_files_are_forced_to_the_disk_disturbs_nothing(
    conversation: Conversation, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def removed_first(work: Callable[[], object]) -> object:
        await conversation.remove_store("t.a")
        return work()

    await conversation.put_store("t.a", '{"a": 1}')
    await conversation.put_store("t.b", '{"a": 1}')
    conversation.append({"role": "user", "content": "Hello"})
    monkeypatch.setattr("studio_qt.engine.storage.storefiles.unbroken", removed_first)
    await conversation.checkpoint()
    await conversation.snapshot_done()
    assert conversation.store_ids == ("t.b",)
    assert conversation.notices == ()


async def test_stores_put_at_the_same_time_are_all_saved(
    conversation: Conversation, reopen: Reopen
) -> None:
    large = "y" * 300_000
    texts = [json.dumps({"n": n, "large": large[:n]}) for n in (9, 300_000, 8, 299_999, 7)]
    await asyncio.gather(*(conversation.put_store("t.a", text) for text in texts))
    kept = conversation.store_text("t.a")
    assert kept in texts
    assert (await reopen()).store_text("t.a") == kept


async def test_a_cancelled_put_leaves_the_old_or_the_new_text(
    conversation: Conversation, reopen: Reopen, place: Path
) -> None:
    texts = [json.dumps({"n": n, "large": "z" * 400_000}) for n in range(8)]
    for turns, text in enumerate(texts):
        task = asyncio.create_task(conversation.put_store("t.a", text))
        for _ in range(turns):
            await asyncio.sleep(0)
        task.cancel()
        await asyncio.wait([task])
    await conversation.put_store("t.a", '{"n": "last"}')
    assert (place / "conversation_01.t.a.agent.json").read_text() == '{"n": "last"}'
    assert (await reopen()).store_text("t.a") == '{"n": "last"}'


async def test_stores_can_be_read_as_they_were_after_a_turn(conversation: Conversation) -> None:
    for turn in (1, 2, 3):
        conversation.append({"role": "user", "content": f"turn {turn}"})
        await conversation.put_store("t.a", json.dumps({"turn": turn, "pad": "p" * 500}))
        if turn == 2:
            await conversation.put_store("t.b", "{}")
        conversation.mark_turn_end(turn)
    await conversation.put_store("t.a", '{"later": true}')
    assert list(await conversation.stores_after(1)) == ["t.a"]
    then = await conversation.stores_after(2)
    assert json.loads(then["t.a"])["turn"] == 2
    assert then["t.b"] == "{}"
    assert await conversation.stores_after(0) == {}


async def test_each_response_of_a_turn_has_its_stores(conversation: Conversation) -> None:
    conversation.append({"role": "user", "content": "roll"})
    ids = []
    for n in (1, 2):
        await conversation.put_store("t.a", json.dumps({"n": n}))
        ids.append(str(conversation.append({"role": "assistant", "content": f"{n}"})["id"]))
        conversation.mark_turn_end(1)
    assert (await conversation.stores_after(1, entry_id=ids[0]))["t.a"] == '{"n": 1}'
    assert (await conversation.stores_after(1))["t.a"] == '{"n": 2}'
    with pytest.raises(StudioError, match="turn 4"):
        await conversation.stores_after(4)


async def test_earlier_stores_are_found_in_finished_parts_of_the_journal(
    conversation: Conversation, reopen: Reopen, place: Path
) -> None:
    for turn in (1, 2, 3):
        conversation.append({"role": "user", "content": "w" * 700_000})
        conversation.append({"role": "assistant", "content": "w" * 700_000})
        await conversation.put_store("t.a", json.dumps({"turn": turn, "pad": "p" * 500}))
        conversation.mark_turn_end(turn)
        conversation = await reopen()
    assert len(list(place.glob("*.journal.0*"))) == 3
    assert json.loads((await conversation.stores_after(1))["t.a"])["turn"] == 1
    assert len(conversation) == 6


@pytest.mark.clause("PERS-05")
async def test_a_fork_knows_the_stores_of_turns_before_it(
    conversation: Conversation, folder: DataFolder
) -> None:
    for turn in (1, 2):
        conversation.append({"role": "user", "content": f"turn {turn}"})
        await conversation.put_store("t.a", json.dumps({"turn": turn}))
        conversation.mark_turn_end(turn)
    fork = await folder.create(fork_of=conversation)
    fork.replace(0, 0, conversation.entries(), reason="fork")
    await conversation.put_store("t.a", '{"turn": "2 again"}')
    conversation.mark_turn_end(2)
    assert (await fork.stores_after(2))["t.a"] == '{"turn":2}'.replace(":", ": ")
    second = await folder.create(fork_of=fork)
    await second.close()
    second = await folder.load(second.id)
    assert (await second.stores_after(1))["t.a"] == '{"turn": 1}'
    assert fork.entry(1)["id"] == conversation.entry(1)["id"]


async def test_an_id_too_long_for_a_file_name_has_a_store_all_the_same(
    conversation: Conversation, reopen: Reopen
) -> None:
    ids = ["日" * 120, "é" * 120 + "." + "n" * 120, "é" * 120 + "." + "m" * 120]
    for agent_id in ids:
        await conversation.put_store(agent_id, json.dumps({"id": agent_id}))
    found = await reopen()
    assert found.store_ids == tuple(sorted(ids))
    assert json.loads(str(found.store_text(ids[1])))["id"] == ids[1]

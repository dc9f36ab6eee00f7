"""A conversation in memory and on disk: entries, turns, edits, counters, names."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from studio_qt.engine.storage import Conversation
from studio_qt.errors import ClosedError, StudioError
from studio_qt.jsontext import encode_pretty
from tests.storage.conftest import Reopen


def snapshot(place: Path) -> dict[str, object]:
    return json.loads((place / "conversation_01.json").read_text("utf-8"))


def say(conversation: Conversation, *texts: str) -> None:
    """Add texts in turn as user and assistant."""
    for number, text in enumerate(texts):
        conversation.append({"role": ("user", "assistant")[number % 2], "content": text})


@pytest.mark.clause("PERS-01")
async def test_the_file_has_the_documented_form(conversation: Conversation, place: Path) -> None:
    say(conversation, "Hello", "Good day")
    await conversation.close()
    found = snapshot(place)
    assert set(found) >= {"id", "title", "created", "updated", "messages", "package"}
    assert found["id"] == "conversation_01"
    assert found["package"] == {"hash": "p1", "version": "1.0"}
    assert [m["content"] for m in found["messages"]] == ["Hello", "Good day"]


@pytest.mark.parametrize("count", [1, 499, 500, 501, 1700])
async def test_the_file_is_written_as_any_json_is_for_people(
    conversation: Conversation, place: Path, count: int
) -> None:
    for number in range(count):
        conversation.append({"role": "user", "content": f"one\n{number} [é]", "deep": [{}, []]})
    await conversation.close()
    text = (place / "conversation_01.json").read_text("utf-8")
    assert text == encode_pretty(json.loads(text))
    assert len(json.loads(text)["messages"]) == count


async def test_a_new_conversation_has_its_file_at_once(
    conversation: Conversation, place: Path
) -> None:
    assert snapshot(place)["messages"] == []


async def test_a_user_entry_begins_a_turn_and_the_others_belong_to_it(
    conversation: Conversation,
) -> None:
    conversation.append({"role": "log", "content": "before"})
    say(conversation, "one", "answer", "two")
    conversation.append({"role": "tool", "content": "result"})
    assert [e["turn"] for e in conversation.entries()] == [0, 1, 1, 2, 2]


async def test_ids_and_turns_of_removed_entries_are_not_used_again(
    conversation: Conversation, reopen: Reopen
) -> None:
    say(conversation, "one", "answer", "two")
    conversation.replace(0, 3, (), reason="clear")
    conversation = await reopen()
    entry = conversation.append({"role": "user", "content": "three"})
    assert (entry["id"], entry["turn"]) == ("e4", 3)


async def test_entries_are_kept_as_json_and_apart_from_the_callers_values(
    conversation: Conversation,
) -> None:
    calls = [{"args": {"x": math.nan}}]
    entry = conversation.append({"role": "assistant", "content": "\ud800", "tool_calls": calls})
    calls[0]["args"]["x"] = 5
    assert entry["tool_calls"] == [{"args": {"x": None}}]
    assert conversation.entry(0)["content"] == "\ufffd"


async def test_what_json_cannot_hold_is_refused_and_changes_nothing(
    conversation: Conversation,
) -> None:
    cycle: list[object] = []
    cycle.append(cycle)
    with pytest.raises(StudioError, match="JSON"):
        conversation.append({"role": "user", "content": cycle})
    assert len(conversation) == 0


async def test_amending_changes_and_removes_fields_and_keeps_nulls(
    conversation: Conversation, reopen: Reopen
) -> None:
    conversation.append({"role": "assistant", "content": None, "rejected": True})
    conversation.amend(0, {"rejected": None, "stopped": True})
    entry = (await reopen()).entry(0)
    assert "rejected" not in entry
    assert entry["stopped"] is True
    assert entry["content"] is None


@pytest.mark.parametrize(("start", "stop"), [(-1, 0), (0, 2), (1, 0), (2, 2)])
async def test_a_wrong_range_is_refused(conversation: Conversation, start: int, stop: int) -> None:
    say(conversation, "one")
    with pytest.raises(IndexError):
        conversation.replace(start, stop, (), reason="test")
    with pytest.raises(IndexError):
        conversation.amend(-1, {})
    assert len(conversation) == 1


@pytest.mark.clause("PERS-05")
async def test_removed_entries_come_back_with_their_ids(
    conversation: Conversation, reopen: Reopen
) -> None:
    say(conversation, "one", "answer", "two")
    removed = conversation.entries(1)
    conversation.replace(1, 3, (), reason="truncate")
    conversation.replace(1, 1, removed, reason="undo")
    assert (await reopen()).entries()[1:] == removed


async def test_an_entry_put_in_twice_gets_an_id_of_its_own(conversation: Conversation) -> None:
    say(conversation, "one")
    again = conversation.replace(1, 1, conversation.entries(), reason="copy")
    assert again[0]["id"] == "e2"


async def test_the_title_is_the_first_words_until_it_is_renamed(
    conversation: Conversation, reopen: Reopen
) -> None:
    say(conversation, "  Tell me\nabout " + "very " * 40 + "long things")
    assert conversation.title.startswith("Tell me about very")
    assert len(conversation.title) <= 60
    conversation.rename("The harbour")
    assert (await reopen()).title == "The harbour"


@pytest.mark.clause("CTX-02")
async def test_tool_call_ids_count_from_one_and_survive_clear_and_reopening(
    conversation: Conversation, reopen: Reopen, place: Path
) -> None:
    assert [await conversation.issue_tool_call_id() for _ in range(3)] == [1, 2, 3]
    counter = place / "conversation_01.tool-call-ids.json"
    assert json.loads(counter.read_bytes()) == {"last": 3}
    conversation.replace(0, 0, (), reason="clear")
    assert await (await reopen()).issue_tool_call_id() == 4


@pytest.mark.clause("CTX-02")
@pytest.mark.parametrize("content", ["gone", '{"last": 2}', "{", '{"last": "x"}', "[]"])
async def test_a_lost_or_lowered_counter_gives_no_id_twice(
    conversation: Conversation, reopen: Reopen, place: Path, content: str
) -> None:
    for _ in range(5):
        await conversation.issue_tool_call_id()
    await conversation.close()
    counter = place / "conversation_01.tool-call-ids.json"
    counter.unlink() if content == "gone" else counter.write_text(content)
    assert await (await reopen()).issue_tool_call_id() == 6


@pytest.mark.clause("CTX-02")
async def test_ids_that_only_entries_bear_are_not_issued_again(
    conversation: Conversation,
) -> None:
    inner = [{"toolCallId": 9}]
    conversation.append({"role": "tool", "content": "", "toolCallId": 7, "inner": inner})
    assert await conversation.issue_tool_call_id() == 10


async def test_a_raised_counter_is_never_lowered(conversation: Conversation) -> None:
    conversation.raise_tool_call_id(10)
    conversation.raise_tool_call_id(3)
    assert await conversation.issue_tool_call_id() == 11


@pytest.mark.clause("CAP-03")
async def test_agent_tokens_are_kept(
    conversation: Conversation, reopen: Reopen, place: Path
) -> None:
    conversation.spend_agent_tokens(100)
    conversation.spend_agent_tokens(23)
    await conversation.checkpoint()
    found = json.loads((place / "conversation_01.agent-tokens.json").read_bytes())
    assert found == {"total": 123}
    assert (await reopen()).agent_tokens == 123


@pytest.mark.clause("PKG-09")
async def test_that_stores_have_been_made_is_kept(
    conversation: Conversation, reopen: Reopen
) -> None:
    assert not conversation.stores_started
    conversation.mark_stores_started()
    assert (await reopen()).stores_started


@pytest.mark.clause("LOOP-07")
async def test_a_draft_that_nothing_ended_becomes_a_stopped_reply(
    conversation: Conversation, reopen: Reopen
) -> None:
    say(conversation, "Sing!")
    conversation.draft("La ")
    conversation.draft("la")
    conversation = await reopen()
    assert conversation.entry(1)["content"] == "La la"
    assert conversation.entry(1)["stopped"] is True
    assert len(await reopen()) == 2


async def test_a_draft_ends_with_its_reply_or_when_it_is_discarded(
    conversation: Conversation, reopen: Reopen
) -> None:
    conversation.draft("La")
    conversation.append({"role": "assistant", "content": "La la"})
    conversation.draft("once more")
    conversation.discard_draft()
    assert len(await reopen()) == 1


async def test_a_draft_across_a_snapshot_is_whole(
    conversation: Conversation, reopen: Reopen
) -> None:
    conversation.draft("La ")
    await conversation.checkpoint()
    conversation.draft("la")
    assert (await reopen()).entry(0)["content"] == "La la"


async def test_a_closed_conversation_refuses_changes(conversation: Conversation) -> None:
    await conversation.close()
    await conversation.close()
    with pytest.raises(ClosedError):
        conversation.append({"role": "user", "content": "late"})
    with pytest.raises(ClosedError):
        await conversation.put_store("a.b", "{}")
    assert len(conversation) == 0


async def test_looking_costs_no_copy_and_negative_places_are_refused(
    conversation: Conversation,
) -> None:
    say(conversation, "one", "two")
    assert conversation.entries(1, 2)[0] is conversation.entry(1)
    with pytest.raises(IndexError):
        conversation.entry(-1)


async def test_opening_and_closing_changes_no_file(
    conversation: Conversation, reopen: Reopen, place: Path
) -> None:
    say(conversation, "one", "two")
    await conversation.put_store("t.a", '{"n":1}')
    await reopen()
    await reopen()
    before = {path: path.read_bytes() for path in place.glob("conversation*")}
    await reopen()
    conversation = await reopen()
    assert {path: path.read_bytes() for path in place.glob("conversation*")} == before

"""Memory: storing, finding, forgetting, and taking calls back."""

from __future__ import annotations

from typing import Any

import pytest

from .stage import Opener, Stage

MEMORY = "studio.memory-store"


def _texts(stage: Stage) -> dict[str, str]:
    return {memory["key"]: memory["text"] for memory in stage.store.get("memories", [])}


@pytest.mark.clause("EXP-01", "EXP-02")
async def test_what_is_stored_is_recalled_and_preloaded(opened: Opener) -> None:
    stage = await opened(MEMORY)
    assert await stage.preload() is None
    result = await stage.tool("store_memory", {"key": "User Name", "text": "Her name is Wren."})
    assert result == "Stored: user_name = Her name is Wren."
    assert stage.logs == ["Memory stored: user_name = Her name is Wren."]
    assert await stage.tool("recall_memory", {"query": "what is her name?"}) == (
        "- user_name: Her name is Wren."
    )
    assert await stage.preload() == "## What you remember\n- user_name: Her name is Wren."


async def test_a_key_is_made_from_the_text_and_never_taken_twice(opened: Opener) -> None:
    stage = await opened(MEMORY)
    await stage.tool("store_memory", {"text": "Please remember that Marcus likes rum"})
    await stage.tool("store_memory", {"text": "Marcus likes rum!"})
    await stage.tool("store_memory", {"text": "灯台は古い"})
    assert _texts(stage) == {
        "marcus_likes_rum": "Marcus likes rum",
        "marcus_likes_rum_2": "Marcus likes rum!",
        "灯台は古い": "灯台は古い",
    }


async def test_the_same_key_again_replaces_the_text(opened: Opener) -> None:
    stage = await opened(MEMORY)
    await stage.tool("store_memory", {"key": "rope", "text": "asked for", "importance": 8})
    await stage.tool("store_memory", {"key": "Rope", "text": "delivered"})
    assert stage.store["memories"] == [
        {"id": 1, "key": "rope", "text": "delivered", "importance": 8}
    ]
    assert stage.logs[1] == "Memory changed: rope = delivered"


async def test_value_is_taken_for_text(opened: Opener) -> None:
    stage = await opened(MEMORY)
    await stage.tool("store_memory", {"key": "tide", "value": 4})
    assert _texts(stage) == {"tide": "4"}


@pytest.mark.parametrize("args", [None, {}, [], {"text": ""}, {"text": {"a": 1}}, {"key": "k"}])
async def test_without_a_text_nothing_is_stored(opened: Opener, args: Any) -> None:
    stage = await opened(MEMORY)
    assert (await stage.tool("store_memory", args)).startswith("Nothing was stored")
    assert stage.store == {}
    assert stage.logs == []


async def test_details_are_bounded(opened: Opener) -> None:
    stage = await opened(MEMORY)
    args = {"key": "k" * 99, "text": "t" * 9999, "importance": 99, "tags": ["a", "", 3, {}] * 9}
    await stage.tool("store_memory", args)  # type: ignore[arg-type]
    memory = stage.store["memories"][0]
    assert len(memory["key"]) == 60
    assert len(memory["text"]) == 2000
    assert memory["importance"] == 10
    assert memory["tags"] == ["a", "3"] * 4


async def test_recall_puts_the_best_match_first_and_names_the_keys_when_there_is_none(
    opened: Opener,
) -> None:
    stage = await opened(MEMORY)
    for key, text in {"rum": "Marcus likes it", "boat": "Marcus's boat is old"}.items():
        await stage.tool("store_memory", {"key": key, "text": text})
    found = await stage.tool("recall_memory", {"query": "Marcus and the boats"})
    assert found.splitlines()[0] == "- boat: Marcus's boat is old"
    assert len(found.splitlines()) == 2
    assert len((await stage.tool("recall_memory", {"limit": 1})).splitlines()) == 1
    missing = await stage.tool("recall_memory", {"query": "zebra"})
    assert "zebra" in missing
    assert "boat, rum" in missing


async def test_the_important_come_first_and_the_preload_is_bounded(opened: Opener) -> None:
    memories = [{"text": f"{n} {'x' * 300}"} for n in range(400)]
    store = {"memories": [*memories, {"key": "first", "text": "me", "importance": 10}]}
    stage = await opened(MEMORY, store=store)
    text = await stage.preload()
    assert isinstance(text, str)
    assert text.splitlines()[1] == "- first: me"
    assert len(text) < 6200
    assert "recall_memory" in text.splitlines()[-1]
    assert stage.store == store


async def test_a_full_memory_says_so(opened: Opener) -> None:
    stage = await opened(MEMORY, store={"memories": [f"fact {n}" for n in range(500)]})
    assert "500 places" in await stage.tool("store_memory", {"text": "one more"})
    await stage.tool("forget_memory", {"key": "7"})
    assert (await stage.tool("store_memory", {"text": "one more"})).startswith("Stored")


async def test_forgetting_takes_a_key_or_a_number(opened: Opener) -> None:
    stage = await opened(MEMORY, store={"memories": ["alpha", "beta", "gamma"]})
    assert await stage.tool("forget_memory", {"key": "Beta"}) == "Forgotten: beta"
    assert await stage.tool("forget_memory", {"key": "#1"}) == "Forgotten: alpha"
    for unknown in ("beta", "99", "", None):
        await stage.tool("forget_memory", {"key": unknown})
    assert _texts(stage) == {"gamma": "gamma"}
    assert len(stage.logs) == 2


@pytest.mark.clause("HOOK-05", "CTX-02")
async def test_memories_of_removed_calls_go_and_the_others_stay(opened: Opener) -> None:
    stage = await opened(MEMORY)
    await stage.command("memoryCommand", "by hand")
    for call in (1, 2, 3):
        await stage.tool("store_memory", {"text": f"fact {call}"}, call=call)
    await stage.remove_calls(2, 3)
    assert list(_texts(stage).values()) == ["by hand", "fact 1"]


@pytest.mark.clause("HOOK-05")
async def test_a_removed_call_gives_back_what_it_replaced_or_forgot(opened: Opener) -> None:
    stage = await opened(MEMORY)
    await stage.tool("store_memory", {"key": "a", "text": "old"}, call=1)
    await stage.tool("store_memory", {"key": "a", "text": "new"}, call=2)
    await stage.tool("store_memory", {"key": "b", "text": "kept"}, call=3)
    await stage.tool("forget_memory", {"key": "b"}, call=4)
    await stage.remove_calls(2, 4)
    assert _texts(stage) == {"a": "old", "b": "kept"}
    await stage.remove_calls(1)
    assert _texts(stage) == {"b": "kept"}


@pytest.mark.clause("HOOK-05")
async def test_a_memory_stored_again_after_forgetting_gives_way_to_the_first(
    opened: Opener,
) -> None:
    stage = await opened(MEMORY)
    await stage.tool("store_memory", {"key": "a", "text": "first"}, call=1)
    await stage.tool("forget_memory", {"key": "a"}, call=2)
    await stage.tool("store_memory", {"key": "a", "text": "second"}, call=3)
    await stage.remove_calls(2, 3)
    assert _texts(stage) == {"a": "first"}


@pytest.mark.clause("HOOK-05")
async def test_a_forgotten_memory_of_a_removed_call_never_comes_back(opened: Opener) -> None:
    stage = await opened(MEMORY)
    await stage.tool("store_memory", {"key": "a", "text": "first"}, call=1)
    await stage.tool("forget_memory", {"key": "a"}, call=2)
    await stage.remove_calls(1)
    await stage.remove_calls(2)
    assert stage.store == {"memories": [], "nextId": 2}


@pytest.mark.clause("PERS-03", "HOOK-05")
async def test_a_default_without_call_ids_is_never_pruned(opened: Opener) -> None:
    store = {
        "memories": [{"id": 1, "key": "a", "text": "shipped", "earlier": [{"text": "before"}]}],
        "forgotten": [{"memory": {"id": 2, "key": "b", "text": "gone"}}],
    }
    stage = await opened(MEMORY, store=store)
    await stage.remove_calls(1, 2, 3)
    assert _texts(stage) == {"a": "shipped"}


@pytest.mark.clause("EXP-03")
async def test_the_command_stores_lists_and_forgets(opened: Opener) -> None:
    stage = await opened(MEMORY)
    run = stage.command
    assert await run("memoryCommand", "the bell buoy is silent") is None
    assert await run("memoryCommand", "rope = forty fathoms") is None
    assert await run("memoryCommand", "meet him at 10:30") is None
    assert _texts(stage)["rope"] == "forty fathoms"
    assert "meet him at 10:30" in _texts(stage).values()
    assert await run("memoryCommand", "list") is None
    assert "- rope: forty fathoms" in stage.logs[-1]
    assert await run("memoryCommand", "forget rope") is None
    assert "rope" not in _texts(stage)
    assert len(stage.toasts) == 4


@pytest.mark.clause("EXP-03")
@pytest.mark.parametrize("text", ["", "  ", "forget", "forget nothing", "list zebra"])
async def test_a_command_that_cannot_be_done_is_answered(opened: Opener, text: str) -> None:
    stage = await opened(MEMORY)
    assert isinstance(await stage.command("memoryCommand", text), str)
    assert stage.toasts == []


@pytest.mark.clause("EXP-07")
@pytest.mark.parametrize("memories", [{}, [], None, "x", 7, [None, [], {}, {"key": "a"}]])
async def test_a_damaged_store_is_as_good_as_none(opened: Opener, memories: Any) -> None:
    stage = await opened(MEMORY, store={"memories": memories, "nextId": "x", "forgotten": {}})
    assert await stage.preload() is None
    assert "yet" in await stage.tool("recall_memory", {})
    await stage.remove_calls(1)
    await stage.tool("store_memory", {"text": "new"})
    assert stage.store == {"memories": [{"id": 1, "key": "new", "text": "new"}], "nextId": 2}


async def test_hand_written_shapes_are_read_and_other_fields_kept(opened: Opener) -> None:
    plain = await opened(MEMORY, store={"memories": {"name": "Wren", "debt": {"text": "a pound"}}})
    assert await plain.preload() == "## What you remember\n- debt: a pound\n- name: Wren"
    rich = [{"id": 4, "key": "a", "text": "b", "secret": True}, {"id": 4, "text": "twin"}]
    stage = await opened(MEMORY, store={"memories": rich})
    await stage.tool("store_memory", {"key": "a", "text": "c"})
    assert stage.store["memories"][0] == {"id": 4, "key": "a", "text": "c", "secret": True}
    assert stage.store["memories"][1]["id"] == 5


async def test_an_unknown_tool_is_answered(opened: Opener) -> None:
    stage = await opened(MEMORY)
    assert await stage.tool("nosuch", {}) == "[Unknown tool: nosuch]"

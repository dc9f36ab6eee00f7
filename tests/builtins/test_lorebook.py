"""The lorebook of a card: words of the conversation call entries up, within a budget."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from .stage import Opener, Stage, turns

Entry = dict[str, Any]


async def on(opened: Opener, *entries: Entry, said: tuple[str, ...], **book: Any) -> Stage:
    text = json.dumps({**book, "entries": list(entries)}, ensure_ascii=False)
    config = {"id": "t.lore", "contextFile": ".lore.json"}
    files = {".lore.json": text}
    return await opened("studio.lorebook", files=files, config=config, history=turns(*said))


async def shown(opened: Opener, *entries: Entry, said: tuple[str, ...], **book: Any) -> list[str]:
    text = await (await on(opened, *entries, said=said, **book)).preload()
    assert text is None or isinstance(text, str)
    return [] if text is None else text.split("\n\n")


def entry(key: str, content: str, **more: Any) -> Entry:
    return {"keys": [key], "content": content, **more}


SEA = entry("sea", "The sea is cold.")


@pytest.mark.parametrize(
    ("more", "said", "called"),
    [
        ({}, "Tell me of the Sea!", True),
        ({}, "A disease.", False),
        ({"extensions": {"match_whole_words": False}}, "A disease.", True),
        ({"case_sensitive": True}, "The Sea", False),
        ({"enabled": False}, "the sea", False),
        ({"constant": True}, "nothing", True),
        ({"keys": ["/s[aeo]+/i"]}, "SOE", True),
        ({"keys": ["s.a"], "use_regex": True}, "sta", True),
        ({"keys": ["("], "use_regex": True}, "(", False),
        ({"keys": ["海"]}, "深い海の底", True),
        ({"selective": True, "secondary_keys": ["storm"]}, "the sea", False),
        ({"selective": True, "secondary_keys": ["storm"]}, "a storm at sea", True),
        ({"secondary_keys": ["storm"]}, "the sea", True),  # of no account unless it says so
        (
            {
                "selective": True,
                "secondary_keys": ["storm"],
                "extensions": {"selectiveLogic": 2},
            },
            "a sea and a storm",
            False,
        ),
        ({"content": "@@additional_keys ocean\n@@depth 4\nCold."}, "the ocean", True),
        ({"content": "@@exclude_keys lake\nCold."}, "sea and lake", False),
        ({"content": "@@dont_activate\nCold."}, "sea", False),
    ],
)
async def test_words_call_an_entry_up(
    opened: Opener, more: Entry, said: str, *, called: bool
) -> None:
    assert bool(await shown(opened, {**SEA, **more}, said=(said,))) == called


async def test_only_the_latest_messages_count_and_an_entry_may_look_deeper(opened: Opener) -> None:
    said = ("the sea", "yes", "the town", "yes", "and now?", "well")
    deep = entry("sea", "Deep.", extensions={"scan_depth": 6})
    assert await shown(opened, SEA, said=said, scan_depth=2) == []
    assert await shown(opened, SEA, deep, said=said, scan_depth=2) == ["Deep."]


async def test_entries_stand_in_their_order_those_after_the_character_last(opened: Opener) -> None:
    entries = (
        entry("sea", "c", insertion_order=3),
        entry("sea", "d", insertion_order=1, position="after_char"),
        entry("sea", "a", insertion_order=1),
        entry("sea", "b", insertion_order=2),
    )
    assert await shown(opened, *entries, said=("sea",)) == ["a", "b", "c", "d"]


async def test_the_budget_keeps_the_entries_of_the_highest_priority(opened: Opener) -> None:
    entries = (
        entry("sea", "x" * 40, insertion_order=1, priority=1),
        entry("sea", "y" * 40, insertion_order=2, priority=9),
        entry("sea", "z" * 40, insertion_order=3, priority=5),
    )
    kept = await shown(opened, *entries, said=("sea",), token_budget=20)
    assert kept == ["y" * 40, "z" * 40]


async def test_entries_call_up_entries_only_where_the_book_says_so(opened: Opener) -> None:
    entries = (entry("sea", "A harbour."), entry("harbour", "A lamp."), entry("lamp", "Oil."))
    assert await shown(opened, *entries, said=("sea",)) == ["A harbour."]
    deep = await shown(opened, *entries, said=("sea",), recursive_scanning=True)
    assert deep == ["A harbour.", "A lamp.", "Oil."]


async def test_what_is_being_answered_counts_before_it_is_in_the_history(opened: Opener) -> None:
    stage = await on(opened, SEA, said=("hello", "yes"))
    assert await stage.preload() is None
    await stage.hook("onBeforeResponse", {"userText": "What of the sea?", "regenerate": False})
    assert await stage.preload() == "The sea is cold."


@pytest.mark.parametrize("book", ["", "{", "[]", '{"entries": 4}', '{"entries": [null, 3, {}]}'])
async def test_a_broken_book_adds_nothing(opened: Opener, book: str) -> None:
    files = {".lore.json": book}
    config = {"id": "t.lore", "contextFile": ".lore.json"}
    stage = await opened("studio.lorebook", files=files, config=config, history=turns("sea"))
    assert await stage.preload() is None


async def test_the_form_of_world_info_files_is_read_too(opened: Opener) -> None:
    book = {"entries": {"0": {"key": ["sea"], "content": "Cold.", "order": 1, "disable": False}}}
    files = {".lore.json": json.dumps(book)}
    config = {"id": "t.lore", "contextFile": ".lore.json"}
    stage = await opened("studio.lorebook", files=files, config=config, history=turns("sea"))
    assert await stage.preload() == "Cold."


ENDLESS = [
    "/(a+)+$/",
    "/(a|a)*$/",
    r"/^(\w+\s?)*$/",
    "/a*a*a*a*a*b/",
    r"/([\s\S]*[\s\S]*)x/",
    f"/{'a?' * 40}b/",
    f"/{'(a|a)' * 40}b/",
    r"/(a*)\1\1\1b/",
    "/(?:(?:a{1,9}){1,9}){1,9}b/",
]


@pytest.mark.parametrize("key", ENDLESS)
async def test_an_expression_that_could_take_for_ever_is_not_tried(
    opened: Opener, key: str
) -> None:
    plain = entry("aaa", "Y.", extensions={"match_whole_words": False})
    began = time.monotonic()
    assert await shown(opened, entry(key, "X."), plain, said=("a" * 5000 + "!",)) == ["Y."]
    assert time.monotonic() - began < 6  # each of them was stopped after 8 s, plain words too


@pytest.mark.parametrize(
    ("key", "said"),
    [
        (r"/\b(king|queen)s?\b.*\bdead\b/i", "The Queens are all DEAD."),
        (r"/^the (?:old|new)? ?sea$/m", "a\nthe old sea\nb"),
        (r"/[(*+]{2}/", "a(* b"),
        (r"/\d{4}-\d{2}/", "in 1930-04"),
        (r"/(?<!dark )tower/", "the tower"),
        (r"/\p{Lu}{3}/u", "the ABC"),
        ("/(" + "|".join(f"word{at}s?" for at in range(60)) + ")/", "word59s"),
    ],
)
async def test_expressions_as_people_write_them_are_tried(
    opened: Opener, key: str, said: str
) -> None:
    assert await shown(opened, entry(key, "X."), said=(said,)) == ["X."]


async def test_five_thousand_entries_cost_a_turn_little(opened: Opener) -> None:
    entries = [
        entry("", f"{at}", keys=[f"word{at}-{key}" for key in range(5)]) for at in range(5000)
    ]
    began = time.monotonic()
    said = ("x " * 5000, "and word4999-4 " * 500)
    assert await shown(opened, *entries, said=said, recursive_scanning=True) == ["4999"]
    assert time.monotonic() - began < 6


async def test_the_last_of_ten_thousand_entries_is_found(opened: Opener) -> None:
    extensions = {f"setting {number}": None for number in range(20)}
    many = [
        entry(f"word{number}", f"Entry {number}. {'x' * 300}", extensions=extensions)
        for number in range(10_000)
    ]
    began = time.monotonic()
    (text,) = await shown(opened, *many, said=("of word9999",))
    assert text.startswith("Entry 9999.")
    assert time.monotonic() - began < 6

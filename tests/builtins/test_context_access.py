"""Looking things up in one file: JSON, text and tables."""

from __future__ import annotations

import json
from typing import Any

import pytest

from .stage import Opener, Stage

WRECKS = {
    "about": "all that went down here",
    "wrecks": [
        {"name": "Annis Rowe", "year": 1911, "cause": "a second lamp", "at": {"fathoms": 9}},
        {"name": "Étoile de Brest", "year": 1873, "cause": "fog", "cargo": ["wine", "a bell"]},
        {"name": "Halcyon", "year": 1926, "cause": "luncheon; no lamp was lit"},
    ],
}
NOTES = (
    "# The lamp\nIt burns oil.\n\nWicks are trimmed at dusk.\n\n# The town\nThe inn is a heron's."
)


async def _on(opened: Opener, name: str, content: Any) -> Stage:
    text = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
    config = {"id": "test.look", "contextFile": name}
    return await opened("studio.context-access", files={name: text}, config=config)


async def _entries(stage: Stage, query: Any, **more: Any) -> list[str]:
    result = await stage.tool("look", {"query": query, **more})
    return [part for part in result.split("\n\n")[1:] if part.startswith("[")]


@pytest.mark.clause("PKG-07", "BR-05")
async def test_a_question_finds_the_entry_of_a_json_file(opened: Opener) -> None:
    stage = await _on(opened, ".wrecks.json", WRECKS)
    query = "What do you know about the wreck of the Annis Rowe?"
    assert await _entries(stage, query) == [
        '[wrecks › 1]\nname: Annis Rowe\nyear: 1911\ncause: a second lamp\nat: {"fathoms":9}'
    ]


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("etoile", "Étoile de Brest"),
        ("ÉTOILE", "Étoile de Brest"),
        ("bells", "Étoile de Brest"),
        ("1926", "Halcyon"),
        (1911, "Annis Rowe"),
        ("halcyon's", "Halcyon"),
        ('"second lamp"', "Annis Rowe"),
    ],
)
async def test_words_are_found_whatever_their_case_accents_and_endings(
    opened: Opener, query: Any, name: str
) -> None:
    stage = await _on(opened, "w.json", WRECKS)
    entries = await _entries(stage, query)
    assert [f"name: {name}" in entry for entry in entries] == [True]


async def test_a_word_is_found_at_its_beginning_only(opened: Opener) -> None:
    stage = await _on(opened, "w.json", [{"name": "heart"}, {"name": "artist"}])
    assert await _entries(stage, "art") == ["[2]\nname: artist"]


async def test_rare_words_and_names_weigh_more(opened: Opener) -> None:
    rows = [{"name": f"Light {n}", "about": "a lamp by the sea"} for n in range(9)]
    stage = await _on(opened, "l.json", [*rows, {"name": "Skerry", "about": "a lamp by the sea"}])
    entries = await _entries(stage, "the lamp on the Skerry")
    assert entries == ["[10]\nname: Skerry\nabout: a lamp by the sea"]


async def test_a_word_of_every_entry_lists_them_and_limit_holds(opened: Opener) -> None:
    stage = await _on(opened, "l.json", [{"name": f"lamp {n}"} for n in range(9)])
    assert len(await _entries(stage, "lamp")) == 5
    assert len(await _entries(stage, "lamp", limit=2)) == 2
    assert len(await _entries(stage, "lamp", limit=99)) == 9


@pytest.mark.parametrize("query", ["zebra", "", None, "the", {}, []])
async def test_without_a_match_it_says_what_there_is(opened: Opener, query: Any) -> None:
    stage = await _on(opened, "w.json", WRECKS)
    result = await stage.tool("look", {"query": query})
    assert result.endswith("w.json has entries on: about; Annis Rowe; Étoile de Brest; Halcyon.")


async def test_words_that_no_entry_has_are_named(opened: Opener) -> None:
    stage = await _on(opened, "w.json", WRECKS)
    assert "No entry has: zebra." in await stage.tool("look", {"query": "zebra fog"})


async def test_an_object_of_names_gives_one_entry_a_name(opened: Opener) -> None:
    stage = await _on(opened, "m.json", {"Dawn": "a blade that glows", "Dusk": {"kind": "axe"}})
    assert await _entries(stage, "dawn") == ["[Dawn]\na blade that glows"]
    assert await _entries(stage, "axes") == ["[Dusk]\nkind: axe"]


async def test_a_large_object_is_looked_into(opened: Opener) -> None:
    regions = {"north": {f"cape {n}": {"light": f"no {n} {'.' * 200}"} for n in range(30)}}
    stage = await _on(opened, "r.json", {"regions": regions})
    assert (await _entries(stage, "cape 17"))[0].startswith("[regions › north › cape 17]")


async def test_text_is_cut_at_paragraphs_and_names_its_lines(opened: Opener) -> None:
    stage = await _on(opened, "notes.md", "\ufeff" + NOTES.replace("\n", "\r\n"))
    assert await _entries(stage, "heron") == ["[lines 6 to 7]\n# The town\nThe inn is a heron's."]
    assert (await _entries(stage, "trimmed"))[0] == "[line 4]\nWicks are trimmed at dusk."


@pytest.mark.parametrize(
    ("name", "text", "query", "entry"),
    [
        (
            "c.csv",
            "name,year\nAnnis,1911\nHalcyon,1926",
            "1926",
            "[line 3]\nname,year\nHalcyon,1926",
        ),
        ("l.jsonl", '{"name":"A"}\n\n{broken rope}\n', "rope", "[line 3]\n{broken rope}"),
        ("bad.json", '{"name": \n\nrope, oil', "rope", "[line 3]\nrope, oil"),
        ("jp.txt", "灯台は古い。\n\n港は小さい。", "港", "[line 3]\n港は小さい。"),
        ("n.json", "[1, 2, 3]", "2", "[2]\n2"),
    ],
)
async def test_every_kind_of_file_is_searched(
    opened: Opener, name: str, text: str, query: str, entry: str
) -> None:
    stage = await _on(opened, name, text)
    assert await _entries(stage, query) == [entry]


@pytest.mark.parametrize("config", [{}, {"contextFile": ""}, {"contextFile": 5}])
async def test_without_a_file_it_says_so(opened: Opener, config: Any) -> None:
    stage = await opened("studio.context-access", config=config)
    assert "contextFile" in await stage.tool("look_up", {"query": "x"})


@pytest.mark.clause("BR-05")
async def test_a_missing_or_an_empty_file_is_named(opened: Opener) -> None:
    stage = await _on(opened, "empty.txt", " \n\n")
    assert await stage.tool("look", {"query": "x"}) == "The file empty.txt is empty."
    stage.files = {}
    assert "no file empty.txt" in await stage.tool("look", {"query": "x"})


async def test_a_huge_file_is_answered_in_time_and_in_bounds(opened: Opener) -> None:
    rows = [{"name": f"n{n}", "text": f"{n} {'filler ' * 12}"} for n in range(15000)]
    stage = await _on(opened, "huge.json", rows)
    assert "name: n14999" in await stage.tool("look", {"query": "n14999 filler"})
    long = await _on(opened, "long.txt", ("lamp and oil " * 300 + "\n") * 200)
    assert len(await long.tool("look", {"query": "lamp", "limit": 20})) < 8200


async def test_an_edit_of_the_file_counts_at_once(opened: Opener) -> None:
    stage = await _on(opened, "n.txt", "rope")
    stage.files = {"n.txt": "oil and rope"}
    assert "oil and rope" in await stage.tool("look", {"query": "rope"})

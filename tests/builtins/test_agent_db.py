"""Look-ups in a data file: by field, text and range, sorted and at random."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from .stage import Opener, Stage

CARS = [
    {"name": "Wren", "year": 1931, "fuel": "petrol", "engine": {"power": 12}, "price": "£1,200"},
    {"name": "Heron", "year": 1948, "fuel": "diesel", "engine": {"power": 30}, "price": "£950"},
    {"name": "Étoile", "year": 1936, "fuel": "petrol", "engine": {"power": 45}, "tags": ["racing"]},
    {"name": "Heron II", "year": 1952, "fuel": "petrol", "engine": {"power": 60}},
]
LOG = {
    "title": "Log",
    "entries": [
        {"date": "1911-05-30", "what": "fog"},
        {"date": "1911-11-09", "what": "the Annis Rowe"},
        {"date": "12 March 1912", "what": "calm"},
    ],
}


async def _on(opened: Opener, content: Any, name: str = ".cars.json") -> Stage:
    text = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
    return await opened("studio.agent-db", files={name: text}, config={"contextFile": name})


async def _names(stage: Stage, **args: Any) -> list[str]:
    result = await stage.tool("cars", args)
    return re.findall(r"^(?:name|what|key): (.*)$", result, re.MULTILINE)


@pytest.mark.clause("PKG-07", "BR-05")
async def test_a_record_is_found_and_shown_with_all_its_fields(opened: Opener) -> None:
    stage = await _on(opened, CARS)
    assert await stage.tool("cars", {"query": "Etoile"}) == (
        "From .cars.json: 1 of 4 records match.\n\nname: Étoile\nyear: 1936\nfuel: petrol\n"
        'engine: {"power":45}\ntags: racing'
    )


@pytest.mark.parametrize(
    ("args", "names"),
    [
        ({"field": "name", "value": "heron"}, ["Heron"]),
        ({"field": "name", "value": "heron i"}, ["Heron II"]),
        ({"value": "Diesel"}, ["Heron"]),
        ({"field": "tags", "value": "racing"}, ["Étoile"]),
        ({"field": "year", "value": "1936"}, ["Étoile"]),
        ({"field": "year", "value": 1936}, ["Étoile"]),
        ({"field": "year", "min": 1936}, ["Heron", "Étoile", "Heron II"]),
        ({"field": "Year", "min": 1936, "max": 1948}, ["Heron", "Étoile"]),
        ({"field": "power", "max": 30}, ["Wren", "Heron"]),
        ({"field": "engine.power", "max": 30}, ["Wren", "Heron"]),
        ({"field": "price", "min": 1000}, ["Wren"]),
        ({"field": "year", "after": "1948"}, ["Heron", "Heron II"]),
        ({"query": "fuel:petrol power>=45"}, ["Étoile", "Heron II"]),
        ({"query": "petrol", "field": "year", "max": 1940}, ["Wren", "Étoile"]),
        ({"query": "fuel!=petrol"}, ["Heron"]),
        ({"query": "year<1936"}, ["Wren"]),
        ({"query": 'name:"heron ii"'}, ["Heron II"]),
        ({"query": "herons"}, ["Heron", "Heron II"]),
        ({"sort": "power", "order": "descending", "limit": 2}, ["Heron II", "Étoile"]),
        ({"sort": "name"}, ["Étoile", "Heron", "Heron II", "Wren"]),
        ({"sort": "price"}, ["Heron", "Wren", "Étoile", "Heron II"]),
        ({"limit": 1}, ["Wren"]),
    ],
)
async def test_fields_texts_and_ranges_choose_records(
    opened: Opener, args: dict[str, Any], names: list[str]
) -> None:
    assert await _names(await _on(opened, CARS), **args) == names


@pytest.mark.parametrize(
    ("args", "found"),
    [
        ({"after": "1911-11"}, ["the Annis Rowe", "calm"]),
        ({"before": "1911-05-30"}, ["fog"]),
        ({"after": "1911", "before": "1911"}, ["fog", "the Annis Rowe"]),
        ({"field": "date", "after": "1912-03-12"}, ["calm"]),
        ({"query": "annis", "before": "1910"}, []),
    ],
)
async def test_dates_are_compared_in_what_both_say(
    opened: Opener, args: dict[str, Any], found: list[str]
) -> None:
    assert await _names(await _on(opened, LOG), **args) == found


async def test_records_at_random_are_different_ones_that_match(opened: Opener) -> None:
    stage = await _on(opened, CARS)
    for _ in range(10):
        (one,) = await _names(stage, random=True, query="petrol")
        assert one in ("Wren", "Étoile", "Heron II")
        assert len(set(await _names(stage, random=True, limit=3))) == 3
    assert len(await _names(stage, random=True, limit=50)) == 4


@pytest.mark.parametrize(
    ("content", "query", "names"),
    [
        ({"wren": {"year": 1}, "heron": {"year": 2}}, "wren", ["wren"]),
        ({"about": {"by": "me"}, "cars": CARS}, "wren", ["Wren"]),
        ({"wren": "a small car", "heron": "a large car"}, "small", ["wren"]),
        (["wren", "heron"], "value:wren", []),
    ],
)
async def test_records_lie_in_lists_objects_and_deeper(
    opened: Opener, content: Any, query: str, names: list[str]
) -> None:
    stage = await _on(opened, content)
    assert await _names(stage, query=query) == names
    assert "1 of " in await stage.tool("cars", {"query": query})


async def test_a_question_in_words_finds_what_comes_closest(opened: Opener) -> None:
    stage = await _on(opened, CARS)
    result = await stage.tool("cars", {"query": "Which car is the Etoile?", "field": "year"})
    assert result.startswith("From .cars.json: 1 of 4 records match.")
    assert await _names(stage, query="cars with a year between 1930 and 1940") == [
        "Wren",
        "Étoile",
    ]
    assert len(await _names(stage, query="a random car", random=True)) == 1
    assert await _names(stage, query="a car like the heron") == ["Heron", "Heron II"]
    assert await stage.tool("cars", {"query": "steam fuel:petrol"}) == (
        "Nothing in .cars.json fits: “steam”, fuel has petrol. "
        "Alone, “steam” fits 0; fuel has petrol fits 3. "
        ".cars.json has 4 records with the fields name (Wren), year (1931), fuel (petrol), "
        "engine.power (12), price (£1,200), tags (racing)."
    )


async def test_what_cannot_be_found_comes_with_what_there_is(opened: Opener) -> None:
    stage = await _on(opened, CARS)
    fields = "fields name (Wren), year (1931), fuel (petrol), engine.power (12)"
    assert fields in await stage.tool("cars", {})
    wrong = await stage.tool("cars", {"field": "colour", "value": "red"})
    assert "no field “colour”" in wrong
    assert fields in wrong
    assert "no field “x” to sort by" in await stage.tool("cars", {"sort": "x"})
    assert "Say which field min is about" in await stage.tool("cars", {"min": 3})
    steam = await stage.tool("cars", {"field": "fuel", "value": "steam"})
    assert "fuel is one of: petrol, diesel." in steam
    late = await stage.tool("cars", {"field": "year", "min": 2000})
    assert "year goes from 1931 to 1952." in late


@pytest.mark.parametrize(
    "args",
    [
        None,
        [],
        {"query": None, "limit": "x", "min": {}},
        {"query": ["a"], "field": {}, "random": "yes"},
        {"query": "constructor:x __proto__=1 toString>2 : = >= \"“ '"},
        {"query": "(((((a*)*)*)*)*" * 30, "field": "__proto__", "value": "x"},
        {"field": "constructor", "min": 1},
        {"query": "x " * 5000, "sort": "hasOwnProperty"},
    ],
)
async def test_odd_arguments_are_answered_with_a_sentence(opened: Opener, args: Any) -> None:
    stage = await _on(opened, CARS)
    assert (await stage.tool("cars", args)).strip()
    assert stage.store == {}


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "not JSON"),
        ("{", "not JSON"),
        ("[]", "no records"),
        ("{}", "no records"),
        ("5", "no records"),
        ("null", "no records"),
        (f'["{"x" * 4_000_001}"]', "too long"),
    ],
)
async def test_a_file_without_records_says_so(opened: Opener, content: str, said: str) -> None:
    assert said in await (await _on(opened, content)).tool("cars", {"query": "x"})


async def test_without_a_file_or_a_name_of_one_it_says_what_is_missing(opened: Opener) -> None:
    bare = await opened("studio.agent-db")
    assert "needs a contextFile" in await bare.tool("find_records", {})
    lost = await opened("studio.agent-db", config={"contextFile": "x.json"})
    assert "no file x.json" in await lost.tool("find_records", {})


async def test_large_files_are_quick_and_answers_bounded(opened: Opener) -> None:
    rows = [{"id": n, "text": f"word{n} {'x' * 40}", "deep": {"er": n % 7}} for n in range(12_000)]
    rows[0]["text"] = "y" * 90_000
    stage = await _on(opened, rows)
    result = await stage.tool("cars", {"field": "er", "min": 3, "limit": 50})
    assert "records match; 50 shown" in result
    assert len(result) < 8200
    assert len(await stage.tool("cars", {"query": "yyyy", "limit": 50})) < 1500
    assert "id: 11999" in await stage.tool("cars", {"query": "word11999"})


async def test_records_of_odd_shapes_are_read(opened: Opener) -> None:
    odd = [None, 5, "text", [1, 2], {"name": None}, {"name": {"a": {"b": {"c": {"d": 1}}}}}, {}]
    stage = await _on(opened, odd)
    assert "7 records" in await stage.tool("cars", {})
    assert "value: text" in await stage.tool("cars", {"query": "text"})
    await stage.tool("cars", {"sort": "name", "random": False})

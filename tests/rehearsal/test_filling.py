"""Arguments fit the schema, whatever the schema and whatever was said."""

from __future__ import annotations

import jsonschema
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from studio_qt.jsontext import JsonObject, JsonValue, decode
from studio_qt.providers.rehearsal.filling import fill_arguments
from studio_qt.providers.rehearsal.schema import Budget, fits, matches_pattern
from studio_qt.providers.rehearsal.wish import Wish
from tests.rehearsal.tools import TEXT, TYPICAL, calls, tool

NAMES = st.sampled_from(
    ["count", "sides", "notation", "key", "query", "text", "date", "loud", "tags", "mode", "who"]
)
SAID = st.sampled_from(
    [
        "roll two dice for me",
        "3d8+2 with advantage, not loud",
        "remember that my name is Ada",
        "set the mode to fast and the count to 12",
        'look up "the blue door"',
        "write to ada@example.com on 2024-05-01",
        "",
        "多少 🎲",
        "-4.5 and 1000000",
    ]
)
NUMBERS = st.integers(-50, 50)


def bounded(kind: str) -> st.SearchStrategy[JsonObject]:
    keys = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"]
    limits = st.dictionaries(st.sampled_from(keys), NUMBERS, max_size=2)
    step = st.sampled_from([{}, {"multipleOf": 1}, {"multipleOf": 5}, {"multipleOf": 0.5}])
    return st.builds(lambda one, two: {"type": kind, **one, **two}, limits, step)


PATTERNS = st.sampled_from(["^\\d*d\\d+$", "^[a-z_]+$", "^.{3,}$", "x{2}", "^(red|blue)$"])
RISKY: list[JsonObject] = [
    {"type": "string", "pattern": "^(a+)+$"},
    {"type": "string", "pattern": "^(a+)+$", "examples": ["aaa"]},
    {"type": "string", "pattern": "["},
    {"type": "string", "pattern": "^\\p{L}$"},
]
STRINGS = st.fixed_dictionaries(
    {"type": st.just("string")},
    optional={
        "minLength": st.integers(0, 30),
        "maxLength": st.integers(0, 30),
        "pattern": PATTERNS,
        "format": st.sampled_from(["date", "email", "uri", "nonsense"]),
        "default": st.text(max_size=5),
        "examples": st.lists(st.text(max_size=5), max_size=2),
        "description": st.sampled_from(["Dice, e.g. 2d6", "A name", ""]),
    },
)
SCALARS = st.one_of(
    STRINGS,
    st.sampled_from(RISKY),
    bounded("integer"),
    bounded("number"),
    st.just({"type": "boolean"}),
    st.just({"type": "null"}),
    st.just({"type": ["string", "null"]}),
    st.builds(
        lambda some: {"enum": some}, st.lists(st.sampled_from(["a", 1, None, "fast"]), min_size=1)
    ),
    st.builds(lambda one: {"const": one}, st.sampled_from(["a", 1, None, [1], {"a": 1}])),
    st.just({}),
    st.just(True),
    st.just(False),
)


def larger(parts: st.SearchStrategy[JsonValue]) -> st.SearchStrategy[JsonValue]:
    arrays = st.fixed_dictionaries(
        {"type": st.just("array")},
        optional={
            "items": parts,
            "minItems": st.integers(0, 3),
            "maxItems": st.integers(0, 3),
            "uniqueItems": st.booleans(),
            "contains": parts,
            "prefixItems": st.lists(parts, max_size=2),
        },
    )
    choices = st.builds(
        lambda key, some: {key: some},
        st.sampled_from(["anyOf", "oneOf", "allOf"]),
        st.lists(parts, min_size=1, max_size=3),
    )
    refused = st.builds(lambda one: {"type": "string", "not": one}, parts)
    return st.one_of(arrays, choices, refused, objects(parts))


def objects(parts: st.SearchStrategy[JsonValue]) -> st.SearchStrategy[JsonValue]:
    return st.fixed_dictionaries(
        {"type": st.just("object"), "properties": st.dictionaries(NAMES, parts, max_size=4)},
        optional={
            "required": st.lists(NAMES, max_size=3, unique=True),
            "additionalProperties": st.one_of(st.booleans(), parts),
            "minProperties": st.integers(0, 3),
            "maxProperties": st.integers(0, 3),
            "dependentRequired": st.dictionaries(NAMES, st.lists(NAMES, max_size=2, unique=True)),
            "if": st.just({"required": ["count"]}),
            "then": st.just({"required": ["sides"]}),
        },
    )


SCHEMAS = objects(st.recursive(SCALARS, larger, max_leaves=6))


def wish(said: str) -> Wish:
    return Wish(said, matter=said, topic=said)


def accepts(schema: JsonValue, value: JsonValue) -> bool:
    assert isinstance(schema, dict)
    return jsonschema.Draft202012Validator(schema).is_valid(value)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(SCHEMAS, SAID)
def test_arguments_always_fit_the_schema(schema: JsonValue, said: str) -> None:
    made = fill_arguments(schema, wish(said))
    assert made is None or accepts(schema, made)
    assert made == fill_arguments(schema, wish(said))


def test_required_arguments_are_made_for_every_plain_kind() -> None:
    properties: JsonObject = {
        "a": {"type": "integer", "minimum": 3, "maximum": 9},
        "b": {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 0.5},
        "c": {"type": "boolean"},
        "d": {"type": "array", "items": TEXT, "minItems": 2},
        "e": {"type": "object", "properties": {"f": {"enum": ["x", "y"]}}, "required": ["f"]},
        "g": {"type": "string", "minLength": 40, "maxLength": 50},
        "h": {"type": "string", "format": "date"},
        "i": {"type": "integer", "multipleOf": 7, "minimum": 50},
        "j": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
        "k": {"$ref": "#/$defs/colour"},
    }
    schema: JsonObject = {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "$defs": {"colour": {"type": "string", "enum": ["red", "blue"]}},
        "additionalProperties": False,
    }
    made = fill_arguments(schema, wish("please paint it blue"))
    assert made is not None
    assert made["k"] == "blue"
    jsonschema.validate(made, schema, jsonschema.Draft202012Validator)


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"type": "integer", "maximum": 10}, 10),
        ({"type": "string", "default": "5"}, "set the speed to 50"),
        ({"type": "boolean"}, True),
        ({"enum": ["slow", "speed"]}, "speed"),
        ({"type": "string", "pattern": "^[0-9]+$"}, "50"),
        ({"type": "string", "pattern": "^(a+)+$", "examples": ["aa"]}, "aa"),
        ({"type": "string", "pattern": "^(a+)+$"}, None),
        ({"type": "string", "enum": []}, None),
        (False, None),
    ],
)
def test_a_required_argument_is_said_or_valid_or_there_is_no_call(
    schema: JsonValue, expected: JsonValue
) -> None:
    whole: JsonObject = {"type": "object", "properties": {"speed": schema}, "required": ["speed"]}
    made = fill_arguments(whole, wish("set the speed to 50"))
    assert made == (None if expected is None else {"speed": expected})


def test_a_branch_that_nothing_fits_leaves_the_others() -> None:
    branches: list[JsonValue] = [False, {"type": "string", "enum": []}, {"const": "open"}]
    for key in ("anyOf", "oneOf"):
        whole: JsonObject = {
            "type": "object",
            "properties": {"gate": {key: branches}},
            "required": ["gate"],
        }
        assert fill_arguments(whole, wish("the gate")) == {"gate": "open"}


def test_optional_arguments_are_left_out_unless_they_are_mentioned() -> None:
    properties: JsonObject = {
        "what": TEXT,
        "importance": {"type": "integer", "minimum": 1, "maximum": 10},
        "secret": {"type": "boolean"},
        "mood": {"type": "string", "enum": ["calm", "angry"]},
        "tags": {"type": "array", "items": TEXT},
    }
    schema: JsonObject = {"type": "object", "properties": properties, "required": ["what"]}
    assert fill_arguments(schema, wish("the rope")) == {"what": "the rope"}
    made = fill_arguments(schema, wish("a secret note of importance 7, angry"))
    assert made is not None
    assert (made["importance"], made["secret"], made["mood"]) == (7, True, "angry")


async def test_places_and_names_are_found_behind_their_words() -> None:
    weather = tool("get_weather", "Tells the weather of a city.", {"city": TEXT}, ["city"])
    made = await calls("What is the weather in New York?", [weather, *TYPICAL])
    assert made == [("get_weather", {"city": "New York"})]


NEST: JsonObject = {"type": "object", "properties": {"x": {"$ref": "#"}}, "required": ["x"]}
LOOP: JsonObject = {
    "type": "object",
    "properties": {"x": {"$ref": "#/$defs/a"}},
    "required": ["x"],
    "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}},
}
AWAY: JsonObject = {
    "type": "object",
    "properties": {"x": {"$ref": "https://example.com/s.json"}},
    "required": ["x"],
}


def doubling(depth: int) -> JsonObject:
    defs: JsonObject = {"d0": {"type": "string"}}
    for at in range(1, depth):
        both: JsonValue = [{"$ref": f"#/$defs/d{at - 1}"}, {"$ref": f"#/$defs/d{at - 1}"}]
        defs[f"d{at}"] = {"allOf": both}
    x: JsonObject = {"$ref": f"#/$defs/d{depth - 1}"}
    return {"type": "object", "properties": {"x": x}, "required": ["x"], "$defs": defs}


def deep(depth: int) -> JsonValue:
    text = '{"type":"object","required":["x"],"properties":{"x":' * depth + "{}" + "}}" * depth
    return decode(text)


def wide(count: int) -> JsonObject:
    names = [f"p{at}" for at in range(count)]
    return {"type": "object", "properties": dict.fromkeys(names, TEXT), "required": list(names)}


HOSTILE: list[JsonValue] = [
    NEST,
    LOOP,
    AWAY,
    doubling(40),
    deep(300),
    wide(5000),
    {"type": "object", "minProperties": 10**9, "properties": {"a": TEXT}},
    {
        "type": "object",
        "properties": {"a": {"type": "array", "minItems": 10**9, "items": TEXT}},
        "required": ["a"],
    },
    {"type": "object", "properties": {"a": {"minLength": 10**12}}, "required": ["a"]},
    {"type": "object", "properties": {"a": {"enum": list(range(50_000))}}, "required": ["a"]},
    {"type": "object", "required": "a", "properties": 7, "allOf": 3, "anyOf": {}, "enum": 1},
    {"type": "array"},
    [],
    "string",
]


@pytest.mark.timeout(20)
@pytest.mark.parametrize("schema", HOSTILE, ids=range(len(HOSTILE)))
async def test_a_hostile_schema_ends_quickly(schema: JsonValue) -> None:
    made = fill_arguments(schema, wish("x"))
    assert made is None or isinstance(made, dict)
    offered = tool("open_gate", "Opens the gate.")
    function = offered["function"]
    assert isinstance(function, dict)
    function["parameters"] = schema
    await calls("open the gate", [offered])


@pytest.mark.timeout(10)
@pytest.mark.parametrize(
    "pattern",
    [
        "^(a+)+$",
        "(a|a)*b",
        "(.*)*x",
        "^(\\w+\\s?)*$",
        ".*.*.*.*.*.*x",
        "(?=a)+",
        "(a)\\1",
        "a{9999}",
    ],
)
def test_a_pattern_that_may_run_for_ever_is_never_tried(pattern: str) -> None:
    assert matches_pattern("a" * 200 + "!", pattern) in (None, False)


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"type": "integer"}, 1.0),
        ({"type": "integer"}, True),
        ({"type": "number"}, True),
        ({"const": 1}, True),
        ({"enum": [0]}, False),
        ({"uniqueItems": True}, [1, 1.0]),
        ({"multipleOf": 5}, 12),
        ({"maxLength": 1}, "🎲"),
        ({"minimum": 1}, "text"),
    ],
)
def test_the_checker_agrees_with_jsonschema(schema: JsonObject, value: JsonValue) -> None:
    assert fits(value, schema, Budget(schema)) == accepts(schema, value)

"""What a form makes of a JSON Schema."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from studio_qt.jsontext import JsonValue
from studio_qt.ui.tester.fields import NumberLine
from studio_qt.ui.tester.shapes import MOST, Shape, first_value, fits, hint, shape_of


@pytest.mark.parametrize(
    ("schema", "kind"),
    [
        ({"type": "string"}, "text"),
        ({"type": "integer"}, "integer"),
        ({"type": "number"}, "number"),
        ({"type": "boolean"}, "boolean"),
        ({"enum": ["a", 1, None]}, "enum"),
        ({"const": 5}, "enum"),
        ({"type": "array", "items": {"type": "string"}}, "array"),
        ({"properties": {"a": {}}}, "object"),
        ({"type": ["string", "null"]}, "raw"),
        ({"type": "string", "anyOf": [{}]}, "raw"),
        ({}, "raw"),
        ({"type": "nonsense"}, "raw"),
        (True, "raw"),
        ([], "raw"),
    ],
)
def test_each_schema_has_its_field(schema: JsonValue, kind: str) -> None:
    assert shape_of(schema).kind == kind


def test_references_are_followed_and_round_ones_end_in_json() -> None:
    schema: JsonValue = {
        "type": "object",
        "properties": {"die": {"$ref": "#/$defs/die"}, "tree": {"$ref": "#/$defs/tree"}},
        "$defs": {
            "die": {"type": "integer", "minimum": 2},
            "tree": {"type": "object", "properties": {"left": {"$ref": "#/$defs/tree"}}},
        },
    }
    shape = shape_of(schema)
    die, tree = (one for _, one in shape.properties)
    assert (die.kind, die.minimum) == ("integer", 2)
    depth = 0
    while tree.kind == "object":
        tree, depth = tree.properties[0][1], depth + 1
    assert (tree.kind, depth) == ("raw", 5)


def test_a_reference_that_leads_nowhere_or_to_itself_is_json() -> None:
    assert shape_of({"$ref": "#/$defs/none"}).kind == "raw"
    assert shape_of({"$ref": "#"}).kind == "raw"
    assert shape_of({"$ref": "https://example.org/x.json"}).kind == "raw"


def test_references_that_multiply_do_not_stop_the_window() -> None:
    wide = {f"p{n}": {"$ref": "#/$defs/all"} for n in range(30)}
    shape = shape_of({"$ref": "#/$defs/all", "$defs": {"all": {"properties": wide}}})

    def count(one: Shape) -> int:
        return 1 + sum(count(child) for _, child in one.properties)

    assert count(shape) <= 6 * 30 + 31 * MOST


def test_first_values_are_defaults_else_the_least_that_is_allowed() -> None:
    shape = shape_of(
        {
            "type": "object",
            "required": ["count", "name", "dice", "kind", "ratio"],
            "properties": {
                "count": {"type": "integer", "minimum": 3},
                "name": {"type": "string", "default": "Ada"},
                "dice": {"type": "array", "minItems": 2, "items": {"type": "integer"}},
                "kind": {"enum": ["x", "y"], "default": "y"},
                "ratio": {"type": "number", "exclusiveMinimum": 0},
                "note": {"type": "string", "default": "left out"},
            },
        }
    )
    assert first_value(shape) == {
        "count": 3, "name": "Ada", "dice": [0, 0], "kind": "y", "ratio": 1,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("schema", "first"),
    [
        ({"type": "integer", "minimum": 10**400}, 10**400),
        ({"type": "integer", "minimum": 0.5}, 1),
        ({"type": "integer", "exclusiveMaximum": 0}, -1),
        ({"type": "integer", "exclusiveMinimum": 1.5}, 2),
        ({"type": "number", "maximum": -1.5}, -1.5),
        ({"type": "number", "default": float("inf")}, 0),
    ],
)
def test_a_first_number_is_within_its_bounds_however_large_they_are(
    schema: JsonValue, first: float
) -> None:
    assert first_value(shape_of(schema)) == first
    assert hint(shape_of(schema))


@pytest.mark.parametrize(
    ("typed", "fault"),
    [
        ("9" * 400, "at most 1000000"),
        ("1e999", "Write a number"),
        ("Infinity", "Write a number"),
        ("2.5", "whole number"),
        ("5.0", ""),
        ("12345678", "at most 1000000"),
    ],
)
def test_what_is_typed_for_a_number_is_judged_however_long_it_is(
    qtbot: QtBot, typed: str, fault: str
) -> None:
    field = NumberLine(shape_of({"type": "integer", "maximum": 1_000_000, "multipleOf": 0.1}))
    qtbot.addWidget(field)
    QTest.keyClicks(field.editor, typed)
    assert fault in field.fault
    assert bool(fault) == bool(field.fault)
    QTest.keyClick(field.editor, Qt.Key.Key_Down)


def test_a_default_of_another_type_is_not_taken() -> None:
    assert first_value(shape_of({"type": "integer", "default": "many"})) == 0


def test_a_value_fits_only_where_the_form_shows_all_of_it() -> None:
    shape = shape_of(
        {"properties": {"n": {"type": "integer"}, "l": {"type": "array", "items": {"enum": [1]}}}}
    )
    assert fits(shape, {"n": 2, "l": [1], "other": None})
    assert not fits(shape, {"n": "2"})
    assert not fits(shape, {"l": [1, 2]})
    assert not fits(shape, [])


def test_hints_say_what_is_allowed() -> None:
    assert (
        hint(shape_of({"type": "integer", "minimum": 1, "maximum": 20})) == "whole number, 1 to 20"
    )
    assert hint(shape_of({"type": "number", "exclusiveMinimum": 0})) == "number, above 0"
    assert hint(shape_of({"type": "string", "maxLength": 5})) == "text, to 5 characters"
    assert hint(shape_of({"type": "array", "minItems": 1})) == "from 1 items"

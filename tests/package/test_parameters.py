from __future__ import annotations

import json
import time

import pytest

from studio_qt.package.parameters import ParameterError, read_parameters

pytestmark = pytest.mark.clause("MAN-03")


def refused(schema: object, words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        read_parameters(schema if isinstance(schema, str) else json.dumps(schema))


def test_a_schema_without_type_describes_an_object() -> None:
    assert read_parameters('{"properties": {}}') == {"type": "object", "properties": {}}
    assert read_parameters("{}") == {"type": "object"}


@pytest.mark.parametrize("kind", ["string", ["object", "null"], 3, None])
def test_parameters_of_another_type_are_refused(kind: object) -> None:
    refused({"type": kind}, "object")


@pytest.mark.parametrize("key", ["$ref", "$dynamicRef"])
@pytest.mark.parametrize(
    "target", ["http://evil.example/x", "file:///etc/passwd", "other.json#/x", "", "//x"]
)
def test_a_reference_never_leaves_the_document(key: str, target: str) -> None:
    refused({"properties": {"a": {key: target}}}, "leaves the schema")


@pytest.mark.parametrize("target", ["#/$defs/none", "#anchor", "#/properties/a/3"])
def test_a_reference_to_nothing_is_refused(target: str) -> None:
    refused({"properties": {"a": {"$ref": target}}}, "leads to nothing")


@pytest.mark.parametrize(
    "target", ["#", "#/$defs/a~1b", "#/$defs/c%20d", "#there", "#/anyOf/0", "#/$defs"]
)
def test_a_reference_inside_the_document_is_kept(target: str) -> None:
    schema = {
        "type": "object",
        "$defs": {"a/b": {}, "c d": {"$anchor": "there"}},
        "anyOf": [{}],
        "properties": {"x": {"$ref": target}},
    }
    assert read_parameters(json.dumps(schema)) == schema


def test_a_property_may_be_called_like_a_keyword() -> None:
    schema = {"type": "object", "properties": {"$ref": {"type": "string"}, "type": {}}}
    assert read_parameters(json.dumps(schema)) == schema


def test_a_schema_that_is_too_long_or_too_deep_is_refused() -> None:
    refused('{"description": "' + "x" * 70_000 + '"}', "longer than 64 KB")
    refused('{"a":' * 101 + "1" + "}" * 101, "nested more than 100")
    refused("[" * 60_000, "nested more than 100")
    refused('{"a": "' + "[" * 60_000 + '"', "not JSON")


def test_brackets_in_strings_are_no_nesting() -> None:
    schema = {"type": "object", "description": "[" * 5000 + '\\"{' * 500}
    assert read_parameters(json.dumps(schema)) == schema


def test_a_deep_schema_within_the_limit_is_checked_or_refused_but_never_fails() -> None:
    for depth in (10, 30, 48):
        schema: object = {"type": "string"}
        for _ in range(depth):
            schema = {"type": "object", "properties": {"a": schema}}
        try:
            assert read_parameters(json.dumps(schema)) == schema
        except ParameterError as error:
            assert depth > 30 and "deep" in str(error)


@pytest.mark.parametrize(
    "schema",
    [
        {"properties": {"a": {"pattern": "^(a+)+$"}}},
        {"properties": {"a": {"pattern": "(unclosed"}}},
        {"properties": {"a": {"pattern": "\\p{L}+"}}},
        {"properties": {"a": {"format": "regex"}}},
        {"$defs": {"a": {"$ref": "#/$defs/a"}}, "properties": {"x": {"$ref": "#/$defs/a"}}},
        {"properties": {"a": {"enum": ["x" * 50] * 500, "uniqueItems": True}}},
        {"properties": {"a": {"enum": list(range(8000))}}},
        {"properties": {f"p{number}": {"type": "string"} for number in range(1500)}},
        {"required": [f"p{number}" for number in range(4000)]},
        {"allOf": [{"allOf": [{}] * 30}] * 200},
    ],
)
def test_no_schema_can_hang_the_host(schema: dict[str, object]) -> None:
    started = time.process_time()
    assert read_parameters(json.dumps(schema))["type"] == "object"
    assert time.process_time() - started < 5


def test_an_older_dialect_is_checked_by_its_own_rules() -> None:
    old = {"$schema": "http://json-schema.org/draft-04/schema#", "type": "object"}
    assert read_parameters(json.dumps(old)) == old
    refused({**old, "properties": {"a": {"exclusiveMinimum": 3}}}, "exclusiveMinimum")
    unknown = {"$schema": "http://nowhere.example/schema", "type": "object"}
    assert read_parameters(json.dumps(unknown)) == unknown
    refused({"$schema": ["x"]}, "schema")


def test_big_numbers_are_kept() -> None:
    schema = {"type": "object", "properties": {"a": {"maximum": 2**70}}}
    assert read_parameters(json.dumps(schema)) == schema
    refused('{"maximum": ' + "9" * 5000 + "}", "not JSON")

"""Arguments against schemas: the sentence for the model, and no schema that hangs the host."""

from __future__ import annotations

import json
import time

import psutil
import pytest

from studio_qt.jsontext import JsonObject, JsonValue
from studio_qt.sandbox import SandboxHost
from studio_qt.sandbox.arguments import check_in_host, needs_worker

ROLL: JsonObject = {
    "type": "object",
    "properties": {
        "sides": {"type": "integer", "minimum": 2, "maximum": 100},
        "kind": {"enum": ["fair", "loaded"]},
        "notes": {"type": "array", "items": {"type": "object", "required": ["text"]}},
    },
    "required": ["sides"],
    "additionalProperties": False,
}


@pytest.mark.clause("LOOP-04")
@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"sides": 6}, None),
        ({}, 'The arguments must have "sides", which is required.'),
        ({"sides": "6"}, 'The argument "sides" must be of type integer, not "6".'),
        ({"sides": 1}, 'The argument "sides" must be 2 or more, not 1.'),
        (
            {"sides": 6, "kind": "x"},
            'The argument "kind" must be one of ["fair","loaded"], not "x".',
        ),
        ({"sides": 6, "size": 1}, 'The arguments must not have "size".'),
        (
            {"sides": 6, "notes": [{"text": ""}, {}]},
            'The argument "notes[1]" must have "text", which is required.',
        ),
    ],
)
def test_the_sentence_names_the_argument_and_what_is_expected(
    arguments: JsonObject, sentence: str | None
) -> None:
    assert check_in_host(ROLL, arguments) == sentence


@pytest.mark.clause("LOOP-04")
@pytest.mark.parametrize(
    "part",
    [
        {"pattern": "a"},
        {"patternProperties": {"a": {}}},
        {"$ref": "#/x"},
        {"$dynamicRef": "#x"},
        {"uniqueItems": True},
        {"format": "email"},
        {"enum": list(range(3000))},
    ],
)
def test_schemas_that_may_take_long_go_to_a_worker(part: JsonObject) -> None:
    assert needs_worker({"properties": {"a": {"items": part}}})
    with pytest.raises(ValueError, match="worker"):
        check_in_host(part, {})


def test_a_deep_schema_goes_to_a_worker() -> None:
    schema: JsonValue = {}
    for _ in range(30):
        schema = {"allOf": [schema]}
    assert needs_worker(schema)
    assert not needs_worker(ROLL)


@pytest.mark.clause("LOOP-04")
async def test_a_plain_schema_starts_no_worker(host: SandboxHost) -> None:
    assert await host.check_arguments(ROLL, {"sides": 6}) is None
    assert psutil.Process().children() == []


async def patterned(host: SandboxHost, pattern: str, text: str) -> str | None:
    schema: JsonObject = {"properties": {"a": {"type": "string", "pattern": pattern}}}
    return await host.check_arguments(schema, {"a": text})


@pytest.mark.clause("LOOP-04")
async def test_patterns_are_ecmascript(host: SandboxHost) -> None:
    assert await patterned(host, r"^\p{L}+$", "Käthe") is None
    assert await patterned(host, r"^(?<year>\d{4})$", "1986") is None
    assert await patterned(host, r"^\-$", "-") is None  # an escape that /u refuses
    assert await patterned(host, r"^\d$", "٣") is not None
    assert await patterned(host, "(", "anything") is None
    wrong = await patterned(host, r"^\p{L}+$", "1")
    assert wrong == 'The argument "a" must match the pattern "^\\\\p{L}+$", not "1".'


@pytest.mark.clause("LOOP-04")
async def test_pattern_properties_and_the_rest_of_the_properties(host: SandboxHost) -> None:
    schema: JsonObject = {
        "properties": {"n": {"type": "number"}},
        "patternProperties": {r"^\p{Lu}": {"type": "string"}},
        "additionalProperties": False,
    }
    assert await host.check_arguments(schema, {"n": 1, "Ärger": "x"}) is None
    assert await host.check_arguments(schema, {"Ärger": 1}) == (
        'The argument "Ärger" must be of type string, not 1.'
    )
    assert await host.check_arguments(schema, {"klein": "x"}) == (
        'The arguments must not have "klein".'
    )


@pytest.mark.clause("LOOP-04")
async def test_references_work_inside_the_document_and_never_leave_it(host: SandboxHost) -> None:
    inside: JsonObject = {
        "$defs": {"side": {"type": "integer"}},
        "properties": {"a": {"$ref": "#/$defs/side"}},
    }
    assert await host.check_arguments(inside, {"a": 1}) is None
    assert "integer" in str(await host.check_arguments(inside, {"a": "x"}))
    for target in ("http://127.0.0.1:9/x.json", "file:///etc/passwd", "#/nowhere", "other.json"):
        schema: JsonObject = {"properties": {"a": {"$ref": target}}}
        assert "could not be checked" in str(await host.check_arguments(schema, {"a": 1}))


def doubling(depth: int) -> JsonObject:
    """Return a small schema whose check takes 2 ** depth steps."""
    defs: JsonObject = {
        f"d{n}": {"allOf": [{"$ref": f"#/$defs/d{n + 1}"}] * 2} for n in range(depth)
    }
    return {"$defs": defs | {f"d{depth}": {}}, "$ref": "#/$defs/d0"}


@pytest.mark.clause("LOOP-04")
@pytest.mark.parametrize(
    ("schema", "arguments"),
    [
        ({"properties": {"a": {"pattern": "^(a+)+$"}}}, {"a": "a" * 60 + "!"}),
        (doubling(40), {}),
        (
            {"properties": {"a": {"uniqueItems": True}}},
            {"a": [{"k": [n]} for n in range(30_000)]},
        ),
        ({"$defs": {"a": {"$ref": "#/$defs/a"}}, "$ref": "#/$defs/a"}, {}),
    ],
)
async def test_a_schema_that_never_ends_is_given_up_and_the_next_check_works(
    host: SandboxHost, schema: JsonObject, arguments: JsonObject
) -> None:
    started = time.monotonic()
    assert "could not be checked" in str(await host.check_arguments(schema, arguments))
    assert time.monotonic() - started < 8
    assert await patterned(host, "^a$", "a") is None


@pytest.mark.clause("LOOP-04")
@pytest.mark.parametrize(
    "schema",
    [
        {"type": "strange", "pattern": "a"},
        {"properties": [1], "pattern": "a"},
        {"required": 5, "pattern": "a"},
        {"pattern": 5, "properties": {"a": {"pattern": 5}}},
        {"minimum": "x", "$ref": 5},
    ],
)
async def test_a_faulty_schema_gives_a_sentence_or_nothing_but_no_crash(
    host: SandboxHost, schema: JsonObject
) -> None:
    found = await host.check_arguments(schema, {"a": "b"})
    assert found is None or found.endswith(".")
    assert await patterned(host, "^a$", "a") is None


def test_a_faulty_schema_is_no_crash_in_the_host() -> None:
    faulty: list[JsonObject] = [{"type": "strange"}, {"properties": [1]}, {"required": 5}]
    for schema in faulty:
        found = check_in_host(schema, {"a": json.loads("1")})
        assert found is None or "could not be checked" in found


async def test_long_values_are_cut_in_the_sentence(host: SandboxHost) -> None:
    found = await patterned(host, "^a$", "b" * 10_000)
    assert len(str(found)) < 300

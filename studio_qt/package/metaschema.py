"""Whether a value is a JSON Schema, told in a time that grows with its size alone.

The official metaschema of 2020-12 is cut into vocabularies, which costs ten times as much, and the
library's `uniqueItems` compares every item with every other where they are of mixed types.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator

import jsonschema
from jsonschema.exceptions import ValidationError
from jsonschema.protocols import Validator
from jsonschema.validators import extend, validator_for

from studio_qt.jsontext import JsonObject, JsonValue

__all__ = ["schema_fault"]

_SCHEMA: JsonObject = {"$ref": "#"}
_SCHEMAS: JsonObject = {
    "type": "array",
    "minItems": 1,
    "items": _SCHEMA,
    "x-expected": "a list of schemas",
}
_MAP: JsonObject = {
    "type": "object",
    "additionalProperties": _SCHEMA,
    "x-expected": "an object of schemas",
}
_COUNT: JsonObject = {"type": "integer", "minimum": 0, "x-expected": "a whole number from 0"}
_NUMBER: JsonObject = {"type": "number", "x-expected": "a number"}
_TEXT: JsonObject = {"type": "string", "x-expected": "text"}
_FLAG: JsonObject = {"type": "boolean", "x-expected": "true or false"}
_LIST: JsonObject = {"type": "array", "x-expected": "a list"}
_NAMES: JsonObject = {
    "type": "array",
    "items": _TEXT,
    "uniqueItems": True,
    "x-expected": "a list of different names",
}
_TYPES: list[JsonValue] = ["array", "boolean", "integer", "null", "number", "object", "string"]
_TYPE: JsonObject = {
    "anyOf": [
        {"enum": _TYPES},
        {"type": "array", "items": {"enum": _TYPES}, "minItems": 1, "uniqueItems": True},
    ],
    "x-expected": "one or more of array, boolean, integer, null, number, object, string",
}


def _keywords() -> JsonObject:
    groups: list[tuple[JsonObject, str]] = [
        (_SCHEMA, "additionalProperties contains contentSchema else if items not propertyNames"),
        (_SCHEMA, "then unevaluatedItems unevaluatedProperties"),
        (_SCHEMAS, "allOf anyOf oneOf prefixItems"),
        (_MAP, "$defs definitions dependentSchemas patternProperties properties"),
        (_COUNT, "maxContains maxItems maxLength maxProperties"),
        (_COUNT, "minContains minItems minLength minProperties"),
        (_NUMBER, "exclusiveMaximum exclusiveMinimum maximum minimum"),
        (_TEXT, "$anchor $comment $dynamicAnchor $dynamicRef $id $ref $schema"),
        (_TEXT, "contentEncoding contentMediaType description format pattern title"),
        (_FLAG, "deprecated readOnly uniqueItems writeOnly"),
        (_LIST, "enum examples"),
        (_NAMES, "required"),
        (_TYPE, "type"),
    ]
    single: JsonObject = {
        "multipleOf": {**_NUMBER, "exclusiveMinimum": 0, "x-expected": "a number above 0"},
        "dependentRequired": {"type": "object", "additionalProperties": _NAMES},
    }
    return {name: kind for kind, names in groups for name in names.split()} | single


_METASCHEMA: JsonObject = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": ["object", "boolean"],
    "properties": _keywords(),
    "x-expected": "a schema: an object, true or false",
}
_FLAT_DIALECTS = (
    jsonschema.Draft3Validator,
    jsonschema.Draft4Validator,
    jsonschema.Draft6Validator,
    jsonschema.Draft7Validator,
)


def schema_fault(schema: JsonObject) -> str | None:
    """Return why `schema` is none, as the end of a sentence; None when it is one.

    Its `$schema` decides between the drafts, 2020-12 where there is none. Patterns are not looked
    into. Raises RecursionError for a value that is nested too deeply.
    """
    dialect = schema.get("$schema")
    known = {"$schema": dialect} if isinstance(dialect, str) else {}
    chosen = validator_for(known, default=jsonschema.Draft202012Validator)
    checker = _checker(chosen if chosen in _FLAT_DIALECTS else None)
    error = next(checker.iter_errors(schema), None)
    return None if error is None else _sentence(error)


@functools.cache
def _checker(dialect: type[Validator] | None) -> Validator:
    base = dialect or jsonschema.Draft202012Validator
    rules = {"uniqueItems": _different_names}
    made: type[Validator] = extend(base, rules)  # type: ignore[no-untyped-call]  # has no hints
    return made(dialect.META_SCHEMA if dialect else _METASCHEMA)


def _different_names(
    _validator: Validator, wanted: object, found: object, _schema: object
) -> Iterator[ValidationError]:
    names = [item for item in found if isinstance(item, str)] if isinstance(found, list) else []
    if wanted and len(set(names)) < len(names):
        yield ValidationError("it has the same name twice")


def _sentence(error: ValidationError) -> str:
    where = ".".join(str(part) for part in error.absolute_path)
    schema = error.schema if isinstance(error.schema, dict) else {}
    expected = schema.get("x-expected")
    reason = f"must be {expected}" if expected else error.message[:160]
    return f'"{where}" {reason}' if where else reason

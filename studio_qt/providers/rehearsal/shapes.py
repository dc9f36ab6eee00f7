"""Reading a schema for what is to be made: its kind, its properties, several schemas in one."""

from __future__ import annotations

from collections.abc import Mapping

from studio_qt.jsontext import JsonObject, JsonValue
from studio_qt.providers.rehearsal.schema import Schema, TooMuchError

__all__ = [
    "MOST_PROPERTIES",
    "UnfillableError",
    "kind_of",
    "merged",
    "other_of",
    "properties_of",
    "required_of",
]

MOST_PROPERTIES = 60
"""More required properties than this are not filled."""

_TELLING = {
    "object": {"properties", "required", "additionalProperties", "patternProperties"},
    "array": {"items", "prefixItems", "minItems", "maxItems", "uniqueItems"},
    "number": {"minimum", "maximum", "multipleOf", "exclusiveMinimum", "exclusiveMaximum"},
}


class UnfillableError(Exception):
    """A required value cannot be made valid."""


def kind_of(schema: JsonObject) -> str:
    """Return the JSON type to make, guessed from other keywords where none is given."""
    kinds = schema.get("type")
    if isinstance(kinds, str):
        return kinds
    if isinstance(kinds, list):
        return next((str(one) for one in kinds if one != "null"), "null")
    for kind, keys in _TELLING.items():
        if keys & schema.keys():
            return kind
    return "string"


def merged(base: JsonObject, part: Schema) -> JsonObject:
    """Return both schemas in one; raises `UnfillableError` where the part is false."""
    if part is False:
        raise UnfillableError
    if not isinstance(part, dict):
        return base
    made: JsonObject = {**base, **part}
    if "properties" in base or "properties" in part:
        made["properties"] = {**properties_of(base), **properties_of(part)}
    if "required" in base or "required" in part:
        made["required"] = list(dict.fromkeys([*required_of(base), *required_of(part)]))
    both = [one["allOf"] for one in (base, part) if isinstance(one.get("allOf"), list)]
    if both:
        made["allOf"] = [one for some in both if isinstance(some, list) for one in some]
    return made


def properties_of(schema: Mapping[str, JsonValue]) -> JsonObject:
    """Return the properties of an object's schema, {} without any."""
    known = schema.get("properties")
    return known if isinstance(known, dict) else {}


def required_of(schema: Mapping[str, JsonValue]) -> list[str]:
    """Return the required names, each a string; raises TooMuchError for more than 60."""
    names = schema.get("required")
    if not isinstance(names, list):
        return []
    if len(names) > MOST_PROPERTIES:
        raise TooMuchError
    return [name for name in names if isinstance(name, str)]


def other_of(schema: JsonObject) -> Schema:
    """Return the schema of properties that are not listed."""
    return schema.get("additionalProperties", True)

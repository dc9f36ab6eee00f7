"""Tool definitions as strict servers take them."""

from __future__ import annotations

from collections.abc import Collection

from studio_qt.jsontext import JsonObject, JsonValue
from studio_qt.providers.lenient import as_object

__all__ = ["clean_schema", "wire_tool"]

_MAPS = ("properties", "$defs", "definitions", "patternProperties", "dependentSchemas")
_LISTS = ("anyOf", "oneOf", "allOf", "prefixItems")
_SINGLES = ("items", "additionalProperties", "not", "contains", "propertyNames", "if", "then")


def wire_tool(tool: JsonObject, name: str, refused: Collection[str]) -> JsonObject:
    """Return `tool` under the name `name`, its parameters an object schema without `refused`."""
    function = as_object(tool.get("function"))
    schema = clean_schema(as_object(function.get("parameters")), refused)
    parameters = {"type": "object", **schema}
    parameters.setdefault("properties", {})
    made: JsonObject = {"name": name, "description": function.get("description") or ""}
    return {"type": "function", "function": {**made, "parameters": parameters}}


def clean_schema(schema: JsonObject, refused: Collection[str]) -> JsonObject:
    """Return `schema` without the keywords `refused`, where arrays have items, objects properties.

    Only places that hold a schema are looked at: a property may be called like a keyword.
    """
    made: JsonObject = {}
    for key, value in schema.items():
        if key not in refused:
            made[key] = _cleaned(key, value, refused)
    kind = made.get("type")
    if kind == "array" and "items" not in made and "prefixItems" not in made:
        made["items"] = {}
    if kind == "object":
        made.setdefault("properties", {})
    return made


def _cleaned(key: str, value: JsonValue, refused: Collection[str]) -> JsonValue:
    if key in _SINGLES and isinstance(value, dict):
        return clean_schema(value, refused)
    if key in _LISTS and isinstance(value, list):
        return [clean_schema(v, refused) if isinstance(v, dict) else v for v in value]
    if key in _MAPS and isinstance(value, dict):
        return {
            name: clean_schema(v, refused) if isinstance(v, dict) else v
            for name, v in value.items()
        }
    return value

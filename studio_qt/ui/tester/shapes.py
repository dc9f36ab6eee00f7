"""What a JSON Schema asks for, as a form can show it. Without Qt."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from studio_qt.jsontext import JsonObject, JsonValue, encode

__all__ = ["Kind", "Shape", "first_value", "fits", "hint", "number_text", "shape_of"]

Kind = Literal["text", "number", "integer", "boolean", "enum", "array", "object", "raw"]

DEEPEST = 6
"""Levels that a form shows; what lies deeper is written as JSON."""

MOST = 400
"""Fields of a form."""

_HOPS = 20
_LONG = 10**20
_ITEMS = 3
_PLAIN: Mapping[str, Kind] = {
    "string": "text",
    "number": "number",
    "integer": "integer",
    "boolean": "boolean",
    "array": "array",
    "object": "object",
}
_BRANCHES = ("anyOf", "oneOf", "allOf", "not", "if")


@dataclass(frozen=True, slots=True)
class Shape:
    """One value: what kind of field it has, and what the schema says of it.

    `properties` are pairs of name and shape, `required` names; `item` is the shape of an array's
    items. `default` is what the schema gives, None without (`has_default` tells them apart).
    """

    kind: Kind
    help: str = ""
    default: JsonValue = None
    has_default: bool = False
    options: tuple[JsonValue, ...] = ()
    minimum: float | None = None
    maximum: float | None = None
    above: float | None = None
    below: float | None = None
    least: int | None = None
    most: int | None = None
    step: float | None = None
    pattern: str = ""
    properties: tuple[tuple[str, Shape], ...] = ()
    required: frozenset[str] = frozenset()
    item: Shape | None = None
    schema: JsonObject = field(default_factory=dict)


def shape_of(schema: JsonValue) -> Shape:
    """Return the shape that a schema asks for; what a form cannot say becomes "raw".

    `$ref` is followed inside the document. Never fails: a broken schema is "raw" as well, and so
    is what comes after some hundred fields.
    """
    return _Reader(schema if isinstance(schema, dict) else {}).shape(schema, 0)


def fits(shape: Shape, value: JsonValue) -> bool:
    """Whether the field of a shape can hold a value without changing it."""
    match shape.kind:
        case "text":
            return isinstance(value, str)
        case "number" | "integer":
            return _number(value) is not None
        case "boolean":
            return isinstance(value, bool)
        case "enum":
            return encode(value) in map(encode, shape.options)
        case "array":
            item = shape.item or Shape("raw")
            return isinstance(value, list) and all(fits(item, one) for one in value)
        case "object" if shape.properties:
            shapes = dict(shape.properties)
            return isinstance(value, dict) and all(
                fits(shapes.get(name, Shape("raw")), one) for name, one in value.items()
            )
        case _:
            return True


class _Reader:
    """Reads one schema; counts the fields, since references can multiply them without end."""

    def __init__(self, root: JsonObject) -> None:
        self._root = root
        self._left = MOST

    def shape(self, schema: JsonValue, depth: int) -> Shape:
        self._left -= 1
        if not isinstance(schema, dict) or self._left < 0:
            return Shape("raw")
        return self._read(_resolved(schema, self._root), depth)

    def _read(self, schema: JsonObject, depth: int) -> Shape:
        kind = _kind(schema)
        if depth >= DEEPEST and kind in ("array", "object"):
            kind = "raw"
        if kind == "array":
            return _made(kind, schema, item=self.shape(schema.get("items", {}), depth + 1))
        if kind == "object":
            found, required = schema.get("properties"), schema.get("required")
            named = found if isinstance(found, dict) else {}
            return _made(
                kind,
                schema,
                properties=tuple((k, self.shape(v, depth + 1)) for k, v in named.items()),
                required=frozenset(map(str, required if isinstance(required, list) else ())),
            )
        return _made(kind, schema, options=_options(schema))


def first_value(shape: Shape) -> JsonValue:
    """Return what a new field holds: the default, else the least of its kind."""
    if shape.has_default and fits(shape, shape.default):
        return shape.default
    match shape.kind:
        case "text":
            return ""
        case "integer" | "number":
            return _first_number(shape)
        case "boolean":
            return False
        case "enum":
            return shape.options[0]
        case "array":
            assert shape.item is not None
            return [first_value(shape.item) for _ in range(min(shape.least or 0, _ITEMS))]
        case "object":
            return {k: first_value(one) for k, one in shape.properties if k in shape.required}
        case _:
            return None


def hint(shape: Shape) -> str:
    """Return what is allowed, for people: "whole number, 1 to 20"."""
    words = {"text": "text", "integer": "whole number", "number": "number", "raw": "JSON"}
    facts = [words.get(shape.kind, "")]
    facts.append(_between(shape.minimum, shape.maximum, shape.above, shape.below))
    if shape.kind == "text" and (shape.least or shape.most):
        facts.append(f"{_between(shape.least, shape.most)} characters")
    if shape.kind == "array" and (shape.least or shape.most):
        facts.append(f"{_between(shape.least, shape.most)} items")
    if shape.pattern:
        facts.append(f"like {shape.pattern}")
    return ", ".join(fact for fact in facts if fact)


def _made(kind: Kind, schema: JsonObject, **more: object) -> Shape:
    lengths = {"text": ("minLength", "maxLength"), "array": ("minItems", "maxItems")}
    low, high = lengths.get(kind, ("", ""))
    facts: dict[str, object] = {
        "help": _words(schema.get("description")) or _words(schema.get("title")),
        "default": schema.get("default"),
        "has_default": "default" in schema,
        "minimum": _number(schema.get("minimum")),
        "maximum": _number(schema.get("maximum")),
        "above": _number(schema.get("exclusiveMinimum")),
        "below": _number(schema.get("exclusiveMaximum")),
        "step": _number(schema.get("multipleOf")),
        "pattern": _words(schema.get("pattern")),
        "least": _count(schema.get(low)),
        "most": _count(schema.get(high)),
    }
    return Shape(kind, schema=schema, **{**facts, **more})  # type: ignore[arg-type]


def _options(schema: JsonObject) -> tuple[JsonValue, ...]:
    if "const" in schema:
        return (schema["const"],)
    found = schema.get("enum")
    return tuple(found) if isinstance(found, list) else ()


def _kind(schema: JsonObject) -> Kind:
    kinds = schema.get("type")
    if _options(schema):
        return "enum"
    if any(word in schema for word in _BRANCHES):
        return "raw"
    if kinds is None:
        return "object" if "properties" in schema else "raw"
    return _PLAIN.get(kinds, "raw") if isinstance(kinds, str) else "raw"


def _resolved(schema: JsonObject, root: JsonObject) -> JsonObject:
    """Follow `$ref` inside the document; one that leads nowhere, or round, stays as it is."""
    for _ in range(_HOPS):
        place = schema.get("$ref")
        if not isinstance(place, str) or not place.startswith("#"):
            return schema
        found: JsonValue = root
        for step in place[1:].split("/")[1:]:
            name = step.replace("~1", "/").replace("~0", "~")
            found = found.get(name) if isinstance(found, dict) else None
        if not isinstance(found, dict):
            return {}
        schema = {**found, **{key: value for key, value in schema.items() if key != "$ref"}}
    return {}


def _first_number(shape: Shape) -> JsonValue:
    """Return 0, or what is next to it within the bounds as far as they are simple ones."""
    whole = shape.kind == "integer"
    least, most = shape.minimum, shape.maximum
    step = 1 if whole else (shape.step or 1)
    if least is None and shape.above is not None:
        least = math.floor(shape.above) + 1 if whole else shape.above + step
    if most is None and shape.below is not None:
        most = math.ceil(shape.below) - 1 if whole else shape.below - step
    if least is not None and least > 0:
        found = math.ceil(least) if whole else least
    else:
        found = min(0, 0 if most is None else math.floor(most) if whole else most)
    return int(found) if isinstance(found, float) and found.is_integer() else found


def _between(
    low: float | None, high: float | None, above: float | None = None, below: float | None = None
) -> str:
    if low is not None and high is not None:
        return f"{number_text(low)} to {number_text(high)}"
    facts: Sequence[tuple[str, float | None]] = (
        ("from", low), ("to", high), ("above", above), ("below", below),
    )  # fmt: skip
    return " ".join(f"{word} {number_text(value)}" for word, value in facts if value is not None)


def number_text(value: float) -> str:
    """Return a number as it is written, and one of very many digits in short."""
    if not isinstance(value, int):
        return str(int(value)) if value.is_integer() and abs(value) < _LONG else repr(value)
    if abs(value) < _LONG:
        return str(value)
    sign = "-" if value < 0 else ""
    return f"{sign}a number of {round(math.log10(abs(value))) + 1} digits"


def _number(value: JsonValue) -> float | None:
    """Return a number; JSON has none without an end, though texts such as 1e999 are read as one."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return value if isinstance(value, int) or math.isfinite(value) else None


def _count(value: JsonValue) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None


def _words(value: JsonValue) -> str:
    return value if isinstance(value, str) else ""

"""A small JSON Schema checker that always ends: what Rehearsal fills in is checked with it.

It is stricter than a real validator. Where it cannot tell within its budget (a `pattern` that may
run for ever, a `$ref` out of the document, a keyword it does not know) the value does not fit,
unless it is one that the schema itself gives as default or example.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping
from urllib.parse import unquote

from studio_qt.jsontext import JsonObject, JsonValue
from studio_qt.providers.rehearsal.words import word_set

__all__ = ["Budget", "Schema", "TooMuchError", "examples_of", "fits", "matches_pattern", "resolve"]

_DEEPEST = 24
_LONGEST_PATTERN = 200
_LONGEST_SUBJECT = 200
_OPEN_ENDED = re.compile(r"(?<!\\)[*+]|\{\d+,\d*\}")
_RISKY = re.compile(
    r"\)[*+{?]|\{\d{4,}|\\[1-9kpPcu]|\(\?[^:]|\[\^?\]|\[\[|&&|\$(?!$)|(?<!^)(?<!\[)\^"
)
_UNKNOWN = word_set(
    "dependentSchemas dependencies unevaluatedItems unevaluatedProperties $dynamicRef $recursiveRef"
    " propertyNames contentSchema"
)

Schema = JsonValue
"""A schema as it stands in the document: an object, true or false."""


class TooMuchError(Exception):
    """A schema asks for more work than a rehearsal does."""


class Budget:
    """Steps and depth that one filling may use; keeps the document that `$ref` points into."""

    def __init__(self, root: JsonValue, steps: int = 4000) -> None:
        self.root = root
        self._steps = steps

    def step(self, depth: int) -> None:
        """Count one step; raises TooMuchError when steps or depth are spent."""
        self._steps -= 1
        if self._steps < 0 or depth > _DEEPEST:
            raise TooMuchError


def resolve(schema: Schema, budget: Budget) -> Schema:
    """Return the schema with its `$ref` followed; raises TooMuchError where that leads nowhere."""
    for _ in range(_DEEPEST):
        if not isinstance(schema, dict) or "$ref" not in schema:
            return schema
        target = _pointed(schema["$ref"], budget)
        beside = {key: value for key, value in schema.items() if key not in _ANNOTATIONS}
        if len(beside) > 1:
            rest: JsonObject = {key: value for key, value in schema.items() if key != "$ref"}
            parts = rest.get("allOf")
            rest["allOf"] = [*(parts if isinstance(parts, list) else []), target]
            return rest
        schema = target
    raise TooMuchError


def examples_of(schema: Schema) -> list[JsonValue]:
    """Return the values that a schema itself offers: const, default, examples."""
    if not isinstance(schema, dict):
        return []
    offered = [schema[key] for key in ("const", "default", "example") if key in schema]
    listed = schema.get("examples")
    return [*offered, *(listed[:20] if isinstance(listed, list) else [])]


def fits(value: JsonValue, schema: Schema, budget: Budget, depth: int = 0) -> bool:
    """Return whether `value` certainly fits; raises TooMuchError when the budget is spent."""
    budget.step(depth)
    schema = resolve(schema, budget)
    if isinstance(schema, bool):
        return schema
    if not isinstance(schema, dict) or schema.keys() & _UNKNOWN:
        return False
    return all(
        check(value, schema, budget, depth + 1) for key, check in _CHECKS.items() if key in schema
    )


def matches_pattern(text: str, pattern: str) -> bool | None:
    """Return whether `pattern` is found in `text`; None where that is not safe to find out.

    A text that is too long to try, or that holds characters that dialects of patterns treat
    differently, does not match.
    """
    open_ended = len(_OPEN_ENDED.findall(pattern))
    if len(pattern) > _LONGEST_PATTERN or open_ended > 3:
        return None
    if _RISKY.search(pattern.replace(")?", ")")):  # an optional group repeats nothing
        return None
    if len(text) > (_LONGEST_SUBJECT if open_ended <= 2 else 40) or not text.isprintable():
        return False
    try:
        return re.search(pattern.replace(r"\d", "[0-9]").replace("$", r"\Z"), text) is not None
    except (re.error, OverflowError):
        return None


_ANNOTATIONS = word_set("title description $comment default examples example deprecated")


def _pointed(reference: JsonValue, budget: Budget) -> Schema:
    if not isinstance(reference, str) or not reference.startswith("#"):
        raise TooMuchError
    at: JsonValue = budget.root
    for part in filter(None, reference[1:].split("/")):
        key = unquote(part).replace("~1", "/").replace("~0", "~")
        if isinstance(at, dict) and key in at:
            at = at[key]
        elif isinstance(at, list) and key.isdecimal() and int(key) < len(at):
            at = at[int(key)]
        else:
            raise TooMuchError
    return at


def _same(one: JsonValue, other: JsonValue) -> bool:
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, (int, float)) and isinstance(other, (int, float)):
        return one == other
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_same, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_same(one[key], other[key]) for key in one)
    return type(one) is type(other) and one == other


def _is_type(value: JsonValue, name: JsonValue) -> bool:
    match name:
        case "integer":
            return _is_number(value) and (isinstance(value, int) or float.is_integer(value))  # type: ignore[arg-type]
        case "number":
            return _is_number(value)
        case "string":
            return isinstance(value, str)
        case "boolean":
            return isinstance(value, bool)
        case "null":
            return value is None
        case "array":
            return isinstance(value, list)
        case "object":
            return isinstance(value, dict)
    return False


def _is_number(value: JsonValue) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


_Check = Callable[[JsonValue, JsonObject, Budget, int], bool]


def _check_type(value: JsonValue, schema: JsonObject, _budget: Budget, _depth: int) -> bool:
    wanted = schema["type"]
    return any(_is_type(value, name) for name in (wanted if isinstance(wanted, list) else [wanted]))


def _check_enum(value: JsonValue, schema: JsonObject, _budget: Budget, _depth: int) -> bool:
    options = schema["enum"]
    return isinstance(options, list) and any(_same(value, option) for option in options)


def _check_const(value: JsonValue, schema: JsonObject, _budget: Budget, _depth: int) -> bool:
    return _same(value, schema["const"])


def _limit(key: str, fit: Callable[[float, float], bool]) -> _Check:
    """Return a check of a number, or of the length of a text, list or object."""

    def check(value: JsonValue, schema: JsonObject, _budget: Budget, _depth: int) -> bool:
        size = _size(value, key)
        bound = schema[key]
        if size is None or isinstance(bound, bool):
            return True
        return isinstance(bound, (int, float)) and fit(size, bound)

    return check


def _size(value: JsonValue, key: str) -> float | None:
    if isinstance(value, bool) or value is None:
        return None
    if key.endswith("Length"):
        return len(value) if isinstance(value, str) else None
    if key.endswith("Items"):
        return len(value) if isinstance(value, list) else None
    if key.endswith("Properties"):
        return len(value) if isinstance(value, dict) else None
    return value if isinstance(value, (int, float)) else None


def _is_multiple(value: float, of: float) -> bool:
    if isinstance(value, int) and isinstance(of, int):
        return of != 0 and value % of == 0
    return of != 0 and math.isfinite(value / of) and (value / of).is_integer()


def _check_pattern(value: JsonValue, schema: JsonObject, _budget: Budget, _depth: int) -> bool:
    if not isinstance(value, str):
        return True
    pattern = schema["pattern"]
    found = matches_pattern(value, pattern) if isinstance(pattern, str) else None
    return value in examples_of(schema) if found is None else found


def _check_items(value: JsonValue, schema: JsonObject, budget: Budget, depth: int) -> bool:
    if not isinstance(value, list):
        return True
    first = schema.get("prefixItems")
    leading: list[JsonValue] = first if isinstance(first, list) else []
    pairs = list(zip(value, leading, strict=False))
    if "items" in schema:
        if isinstance(schema["items"], list):
            return False
        pairs += [(item, schema["items"]) for item in value[len(leading) :]]
    return all(fits(item, part, budget, depth) for item, part in pairs)


def _check_contains(value: JsonValue, schema: JsonObject, budget: Budget, depth: int) -> bool:
    if not isinstance(value, list):
        return True
    if "minContains" in schema or "maxContains" in schema:
        return False
    return any(fits(item, schema["contains"], budget, depth) for item in value)


def _check_unique(value: JsonValue, schema: JsonObject, _budget: Budget, _depth: int) -> bool:
    if schema["uniqueItems"] is not True or not isinstance(value, list):
        return True
    return len(value) <= 100 and not any(
        _same(one, other) for at, one in enumerate(value) for other in value[:at]
    )


def _check_required(value: JsonValue, schema: JsonObject, _budget: Budget, _depth: int) -> bool:
    names = schema["required"]
    return not isinstance(value, dict) or (
        isinstance(names, list) and all(name in value for name in names)
    )


def _check_properties(value: JsonValue, schema: JsonObject, budget: Budget, depth: int) -> bool:
    if not isinstance(value, dict):
        return True
    known = _object(schema.get("properties"))
    patterns = _object(schema.get("patternProperties"))
    for key, item in value.items():
        parts = [known[key]] if key in known else []
        for pattern, part in patterns.items():
            found = matches_pattern(key, pattern)
            if found is None:
                return False
            parts += [part] * found
        if not parts:
            parts = [schema.get("additionalProperties", True)]
        if not all(fits(item, part, budget, depth) for part in parts):
            return False
    return True


def _check_dependent(value: JsonValue, schema: JsonObject, _budget: Budget, _depth: int) -> bool:
    if not isinstance(value, dict):
        return True
    needs = _object(schema["dependentRequired"])
    wanted = (names for key, names in needs.items() if key in value)
    return all(isinstance(names, list) and all(one in value for one in names) for names in wanted)


def _parts(schema: JsonObject, key: str) -> Iterable[Schema]:
    listed = schema[key]
    return listed if isinstance(listed, list) else ()


def _check_all(value: JsonValue, schema: JsonObject, budget: Budget, depth: int) -> bool:
    return all(fits(value, part, budget, depth) for part in _parts(schema, "allOf"))


def _check_any(value: JsonValue, schema: JsonObject, budget: Budget, depth: int) -> bool:
    return any(fits(value, part, budget, depth) for part in _parts(schema, "anyOf"))


def _check_not(value: JsonValue, schema: JsonObject, budget: Budget, _depth: int) -> bool:
    return _surely_not(value, schema["not"], budget)


def _check_if(value: JsonValue, schema: JsonObject, budget: Budget, depth: int) -> bool:
    if _surely_not(value, schema["if"], budget):
        return fits(value, schema.get("else", True), budget, depth)
    certain = fits(value, schema["if"], budget, depth)
    return certain and fits(value, schema.get("then", True), budget, depth)


def _check_one(value: JsonValue, schema: JsonObject, budget: Budget, depth: int) -> bool:
    """Return whether a first branch fits and every other one certainly does not."""
    branches = list(_parts(schema, "oneOf"))
    fitting = [part for part in branches if fits(value, part, budget, depth)]
    return len(fitting) == 1 and all(
        part is fitting[0] or _surely_not(value, part, budget) for part in branches
    )


def _surely_not(value: JsonValue, schema: Schema, budget: Budget) -> bool:
    """Return whether type, enum, const or a missing property alone rule the value out."""
    schema = resolve(schema, budget)
    if not isinstance(schema, dict):
        return schema is False
    plain = ("type", "enum", "const", "required", *_LIMITS)
    return any(key in schema and not _CHECKS[key](value, schema, budget, 0) for key in plain)


def _object(value: JsonValue) -> Mapping[str, JsonValue]:
    return value if isinstance(value, dict) else {}


_LIMITS: dict[str, _Check] = {
    "minimum": _limit("minimum", lambda size, bound: size >= bound),
    "maximum": _limit("maximum", lambda size, bound: size <= bound),
    "exclusiveMinimum": _limit("exclusiveMinimum", lambda size, bound: size > bound),
    "exclusiveMaximum": _limit("exclusiveMaximum", lambda size, bound: size < bound),
    "multipleOf": _limit("multipleOf", _is_multiple),
    "minLength": _limit("minLength", lambda size, bound: size >= bound),
    "maxLength": _limit("maxLength", lambda size, bound: size <= bound),
    "minItems": _limit("minItems", lambda size, bound: size >= bound),
    "maxItems": _limit("maxItems", lambda size, bound: size <= bound),
    "minProperties": _limit("minProperties", lambda size, bound: size >= bound),
    "maxProperties": _limit("maxProperties", lambda size, bound: size <= bound),
}
_CHECKS: dict[str, _Check] = {
    "type": _check_type,
    "enum": _check_enum,
    "const": _check_const,
    **_LIMITS,
    "pattern": _check_pattern,
    "items": _check_items,
    "prefixItems": _check_items,
    "contains": _check_contains,
    "uniqueItems": _check_unique,
    "required": _check_required,
    "properties": _check_properties,
    "patternProperties": _check_properties,
    "additionalProperties": _check_properties,
    "dependentRequired": _check_dependent,
    "allOf": _check_all,
    "anyOf": _check_any,
    "oneOf": _check_one,
    "not": _check_not,
    "if": _check_if,
}

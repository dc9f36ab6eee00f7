"""Whether a tool call's arguments fit its schema, and the sentence for the model if not (LOOP-04).

Draft 2020-12 without remote references. A schema that could hang the host (`needs_worker`) is only
ever given to a worker that can be killed.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping

import jsonschema
import jsonschema.exceptions
import referencing
from jsonschema.protocols import Validator

from studio_qt.jsontext import JsonObject, JsonValue, encode

__all__ = ["check", "check_in_host", "needs_worker", "sentence"]

_log = logging.getLogger(__name__)

_COSTLY = frozenset(
    {
        "pattern",
        "patternProperties",
        "$ref",
        "$dynamicRef",
        "$recursiveRef",
        "uniqueItems",
        "format",
    }
)
_PHRASES = {
    "enum": "be one of {}",
    "const": "be {}",
    "minimum": "be {} or more",
    "maximum": "be {} or less",
    "exclusiveMinimum": "be more than {}",
    "exclusiveMaximum": "be less than {}",
    "multipleOf": "be a multiple of {}",
    "pattern": "match the pattern {}",
    "minLength": "have at least {} characters",
    "maxLength": "have at most {} characters",
    "minItems": "have at least {} items",
    "maxItems": "have at most {} items",
    "uniqueItems": "not hold the same item twice",
    "minProperties": "have at least {} members",
    "maxProperties": "have at most {} members",
}
_SHOWS_GIVEN = frozenset(
    {
        "enum",
        "const",
        "minimum",
        "maximum",
        "exclusiveMinimum",
        "exclusiveMaximum",
        "multipleOf",
        "pattern",
    }
)
_SMALL_NODES = 2_000
_SMALL_DEPTH = 40
_SHOWN = 80


def needs_worker(schema: JsonValue) -> bool:
    """Whether checking against `schema` may take long: costly keywords, or a large schema."""
    for nodes, (value, depth) in enumerate(_walk(schema)):
        if nodes >= _SMALL_NODES or depth > _SMALL_DEPTH:
            return True
        if isinstance(value, dict) and not _COSTLY.isdisjoint(value):
            return True
    return False


def check_in_host(schema: JsonObject, arguments: JsonObject) -> str | None:
    """As `check`, for a schema that does not need a worker; raises ValueError for one that does."""
    if needs_worker(schema):
        raise ValueError("this schema may only be checked in a worker")
    return check(jsonschema.Draft202012Validator, schema, arguments)


def check(validator: type[Validator], schema: JsonObject, arguments: JsonObject) -> str | None:
    """Return None when `arguments` fit, else one sentence that names argument and expectation."""
    checker = validator(schema, registry=referencing.Registry())
    try:
        error = jsonschema.exceptions.best_match(checker.iter_errors(arguments))
    except referencing.exceptions.Unresolvable as missing:
        return f"The arguments could not be checked: the schema has no {missing.ref}."
    except Exception as fault:  # noqa: BLE001 - a faulty schema fails in many ways, never ours
        _log.info("a schema could not be used: %s", fault, exc_info=True)
        kind = type(fault).__name__
        return f"The arguments could not be checked: the tool's schema is faulty ({kind})."
    return None if error is None else sentence(error)


def sentence(error: jsonschema.exceptions.ValidationError) -> str:
    """Return a sentence for the model: which argument, and what is expected of it."""
    name = "".join(_step(part) for part in error.absolute_path).removeprefix(".")
    where = f'The argument "{name}"' if name else "The arguments"
    rule, expected, given = str(error.validator), error.validator_value, error.instance
    if rule == "required" and isinstance(expected, list) and isinstance(given, dict):
        missing = next((key for key in expected if key not in given), "?")
        return f'{where} must have "{missing}", which is required.'
    if rule == "additionalProperties" and isinstance(given, dict):
        return f"{where} must not have {_show(_extra(error.schema, given))}."
    if rule == "type":
        kinds = expected if isinstance(expected, list) else [expected]
        return f"{where} must be of type {' or '.join(map(str, kinds))}, not {_show(given)}."
    if phrase := _PHRASES.get(rule):
        ending = f", not {_show(given)}." if rule in _SHOWS_GIVEN else "."
        return f"{where} must {phrase.format(_show(expected))}{ending}"
    return f"{where} must fit the schema's rule {rule}: {_show(expected)}."


def _extra(schema: object, given: JsonObject) -> JsonValue:
    known = schema.get("properties") if isinstance(schema, Mapping) else None
    extra: list[JsonValue] = [key for key in given if key not in (known or {})]
    return extra[0] if len(extra) == 1 else extra


def _step(part: object) -> str:
    return f"[{part}]" if isinstance(part, int) else f".{part}"


def _show(value: object) -> str:
    text = encode(value)
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "…"


def _walk(schema: JsonValue) -> Iterator[tuple[JsonValue, int]]:
    left: list[tuple[JsonValue, int]] = [(schema, 0)]
    while left:
        value, depth = left.pop()
        yield value, depth
        if isinstance(value, dict):
            left += [(item, depth + 1) for item in value.values()]
        elif isinstance(value, list):
            left += [(item, depth + 1) for item in value]

"""Reading JSON that may have any shape: each function gives an empty value for a wrong type."""

from __future__ import annotations

import math

from studio_qt.jsontext import JsonObject, JsonValue

__all__ = ["as_count", "as_list", "as_object", "as_text", "dig", "objects_in"]

_DIGITS = 20
"""Digits that no count has; Python refuses to read some thousands."""


def as_text(value: JsonValue) -> str:
    """Return `value` when it is a string, "" otherwise."""
    return value if isinstance(value, str) else ""


def as_object(value: JsonValue) -> JsonObject:
    """Return `value` when it is an object, {} otherwise."""
    return value if isinstance(value, dict) else {}


def as_list(value: JsonValue) -> list[JsonValue]:
    """Return `value` when it is a list, [] otherwise."""
    return value if isinstance(value, list) else []


def as_count(value: JsonValue) -> int | None:
    """Return a finite number that is 0 or more as an integer, else None; "12" counts."""
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < _DIGITS:
        return int(value)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return int(value) if value >= 0 and math.isfinite(value) else None


def objects_in(value: JsonValue) -> list[JsonObject]:
    """Return the objects of a list, leaving out everything else."""
    return [item for item in as_list(value) if isinstance(item, dict)]


def dig(value: JsonValue, path: str) -> JsonValue:
    """Return what stands at a dotted path of object keys, None where there is nothing."""
    for key in path.split("."):
        value = as_object(value).get(key)
    return value

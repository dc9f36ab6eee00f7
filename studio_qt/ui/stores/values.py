"""JSON values edited by path: each function returns a new value and leaves the old one as it was.

What lies beside the path is shared between old and new, so that undo keeps whole values at the
cost of the path alone. A path that does not lead anywhere raises LookupError.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Literal, TypeAlias

from studio_qt.jsontext import JsonValue, decode, encode, encode_pretty

__all__ = [
    "KINDS",
    "Key",
    "Kind",
    "Path",
    "converted",
    "count_words",
    "free_key",
    "inserted",
    "kind_of",
    "moved",
    "put",
    "removed",
    "renamed",
    "scalar_of",
    "short_text",
    "value_at",
]

Key: TypeAlias = str | int
Path: TypeAlias = tuple[Key, ...]
Kind = Literal["object", "list", "text", "number", "yes/no", "nothing"]
Container: TypeAlias = "dict[str, JsonValue] | list[JsonValue]"

KINDS: tuple[Kind, ...] = ("text", "number", "yes/no", "nothing", "list", "object")
"""The kinds of values, in the order in which a menu has them."""

_SHOWN = 300


def kind_of(value: JsonValue) -> Kind:
    """Return what a value is, in words for the user."""
    if isinstance(value, bool):
        return "yes/no"
    if isinstance(value, (int, float)):
        return "number"
    if isinstance(value, str):
        return "text"
    if isinstance(value, list):
        return "list"
    return "object" if isinstance(value, dict) else "nothing"


def value_at(root: JsonValue, path: Path) -> JsonValue:
    """Return the value at a path; () is the root."""
    value = root
    for key in path:
        value = _child(value, key)
    return value


def put(root: JsonValue, path: Path, value: JsonValue) -> JsonValue:
    """Put a value in the place of the one at a path."""
    if not path:
        return value

    def replace(holder: Container) -> Container:
        _child(holder, path[-1])
        return _with(holder, path[-1], value)

    return _changed(root, path[:-1], replace)


def removed(root: JsonValue, path: Path) -> JsonValue:
    """Take a value away; the root cannot be."""
    if not path:
        raise LookupError("the whole cannot be removed")

    def remove(holder: Container) -> Container:
        _child(holder, path[-1])
        if isinstance(holder, dict):
            return {key: one for key, one in holder.items() if key != path[-1]}
        return _without(holder, path[-1])

    return _changed(root, path[:-1], remove)


def inserted(root: JsonValue, holder: Path, position: int, key: str, value: JsonValue) -> JsonValue:
    """Add a value to the object or list at `holder`, before the child at `position`.

    `key` counts for objects alone, and must be free there.
    """

    def insert(held: Container) -> Container:
        if isinstance(held, list):
            return [*held[:position], value, *held[position:]]
        if key in held:
            raise LookupError(f"there is a field {key} already")
        pairs = list(held.items())
        return dict([*pairs[:position], (key, value), *pairs[position:]])

    return _changed(root, holder, insert)


def renamed(root: JsonValue, path: Path, key: str) -> JsonValue:
    """Give a field another name; its place stays."""

    def rename(holder: Container) -> Container:
        _child(holder, path[-1])
        if not isinstance(holder, dict):
            raise LookupError("items of a list have numbers, no names")
        if key != path[-1] and key in holder:
            raise LookupError(f"there is a field {key} already")
        return {key if old == path[-1] else old: one for old, one in holder.items()}

    return _changed(root, path[:-1], rename)


def moved(root: JsonValue, path: Path, position: int) -> JsonValue:
    """Move a value to another place among its siblings; `position` counts without it."""

    def move(holder: Container) -> Container:
        value = _child(holder, path[-1])
        if isinstance(holder, dict):
            pairs = [(key, one) for key, one in holder.items() if key != path[-1]]
            pairs.insert(position, (str(path[-1]), value))
            return dict(pairs)
        rest = _without(holder, path[-1])
        rest.insert(position, value)
        return rest

    return _changed(root, path[:-1], move)


def converted(value: JsonValue, kind: Kind) -> JsonValue:
    """Return a value of another kind that keeps as much as there is room for."""
    made: dict[Kind, Callable[[JsonValue], JsonValue]] = {
        "text": _as_text,
        "number": _as_number,
        "yes/no": lambda old: old not in (None, False, 0, "", "false", "no") and old != [],
        "nothing": lambda _old: None,
        "list": _as_list,
        "object": _as_object,
    }
    return value if kind_of(value) == kind else made[kind](value)


def scalar_of(kind: Kind, text: str) -> JsonValue:
    """Return what was typed as a value of a kind; raises ValueError with a sentence."""
    if kind == "text":
        return text
    if kind == "number":
        return _number(text)
    word = text.strip().lower()
    if kind == "yes/no":
        if word not in ("true", "false", "yes", "no"):
            raise ValueError("Write true or false.")
        return word in ("true", "yes")
    if word not in ("null", "nothing", ""):
        raise ValueError("Nothing stays null; give it another type first.")
    return None


def free_key(holder: JsonValue, wish: str) -> str:
    """Return a name that no field of an object has: the wish, or the wish with a number."""
    if not isinstance(holder, dict) or wish not in holder:
        return wish
    return next(name for n in range(2, len(holder) + 3) if (name := f"{wish}{n}") not in holder)


def count_words(value: JsonValue) -> str:
    """Say how much is in a list or an object."""
    if isinstance(value, list):
        return "1 item" if len(value) == 1 else f"{len(value):,} items"
    if isinstance(value, dict):
        return "1 field" if len(value) == 1 else f"{len(value):,} fields"
    return ""


def short_text(value: JsonValue, most: int = _SHOWN) -> str:
    """Return a value as one line that is not too long."""
    if isinstance(value, str):
        line = " ".join(value[: most + 1].split("\n"))
        return line if len(line) <= most else f"{line[:most]}…"
    if isinstance(value, (dict, list)):
        return count_words(value)
    return encode(value)


def _child(value: JsonValue, key: Key) -> JsonValue:
    if isinstance(value, dict) and isinstance(key, str) and key in value:
        return value[key]
    if isinstance(value, list) and isinstance(key, int) and 0 <= key < len(value):
        return value[key]
    raise LookupError(f"there is no {key}")


def _with(holder: Container, key: Key, value: JsonValue) -> Container:
    if isinstance(holder, dict):
        return {**holder, str(key): value}
    copy = list(holder)
    copy[int(key)] = value
    return copy


def _without(items: list[JsonValue], at: Key) -> list[JsonValue]:
    return [*items[: int(at)], *items[int(at) + 1 :]]


def _changed(root: JsonValue, path: Path, change: Callable[[Container], Container]) -> JsonValue:
    """Return the root with another container at a path."""
    chain = list(_chain(root, path))
    held = chain[-1]
    if not isinstance(held, (dict, list)):
        raise LookupError("only lists and objects hold something")
    made: Container = change(held)
    for holder, key in zip(reversed(chain[:-1]), reversed(path), strict=True):
        assert isinstance(holder, (dict, list))
        made = _with(holder, key, made)
    return made


def _chain(root: JsonValue, path: Path) -> Iterator[JsonValue]:
    value = root
    yield value
    for key in path:
        value = _child(value, key)
        yield value


def _as_text(value: JsonValue) -> str:
    if value is None:
        return ""
    if isinstance(value, (dict, list)):
        return encode_pretty(value).rstrip("\n")
    return encode(value)


def _as_number(value: JsonValue) -> JsonValue:
    if isinstance(value, bool):
        return int(value)
    try:
        return _number(str(value))
    except ValueError:
        return 0


def _number(text: str) -> int | float:
    try:
        found = decode(text.strip())
    except ValueError:
        found = None
    if isinstance(found, bool) or not isinstance(found, (int, float)) or not math.isfinite(found):
        raise ValueError("Write a number, as 12 or -0.5.")
    return found


def _as_list(value: JsonValue) -> JsonValue:
    if isinstance(value, dict):
        return list(value.values())
    return _parsed(value, list) if isinstance(value, str) else [] if value is None else [value]


def _as_object(value: JsonValue) -> JsonValue:
    if isinstance(value, list):
        return {str(at): one for at, one in enumerate(value)}
    return (
        _parsed(value, dict)
        if isinstance(value, str)
        else {}
        if value is None
        else {"value": value}
    )


def _parsed(text: str, kind: type) -> JsonValue:
    """Return what a text spells where that is of the kind, else an empty or wrapping value."""
    try:
        found = decode(text)
    except ValueError:
        found = None
    if isinstance(found, kind):
        return found
    if kind is list:
        return [text] if text else []
    return {"value": text} if text else {}

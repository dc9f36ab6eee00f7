"""Two values that share what is the same in both: comparing them costs what differs alone.

A store that was read anew holds nothing of the one before, though an agent has changed one line of
it. With what is the same in its place, both are compared by identity, as two values of which one
was edited into the other are.
"""

from __future__ import annotations

from operator import is_

from studio_qt.jsontext import JsonValue, encode_bytes

__all__ = ["Known", "shared"]


class Known:
    """The items of a list by their compact text, wherever in it they stand."""

    def __init__(self, items: JsonValue) -> None:
        held = items if isinstance(items, list) else []
        self._items = held
        self._found = {encode_bytes(one): one for one in held if isinstance(one, (dict, list, str))}

    def find(self, text: bytes) -> JsonValue | None:
        """Return the item whose compact text this is; None where there is none."""
        return self._found.get(text)

    def shared(self, value: JsonValue, position: int) -> JsonValue:
        """Return the item that spells what `value` does, else what `value` shares with one."""
        found = None
        if isinstance(value, (dict, list, str)):
            found = self.find(encode_bytes(value))
        return shared(value, self.at(position)) if found is None else found

    def at(self, position: int) -> JsonValue:
        """Return the item at a place, which may be one that was changed into another."""
        return self._items[position] if position < len(self._items) else None


def shared(value: JsonValue, like: JsonValue) -> JsonValue:
    """Return `value` with parts of `like` in the place of those that spell the same text.

    Where all of it does, that is `like` itself. Neither is changed.
    """
    if isinstance(value, dict) and isinstance(like, dict):
        return _shared_fields(value, like)
    if isinstance(value, list) and isinstance(like, list):
        return _shared_items(value, like)
    same = type(value) is type(like) and isinstance(value, (str, int)) and value == like
    return like if same else value


def _shared_fields(value: dict[str, JsonValue], like: dict[str, JsonValue]) -> dict[str, JsonValue]:
    made = {key: shared(one, like.get(key)) for key, one in value.items()}
    same = len(made) == len(like) and all(map(is_, made.values(), like.values()))
    return like if same and list(made) == list(like) else made


def _shared_items(value: list[JsonValue], like: list[JsonValue]) -> list[JsonValue]:
    known = Known(like)
    made = [known.shared(one, at) for at, one in enumerate(value)]
    return like if len(made) == len(like) and all(map(is_, made, like)) else made

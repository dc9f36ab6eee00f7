"""Large stores as values and as text, piece by piece.

The codec holds the interpreter for as long as a text takes it: 5 MB are a tenth of a second in
which no other thread runs, a window's neither. So what is large is read and written in pieces;
call these in a thread.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from studio_qt.engine.store_sharing import Known, shared
from studio_qt.jsontext import JsonObject, JsonValue, decode, encode, encode_pretty

__all__ = ["dense_store_text", "pretty_store_text", "read_store_text", "store_text_of"]

_PIECE = 1 << 16
"""Bytes up to which the codec gets a text whole."""
_DEEPEST = 40
"""Levels that are taken apart; what lies deeper is read whole."""

_LINE = 240
"""Characters of a line of dense text."""

_Raw = msgspec.Raw
_objects = msgspec.json.Decoder(dict[str, _Raw])
_lists = msgspec.json.Decoder(list[_Raw])


def read_store_text(text: str, like: JsonValue = None) -> JsonObject:
    """Return the value of a store's text, which shares with `like` what is the same in both.

    Raises ValueError, with line and column, for what is no JSON object.
    """
    try:
        value = _read(text.encode(), 0, like)
    except (ValueError, RecursionError):
        value = decode(text)  # the same again, for a sentence that names the place
    if not isinstance(value, dict):
        raise ValueError("a JSON object was expected: put everything between { and }")
    return value


def store_text_of(value: JsonObject) -> str:
    """Return the compact text of a store; raises ValueError for what JSON cannot hold."""
    return "".join(_compact(value, 0))


def pretty_store_text(value: JsonValue) -> str:
    """Return the text of a value for people: two spaces a level, and a final line break."""
    return "".join(_pretty(value, 0, "\n")) + "\n"


def dense_store_text(value: JsonValue) -> str:
    """Return the text of a large value for people: what fits into a line stands in one.

    It has a tenth of the lines, each of which costs an editor as much as a short one.
    """
    return "".join(_dense(value, 0, "\n")) + "\n"


def _read(data: bytes | memoryview, depth: int, like: JsonValue) -> JsonValue:
    if len(data) <= _PIECE or depth >= _DEEPEST:
        return shared(decode(bytes(data)), like)
    first = bytes(data[:64]).lstrip()[:1]
    if first == b"{":
        known = like if isinstance(like, dict) else {}
        return {
            key: _read(memoryview(raw), depth + 1, known.get(key))
            for key, raw in _objects.decode(data).items()
        }
    if first == b"[":
        return _read_items(_lists.decode(data), depth + 1, Known(like))
    return decode(bytes(data))


def _read_items(items: list[msgspec.Raw], depth: int, known: Known) -> list[JsonValue]:
    """Read a long list; what spells the same as an item that is known is that item."""
    made: list[JsonValue] = []
    for at, raw in enumerate(items):
        value = known.find(bytes(raw))
        if value is None and len(raw) <= _PIECE:
            value = known.shared(decode(bytes(raw)), at)
        elif value is None:
            value = _read(memoryview(raw), depth, known.at(at))
        made.append(value)
    return made


def _is_large(value: JsonValue, depth: int) -> bool:
    """Whether to take a value apart; cheap, so it looks at what is near only."""
    if depth >= _DEEPEST or not isinstance(value, (dict, list)):
        return False
    if len(value) > 50:
        return True
    inner: Iterable[JsonValue] = value.values() if isinstance(value, dict) else value
    return any(isinstance(one, (dict, list)) and len(one) > 8 for one in inner) or depth < 3


def _compact(value: JsonValue, depth: int) -> Iterator[str]:
    if not _is_large(value, depth):
        yield encode(value)
        return
    comma = ""
    if isinstance(value, dict):
        yield "{"
        for key, one in value.items():
            yield f"{comma}{encode(key)}:"
            yield from _compact(one, depth + 1)
            comma = ","
        yield "}"
    elif isinstance(value, list):
        yield "["
        for one in value:
            yield comma
            yield from _compact(one, depth + 1)
            comma = ","
        yield "]"


def _pretty(value: JsonValue, depth: int, line: str) -> Iterator[str]:
    if not value or not _is_large(value, depth):
        text = encode_pretty(value).rstrip("\n")
        yield text.replace("\n", line) if depth else text
        return
    inner, comma = f"{line}  ", ""
    if isinstance(value, dict):
        yield "{"
        for key, one in value.items():
            yield f"{comma}{inner}{encode(key)}: "
            yield from _pretty(one, depth + 1, inner)
            comma = ","
        yield f"{line}}}"
    elif isinstance(value, list):
        yield "["
        for one in value:
            yield f"{comma}{inner}"
            yield from _pretty(one, depth + 1, inner)
            comma = ","
        yield f"{line}]"


def _dense(value: JsonValue, depth: int, line: str) -> Iterator[str]:
    if not isinstance(value, (dict, list)) or not value or depth >= _DEEPEST:
        yield encode(value)
        return
    if len(value) < _LINE // 4 and not _is_bulky(value) and len(text := encode(value)) <= _LINE:
        yield text
        return
    inner, comma = f"{line}  ", ""
    pairs = value.items() if isinstance(value, dict) else ((None, one) for one in value)
    yield "{" if isinstance(value, dict) else "["
    for key, one in pairs:
        yield f"{comma}{inner}" if key is None else f"{comma}{inner}{encode(key)}: "
        yield from _dense(one, depth + 1, inner)
        comma = ","
    yield f"{line}}}" if isinstance(value, dict) else f"{line}]"


def _is_bulky(value: JsonValue) -> bool:
    """Whether what a container holds would not fit into a line anyway."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return any(isinstance(one, (dict, list, str)) and len(one) > _LINE for one in inner)

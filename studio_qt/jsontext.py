"""JSON as text: one codec for stores, requests, journals and frames.

msgspec does the work (six times the speed of the standard library, keeps big integers); what it
refuses and others accept (lone surrogates) goes through the standard library.
"""

from __future__ import annotations

import json
from typing import TypeAlias

import msgspec

__all__ = [
    "JsonObject",
    "JsonValue",
    "decode",
    "decode_object",
    "encode",
    "encode_bytes",
    "encode_pretty",
]

JsonValue: TypeAlias = "bool | int | float | str | list[JsonValue] | dict[str, JsonValue] | None"
JsonObject: TypeAlias = "dict[str, JsonValue]"

_DIGITS = 4_000
"""Python itself reads, and writes, a few hundred more."""

_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder()


def decode(text: str | bytes) -> JsonValue:
    """Return the value that `text` spells; lone surrogates become U+FFFD.

    Raises ValueError with line and column for anything that is not JSON, NaN and Infinity
    included, and for nesting that is too deep.
    """
    try:
        value: JsonValue = _decoder.decode(text)
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        return _decode_slowly(text)
    return value


def decode_object(text: str | bytes) -> JsonObject:
    """As `decode`, and raises ValueError when the value is not an object."""
    value = decode(text)
    if not isinstance(value, dict):
        raise ValueError("a JSON object was expected: put everything between { and }")
    return value


def encode(value: object) -> str:
    """Return compact JSON text; NaN and infinities become null, lone surrogates U+FFFD.

    Raises ValueError for what JSON cannot hold (cycles, sets, bytes and the like).
    """
    try:
        return _encoder.encode(value).decode()
    except UnicodeEncodeError:
        finite = json.loads(json.dumps(value), parse_constant=lambda _: None)
        text = json.dumps(finite, ensure_ascii=False, separators=(",", ":"))
        return _without_surrogates(text)
    except (TypeError, RecursionError, msgspec.EncodeError) as error:
        raise ValueError(str(error)) from error


def encode_bytes(value: object) -> bytes:
    """As `encode`, in UTF-8."""
    try:
        return _encoder.encode(value)
    except (UnicodeEncodeError, TypeError, RecursionError, msgspec.EncodeError):
        return encode(value).encode()


def encode_pretty(value: object, indent: int = 2) -> str:
    """As `encode`, for people: `indent` spaces a level, and a final line break."""
    return msgspec.json.format(encode(value).encode(), indent=indent).decode() + "\n"


def _decode_slowly(text: str | bytes) -> JsonValue:
    def refuse(word: str) -> JsonValue:
        raise ValueError(f"{word} is not JSON")

    try:
        string = text.decode("utf-8") if isinstance(text, bytes) else text
        value: JsonValue = json.loads(string, parse_constant=refuse, parse_int=_integer)
        clean: JsonValue = json.loads(_without_surrogates(json.dumps(value, ensure_ascii=False)))
    except RecursionError as error:
        raise ValueError("the value is nested too deeply") from error
    return clean


def _integer(digits: str) -> int:
    if len(digits) > _DIGITS:
        raise ValueError(f"a number has more than {_DIGITS:,} digits")
    return int(digits)


def _without_surrogates(text: str) -> str:
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")

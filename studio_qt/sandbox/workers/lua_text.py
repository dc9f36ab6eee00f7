"""Writes JSON as the text of a Lua table constructor, which the Lua compiler reads fastest."""

from __future__ import annotations

import re

__all__ = ["constructor", "names_in"]

_UNICODE = re.compile(rb"\\u([0-9a-fA-F]{4})")
_ESCAPED = re.compile(rb"[\1\2\\]")
_LEAST = b"-9223372036854775808"  # Lua would read the digits as a float before the sign
_LEAST_IN_LUA = b"(-9223372036854775807-1)"


def constructor(json: bytes) -> bytes:
    """Return a chunk that returns the value of compact JSON without escaped surrogates.

    Arrays stand in ``A{…}`` and empty objects in ``O{}``, calls of functions that mark them; null
    is nil. What is nested too deeply for the compiler fails when it is compiled.
    """
    escaped = b"\\" in json
    text = _hide_escapes(json) if escaped else json
    parts = text.split(b'"')
    structure = b"\0".join(parts[::2]).replace(b"{}", b"\4")
    structure = structure.replace(b"[", b"A{").replace(b"]", b"}").replace(b"\4", b"O{}")
    structure = structure.replace(b"null", b"nil").replace(_LEAST, _LEAST_IN_LUA)
    structure = structure.replace(b"\0:", b'["\3"]=').replace(b"\0", b'"\3"')
    parts[::2] = structure.split(b"\3")
    chunk = b"return " + b"".join(parts)
    return chunk.replace(b"\1", b"\\\\").replace(b"\2", b'\\"') if escaped else chunk


def names_in(json: bytes) -> list[bytes]:
    """Return the names of all fields in the order in which they first appear, plain ones only."""
    parts = _hide_escapes(json).split(b'"')
    after = iter(parts[2::2])
    names = (name for name in parts[1::2] if next(after).startswith(b":"))
    return [name for name in dict.fromkeys(names) if name and not _ESCAPED.search(name)]


def _hide_escapes(json: bytes) -> bytes:
    """Put single control bytes, which JSON text cannot hold, for escaped backslashes and quotes."""
    text = json.replace(b"\\\\", b"\1").replace(b'\\"', b"\2").replace(b"\\/", b"/")
    return _UNICODE.sub(rb"\\u{\1}", text) if b"\\u" in text else text

"""What Python writes as JSON, made into what the other languages write (EXP-06).

Python tells 5.0 from 5, and has numbers that JSON has not. All of this is linear in the length of
the text, whoever wrote it.
"""

from __future__ import annotations

import re

import msgspec

from studio_qt.sandbox.frames import NESTING_CAP, STORE_CAP
from studio_qt.sandbox.workers.nesting import nested_deeper_than

__all__ = ["store_fault", "tidy"]

_SUSPECT = re.compile(rb"\.0+(?!\d)|\d[eE]|NaN|Infinity")
_MARKS = (b".0", b"e+", b"e-", b"NaN", b"Infinity")
_STRING = re.compile(rb'("[^"\\]*+(?:\\.[^"\\]*+)*+")')
_NUMBER = re.compile(rb"(?<![\d.])-?\d++(?:\.\d++)?(?:[eE][+-]?\d++)?|NaN|-?Infinity")
_MOST = 1e21  # where JavaScript begins to write exponents

_object_decoder = msgspec.json.Decoder(dict[str, msgspec.Raw])


def tidy(text: bytes, *, by_python: bool = False) -> tuple[bytes, bool]:
    """Return JSON text with floats like 5.0 as integers and NaN and infinities as null.

    The flag tells whether there were any of the latter. `by_python` says that floats are spelled
    as Python spells them, which is quicker to look through.
    """
    if by_python and not any(mark in text for mark in _MARKS):
        return text, False
    if not _SUSPECT.search(text):
        return text, False
    lost = False

    def spell(found: re.Match[bytes]) -> bytes:
        nonlocal lost
        word = found[0]
        if word[-1:] in (b"N", b"y"):
            lost = True
            return b"null"
        if word.isdigit() or (word[:1] == b"-" and word[1:].isdigit()):
            return word
        value = float(word)
        return b"%d" % int(value) if value.is_integer() and abs(value) < _MOST else word

    parts = _STRING.split(text)
    bare = _NUMBER.sub(spell, b'"'.join(parts[::2])).split(b'"')
    parts[::2] = bare
    return b"".join(parts), lost


def store_fault(text: bytes) -> str | None:
    """Return why `text` cannot be a store, None if it can."""
    if len(text) > STORE_CAP:
        return f"the store is larger than {STORE_CAP >> 20} MB and was not saved"
    if nested_deeper_than(text, NESTING_CAP):
        return f"the store is nested over {NESTING_CAP} deep; it was not saved"
    try:
        text.decode()
        _object_decoder.decode(text)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        return f"the store is not a JSON object and was not saved: {error}"
    return None

"""The text chunks of a PNG, where cards keep their JSON; pixels are never looked at."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator, Mapping

__all__ = ["PNG_SIGNATURE", "is_png", "read_texts", "with_texts", "without_texts"]

PNG_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_KINDS = (b"tEXt", b"zTXt", b"iTXt")
_MOST_TEXT = 64 * 1024 * 1024
"""Bytes that one text may have when unpacked."""


def is_png(data: bytes) -> bool:
    """Whether bytes begin as a PNG does."""
    return data.startswith(PNG_SIGNATURE)


def read_texts(data: bytes) -> dict[str, list[bytes]]:
    """Return the texts of a PNG by keyword, each in the order of the file.

    Chunks before, between and after the pixels count, and what follows the end; sums are not
    checked, and a file that is cut off gives what it has. Raises nothing.
    """
    texts: dict[str, list[bytes]] = {}
    for kind, content in _chunks(data):
        if kind in _KINDS:
            found = _text(kind, content)
            if found is not None:
                texts.setdefault(found[0], []).append(found[1])
    return texts


def without_texts(data: bytes, keywords: frozenset[str]) -> bytes:
    """Return a PNG without the texts of these keywords."""
    kept = [
        chunk
        for chunk in _chunks(data)
        if not (chunk[0] in _KINDS and _keyword(chunk[1]) in keywords)
    ]
    return PNG_SIGNATURE + b"".join(_chunk(*one) for one in kept)


def with_texts(data: bytes, texts: Mapping[str, bytes]) -> bytes:
    """Return a PNG with these texts before its end, in place of older ones of their keywords.

    Texts must be Latin-1, as base64 is.
    """
    bare = without_texts(data, frozenset(texts))
    added = b"".join(
        _chunk(b"tEXt", key.encode("latin-1") + b"\0" + text) for key, text in texts.items()
    )
    end = bare.rfind(b"IEND")
    at = len(bare) if end < 4 else end - 4
    return bare[:at] + added + bare[at:]


def _chunks(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    at = len(PNG_SIGNATURE)
    while at + 8 <= len(data):
        (length,) = struct.unpack(">I", data[at : at + 4])
        kind = data[at + 4 : at + 8]
        content = data[at + 8 : at + 8 + length]
        if not kind.isalpha():
            return
        yield kind, content
        at += 12 + length


def _chunk(kind: bytes, content: bytes) -> bytes:
    check = struct.pack(">I", zlib.crc32(kind + content))
    return struct.pack(">I", len(content)) + kind + content + check


def _keyword(content: bytes) -> str:
    return content.partition(b"\0")[0].decode("latin-1")


def _text(kind: bytes, content: bytes) -> tuple[str, bytes] | None:
    keyword, _, rest = content.partition(b"\0")
    if kind == b"tEXt":
        text: bytes | None = rest
    elif kind == b"zTXt":
        text = _unpacked(rest[1:])
    else:
        is_packed = rest[:1] == b"\1"
        words = rest[2:].split(b"\0", 2)  # language, translated keyword, text
        text = words[2] if len(words) == 3 else b""
        text = _unpacked(text) if is_packed else text
    return None if text is None else (keyword.decode("latin-1"), text)


def _unpacked(data: bytes) -> bytes | None:
    """Return what was packed; None where it is damaged, or larger than a card can be."""
    unpacker = zlib.decompressobj()
    try:
        text = unpacker.decompress(data, _MOST_TEXT)
    except zlib.error:
        return None
    return None if unpacker.unconsumed_tail else text

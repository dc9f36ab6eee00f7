"""The text chunks of a PNG, where cards keep their JSON; pixels are never looked at."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Collection, Iterator, Mapping

__all__ = ["PNG_SIGNATURE", "is_png", "read_texts", "with_texts", "without_texts"]

PNG_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_KINDS = (b"tEXt", b"zTXt", b"iTXt")
_MOST_TEXT = 64 * 1024 * 1024
"""Bytes that the texts of one picture may have when unpacked."""

_MOST_BOMBS = 8
"""Packed texts that are too large or damaged, after which no more are tried: each takes time."""


def is_png(data: bytes) -> bool:
    """Whether bytes begin as a PNG does."""
    return data.startswith(PNG_SIGNATURE)


def read_texts(data: bytes, keywords: Collection[str]) -> dict[str, list[bytes]]:
    """Return the texts of a PNG by these keywords, in lower case, each in the order of the file.

    Chunks before, between and after the pixels count, and what follows the end; sums are not
    checked, and a file that is cut off gives what it has. Texts that are packed are left out once
    all of them together would be larger than a card can be. Raises nothing.
    """
    texts: dict[str, list[bytes]] = {}
    room, bombs = _MOST_TEXT, 0
    for kind, content in _chunks(data):
        if kind not in _KINDS or (keyword := _keyword(content)) not in keywords:
            continue
        text, is_packed = _text(kind, content)
        if is_packed and bombs == _MOST_BOMBS:
            continue
        unpacked = _unpacked(text, room) if is_packed else text
        if unpacked is None:
            bombs += 1
        else:
            room -= len(unpacked) if is_packed else 0
            texts.setdefault(keyword, []).append(unpacked)
    return texts


def without_texts(data: bytes, keywords: frozenset[str]) -> bytes:
    """Return a PNG without the texts of these keywords, which are in lower case."""
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
    return content.partition(b"\0")[0].decode("latin-1").lower()


def _text(kind: bytes, content: bytes) -> tuple[bytes, bool]:
    """Return a chunk's text, and whether it is packed."""
    rest = content.partition(b"\0")[2]
    if kind == b"tEXt":
        return rest, False
    if kind == b"zTXt":
        return rest[1:], True
    words = rest[2:].split(b"\0", 2)  # language, translated keyword, text
    return (words[2] if len(words) == 3 else b""), rest[:1] == b"\1"


def _unpacked(data: bytes, most: int) -> bytes | None:
    """Return what was packed; None where it is damaged, or has more bytes than that."""
    if most <= 0:
        return None  # zlib takes 0 for no limit
    unpacker = zlib.decompressobj()
    try:
        text = unpacker.decompress(data, most)
    except zlib.error:
        return None
    return None if unpacker.unconsumed_tail else text

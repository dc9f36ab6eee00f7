"""The frames between host and worker: two lengths, a JSON header, and an opaque blob.

Both lengths are unsigned 32-bit little-endian numbers. The blob carries store text, so that it is
never escaped a second time. Nothing is unpickled, and a frame over its caps is refused unread.
"""

from __future__ import annotations

import os
import struct
from dataclasses import dataclass, field

from studio_qt.jsontext import JsonObject, decode_object, encode

__all__ = [
    "BLOB_CAP",
    "HEADER_CAP",
    "LOG_LINES",
    "NESTING_CAP",
    "RESULT_CAP",
    "STORE_CAP",
    "Frame",
    "FrameError",
    "FrameReader",
    "pack",
    "write_all",
]

HEADER_CAP = 1 << 20
STORE_CAP = 16 << 20
BLOB_CAP = STORE_CAP + HEADER_CAP  # a store, and the arguments in front of it
RESULT_CAP = 256 << 10
LOG_LINES = 500
NESTING_CAP = 500

_LENGTHS = struct.Struct("<II")
_CHUNK = 1 << 16


class FrameError(Exception):
    """The other side sent bytes that are not of the protocol."""


@dataclass(frozen=True, slots=True)
class Frame:
    """One message; `header` always has a string `op`."""

    header: JsonObject
    blob: bytes = b""

    @property
    def op(self) -> str:
        """What the message asks for or tells."""
        return str(self.header.get("op", ""))

    def integer(self, key: str) -> int:
        """Return an integer field; raises FrameError when it is none."""
        value = self.header.get(key)
        if isinstance(value, bool) or not isinstance(value, int):
            raise FrameError(f"the field {key!r} of a {self.op!r} frame is not an integer")
        return value

    def number(self, key: str) -> float:
        """Return a number field as a float; raises FrameError when it is none."""
        value = self.header.get(key)
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise FrameError(f"the field {key!r} of a {self.op!r} frame is not a number")
        return float(value)

    def text(self, key: str) -> str:
        """Return a string field; raises FrameError when it is none."""
        value = self.header.get(key)
        if not isinstance(value, str):
            raise FrameError(f"the field {key!r} of a {self.op!r} frame is not a string")
        return value


def pack(header: JsonObject, blob: bytes = b"") -> bytes:
    """Return the bytes of a frame; raises FrameError when a part is over its cap."""
    head = encode(header).encode()
    if len(head) > HEADER_CAP or len(blob) > BLOB_CAP:
        raise FrameError("a message to or from an agent is too large")
    return b"".join((_LENGTHS.pack(len(head), len(blob)), head, blob))


def write_all(fd: int, data: bytes) -> None:
    """Write everything, blocking; raises OSError when the other side is gone."""
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(fd, rest) :]


@dataclass(slots=True)
class FrameReader:
    """Reads frames from a file descriptor, blocking."""

    fd: int
    _buffer: bytearray = field(default_factory=bytearray)

    def read(self) -> Frame | None:
        """Return the next frame, None when the other side closed; raises FrameError."""
        if not self._fill(_LENGTHS.size):
            return None
        head, blob = _LENGTHS.unpack_from(self._buffer)
        if head > HEADER_CAP or blob > BLOB_CAP:
            raise FrameError(f"a frame of {head} and {blob} bytes is over the caps")
        end = _LENGTHS.size + head + blob
        if not self._fill(end):
            return None
        view = bytes(memoryview(self._buffer)[_LENGTHS.size : end])
        del self._buffer[:end]
        return Frame(_header(view[:head]), view[head:])

    def _fill(self, size: int) -> bool:
        while len(self._buffer) < size:
            chunk = os.read(self.fd, max(_CHUNK, size - len(self._buffer)))
            if not chunk:
                return False
            self._buffer += chunk
        return True


def _header(text: bytes) -> JsonObject:
    try:
        header = decode_object(text)
    except ValueError as error:
        raise FrameError(f"a frame's header is not a JSON object: {error}") from error
    if not isinstance(header.get("op"), str):
        raise FrameError("a frame's header has no op")
    return header

"""The frames between host and worker: two lengths, a JSON header, and an opaque blob.

Both lengths are unsigned 32-bit little-endian numbers. The blob carries store text, so that it is
never escaped a second time. Nothing is unpickled, and a frame over its caps is refused unread.
"""

from __future__ import annotations

import os
import struct
from typing import NamedTuple

from studio_qt.jsontext import JsonObject, decode_object, encode_bytes

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
_LARGEST_READ = 1 << 20


class FrameError(Exception):
    """The other side sent bytes that are not of the protocol."""


class Frame(NamedTuple):
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
        try:
            return float(value)
        except OverflowError as error:
            raise FrameError(f"the field {key!r} of a {self.op!r} frame is too large") from error

    def text(self, key: str) -> str:
        """Return a string field; raises FrameError when it is none."""
        value = self.header.get(key)
        if not isinstance(value, str):
            raise FrameError(f"the field {key!r} of a {self.op!r} frame is not a string")
        return value


def pack(header: JsonObject, blob: bytes = b"") -> bytes:
    """Return the bytes of a frame; raises FrameError when a part is over its cap."""
    head = encode_bytes(header)
    if len(head) > HEADER_CAP or len(blob) > BLOB_CAP:
        raise FrameError("a message to or from an agent is too large")
    return b"".join((_LENGTHS.pack(len(head), len(blob)), head, blob))


def write_all(fd: int, data: bytes) -> None:
    """Write everything, blocking; raises OSError when the other side is gone."""
    written = os.write(fd, data)
    while written < len(data):
        written += os.write(fd, memoryview(data)[written:])


class FrameReader:
    """Reads frames from a file descriptor, blocking or not as the descriptor does."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._buffer: bytes | bytearray = b""
        self._wanted = _LENGTHS.size  # bytes that the buffer must hold for a frame to be whole

    def read(self) -> Frame | None:
        """Return the next frame, None when the other side closed; raises FrameError, OSError."""
        while (frame := self.take()) is None:
            if not self.fill():
                return None
        return frame

    def take(self) -> Frame | None:
        """Return a frame that has come already, None if none is whole; raises FrameError."""
        buffer = self._buffer
        if len(buffer) < self._wanted:
            return None
        head, blob = _LENGTHS.unpack_from(buffer)
        if head > HEADER_CAP or blob > BLOB_CAP:
            raise FrameError(f"a frame of {head} and {blob} bytes is over the caps")
        split = _LENGTHS.size + head
        end = split + blob
        if len(buffer) < end:
            self._wanted = end
            return None
        if isinstance(buffer, bytearray):
            buffer = bytes(buffer)
        self._buffer = buffer[end:]
        self._wanted = _LENGTHS.size
        return Frame(_header(buffer[_LENGTHS.size : split]), buffer[split:end])

    @property
    def holds_more(self) -> bool:
        """Whether anything is left of what has been read."""
        return bool(self._buffer)

    def fill(self) -> bool:
        """Read once; False when the other side has closed. Raises OSError."""
        missing = self._wanted - len(self._buffer)
        chunk = os.read(self._fd, min(max(_CHUNK, missing), _LARGEST_READ))
        if not self._buffer:
            self._buffer = chunk
        else:
            if not isinstance(self._buffer, bytearray):
                self._buffer = bytearray(self._buffer)
            self._buffer += chunk
        return bool(chunk)


def _header(text: bytes) -> JsonObject:
    try:
        header = decode_object(text)
    except ValueError as error:
        raise FrameError(f"a frame's header is not a JSON object: {error}") from error
    if not isinstance(header.get("op"), str):
        raise FrameError("a frame's header has no op")
    return header

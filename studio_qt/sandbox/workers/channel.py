"""The worker's end of the pipe: blocking, one frame after the other."""

from __future__ import annotations

from dataclasses import dataclass, field

from studio_qt.jsontext import JsonObject
from studio_qt.sandbox.frames import Frame, FrameReader, pack, write_all

__all__ = ["Channel"]


@dataclass(slots=True)
class Channel:
    """Reads frames from one descriptor and writes them to another."""

    incoming: int
    outgoing: int
    _reader: FrameReader = field(init=False)

    def __post_init__(self) -> None:
        self._reader = FrameReader(self.incoming)

    def read(self) -> Frame | None:
        """Return the next frame, None when the host has closed."""
        return self._reader.read()

    def read_for(self, call: int) -> Frame | None:
        """Return the next frame that belongs to `call`; frames of ended calls are passed over."""
        while (frame := self.read()) is not None:
            if frame.header.get("call") == call:
                return frame
        return None

    def send(self, header: JsonObject, blob: bytes = b"") -> None:
        """Write a frame; raises OSError when the host is gone."""
        write_all(self.outgoing, pack(header, blob))

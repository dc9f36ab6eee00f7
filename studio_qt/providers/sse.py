"""The framing of a stream: bytes to server-sent events, whatever the network does to them.

Lines end with CR, LF or CRLF and nothing else; a line is decoded only when it is whole. (httpx's
own line iterator also cuts at U+2028, U+0085 and others, which are legal in a JSON string.)
"""

from __future__ import annotations

import re
from dataclasses import dataclass

__all__ = ["ServerEvent", "SseDecoder"]

_END_OF_LINE = re.compile(rb"[\r\n]")
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class ServerEvent:
    """One event: its name ("" as a rule) and its data lines, of which at least one has text."""

    name: str
    lines: tuple[str, ...]

    @property
    def data(self) -> str:
        """The data as the standard has it: lines joined with LF."""
        return "\n".join(self.lines)


class SseDecoder:
    """Takes the bytes of a stream as they come and gives the events that are complete."""

    def __init__(self) -> None:
        self._rest = bytearray()
        self._after_cr = False
        self._first = True
        self._name = ""
        self._lines: list[str] = []

    def feed(self, data: bytes) -> list[ServerEvent]:
        """Return the events that `data` completes."""
        if not data:
            return []
        if self._after_cr:
            data = data.removeprefix(b"\n")
        self._after_cr = data.endswith(b"\r")
        return self._take(_lines_of(self._rest, data))

    def close(self) -> list[ServerEvent]:
        """Return what the end of the stream completes: a last event without its blank line."""
        line = bytes(self._rest)
        self._rest.clear()
        return self._take([line, b""])

    def _take(self, lines: list[bytes]) -> list[ServerEvent]:
        events = []
        for line in lines:
            if line:
                self._field(line)
            elif event := self._dispatch():
                events.append(event)
        return events

    def _field(self, line: bytes) -> None:
        if self._first:
            line = line.removeprefix(_BYTE_ORDER_MARK)
            self._first = False
        name, _, value = line.decode("utf-8", "replace").partition(":")
        value = value.removeprefix(" ")
        if name == "data":
            self._lines.append(value)
        elif name == "event":
            self._name = value

    def _dispatch(self) -> ServerEvent | None:
        event = ServerEvent(self._name, tuple(self._lines))
        self._name = ""
        self._lines.clear()
        return event if any(line.strip() for line in event.lines) else None


def _lines_of(rest: bytearray, data: bytes) -> list[bytes]:
    """Return the lines that `data` ends, the first of them begun in `rest`; keep the new rest."""
    lines: list[bytes] = []
    start = 0
    while found := _END_OF_LINE.search(data, start):
        rest += data[start : found.start()]
        lines.append(bytes(rest))
        rest.clear()
        start = found.end()
        if found[0] == b"\r" and data.startswith(b"\n", start):
            start += 1
    rest += data[start:]
    return lines

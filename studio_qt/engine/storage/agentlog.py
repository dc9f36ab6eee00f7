"""The agent log of a conversation: `conversation_NN.agent-log.jsonl`, one object a line."""

from __future__ import annotations

import os
from collections import deque
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from studio_qt.engine.storage.journal import LineFile, scan_lines
from studio_qt.engine.storage.values import AgentLogLine
from studio_qt.errors import StorageError
from studio_qt.jsontext import JsonObject, encode

__all__ = ["AgentLog", "stamped"]

_OWN_KEYS = ("time", "agentId", "kind", "message")
_TAIL = 1 << 20
"""Bytes at the end of the file that reading looks at."""
_KEPT = 500


class AgentLog:
    """The sidecar of what agents did (STU-05); never a reason for a turn to fail.

    Lines that cannot be written are kept in memory, at most 500 where there is no file.
    """

    def __init__(self, path: Path, *, writable: bool) -> None:
        self._path = path
        self._writable = writable
        self._file: LineFile | None = None
        self._kept: deque[AgentLogLine] = deque(maxlen=_KEPT)
        self._closed = False

    def add(self, line: AgentLogLine) -> str | None:
        """Append a line; returns a sentence when it could not be written."""
        if self._closed:
            return None
        line = stamped(line)
        if not self._writable:
            self._kept.append(line)
            return None
        try:
            self._opened().add(f"{_encode(line)}\n".encode())
        except StorageError as error:
            self._kept.append(line)
            return str(error)
        self._kept.clear()
        return None

    def read(self, limit: int) -> list[AgentLogLine]:
        """Return the newest `limit` lines, oldest first; a torn line is left out."""
        lines = [_line(record) for record in scan_lines(_tail(self._path)).records]
        lines.extend(self._kept)
        return lines[-limit:] if limit > 0 else []

    def close(self) -> None:
        """Let go of the file; twice is harmless."""
        self._closed = True
        if self._file is not None:
            self._file.close()

    def _opened(self) -> LineFile:
        if self._file is None:
            self._file = LineFile(self._path, _size_without_torn_line(self._path))
        return self._file


def stamped(line: AgentLogLine) -> AgentLogLine:
    """Return a line with its time; one that has none yet is of now."""
    return line if line.time else replace(line, time=_now())


def _encode(line: AgentLogLine) -> str:
    own: JsonObject = {"time": line.time, "agentId": line.agent_id, "kind": line.kind}
    if line.message:
        own["message"] = line.message
    try:
        return encode({**own, **{k: v for k, v in line.details.items() if k not in _OWN_KEYS}})
    except ValueError as error:
        return encode({**own, "details": f"(not JSON: {error})"})


def _line(record: JsonObject) -> AgentLogLine:
    time, agent_id, kind, message = (
        value if isinstance(value := record.get(key), str) else "" for key in _OWN_KEYS
    )
    details = {key: value for key, value in record.items() if key not in _OWN_KEYS}
    return AgentLogLine(agent_id, kind, message, details, time)


def _tail(path: Path) -> bytes:
    """The end of the file, from the beginning of a line on; nothing where it cannot be read."""
    try:
        with path.open("rb") as file:
            end = file.seek(0, os.SEEK_END)
            start = file.seek(max(0, end - _TAIL))
            data = file.read(end - start)
    except OSError:
        return b""
    return data if start == 0 else data[data.find(b"\n") + 1 :]


def _size_without_torn_line(path: Path) -> int | None:
    try:
        size = path.stat().st_size
    except OSError:
        return None
    tail = _tail(path)
    return size - (len(tail) - tail.rfind(b"\n") - 1)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")

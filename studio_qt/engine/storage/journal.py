"""The journal: numbered JSON lines, handed to the operating system one by one.

Line: `{"n": number, "k": kind, ...}`. Numbers grow by one without a gap, also from one finished
part ("segment") to the next. Only a line with its line break counts: what a kill has torn is cut
off before the next line is written.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from io import FileIO
from pathlib import Path

from studio_qt.errors import ClosedError
from studio_qt.files import storage_errors, write_atomic
from studio_qt.jsontext import JsonObject, JsonValue, decode_object, encode

__all__ = ["Journal", "LineFile", "Scan", "encode_lines", "first_of", "number_of", "scan_lines"]


@dataclass(frozen=True, slots=True)
class Scan:
    """What a file of JSON lines holds.

    `size` is where the last good line ends, `rest` what stands after it and is no whole line.
    `damaged` says that lines in the middle could not be read and are left out.
    """

    records: Sequence[JsonObject] = ()
    size: int = 0
    rest: int = 0
    damaged: bool = False


def scan_lines(data: bytes) -> Scan:
    """Read JSON lines; a broken one costs that line alone, broken ends are told apart."""
    records: list[JsonObject] = []
    at = size = 0
    bad = 0
    damaged = False
    for line in data.split(b"\n")[:-1]:
        at += len(line) + 1
        try:
            records.append(decode_object(line))
        except ValueError:
            bad += 1
        else:
            damaged, bad, size = damaged or bad > 0, 0, at
    return Scan(records, size, len(data) - size, damaged)


def encode_lines(first: int, lines: Iterable[tuple[str, JsonObject]]) -> bytes:
    """Return the bytes of journal lines, numbered from `first`."""
    texts = (encode({"n": n, "k": k, **more}) for n, (k, more) in enumerate(lines, first))
    return "".join(f"{text}\n" for text in texts).encode()


class LineFile:
    """A file that lines are appended to; a line that fails waits, in order, for the next one.

    The file is opened with the first line. What stands after `size` bytes is cut off then (None:
    nothing is). Not made for two threads.
    """

    file_type: Callable[[int, str], FileIO] = FileIO
    """What makes a raw file of a descriptor."""

    def __init__(self, path: Path, size: int | None = None) -> None:
        self.path = path
        self._start = size
        self._file: FileIO | None = None
        self._waiting: deque[bytes] = deque()
        self._closed = False

    @property
    def waiting(self) -> bool:
        """Whether lines could not be written yet."""
        return bool(self._waiting)

    @property
    def size(self) -> int:
        """Bytes in the file."""
        return 0 if self._file is None else self._file.tell()

    def add(self, data: bytes) -> None:
        """Append whole lines; raises StorageError, and keeps them, where the file refuses."""
        if self._closed:
            raise ClosedError(f"{self.path.name} has been closed; open the conversation again.")
        self._waiting.append(data)
        self.flush()

    def flush(self) -> None:
        """Write what waits; raises StorageError where the file refuses."""
        with storage_errors(self.path.parent):
            while self._waiting:
                self._write(self._waiting[0])
                self._waiting.popleft()

    def forcing(self) -> Callable[[], None] | None:
        """Return what forces the file to the disk: blocks, may run in a thread while others write.

        None where nothing was written. It raises StorageError, and must be called once.
        """
        if self._file is None:
            return None
        descriptor = os.dup(self._file.fileno())

        def force() -> None:
            try:
                with storage_errors(self.path.parent):
                    os.fsync(descriptor)
            finally:
                os.close(descriptor)

        return force

    def close(self) -> None:
        """Let go of the file; twice is harmless."""
        self._closed = True
        if self._file is not None:
            self._file.close()
            self._file = None

    def _write(self, data: bytes) -> None:
        """Write all of `data`, or raise OSError with the unwritten rest in its place."""
        file = self._file or self._open()
        view = memoryview(data)
        while view:
            try:
                written = file.write(view) or 0
            except OSError:
                self._waiting[0] = bytes(view)
                raise
            view = view[written:]

    def _open(self) -> FileIO:
        descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o666)
        file = self.file_type(descriptor, "r+")
        try:
            end = file.seek(0, os.SEEK_END)
            if self._start is not None and self._start != end:
                file.truncate(self._start)
                file.seek(0, os.SEEK_END)
        except BaseException:
            file.close()
            raise
        self._file = file
        return file


class Journal(LineFile):
    """The journal that a conversation writes; `last` is the number of its last line."""

    def __init__(self, path: Path, *, last: int, size: int | None) -> None:
        super().__init__(path, size)
        self.last = last

    def write(self, kind: str, fields: JsonObject) -> int:
        """Append one line and return its number; raises StorageError as `add` does."""
        data = encode_lines(self.last + 1, [(kind, fields)])
        self.last += 1
        self.add(data)
        return self.last

    def begin_file(self, kind: str, fields: JsonObject) -> None:
        """Replace the file by one that begins with this line; raises StorageError, and goes on.

        Nothing may wait.
        """
        data = encode_lines(self.last + 1, [(kind, fields)])
        if self._file is not None:
            self._file.close()
            self._file = None
        self._start = None
        write_atomic(self.path, data, durable=False)
        self.last += 1


def number_of(record: JsonObject) -> int:
    """The number of a journal line, 0 where it has none."""
    number: JsonValue = record.get("n")
    return number if isinstance(number, int) else 0


def first_of(record: JsonObject) -> int:
    """The first line that a journal line stands for; its own number, but for a "gap"."""
    first = record.get("from")
    return first if record.get("k") == "gap" and isinstance(first, int) else number_of(record)

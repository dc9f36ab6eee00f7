"""Reading one text file of a package: the text, or the problem that says why there is none."""

from __future__ import annotations

from dataclasses import dataclass

from studio_qt.errors import Problem
from studio_qt.files.paths import UnsafePathError
from studio_qt.files.source import Source

__all__ = ["Reading", "line_at", "read_text"]


@dataclass(frozen=True, slots=True)
class Reading:
    """What came of reading a file; text and problem are both None when it does not exist."""

    text: str | None
    problem: Problem | None = None


def read_text(source: Source, path: str, *, limit: int | None = None) -> Reading:
    """Read a UTF-8 file without its byte order mark; `limit` is in bytes. Raises nothing."""
    try:
        content = source.read_bytes(path)
    except FileNotFoundError:
        return Reading(None)
    except UnsafePathError as error:
        return _failed(path, str(error))
    except (IsADirectoryError, NotADirectoryError):
        return _failed(path, "is a folder where a file was expected; put a text file there.")
    except OSError as error:
        return _failed(path, f"cannot be read ({error.strerror or error}); check its permissions.")
    if limit is not None and len(content) > limit:
        return _failed(path, f"is larger than {limit // 1024:,} KB; make it smaller.")
    try:
        return Reading(content.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        return _failed(path, f"is not UTF-8 text{_guess(content)}; save it as UTF-8.", line)


def line_at(text: str, offset: int) -> int:
    """Return the line, from 1, that holds the character at `offset`."""
    return text.count("\n", 0, offset) + 1


def _failed(path: str, message: str, line: int | None = None) -> Reading:
    shown = path.encode("utf-8", "replace").decode()  # a name on disk need not be text
    return Reading(None, Problem("error", shown, line, message))


def _guess(content: bytes) -> str:
    return " but UTF-16" if content[:2] in (b"\xff\xfe", b"\xfe\xff") else ""

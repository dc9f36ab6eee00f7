"""Looking for a text in the files of a project, and replacing it; runs in threads.

The expression engine lets other threads run meanwhile and stops at a time limit, so that no
expression can hold the window or a thread for long.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from studio_qt.errors import StorageError, StudioError
from studio_qt.files.atomic import write_atomic
from studio_qt.files.encoding import TEXT_LIMIT, decode_text, encode_text
from studio_qt.files.paths import find_inside
from studio_qt.files.tree import is_out_of_sight, walk_tree
from studio_qt.ui.patterns import compile_pattern
from studio_qt.ui.search.included import Included

if TYPE_CHECKING:
    import regex

__all__ = [
    "MOST",
    "FileHits",
    "Hit",
    "Query",
    "Skipped",
    "replace_file",
    "replace_text",
    "search_project",
    "search_text",
    "text_mark",
]

MOST = 2_000
"""Matches after which a search ends."""

_SECONDS = 1.0
"""What an expression may take for one file."""

_MOST_SLOW = 3
"""Files that may be too slow for an expression before the whole search is given up."""

_BEFORE, _AFTER = 36, 160
_SLOW = "This expression takes too long here; try one with fewer nested repetitions."


@dataclass(frozen=True, slots=True)
class Query:
    """What to look for, and in which files; `template` is what is to come instead.

    With `expression` the pattern is a regular expression as Python writes them, where `^` and `$`
    are ends of lines, and `\\1` and `\\g<name>` in the template are its groups.
    """

    pattern: str
    case: bool = False
    word: bool = False
    expression: bool = False
    include: str = ""
    template: str | None = None


@dataclass(frozen=True, slots=True)
class Hit:
    """A match: line and column count from 1, columns as editors do, in UTF-16 units.

    `before`, `found` and `after` are parts of its line, cut to be shown; `new` is what replaces it.
    """

    line: int
    column: int
    before: str
    found: str
    after: str
    new: str | None = None


@dataclass(frozen=True, slots=True)
class FileHits:
    """The matches of one file; `mark` tells the text that was searched from any other."""

    path: str
    hits: tuple[Hit, ...]
    mark: str
    unsaved: bool = False


@dataclass(frozen=True, slots=True)
class Skipped:
    """A file that could not be searched, and why, as a sentence."""

    path: str
    why: str


@dataclass
class _Finder:
    """A query that was checked once, for many texts. Raises StudioError for a bad one."""

    query: Query

    @cached_property
    def pattern(self) -> regex.Pattern[str]:
        query = self.query
        return compile_pattern(
            query.pattern, case=query.case, word=query.word, expression=query.expression
        )

    def matches(self, text: str) -> Iterator[regex.Match[str]]:
        """Yield what is found and not empty; raises TimeoutError."""
        for match in self.pattern.finditer(text, concurrent=True, timeout=_SECONDS):
            if match.end() > match.start():
                yield match

    def new(self, match: regex.Match[str]) -> str | None:
        """Return what replaces a match; None when nothing is to be replaced."""
        template = self.query.template
        if template is None or not self.query.expression:
            return template
        engine = import_module("regex")
        try:
            return str(match.expand(template))
        except (engine.error, IndexError) as error:
            raise StudioError(f"The replacement cannot be read: {error}.") from error


def search_project(
    root: Path, buffers: Mapping[str, str], query: Query, stop: threading.Event
) -> Iterator[FileHits | Skipped]:
    """Yield the files that match: unsaved texts first, then those of the disk.

    Ends after `MOST` matches, and soon after `stop` is set. Raises StudioError for a query that
    cannot be read or is too slow for several files.
    """
    finder = _Finder(query)
    _ = finder.pattern
    left, slow = MOST, 0
    for path, text in _texts(root, buffers, Included(query.include), stop):
        if isinstance(text, Skipped):
            yield text
            continue
        try:
            hits = _hits(finder, text, left)
        except TimeoutError:
            slow += 1
            if slow == _MOST_SLOW:
                raise StudioError(_SLOW) from None
            yield Skipped(path, _SLOW)
            continue
        if hits:
            left -= len(hits)
            yield FileHits(path, hits, text_mark(text), path in buffers)
        if left <= 0:
            return


def search_text(text: str, query: Query) -> tuple[Hit, ...]:
    """Return the matches of one text; raises StudioError."""
    try:
        return _hits(_Finder(query), text, MOST)
    except TimeoutError:
        raise StudioError(_SLOW) from None


def replace_text(text: str, query: Query) -> tuple[str, int]:
    """Return the text with every match replaced, and how many there were; raises StudioError."""
    finder = _Finder(query)
    parts: list[str] = []
    position = count = 0
    try:
        for match in finder.matches(text):
            parts += [text[position : match.start()], finder.new(match) or ""]
            position = match.end()
            count += 1
    except TimeoutError:
        raise StudioError(_SLOW) from None
    return "".join([*parts, text[position:]]), count


def replace_file(
    root: Path,
    path: str,
    query: Query,
    mark: str,
    writing: Callable[[bytes, bytes], object] | None = None,
) -> int:
    """Replace every match in a file, atomically, and return how many there were.

    Encoding and line ends stay. `writing` is called on this thread before the file is written, with
    what it is and what it becomes. Raises StudioError when the text is not the one of `mark`.
    """
    place = find_inside(root, path)
    before = _read(place, path)
    file = decode_text(before, path)
    if text_mark(file.text) != mark:
        raise StudioError(f"{path} has changed since it was searched; search again.")
    text, count = replace_text(file.text, query)
    if count:
        data = encode_text(text, file).data
        if writing is not None:
            writing(before, data)
        write_atomic(place, data)
    return count


def text_mark(text: str) -> str:
    """Return what tells a text from another."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def _texts(
    root: Path, buffers: Mapping[str, str], included: Included, stop: threading.Event
) -> Iterator[tuple[str, str | Skipped]]:
    unsaved = dict(buffers)
    for path, text in sorted(unsaved.items()):
        if included.takes(path):
            yield path, text.replace("\r\n", "\n").replace("\r", "\n")
    for found in walk_tree(root, _is_left_out):
        if stop.is_set():
            return
        if found.is_folder or found.path in unsaved or not included.takes(found.path):
            continue
        if found.size > TEXT_LIMIT:
            yield found.path, Skipped(found.path, "It is larger than 16 MB.")
            continue
        try:
            yield found.path, decode_text(_read(root / found.path, found.path), found.path).text
        except StorageError as error:
            yield found.path, Skipped(found.path, str(error))
        except StudioError:  # no text, so that there is nothing to find
            continue


def _is_left_out(path: str) -> bool:
    """Dot-files are searched where they are not beside config.json."""
    return is_out_of_sight(path, path.rpartition("/")[0])


def _read(place: Path, path: str) -> bytes:
    try:
        return place.read_bytes()
    except OSError as error:
        raise StorageError(f"{path} cannot be read: {error.strerror or error}.") from error


def _hits(finder: _Finder, text: str, most: int) -> tuple[Hit, ...]:
    hits: list[Hit] = []
    line, line_start = 1, 0
    for match in finder.matches(text):
        line += text.count("\n", line_start, match.start())
        line_start = text.rfind("\n", 0, match.start()) + 1
        hits.append(_hit(text, match, finder.new(match), (line, line_start)))
        if len(hits) == most:
            break
    return tuple(hits)


def _hit(text: str, match: regex.Match[str], new: str | None, line: tuple[int, int]) -> Hit:
    start, end = match.span()
    number, line_start = line
    line_end = text.find("\n", start)
    line_end = len(text) if line_end < 0 else line_end
    before = text[line_start:start]
    shown = before.lstrip() if len(before) <= _BEFORE else f"…{before[-_BEFORE:].lstrip()}"
    found = text[start : min(end, line_end, start + _AFTER)]
    if end > line_end or end > start + _AFTER:
        found += "…"
    after = text[end : min(line_end, end + _AFTER)] if end <= line_end else ""
    return Hit(number, _units(before) + 1, shown, found, after.rstrip(), new)


def _units(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2

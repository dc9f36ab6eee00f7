"""What the palette offers: entries, where they come from, and in which order they stand."""

from __future__ import annotations

import heapq
import json
import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject

from studio_qt.files.atomic import storage_errors, write_atomic
from studio_qt.ui.keptfile import read_kept
from studio_qt.ui.keptwriter import KeptWriter
from studio_qt.ui.palette.matching import Match, match

__all__ = [
    "COMMANDS",
    "KINDS",
    "Entry",
    "Found",
    "Lately",
    "Source",
    "best",
    "find",
    "pools",
    "taken",
]

COMMANDS = "commands"
KINDS = {
    "files": "Files",
    "agents": "Agents",
    "tools": "Tools",
    "stores": "Agent stores",
    "character": "@ commands",
    "conversations": "Conversations",
    "projects": "Recent projects",
    COMMANDS: "Commands",
}
"""Kinds of entries and their titles, in the order in which they stand."""

_MOST_LATELY = 40
_SLASH = "\u2215"
"""Stands for a slash in the words of an entry, since slashes part what it is remembered by."""
_FILE = "palette.json"
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing to go to or to do: its words, an aside, the name of an icon, and the deed.

    `keys` are shown at the right.
    """

    text: str
    detail: str
    icon: str
    run: Callable[[], object]
    keys: str = ""


Source = Callable[[], Sequence[Entry]]


@dataclass(frozen=True, slots=True)
class Found:
    """An entry in the list, of which kind, and how it fits."""

    kind: str
    entry: Entry
    match: Match

    @property
    def name(self) -> str:
        """What the entry is remembered by."""
        return f"{self.kind}/{self.entry.text.replace('/', _SLASH)}/{self.entry.detail}"


_ALL = Match(0.0)
"""How an entry fits when nothing is asked for."""


def pools(text: str) -> tuple[tuple[str, ...], str]:
    """Return the kinds that a text in the field asks for, and what is to be found in them.

    `>` asks for commands, `@` for those of the character; anything else for all.
    """
    if text.startswith(">"):
        return (COMMANDS,), text[1:].strip()
    if text.startswith("@"):
        return ("character",), text[1:].strip()
    return tuple(KINDS), text.strip()


def find(query: str, entries: Iterable[tuple[str, Entry]]) -> Iterator[Found]:
    """Yield the entries that fit a query, in their order."""
    for kind, entry in entries:
        fits = match(query, entry.text, entry.detail)
        if fits is not None:
            yield Found(kind, entry, fits)


def best(found: Iterable[Found], most: int, lately: Sequence[str]) -> list[Found]:
    """Return at most `most` that fit best, the best first; of equals what was taken lately."""
    ranks = {name: rank for rank, name in enumerate(lately)}
    never = len(ranks)
    return heapq.nsmallest(
        most, found, key=lambda one: (-one.match.score, ranks.get(one.name, never))
    )


def taken(entries: Iterable[tuple[str, Entry]], lately: Sequence[str], most: int) -> list[Found]:
    """Return the entries that were taken lately and are still there, the latest first."""
    ranks = {name: rank for rank, name in enumerate(lately)}
    texts = {name.split("/", 2)[1].replace(_SLASH, "/") for name in lately if _is_name(name)}
    found = (Found(kind, entry, _ALL) for kind, entry in entries if entry.text in texts)
    known = [one for one in found if one.name in ranks]
    return sorted(known, key=lambda one: ranks[one.name])[:most]


def _is_name(text: str) -> bool:
    return text.count("/") >= 2


class Lately:
    """The names of entries that were taken, the latest first, kept below `home`.

    They are written on a thread; `flush` waits until they are.
    """

    def __init__(self, home: Path, parent: QObject | None = None) -> None:
        self._place = home / _FILE
        self.names: list[str] = self._read()
        self._writer = KeptWriter(self._write, "What was chosen lately is not kept", parent)

    def note(self, name: str) -> None:
        """Remember that an entry was taken; what cannot be written is logged."""
        others = [one for one in self.names if one != name]
        self.names = [name, *others][:_MOST_LATELY]
        self._writer.put(json.dumps({"version": 1, "lately": self.names}, indent=2) + "\n")

    def flush(self) -> None:
        """Wait until what was noted is written."""
        self._writer.flush()

    def _write(self, text: str) -> None:
        with storage_errors(self._place.parent):
            self._place.parent.mkdir(parents=True, exist_ok=True)
            write_atomic(self._place, text, durable=False)

    def _read(self) -> list[str]:
        try:
            kept: Any = read_kept(self._place)
            return [name for name in kept["lately"] if isinstance(name, str)][:_MOST_LATELY]
        except FileNotFoundError:
            return []
        except (OSError, ValueError, TypeError, LookupError) as error:
            _log.warning("%s cannot be read, so nothing was chosen lately: %s", self._place, error)
            return []

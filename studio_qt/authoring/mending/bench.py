"""`Mend`, and the `Bench` on which mends are made: texts as they are, and edits of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from studio_qt.authoring.completing.facts import ProjectFacts
from studio_qt.authoring.references import TextEdit
from studio_qt.jsontext import JsonObject, JsonValue
from studio_qt.package.config import CONFIG_FILE
from studio_qt.package.rewrite import rewrite_config

__all__ = ["Bench", "Entry", "Mend", "Reader", "lines_of", "on_line"]

_LINES = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")

Reader = Callable[[str], str | None]

Place = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Mend:
    """A way to mend a problem: what it does, in words, and the new texts of files.

    `seen` are the texts of the same files that it was made for, None for a file that was not
    there; where they are others by now it no longer fits.
    """

    title: str
    changes: Mapping[str, str]
    seen: Mapping[str, str | None]


class Bench:
    """Reads the project and makes mends of edits; an edit that does not fit makes None."""

    def __init__(self, read: Reader, facts: ProjectFacts) -> None:
        self.read = read
        self.facts = facts

    def mend(self, title: str, *edits: tuple[str, TextEdit]) -> Mend | None:
        """Return a mend of edits of files that are there."""
        changes: dict[str, str] = {}
        seen: dict[str, str | None] = {}
        for path, edit in edits:
            text = changes.get(path, self.read(path))
            if text is None:
                return None
            seen.setdefault(path, self.read(path))
            try:
                changes[path] = edit(text)
            except ValueError:
                return None
        changed = any(changes[path] != seen[path] for path in changes)
        return Mend(title, changes, seen) if changed else None

    def make(self, title: str, path: str, text: str) -> Mend | None:
        """Return a mend that makes a file, which must not be there."""
        return None if self.read(path) is not None else Mend(title, {path: text}, {path: None})

    def configure(
        self, title: str, place: Place, expected: str, change: Callable[[Entry], None]
    ) -> Mend | None:
        """Return a mend of config.json at a place, where `expected` must still be said."""

        def edit(data: JsonObject) -> None:
            entry = Entry.at(data, place)
            if expected and not entry.says(expected):
                raise ValueError("another entry stands there by now")
            change(entry)

        return self.mend(title, (CONFIG_FILE, lambda text: rewrite_config(text, edit)))


@dataclass(slots=True)
class Entry:
    """A value of config.json in the list or object that holds it."""

    holder: list[JsonValue] | JsonObject
    key: str | int

    @classmethod
    def at(cls, data: JsonObject, place: Place) -> Entry:
        """Return the value at a place; raises ValueError where there is none."""
        holder: JsonValue = data
        entry: Entry | None = None
        for key in place:
            match holder, key:
                case dict(), str() if key in holder:
                    entry, holder = cls(holder, key), holder[key]
                case list(), int() if key < len(holder):
                    entry, holder = cls(holder, key), holder[key]
                case _:
                    raise ValueError("there is nothing at that place")
        if entry is None:
            raise ValueError("a place is a path")
        return entry

    @property
    def value(self) -> JsonValue:
        """The value as it is."""
        if isinstance(self.holder, list):
            return self.holder[int(self.key)]
        return self.holder[str(self.key)]

    @property
    def fields(self) -> JsonObject:
        """The members of an object; raises ValueError for another value."""
        value = self.value
        if not isinstance(value, dict):
            raise ValueError("that is no object")
        return value

    def put(self, value: JsonValue) -> None:
        """Put another value in its place."""
        if isinstance(self.holder, list):
            self.holder[int(self.key)] = value
        else:
            self.holder[str(self.key)] = value

    def remove(self) -> None:
        """Take it out."""
        if isinstance(self.holder, list):
            del self.holder[int(self.key)]
        else:
            del self.holder[str(self.key)]

    def says(self, name: str) -> bool:
        """Whether it is a name, or an object that has it in any of its members."""
        value = self.value
        if not isinstance(value, dict):
            return value == name
        lists = [item for one in value.values() if isinstance(one, list) for item in one]
        return name in value.values() or name in lists or name in value


def lines_of(text: str) -> list[str]:
    """Return the lines with their ends, as an editor counts them."""
    return _LINES.findall(text)


def on_line(number: int | None, change: Callable[[str], str]) -> TextEdit:
    """Return an edit of one line, counted from 1, without its end; "\\n" takes it out."""

    def edit(text: str) -> str:
        lines = lines_of(text)
        if number is None or not 0 < number <= len(lines):
            raise ValueError("there is no such line")
        line = lines[number - 1]
        bare = line.rstrip("\r\n")
        changed = change(bare)
        if changed == bare:
            raise ValueError("the line is another by now")
        lines[number - 1] = "" if changed == "\n" else changed + line[len(bare) :]
        return "".join(lines)

    return edit

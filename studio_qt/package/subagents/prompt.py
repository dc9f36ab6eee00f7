"""`name.subagent.md` taken apart: the fields of its frontmatter with their lines, and the body."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from studio_qt.package.subagents.scalars import indent_of, without_comment

__all__ = ["GRANTS", "KNOWN", "Field", "PromptFile", "PromptNote", "read_prompt"]

KNOWN = (
    "id",
    "description",
    "params",
    "history",
    "contextFiles",
    "model",
    "maxTokens",
    "maxRounds",
    "temperature",
    "topP",
    "debug",
)
"""The fields of the frontmatter, in the order in which they are written (SUB-02)."""

GRANTS = ("shared-agents", "private-agents")
"""What only an entry of config.json may hold (SUB-04)."""

_LONGEST = 32 * 1024
_LINE = re.compile(r"([^\r\n]*)(\r\n|\r|\n|\Z)")
_FIELD = re.compile(r"""[ \t]*(["']?)([A-Za-z_][\w.-]*)\1[ \t]*:(.*)""", re.DOTALL)
_BLOCK = re.compile(r"[|>][+\-1-9]*\s*(?:#.*)?")


@dataclass(frozen=True, slots=True)
class Field:
    """A field as it stands: the text after its colon and the lines that belong to it."""

    name: str
    line: int
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PromptNote:
    """What is odd about the file itself; `fatal` where nothing can be made of it.

    `kind` is that of a `Fault`, "" where there is no way to mend it.
    """

    line: int
    message: str
    fatal: bool = False
    kind: str = ""


@dataclass(frozen=True, slots=True)
class PromptFile:
    """A prompt file: `head` and `body` together are its text to the letter, marks included.

    `fields` has the last of each name, in order. `body_line` is the line where the body begins.
    """

    head: str
    body: str
    fields: Mapping[str, Field] = field(default_factory=dict)
    body_line: int = 1
    notes: tuple[PromptNote, ...] = ()

    @property
    def prompt(self) -> str:
        """The body as the model gets it: without a byte order mark, line breaks as newlines."""
        return self.body.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")

    def line(self, name: str) -> int:
        """Return the line of a field, 1 for one that is not there."""
        found = self.fields.get(name)
        return 1 if found is None else found.line


def read_prompt(text: str) -> PromptFile:
    """Take a prompt file apart; raises nothing. The second line that is only `---` ends the head.

    A byte order mark, any line breaks, trailing blanks, empty lines before the first fence and a
    missing final line break do not matter (SUB-01).
    """
    lines = _Lines(text.removeprefix("\ufeff"))
    number = lines.skip_blank()
    if lines.take(number) != "---":
        message = "has no frontmatter; begin it with a line --- and close that with another."
        note = PromptNote(1, message, fatal=True, kind="frontmatter-missing")
        return PromptFile("", text, notes=(note,))
    end = lines.find_fence(number + 1)
    if end is None:
        message = "has a frontmatter that does not end; put a line --- below its last field."
        note = PromptNote(number + 1, message, fatal=True, kind="frontmatter-open")
        return PromptFile("", text, notes=(note,))
    start = len(text) - len(lines.text) + lines.start(end + 1)
    head, body = text[:start], text[start:]
    if len(head) > _LONGEST:
        message = f"has a frontmatter of over {_LONGEST // 1024} KB; make it shorter."
        return PromptFile(head, body, notes=(PromptNote(number + 1, message, fatal=True),))
    fields, notes = _fields(lines.between(number + 1, end))
    return PromptFile(head, body, fields, end + 2, tuple(notes))


class _Lines:
    """The lines of a text as far as they are asked for; they count from 0."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._lines: list[tuple[int, str]] = []
        self._next = 0

    def take(self, number: int) -> str | None:
        """Return a line without trailing blanks, None after the last one."""
        while len(self._lines) <= number and self._next <= len(self.text):
            found = _LINE.match(self.text, self._next)
            if found is None:
                break
            self._lines.append((self._next, found[1]))
            self._next = found.end() if found[2] else len(self.text) + 1
        return self._lines[number][1].rstrip() if number < len(self._lines) else None

    def start(self, number: int) -> int:
        """Return the offset of a line, the end of the text after the last one."""
        return len(self.text) if self.take(number) is None else self._lines[number][0]

    def skip_blank(self) -> int:
        """Return the number of the first line that is not blank."""
        number = 0
        while self.take(number) == "":
            number += 1
        return number

    def find_fence(self, number: int) -> int | None:
        """Return the next line that is a fence."""
        while (line := self.take(number)) is not None:
            if line == "---":
                return number
            number += 1
        return None

    def between(self, first: int, end: int) -> list[tuple[int, str]]:
        """Return the lines with their numbers for people, from 1."""
        return [(number + 1, self._lines[number][1]) for number in range(first, end)]


def _fields(lines: list[tuple[int, str]]) -> tuple[dict[str, Field], list[PromptNote]]:
    gatherer = _Gatherer()
    for number, line in lines:
        gatherer.add(number, line)
    return gatherer.finish(), gatherer.notes


class _Gatherer:
    """Tells where a field begins and which lines belong to it."""

    def __init__(self) -> None:
        self.notes: list[PromptNote] = []
        self._fields: dict[str, Field] = {}
        self._margin: int | None = None
        self._name = ""
        self._line = 0
        self._lines: list[str] = []

    def add(self, number: int, line: str) -> None:
        """Take the next line."""
        found = self._field(line)
        if found is not None:
            self.finish()
            self._name, self._line, self._lines = found[2], number, [found[3].strip(" \t")]
            return
        if self._name:
            self._lines.append(line)
        text = without_comment(line).strip()
        if text and not self._belongs(line):
            said = f'belongs to "{self._name}"' if self._name else "is left out"
            message = f"begins no field and {said}; write name: value, or indent what goes on."
            self.notes.append(PromptNote(number, message))

    def finish(self) -> dict[str, Field]:
        """End the field that is open, and return all of them."""
        if self._name:
            if self._name in self._fields:
                message = f'gives "{self._name}" again and the last one counts; take one out.'
                self.notes.append(PromptNote(self._line, message))
                del self._fields[self._name]
            lines = tuple(self._lines)
            self._fields[self._name] = Field(self._name, self._line, lines)
            self._name = ""
        return self._fields

    def _field(self, line: str) -> re.Match[str] | None:
        if line.lstrip().startswith("#"):
            return None
        found = _FIELD.fullmatch(line)
        if found is None or (found[3] and found[3][0] not in " \t" and found[2] not in KNOWN):
            return None
        indent = indent_of(line)
        if self._margin is None:
            self._margin = indent
        return found if indent <= self._margin or self._slipped(found[2]) else None

    def _slipped(self, name: str) -> bool:
        """Whether an indented field is meant: the one before it is complete on its own line."""
        if name not in KNOWN or self._name not in KNOWN or self._name == "params":
            return False
        value = without_comment(self._lines[0]).strip()
        return bool(value) and not _BLOCK.fullmatch(value) and not self._is_open_list(value)

    @staticmethod
    def _is_open_list(value: str) -> bool:
        return value.startswith("[") and "]" not in value

    def _belongs(self, line: str) -> bool:
        """Whether a line goes on with a field as one would write it."""
        if not self._name:
            return False
        is_item = line.lstrip().startswith(("- ", "]", "}")) or line.strip() == "-"
        return is_item or indent_of(line) > (self._margin or 0)

"""The lines of a manifest, gathered into tags."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from studio_qt.package.reading import line_at

__all__ = ["Tag", "line_of_tag", "tags_of"]

_TAG = re.compile(r"@([A-Za-z][\w-]*)(?=\s|$)[ \t]*(.*)")


@dataclass(slots=True)
class Tag:
    """`@name rest`, and the lines that follow up to the next tag, each with its line number."""

    name: str
    rest: str
    line: int
    following: list[tuple[int, str]] = field(default_factory=list)

    @property
    def word(self) -> str:
        """The first word after the name, or ""."""
        return self.rest.split(maxsplit=1)[0] if self.rest else ""

    @property
    def paragraph(self) -> str:
        """The text after the name, and the lines after it up to a blank one, joined by spaces."""
        lines = [self.rest]
        for _, line in self.following:
            if not line:
                break
            lines.append(line)
        return " ".join(line for line in lines if line)

    @property
    def whole(self) -> str:
        """Everything up to the next tag, line by line."""
        return "\n".join([self.rest, *(line for _, line in self.following)])

    def line_of(self, index: int) -> int:
        """Return the number in the file of a line of `whole`, which count from 0."""
        if index == 0 or not self.following:
            return self.line
        return self.following[min(index, len(self.following)) - 1][0]


def tags_of(lines: Iterable[tuple[int, str]]) -> list[Tag]:
    """Gather the tags of a block, unknown ones too; text before the first tag is left out.

    A `*` that begins a line is decoration (MAN-01).
    """
    tags: list[Tag] = []
    for number, line in lines:
        text = line.strip().removeprefix("*").strip()
        found = _TAG.fullmatch(text)
        if found:
            tags.append(Tag(found[1], found[2].strip(), number))
        elif tags:
            tags[-1].following.append((number, text))
    return tags


def line_of_tag(text: str, name: str, word: str) -> int | None:
    """Return the line of a source text that has `@name word`, None when there is none."""
    found = re.search(rf"@{name}[ \t]+{re.escape(word)}(?![\w.-])", text)
    return line_at(text, found.start()) if found else None

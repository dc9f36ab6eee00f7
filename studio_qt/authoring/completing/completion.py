"""`Completion`: one thing that can be put at a place; `Spot`: the place and what surrounds it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

__all__ = ["Completion", "Edit", "Kind", "Spot"]

Kind = Literal[
    "agent", "field", "file", "handler", "library", "macro", "method", "property", "tag", "value"
]


@dataclass(frozen=True, slots=True)
class Edit:
    """A text that goes in at a place, counted in characters of the text that was looked at."""

    at: int
    text: str


@dataclass(frozen=True, slots=True)
class Completion:
    """What can be put in the place of `start` to `end` of the text that was looked at.

    `label` is its name, `detail` a few words beside it, `help` what it is, in sentences; blank
    lines part paragraphs. The cursor goes `back` characters from the end of `insert`. `eager`: the
    list may open by itself. `again`: what follows can be completed too. `also` comes into the text
    in the same step, before `start`.
    """

    label: str
    insert: str
    start: int
    end: int
    kind: Kind
    detail: str = ""
    help: str = ""
    back: int = 0
    eager: bool = False
    again: bool = False
    also: tuple[Edit, ...] = ()


@dataclass(frozen=True, slots=True)
class Spot:
    """A place in a file: the text up to it and the text after it.

    `whole` says that `before` begins where the file does; else it is a piece from its middle.
    `quoted` says that the place is in a string or a comment of code. With `anything` nothing is
    left out because it is there already, which is how words that are written are explained.
    """

    path: str
    before: str
    after: str
    whole: bool = True
    quoted: bool = False
    anything: bool = field(default=False, kw_only=True)

    @property
    def at(self) -> int:
        """The place."""
        return len(self.before)

    @property
    def head(self) -> str:
        """The line up to the place."""
        return self.before[self.before.rfind("\n") + 1 :]

    @property
    def tail(self) -> str:
        """The rest of the line."""
        return self.after.partition("\n")[0]

    @property
    def is_first_line(self) -> bool:
        """Whether no line stands before."""
        return "\n" not in self.before

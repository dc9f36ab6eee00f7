"""The bridge as `resources/types/studio.d.ts` declares it: the one source for names and help.

The file is read with the few rules of TypeScript that it uses; a test holds it against what agents
are really given, in all four languages.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from studio_qt.resources import resource_text

__all__ = ["Declared", "Member", "declarations", "member_type", "read_declarations"]

_INTERFACE = re.compile(
    r"(?:/\*\*(?P<help>(?:(?!\*/).)*)\*/\s*)?interface (?P<name>\w+) \{\n", re.DOTALL
)
_DOC = re.compile(r"\s*/\*\*(.*?)\*/", re.DOTALL)
_NAME = re.compile(r"\s*(?:readonly\s+)?(\w+)(\?)?\s*(\(|:)")
_PARAMETER = re.compile(r"\s*(\w+)(\?)?\s*:\s*(.*)", re.DOTALL)
_TAG = re.compile(r"^@(\w+)\s+(.*)$")
_STAR = re.compile(r"^\s*\*? ?")
_PROMISE = re.compile(r"^Promise<(.*)>$")


@dataclass(frozen=True, slots=True)
class Member:
    """A method or a property; `parameters` is None for a property.

    `type` is what it is, or what a method gives. `api` is the namespace that a manifest has to
    declare. Parameters pair their names with "" or what is said of them.
    """

    name: str
    type: str
    help: str = ""
    parameters: Mapping[str, str] | None = None
    needed: frozenset[str] = frozenset()
    api: str = ""

    @property
    def waits(self) -> bool:
        """Whether a method gives a promise of something."""
        return self.type.startswith("Promise<") and self.type != "Promise<void>"

    @property
    def given(self) -> str:
        """What a method gives in the end."""
        found = _PROMISE.match(self.type)
        return found[1] if found else self.type


@dataclass(frozen=True, slots=True)
class Declared:
    """An interface."""

    name: str
    help: str
    members: Mapping[str, Member] = field(default_factory=dict)


@functools.cache
def declarations() -> Mapping[str, Declared]:
    """Return the interfaces of the shipped file, by name."""
    return read_declarations(resource_text("types/studio.d.ts"))


def read_declarations(text: str) -> Mapping[str, Declared]:
    """Return the interfaces of a declaration file, by name."""
    found = {}
    for start in _INTERFACE.finditer(text):
        end = text.index("\n}\n", start.end() - 1)
        said, _ = _help(start["help"] or "")
        members = {one.name: one for one in _members(text[start.end() : end] + "\n")}
        found[start["name"]] = Declared(start["name"], said, members)
    return found


def member_type(chain: tuple[str, ...], root: str) -> Declared | None:
    """Return the interface that a chain of members leads to, from the interface `root`."""
    declared = declarations().get(root)
    for name in chain:
        member = declared.members.get(name) if declared is not None else None
        if member is None or member.parameters is not None:
            return None
        declared = declarations().get(member.type)
    return declared


def _members(body: str) -> Iterator[Member]:
    for text in _parts(body, ";"):
        doc = _DOC.match(text)
        said, tags = _help(doc[1] if doc else "")
        found = _NAME.match(text, doc.end() if doc else 0)
        if found is None:
            continue  # an index signature
        told = dict(one.split(maxsplit=1) for tag, one in tags if tag == "param")
        api = next((one for tag, one in tags if tag == "api"), "")
        if found[3] == ":":
            yield Member(found[1], _line(text[found.end() :]), said, api=api)
            continue
        end = _closing(text, found.end() - 1)
        given, needed = _parameters(text[found.end() : end], told)
        result = _line(text[end + 1 :]).removeprefix(":").strip()
        yield Member(found[1], result, said, given, needed, api)


def _parameters(text: str, told: Mapping[str, str]) -> tuple[dict[str, str], frozenset[str]]:
    given: dict[str, str] = {}
    needed = set()
    for part in _parts(text, ","):
        if (found := _PARAMETER.match(part)) is not None:
            given[found[1]] = told.get(found[1], "")
            if not found[2]:
                needed.add(found[1])
    return given, frozenset(needed)


def _parts(text: str, mark: str) -> Iterator[str]:
    """Yield what stands between marks that are in no bracket and in no comment."""
    start = at = 0
    while at < len(text):
        if text.startswith("/**", at):
            at = text.index("*/", at) + 2
        elif text[at] in "({[<":
            at = _closing(text, at) + 1
        elif text[at] == mark:
            yield text[start:at]
            start = at = at + 1
        else:
            at += 1
    if text[start:].strip():
        yield text[start:]


def _closing(text: str, opening: int) -> int:
    depth = 0
    for at in range(opening, len(text)):
        if text[at] in "({[<":
            depth += 1
        elif text[at] in ")}]" or (text[at] == ">" and text[at - 1] != "="):
            depth -= 1
        if not depth:
            return at
    raise ValueError("a bracket is not closed")


def _help(comment: str) -> tuple[str, list[tuple[str, str]]]:
    """Return the sentences of a comment, a paragraph a line, and its tags."""
    lines = [_STAR.sub("", line).rstrip() for line in comment.strip().splitlines()]
    tags: list[tuple[str, str]] = []
    paragraphs: list[str] = [""]
    for line in lines:
        if (tag := _TAG.match(line)) is not None:
            tags.append((tag[1], tag[2]))
        elif not line:
            paragraphs.append("")
        elif tags:
            tags[-1] = (tags[-1][0], f"{tags[-1][1]} {line.strip()}")
        else:
            paragraphs[-1] = f"{paragraphs[-1]} {line}".strip()
    return "\n\n".join(one for one in paragraphs if one), tags


def _line(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()

"""Completions in the frontmatter of a sub-agent: fields, values, context files (STU-08)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from studio_qt.authoring.completing.completion import Completion, Spot
from studio_qt.authoring.completing.facts import ProjectFacts
from studio_qt.authoring.completing.words import FIELD_HELP, VALUE_HELP
from studio_qt.jsontext import encode
from studio_qt.package.subagents.loading import SUFFIX
from studio_qt.package.subagents.prompt import KNOWN

__all__ = ["frontmatter_offers", "is_in_frontmatter", "size_text"]

_FENCE = re.compile(r"^---[ \t]*\r?$", re.MULTILINE)
_KEY = re.compile(r"(#[ \t]?)?([A-Za-z][\w-]*)?$")
_VALUE = re.compile(r"(?:#[ \t]?)?([A-Za-z][\w-]*)[ \t]*:[ \t]+(.*)$")
_FIELD = re.compile(r"^[ \t]*([A-Za-z][\w-]*)[ \t]*:", re.MULTILINE)
_ITEM = re.compile(r"([ \t]*-[ \t]+)(.*)$")
_OWNER = re.compile(r"^([A-Za-z][\w-]*)[ \t]*:[ \t]*(.*)$")
_WORD_RIGHT = re.compile(r"[\w:.-]*")
_PLAIN = re.compile(r"[\w./][\w ./@()+-]*")
_LISTED = re.compile(r"""["']([^"']*)["']|[^\s,\[\]"'-][^,\[\]\n#]*""")
_EAGER = frozenset({"history", "model", "debug"})
_STARTS = {
    "description": ">\n  ",
    "contextFiles": "\n  - ",
    "params": '{"type": "object", "properties": {}}',
}
"""What a field begins with."""


def is_in_frontmatter(spot: Spot) -> bool:
    """Whether a place of a prompt file is between its fences."""
    if not spot.whole:
        return False
    text = spot.before.lstrip("\ufeff \t\r\n")
    first = _FENCE.match(text)
    if first is None:
        return False
    return _FENCE.search(text, first.end()) is None or text.endswith("\n---")


def frontmatter_offers(spot: Spot, project: ProjectFacts) -> list[Completion]:
    """Return all that can stand at a place between the fences, whatever is typed there."""
    head = spot.head
    field = _owner(spot)
    if field == "contextFiles" and (found := _ITEM.match(head)) and "[" not in _opened(spot):
        return list(_files(spot, project, found[2], inline=False))
    if field == "contextFiles" and (inner := _inline(spot)) is not None:
        return list(_files(spot, project, inner, inline=True))
    if (value := _VALUE.match(head)) is not None:
        if value[1] == "contextFiles" and "[" not in value[2]:
            return list(_files(spot, project, value[2], inline=False))
        return list(_values(spot, value[1], value[2]))
    if (key := _KEY.match(head)) is not None:
        return list(_fields(spot, key[2] or ""))
    return []


def size_text(size: int) -> str:
    """Return a size in bytes as people read it."""
    if size < 1000:
        return f"{size} bytes"
    return f"{size / 1000:.1f} KB" if size < 1_000_000 else f"{size / 1_000_000:.1f} MB"


def _fields(spot: Spot, typed: str) -> Iterator[Completion]:
    there = set() if spot.anything else {found[1] for found in _FIELD.finditer(_fenced(spot))}
    right = _word_right(spot.tail)
    start, end = spot.at - len(typed), spot.at + len(right)
    has_colon = spot.tail[len(right) :].lstrip(" \t").startswith(":")
    for name in KNOWN:
        if name in there and name != typed + right:
            continue
        default, told = FIELD_HELP[name]
        begin = _STARTS.get(name, "")
        follows = f":{begin}" if begin.startswith("\n") else f": {begin}"
        follows = "" if has_colon else follows
        back = 2 if name == "params" and not has_colon else 0
        again = name in _EAGER or name == "contextFiles"
        yield Completion(
            name,
            name + follows,
            start,
            end,
            "field",
            default,
            told,
            back=back,
            eager=bool(typed),
            again=again and not has_colon,
        )


def _values(spot: Spot, field: str, typed: str) -> Iterator[Completion]:
    if " #" in typed or typed.startswith("#"):
        return
    right = _word_right(spot.tail)
    start, end = spot.at - len(typed), spot.at + len(right)
    known = dict(VALUE_HELP.get(field, {}))
    if field == "id":
        name = PurePosixPath(spot.path).name.removesuffix(SUFFIX)
        known = {name: "The file's name, which counts without the field."}
    written = typed + right
    if field == "history" and spot.anything and re.fullmatch(r"recent:\d+", written):
        number = written.partition(":")[2]
        known = {written: f"Sees the last {number} messages too."}
    for value, told in known.items():
        default = "default" if FIELD_HELP[field][0] == value else ""
        eager = field in _EAGER
        yield Completion(value, value, start, end, "value", default, told, eager=eager)


def _files(spot: Spot, project: ProjectFacts, typed: str, *, inline: bool) -> Iterator[Completion]:
    typed = typed.lstrip(" \t")
    quote = typed[:1] if typed[:1] in ("'", '"') else ""
    stop = r"[^,\]\n#]*" if inline else r"[^\n#]*"
    found = re.match(stop, spot.tail)
    right = (found[0] if found else "").rstrip()
    start, end = spot.at - len(typed) + len(quote), spot.at + len(right)
    there = set() if spot.anything else _listed(spot)
    written = (typed + right).strip("\"' ")
    closing = quote if quote and right.endswith(quote) else ""
    for file in project.context_files:
        if file.name in there and file.name != written:
            continue
        name = _quoted(file.name, quote)
        size = size_text(file.size)
        insert = name + quote
        told = f"context/{file.name}" if project.context_folder == "context" else file.name
        told = f"{told}, {size}. It goes whole into the prompt, with every call."
        last = end - len(closing) if spot.anything else end
        yield Completion(file.name, insert, start, last, "file", size, told, eager=True)


def _quoted(name: str, quote: str) -> str:
    """Return a name for between open quotes, else in quotes of its own where it needs them."""
    if quote == "'":
        return name.replace("'", "''")
    if quote:
        return encode(name)[1:-1]
    return name if _PLAIN.fullmatch(name) and name == name.strip() else encode(name)


def _owner(spot: Spot) -> str:
    """Return the field that the line belongs to."""
    for line in reversed(spot.before.split("\n")):
        if (found := _OWNER.match(line)) is not None:
            return found[1]
    return ""


def _opened(spot: Spot) -> str:
    """Return what stands between the colon of the field and the place."""
    lines = spot.before.split("\n")
    for number in range(len(lines) - 1, -1, -1):
        if (found := _OWNER.match(lines[number])) is not None:
            return "\n".join([found[2], *lines[number + 1 :]])
    return ""


def _inline(spot: Spot) -> str | None:
    """Return what is typed of an item between brackets, None where there are none."""
    opened = _opened(spot)
    if not opened.lstrip().startswith("[") or "]" in opened:
        return None
    return opened[max(opened.rfind(","), opened.rfind("["), opened.rfind("\n")) + 1 :].lstrip()


def _listed(spot: Spot) -> set[str]:
    """Return the names that the list has already, above and below."""
    lines = spot.before.split("\n")
    first = next(
        (at for at in range(len(lines) - 1, -1, -1) if lines[at].startswith("contextFiles")), None
    )
    if first is None:
        return set()
    rest = spot.after.split("\n")
    below = []
    for line in rest[1:]:
        if _OWNER.match(line) or line.startswith("---"):
            break
        below.append(line)
    above = [_OWNER.sub(r"\2", lines[first]), *lines[first + 1 :]]
    text = "\n".join([*above[:-1], above[-1] + rest[0], *below])
    return {(found[1] or found[0]).strip() for found in _LISTED.finditer(text)}


def _fenced(spot: Spot) -> str:
    """Return the frontmatter as far as it can be seen, without the line of the place."""
    line = spot.before.rfind("\n") + 1
    rest = spot.after.partition("\n")[2]
    close = _FENCE.search(rest)
    return spot.before[:line] + "\n" + (rest[: close.start()] if close else "")


def _word_right(tail: str) -> str:
    found = _WORD_RIGHT.match(tail)
    right = found[0] if found else ""
    return right.removesuffix(":") if right.endswith(":") else right

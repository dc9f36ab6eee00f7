"""A conversation as Markdown: what people wrote stays Markdown, but nothing of it is swallowed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from textwrap import indent

from studio_qt.engine.export_parts import About, Chosen, Part, parts_of, plain, time_words
from studio_qt.jsontext import JsonObject

__all__ = ["markdown_pieces"]

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)")
_UNDERLINE = re.compile(r" {0,3}([-=*_])(?:[ \t]*\1)*[ \t]*")
"""A line that would make the one before it a heading, or be a rule."""

_DEFINITION = re.compile(r" {0,3}\[[^\]]+\]:")
"""What a reader takes for the definition of a link, and does not show."""

_NUMBER = re.compile(r"[ \t]*\d{1,9}(?=[.)])")
"""A number that would be counted anew."""

_LONGEST = 20_000
"""Letters of a line in which code is looked for."""

_CODE = re.compile(r"(?<!`)(`{1,32})(?!`)(.{1,2000}?)(?<!`)\1(?!`)")
_SWALLOWED = re.compile(r"<(?=[A-Za-z/!?])|&(?=#?\w{1,32};)")
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#&|])")


def markdown_pieces(entries: Sequence[JsonObject], about: About, chosen: Chosen) -> Iterator[str]:
    """Yield the file in pieces, about one an entry."""
    yield f"# {_inline(about.heading)}\n\n"
    updated = time_words(about.updated, about.zone)
    facts = [about.character, about.conversation_id, updated]
    yield f"{' · '.join(_inline(fact) for fact in facts if fact)}\n"
    for part in parts_of(entries, about, chosen):
        yield f"\n{_tool(part) if part.kind == 'tool' else _said(part)}"


def _said(part: Part) -> str:
    words = [f"**{_inline(part.name)}**", part.time, part.note]
    head = " · ".join(word for word in words if word)
    if part.kind == "log":
        log = "\n".join(f"> {line}".rstrip(" ") for line in _shown(part.text).split("\n"))
        return f"> {head}\n>\n{log}\n"
    return f"### {head}\n\n{_shown(part.text)}\n"


def _tool(part: Part) -> str:
    """A call as an item of a list, with what was given and what came back as code."""
    mark = "inside: " if part.inner else ""
    note = f" · {part.note}" if part.note else ""
    blocks = [f"- {mark}**{_inline(part.name)}**{note}\n"]
    blocks += [_code(text) for text in (part.given, part.text) if text]
    body = "\n".join(blocks)
    return indent(body, "  ") if part.inner else body


def _code(text: str) -> str:
    shown = plain(text)
    longest = max((len(run) for run in re.findall(r"`+", shown)), default=0)
    fence = "`" * max(3, longest + 1)
    lines = [fence, *shown.split("\n"), fence]
    return indent("\n".join(lines), "  ") + "\n"


def _shown(text: str) -> str:
    """Return what was written so that a reader shows all of it, line by line."""
    lines = plain(text).strip("\n").split("\n")
    shown: list[str] = []
    fence = ""
    for at, line in enumerate(lines):
        found = _FENCE.fullmatch(line)
        if fence:
            shown.append(line)
            if found and found[1].startswith(fence) and not found[2].strip():
                fence = ""
            continue
        if found and not (found[1][0] == "`" and "`" in found[2]):
            fence = found[1]
            shown.append(line)
            continue
        goes_on = at + 1 < len(lines) and lines[at + 1].strip() and line.strip()
        shown.append(_line(line) + ("  " if goes_on else ""))
    if fence:  # else it would go on over everything that follows
        shown.append(fence)
    return "\n".join(shown)


def _line(line: str) -> str:
    if line.strip() and (_UNDERLINE.fullmatch(line) or _DEFINITION.match(line)):
        at = len(line) - len(line.lstrip())
        line = f"{line[:at]}\\{line[at:]}"
    line = _NUMBER.sub(r"\g<0>\\", line, count=1) if _NUMBER.match(line) else line
    pieces = []
    at = 0
    for code in _CODE.finditer(line) if len(line) <= _LONGEST else ():
        pieces += [_SWALLOWED.sub(r"\\\g<0>", line[at : code.start()]), code[0]]
        at = code.end()
    return "".join([*pieces, _SWALLOWED.sub(r"\\\g<0>", line[at:])])


def _inline(text: str) -> str:
    """Return a name or a title as mere text."""
    return _SPECIAL.sub(r"\\\1", " ".join(plain(text).split()))

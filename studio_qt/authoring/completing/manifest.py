"""Completions in the manifest of an agent's file: tags and what follows them (MAN-02)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath

from studio_qt.authoring.completing.completion import Completion, Kind, Spot
from studio_qt.authoring.completing.facts import ProjectFacts
from studio_qt.authoring.completing.words import API_HELP, HOOK_HELP, TAG_HELP
from studio_qt.package.model import Language

__all__ = ["is_in_manifest", "manifest_offers", "manifest_start"]

_PYTHON = re.compile(r"(?:\ufeff|\s|#[^\n]*\n)*[rRuU]?(\"\"\"|''')")
_TAG = re.compile(r"[ \t]*\*?[ \t]*(?:#[ \t]*)?@([\w-]*)$")
_VALUE = re.compile(r"[ \t]*\*?[ \t]*(?:#[ \t]*)?@([\w-]+)[ \t]+(.*)$")
_TAGS = re.compile(r"^[ \t]*\*?[ \t]*@([\w-]+)(?:[ \t]+(\S+))?", re.MULTILINE)
_WORD_RIGHT = re.compile(r"[\w.-]*")
_SCHEMA_RIGHT = re.compile(r"[^\n]*")
_FUNCTIONS = re.compile(
    r"(?:function|def)\s+([A-Za-z_]\w*)\s*\(|export\s+const\s+([A-Za-z_]\w*)\s*="
)
_ONCE = frozenset({"agent", "version", "description", "preload", "debug"})
_FOLLOWED = frozenset({"api", "hook", "lib", "preload", "debug", "agent"})
_SCHEMA = '{"type": "object", "properties": {}, "required": []}'
_ORDER = (
    *("agent", "version", "description", "tool", "tool-description", "tool-params", "command"),
    *("preload", "api", "hook", "lib", "debug"),
)
_CLOSERS: Mapping[str, str] = {"javascript": "*/", "typescript": "*/", "lua": "]]"}


def manifest_start(text: str, language: Language) -> int | None:
    """Return where the inside of the block begins in a text from the file's start."""
    if language == "python":
        found = _PYTHON.match(text)
        return found.end() if found else None
    opening = "--[[" if language == "lua" else "/**"
    at = text.find(opening)
    return at + len(opening) if at >= 0 else None


def is_in_manifest(spot: Spot, language: Language) -> bool:
    """Whether a place is in the block that holds the manifest."""
    if not spot.whole:
        return False
    start = manifest_start(spot.before, language)
    if start is None:
        return False
    closer = _CLOSERS.get(language) or spot.before[start - 3 : start]
    return spot.before.find(closer, start) < 0


def manifest_offers(spot: Spot, language: Language, project: ProjectFacts) -> list[Completion]:
    """Return all that can stand at a place in the manifest."""
    if (tag := _TAG.match(spot.head)) is not None:
        return list(_tags(spot, language, tag[1]))
    if (value := _VALUE.match(spot.head)) is not None:
        return list(_values(spot, language, project, value[1], value[2]))
    return []


def _tags(spot: Spot, language: Language, typed: str) -> Iterator[Completion]:
    start = spot.at - len(typed) - 1
    right = _right(_WORD_RIGHT, spot.tail)
    end = spot.at + len(right)
    there = [(found[1], found[2]) for found in _TAGS.finditer(_block(spot, language))]
    names = {name for name, _ in there}
    for name in sorted(_ORDER, key=lambda one: _worth(one, there)):
        if name in _ONCE and name in names and not spot.anything:
            continue
        if name == "lib" and language in ("python", "lua") and not spot.anything:
            continue
        follows, told = TAG_HELP[name]
        more = "" if spot.tail[len(right) :].startswith(" ") else " "
        insert = f"@{name}{more}"
        back = 0
        if name == "tool-params" and more:
            insert, back = f"@{name} {_SCHEMA}", len('}, "required": []}')
        yield Completion(
            f"@{name}",
            insert,
            start,
            end,
            "tag",
            follows,
            told,
            back=back,
            eager=True,
            again=name in _FOLLOWED,
        )


def _worth(name: str, there: list[tuple[str, str | None]]) -> tuple[int, int]:
    """Put first what is missing: the id, then what the last tool has not got."""
    names = [tag for tag, _ in there]
    first = "agent" if "agent" not in names else ""
    if "tool" in names:
        after = names[len(names) - names[::-1].index("tool") :]
        lacking = (tag for tag in ("tool-description", "tool-params") if tag not in after)
        first = first or next(lacking, "")
    return (0 if name == first else 1, _ORDER.index(name))


def _values(
    spot: Spot, language: Language, project: ProjectFacts, tag: str, typed: str
) -> Iterator[Completion]:
    if tag == "tool-params":
        if not typed:
            end = spot.at + len(_right(_SCHEMA_RIGHT, spot.tail))
            told = "An object without properties; put them between the inner braces."
            yield Completion(
                _SCHEMA, _SCHEMA, spot.at, end, "value", "", told, back=len('}, "required": []}')
            )
        return
    if tag == "command":
        yield from _handlers(spot, language, typed)
        return
    if " " in typed:
        return
    start, end = spot.at - len(typed), spot.at + len(_right(_WORD_RIGHT, spot.tail))
    there = set() if spot.anything else _given(spot, language, tag)
    for value, (kind, detail, told) in _known(spot, project, tag).items():
        if value not in there:
            yield Completion(value, value, start, end, kind, detail, told, eager=True)


def _known(spot: Spot, project: ProjectFacts, tag: str) -> Mapping[str, tuple[Kind, str, str]]:
    """Return the values of a tag: kind, a few words, sentences."""
    if tag == "api":
        return {name: ("value", "", told) for name, told in API_HELP.items()}
    if tag == "hook":
        return {name: ("value", "", told) for name, told in HOOK_HELP.items()}
    if tag == "lib":
        return {name: ("library", file, "") for name, file in project.libraries.items()}
    if tag in ("preload", "debug"):
        return {"true": ("value", "", TAG_HELP[tag][1]), "false": ("value", "", "Without effect.")}
    if tag == "agent":
        name = PurePosixPath(spot.path).name
        told = "The file's name, by which config.json finds it."
        return {name.removesuffix(PurePosixPath(name).suffix): ("value", "", told)}
    return {}


def _handlers(spot: Spot, language: Language, typed: str) -> Iterator[Completion]:
    """Offer the functions of the file for a command whose name is there already."""
    name, blank, word = typed.partition(" ")
    if not name or not blank or " " in word:
        return
    start, end = spot.at - len(word), spot.at + len(_right(_WORD_RIGHT, spot.tail))
    taken = ("on_", "on") if language in ("python", "lua") else ("on",)
    for found in _FUNCTIONS.finditer(spot.after):
        function = found[1] or found[2]
        is_event = function.startswith(taken) and function[2:3] in ("_", function[2:3].upper())
        if not is_event and not function.startswith("_"):
            told = f"A function of this file that answers {name}."
            yield Completion(function, function, start, end, "handler", "", told, eager=True)


def _given(spot: Spot, language: Language, tag: str) -> set[str]:
    """Return what the manifest gives a tag on other lines."""
    line = spot.before.rfind("\n") + 1
    rest = spot.after.partition("\n")[2]
    other = Spot(spot.path, spot.before[:line], rest)
    found = _TAGS.finditer(_block(other, language))
    return {one[2] for one in found if one[1] == tag and one[2]}


def _block(spot: Spot, language: Language) -> str:
    """Return the manifest as far as it can be seen."""
    start = manifest_start(spot.before, language) or 0
    closer = _CLOSERS.get(language) or spot.before[start - 3 : start] or '"""'
    end = spot.after.find(closer)
    return spot.before[start:] + spot.after[: end if end >= 0 else 0]


def _right(pattern: re.Pattern[str], tail: str) -> str:
    found = pattern.match(tail)
    return found[0] if found else ""

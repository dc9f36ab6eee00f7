"""Completions in config.json: keys, agents, prompt and context files, grants (STU-08)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from studio_qt.authoring.completing.completion import Completion, Kind, Spot
from studio_qt.authoring.completing.facts import AgentFacts, ProjectFacts
from studio_qt.authoring.completing.frontmatter import size_text
from studio_qt.authoring.completing.jsonplace import JsonPlace, json_place
from studio_qt.authoring.completing.words import (
    CONFIG_HELP,
    ENTRY_HELP,
    FIELD_HELP,
    MAPPING_HELP,
    VALUE_HELP,
)
from studio_qt.jsontext import encode
from studio_qt.package.subagents.loading import SUB_AGENT
from studio_qt.package.subagents.prompt import KNOWN

__all__ = ["config_offers"]

_REST = re.compile(r'(?:[^"\\\n,\]}]|\\.)*')
_LOOKUP = frozenset({"studio.agent-db", "studio.context-access"})
_GRANTS = ("shared-agents", "private-agents")
_SUB_KEYS = ("promptFile", *(name for name in KNOWN if name != "id"), *_GRANTS)
_LISTS = frozenset({"agents", "contextFiles", *_GRANTS})
_OBJECTS = frozenset({"fileMappings", "params"})
_BARE = frozenset({"maxTokens", "maxRounds", "temperature", "topP", "debug"})


@dataclass(frozen=True, slots=True)
class _Value:
    label: str
    kind: Kind
    detail: str = ""
    help: str = ""


def config_offers(spot: Spot, project: ProjectFacts) -> list[Completion]:
    """Return all keys or values that can stand at a place."""
    place = json_place(spot.before, spot.after)
    if place is None:
        return []
    if place.is_name:
        return list(_names(spot, place))
    return list(_values(spot, place, project))


def _names(spot: Spot, place: JsonPlace) -> Iterator[Completion]:
    start, end, closed = _span(spot, place)
    written = spot.before[start:] + spot.after[: end - spot.at]
    quoted = place.typed is not None
    has_colon = spot.after[end - spot.at + closed :].lstrip().startswith(":")
    for name, told in _keys(place).items():
        if name in place.members and name != written and not spot.anything:
            continue
        opening = "" if quoted else '"'
        if has_colon or spot.anything:
            insert, back, last = f"{opening}{name}", 0, end
        else:
            begin, back = _beginning(name)
            insert, last = f'{opening}{name}": {begin}', end + closed
        yield Completion(
            name, insert, start, last, "field", "", told,
            back=back, eager=quoted, again=not has_colon,
        )  # fmt: skip


def _beginning(name: str) -> tuple[str, int]:
    """Return what the value of a new key begins with, and how far from its end one goes on."""
    if name in _BARE:
        return "", 0
    if name in _LISTS:
        return '[""]', 2
    return ("{}", 1) if name in _OBJECTS else ('""', 1)


def _keys(place: JsonPlace) -> Mapping[str, str]:
    match place.path:
        case ():
            return CONFIG_HELP
        case ("fileMappings",):
            return MAPPING_HELP
        case ("agents", int()):
            implementation = place.members.get("implementation", "")
            keys = ["id", "implementation"]
            if implementation == SUB_AGENT:
                keys += _SUB_KEYS
            elif implementation in _LOOKUP:
                keys.append("contextFile")
            else:
                keys += ["promptFile", "contextFile"]
        case ("agents", int(), "private-agents", int()):
            keys = ["id", "implementation", "contextFile"]
        case _:
            return {}
    fields = {name: told for name, (_, told) in FIELD_HELP.items()}
    return {name: {**fields, **ENTRY_HELP}[name] for name in keys}


def _values(spot: Spot, place: JsonPlace, project: ProjectFacts) -> Iterator[Completion]:
    start, end, closed = _span(spot, place)
    quoted = place.typed is not None
    written = spot.before[start:] + spot.after[: end - spot.at]
    there = set(place.items) - {written} if not spot.anything else set()
    for value in _known(place, project):
        if value.label in there:
            continue
        if place.path[-1] in _BARE:
            if quoted:
                continue
            insert = value.label
        elif quoted:
            insert = encode(value.label)[1 : -1 if closed else None]
        else:
            insert = encode(value.label)
        yield Completion(
            value.label, insert, start, end, value.kind, value.detail, value.help, eager=quoted
        )


def _known(place: JsonPlace, project: ProjectFacts) -> Iterable[_Value]:
    match place.path:
        case ("agents", int()):
            return _entries(project)
        case ("agents", int(), str() as key):
            return _of_entry(key, project)
        case ("agents", int(), "contextFiles", int()):
            return _context(project)
        case ("agents", int(), "shared-agents", int()):
            return _shared(project)
        case ("agents", int(), "private-agents", int()):
            return _implementations(project)
        case ("agents", int(), "private-agents", int(), "implementation"):
            return _implementations(project)
        case ("agents", int(), "private-agents", int(), "contextFile"):
            return _context(project)
        case ("fileMappings", str() as key):
            return _mapped(key, project)
    return ()


def _entries(project: ProjectFacts) -> Iterator[_Value]:
    """Offer what can stand in the list: files first, since they are the author's own."""
    known = {one.file: one for one in project.agents}
    for name in project.prompts:
        agent = known.get(f"agents/{name}")
        yield _Value(name, "agent", "sub-agent", agent.description if agent else "")
    yield from _implementations(project)


def _implementations(project: ProjectFacts, *, with_sub_agent: bool = False) -> Iterator[_Value]:
    own = [one for one in project.implementations if not one.file.startswith("studio:")]
    shipped = [one for one in project.implementations if one.file.startswith("studio:")]
    for agent in (*own, *shipped):
        if agent.id != SUB_AGENT or with_sub_agent:
            yield _agent(agent)


def _shared(project: ProjectFacts) -> Iterator[_Value]:
    for agent in project.agents:
        if not agent.is_sub_agent:
            yield _agent(agent)


def _agent(agent: AgentFacts) -> _Value:
    tools = ", ".join(agent.tools)
    told = agent.description
    if tools:
        told = f"{told}\n\nTools: {tools}".strip()
    return _Value(agent.id, "agent", tools, told)


def _of_entry(key: str, project: ProjectFacts) -> Iterable[_Value]:
    if key == "implementation":
        return _implementations(project, with_sub_agent=True)
    if key == "promptFile":
        return (_Value(name, "file", "", "A sub-agent's file.") for name in project.prompts)
    if key == "contextFile":
        return _context(project)
    values = VALUE_HELP.get(key, {})
    return (_Value(name, "value", "", told) for name, told in values.items())


def _context(project: ProjectFacts) -> Iterator[_Value]:
    for file in project.context_files:
        path = f"{project.context_folder}/{file.name}"
        yield _Value(file.name, "file", size_text(file.size), f"{path}, {size_text(file.size)}.")


def _mapped(key: str, project: ProjectFacts) -> Iterator[_Value]:
    if key == "ContextDirectory":
        folders = {path.rpartition("/")[0] for path in project.files if "/" in path}
        for folder in sorted(folders - {"agents", "agents/lib"}):
            yield _Value(folder, "file", "folder")
        return
    for path in project.files:
        if path.endswith((".txt", ".md")) and not path.startswith("agents/"):
            yield _Value(path, "file")


def _span(spot: Spot, place: JsonPlace) -> tuple[int, int, int]:
    """Return the part that is replaced, and how long the quote after it is: 1 or 0."""
    if place.typed is None:
        word = re.search(r"[\w.]*$", spot.head)
        return spot.at - len(word[0] if word else ""), spot.at, 0
    found = _REST.match(spot.after)
    right = found[0] if found else ""
    closed = spot.after.startswith('"', len(right))
    if not closed:
        right = ""
    return spot.at - len(place.typed), spot.at + len(right), 1 if closed else 0

"""`config.json` as a form: what it says, and edits that leave everything else to the letter."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from studio_qt.authoring.wiring import PRIVATE, SHARED
from studio_qt.jsontext import JsonObject, JsonValue, decode_object
from studio_qt.package.builtins import builtin_agent
from studio_qt.package.ids import id_fault
from studio_qt.package.resolver import DEFAULTS
from studio_qt.package.rewrite import rewrite_config
from studio_qt.package.subagents.loading import SUB_AGENT, SUFFIX

__all__ = [
    "LOOKUPS",
    "ConfigForm",
    "EntryKind",
    "ListedAgent",
    "add_entry",
    "change_entry",
    "map_text",
    "move_entry",
    "read_config_form",
    "remove_entry",
    "set_word",
]

EntryKind = Literal["builtin", "code", "subagent", "lookup", "instance", "unknown"]
"""What an entry is; an "instance" is a composed one of other code, "unknown" no entry at all."""

LOOKUPS = ("studio.context-access", "studio.agent-db", "studio.lorebook")
"""The built-in agents that are composed with a data file."""

_BOM = "\ufeff"
TextEdit = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class ListedAgent:
    """An entry of `agents`: where it stands, from 0, and what it says.

    `id` is the registered id of all but sub-agents listed by file name, which give it themselves;
    of those it is the file's stem. `file` names the code or prompt as entries do.
    """

    position: int
    id: str
    kind: EntryKind
    file: str
    context_file: str = ""
    shared: int = 0
    private: int = 0
    bare: bool = True


@dataclass(frozen=True, slots=True)
class ConfigForm:
    """What a form shows; `mappings` has the keys of `fileMappings` that are given as texts."""

    name: str
    version: str
    model: str
    agents: tuple[ListedAgent, ...]
    mappings: Mapping[str, str]


def read_config_form(text: str) -> ConfigForm:
    """Return what config.json says; raises ValueError, with the place, where it is no object."""
    data = decode_object(text.removeprefix(_BOM))
    listed, mappings = data.get("agents"), data.get("fileMappings")
    given = mappings if isinstance(mappings, dict) else {}
    return ConfigForm(
        _text(data, "name"),
        _text(data, "version"),
        _text(data, "model"),
        tuple(
            _listed(at, entry)
            for at, entry in enumerate(listed if isinstance(listed, list) else [])
        ),
        {key: value for key in DEFAULTS if isinstance(value := given.get(key), str)},
    )


def set_word(key: str, word: str) -> TextEdit:
    """Return an edit that gives "name", "version" or "model" a text; "" takes it out."""

    def change(data: JsonObject) -> None:
        _set(data, key, word)

    return _edit(change)


def map_text(key: str, path: str) -> TextEdit:
    """Return an edit that maps a key of `fileMappings` to a path; "" gives the default back."""

    def change(data: JsonObject) -> None:
        mappings = data.get("fileMappings")
        kept = dict(mappings) if isinstance(mappings, dict) else {}
        _set(kept, key, path)
        data["fileMappings"] = kept
        if not kept:
            del data["fileMappings"]

    return _edit(change)


def add_entry(entry: JsonValue, at: int | None = None) -> TextEdit:
    """Return an edit that lists an entry, before the one at `at`, else last."""

    def change(data: JsonObject) -> None:
        agents = _agents(data)
        agents.insert(len(agents) if at is None else at, entry)

    return _edit(change)


def remove_entry(entry: ListedAgent) -> TextEdit:
    """Return an edit that takes an entry out; ValueError where it is not there any more."""

    def change(data: JsonObject) -> None:
        del _agents(data)[_found(data, entry)]

    return _edit(change)


def move_entry(entry: ListedAgent, to: int) -> TextEdit:
    """Return an edit that puts an entry at position `to` of the list without it."""

    def change(data: JsonObject) -> None:
        agents = _agents(data)
        agents.insert(to, agents.pop(_found(data, entry)))

    return _edit(change)


def change_entry(entry: ListedAgent, **members: str) -> TextEdit:
    """Return an edit of an object entry's members; grants follow another "id".

    Raises ValueError, when it is made, for an id that cannot be one, or that another entry has.
    """
    new = members.get("id", entry.id)

    def change(data: JsonObject) -> None:
        position = _found(data, entry)
        agents = _agents(data)
        found = agents[position]
        if not isinstance(found, dict):
            raise ValueError(f"“{entry.id}” is listed by its name alone and has nothing to change")
        if fault := id_fault(new):
            raise ValueError(f"“{new}” {fault}")
        if new != entry.id and any(one.id == new for one in _all(agents)):
            raise ValueError(f"“{new}” is the id of another agent already")
        agents[position] = {**found, **members}
        if new != entry.id:
            _follow_id(agents, entry.id, new)

    return _edit(change)


def _listed(at: int, entry: JsonValue) -> ListedAgent:
    if isinstance(entry, str):
        if entry.endswith(SUFFIX):
            return ListedAgent(at, entry.removesuffix(SUFFIX), "subagent", entry)
        kind: EntryKind = "builtin" if builtin_agent(entry) is not None else "code"
        return ListedAgent(at, entry, kind, entry)
    if not isinstance(entry, dict):
        return ListedAgent(at, "", "unknown", "", bare=False)
    agent_id, implementation = _text(entry, "id"), _text(entry, "implementation")
    if implementation == SUB_AGENT:
        shared, private = (_count(entry.get(key)) for key in (SHARED, PRIVATE))
        file = _text(entry, "promptFile")
        return ListedAgent(at, agent_id, "subagent", file, "", shared, private, bare=False)
    kind = "lookup" if implementation in LOOKUPS else "instance"
    if not agent_id or not implementation:
        kind = "unknown"
    return ListedAgent(at, agent_id, kind, implementation, _text(entry, "contextFile"), bare=False)


def _all(agents: list[JsonValue]) -> list[ListedAgent]:
    return [_listed(at, entry) for at, entry in enumerate(agents)]


def _found(data: JsonObject, entry: ListedAgent) -> int:
    """Return where an entry is now: in its place, else the only one that says the same."""
    agents = _agents(data)
    same = [one.position for one in _all(agents) if (one.id, one.file) == (entry.id, entry.file)]
    if entry.position in same:
        return entry.position
    if len(same) != 1:
        raise ValueError(f"“{entry.id}” is not where it was; config.json has changed meanwhile")
    return same[0]


def _follow_id(agents: list[JsonValue], old: str, new: str) -> None:
    for entry in agents:
        if isinstance(entry, dict) and isinstance(shared := entry.get(SHARED), list):
            entry[SHARED] = [new if name == old else name for name in shared]


def _agents(data: JsonObject) -> list[JsonValue]:
    agents = data.setdefault("agents", [])
    if not isinstance(agents, list):
        raise ValueError('"agents" is no list')
    return agents


def _set(data: JsonObject, key: str, word: str) -> None:
    if word:
        data[key] = word
    else:
        data.pop(key, None)


def _edit(change: Callable[[JsonObject], None]) -> TextEdit:
    return lambda text: rewrite_config(text, change)


def _text(entry: JsonObject, key: str) -> str:
    value = entry.get(key)
    return value if isinstance(value, str) else ""


def _count(value: JsonValue) -> int:
    return len(value) if isinstance(value, list) else 0

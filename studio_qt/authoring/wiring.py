"""What config.json says of agents, grants and context files, as an edit that follows changes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from studio_qt.jsontext import JsonObject, JsonValue
from studio_qt.package.resolver import DEFAULTS
from studio_qt.package.rewrite import rewrite_config

__all__ = ["PRIVATE", "SHARED", "Renames", "context_names", "file_names", "follow_config"]

SHARED, PRIVATE = "shared-agents", "private-agents"
_FILES = ("implementation", "promptFile")

Names = Mapping[str, str | None]
"""Old names and new ones; None is one that is gone."""


@dataclass(frozen=True, slots=True)
class Renames:
    """What is called otherwise: files of agents as entries name them, ids, context files, paths.

    `texts` are keys of mappings that there were none for, with the new paths.
    """

    files: dict[str, str | None] = field(default_factory=dict)
    ids: dict[str, str | None] = field(default_factory=dict)
    contexts: dict[str, str | None] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)
    paths: Callable[[str], str] = lambda path: path

    def is_gone(self, file: JsonValue) -> bool:
        """Whether the file of an agent, as an entry names it, is there no more."""
        return _is_gone(self.files, file)


def follow_config(renames: Renames) -> Callable[[str], str]:
    """Return an edit of config.json's text that follows; raises ValueError for one that is no JSON.

    Entries, grants and instances of what is gone are taken out; so are mappings of texts that have
    their usual name again.
    """

    def change(data: JsonObject) -> None:
        agents = data.get("agents")
        if isinstance(agents, list):
            data["agents"] = _followed(agents, renames)
        mappings = data.get("fileMappings")
        if isinstance(mappings, dict) or (mappings is None and renames.texts):
            mapped = _mapped(mappings or {}, renames)
            data["fileMappings"] = mapped
            if mappings and not mapped:
                del data["fileMappings"]

    return lambda text: rewrite_config(text, change)


def file_names(entries: list[JsonValue]) -> Iterator[str]:
    """Yield what entries, and the private ones of sub-agents, call the files of agents."""
    for entry in entries:
        if isinstance(entry, str):
            yield entry
        elif isinstance(entry, dict):
            for key in _FILES:
                if isinstance(name := entry.get(key), str):
                    yield name
            private = entry.get(PRIVATE)
            yield from file_names(private if isinstance(private, list) else [])


def context_names(entries: list[JsonValue]) -> Iterator[str]:
    """Yield the context files that entries, and the private ones of sub-agents, name."""
    for entry in entries:
        if isinstance(entry, dict):
            many, private = entry.get("contextFiles"), entry.get(PRIVATE)
            named = [entry.get("contextFile"), *(many if isinstance(many, list) else ())]
            yield from (name for name in named if isinstance(name, str))
            yield from context_names(private if isinstance(private, list) else [])


def _mapped(mappings: JsonObject, renames: Renames) -> JsonObject:
    after: JsonObject = {}
    for key, value in (mappings | renames.texts).items():
        new = renames.paths(value) if isinstance(value, str) and key not in renames.texts else value
        is_usual = isinstance(new, str) and new.rstrip("/") == DEFAULTS.get(key)
        if new == value or not is_usual:
            after[key] = new
    return after


def _followed(entries: list[JsonValue], renames: Renames) -> list[JsonValue]:
    kept: list[JsonValue] = []
    for entry in entries:
        if isinstance(entry, str):
            name = renames.files.get(entry, entry)
            if name is not None:
                kept.append(name)
        elif not isinstance(entry, dict):
            kept.append(entry)
        elif not any(renames.is_gone(entry.get(key)) for key in _FILES):
            kept.append({key: _member(key, value, renames) for key, value in entry.items()})
    return kept


def _member(key: str, value: JsonValue, renames: Renames) -> JsonValue:
    if key in _FILES:
        return _name(renames.files, value)
    if key == "contextFile":
        new = _name(renames.contexts, value)
        return value if new is None else new  # the entry needs one; its problem tells
    if key == "contextFiles" and isinstance(value, list):
        return _names(renames.contexts, value)
    if key == SHARED and isinstance(value, list):
        return _names(renames.ids, value)
    if key == PRIVATE and isinstance(value, list):
        return _followed(value, renames)
    return value


def _names(names: Names, values: list[JsonValue]) -> list[JsonValue]:
    return [_name(names, value) for value in values if not _is_gone(names, value)]


def _name(names: Names, value: JsonValue) -> JsonValue:
    return names.get(value, value) if isinstance(value, str) else value


def _is_gone(names: Names, value: JsonValue) -> bool:
    return isinstance(value, str) and names.get(value, value) is None

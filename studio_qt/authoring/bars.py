"""Which bars stand above the editor of a file in `agents/`, and what they say (STU-07)."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Literal

from studio_qt.authoring.enabling import entry_name, uses_of
from studio_qt.authoring.permissions import shown_name
from studio_qt.files.paths import UnsafePathError
from studio_qt.files.source import Source
from studio_qt.jsontext import JsonObject, JsonValue, decode_object
from studio_qt.package.agents import find_agent_file
from studio_qt.package.config import CONFIG_FILE
from studio_qt.package.ids import id_fault
from studio_qt.package.places import Places
from studio_qt.package.reading import read_text
from studio_qt.package.subagents.effective import Overrides
from studio_qt.package.subagents.fields import FIELDS
from studio_qt.package.subagents.loading import SUFFIX
from studio_qt.package.subagents.prompt import PromptFile
from studio_qt.package.subagents.reading import prompt_path, read_prompt_file
from studio_qt.sentences import listed

__all__ = ["BAR_KINDS", "Bar", "Entries", "Shadow", "bars_of", "read_entries", "shadows_of"]

Kind = Literal["registration", "shadowed", "trust"]
BAR_KINDS: tuple[Kind, ...] = ("trust", "registration", "shadowed")
"""The kinds of bars, in the order in which they stand."""


@dataclass(frozen=True, slots=True)
class Bar:
    """A sentence with what can be done about it: enable the file, show an entry, review the code.

    `line` is that of the entry in config.json.
    """

    kind: Kind
    text: str
    action: Literal["", "enable", "entry", "review"] = ""
    line: int | None = None


@dataclass(frozen=True, slots=True)
class Shadow:
    """A field of a sub-agent's file that an entry of config.json overrides.

    `line` is that of the field in the file, from 1, None where the file does not give it; `value`
    what counts instead, as config.json writes it; `entry_line` where it does.
    """

    instance: str
    field: str
    line: int | None
    value: JsonValue
    entry_line: int


@dataclass(frozen=True, slots=True)
class Entries:
    """The `agents` of config.json as they are now, and where they stand."""

    config: JsonObject
    places: Places
    uses: frozenset[str]


def read_entries(source: Source) -> Entries | None:
    """Return what config.json lists; None where it cannot be read, which its problem tells."""
    text = read_text(source, CONFIG_FILE).text
    if text is None:
        return Entries({}, Places.of("{}"), frozenset())
    try:
        config = decode_object(text)
    except ValueError:
        return None
    return Entries(config, Places.of(text), uses_of(config))


def bars_of(
    source: Source,
    entries: Entries | None,
    path: str,
    untrusted: Collection[str] = (),
    *,
    waiting: bool = False,
) -> tuple[Bar, ...]:
    """Return the bars of a file, at most one of each kind.

    `untrusted` are the paths of code that may not run before the user agrees; `waiting` says that
    nothing of the character runs until then. Reads files: not for a UI thread.
    """
    found: list[Bar] = []
    if path in untrusted:
        found.append(_trust(waiting=waiting))
    if entries is not None:
        found += _registration(source, entries, path)
        found += _shadowed(shadows_of(source, entries, path))
    return tuple(found)


def shadows_of(source: Source, entries: Entries, path: str) -> tuple[Shadow, ...]:
    """Return the fields of a sub-agent's file that entries override, entry by entry."""
    if not path.endswith(SUFFIX):
        return ()
    prompt = read_prompt_file(source, path)
    fields = prompt.fields if isinstance(prompt, PromptFile) else {}
    found: list[Shadow] = []
    for position, entry in enumerate(_listed(entries.config)):
        if not isinstance(entry, dict) or not _is_of(entry, path):
            continue
        instance = entry.get("id")
        shadowed = Overrides(entry).fields
        found += [
            Shadow(
                instance if isinstance(instance, str) else "",
                name,
                fields[name].line if name in fields else None,
                entry[name],
                entries.places.line(("agents", position, name)),
            )
            for name in FIELDS
            if name in shadowed
        ]
    return tuple(found)


def _trust(*, waiting: bool) -> Bar:
    if waiting:
        text = "This code came from elsewhere. Nothing of it runs before you agree."
    else:
        text = "This code changed outside Character Studio. It does not run before you agree."
    return Bar("trust", text, "review")


def _registration(source: Source, entries: Entries, path: str) -> Iterator[Bar]:
    name = entry_name(path)
    if name is None:
        return
    shown = shown_name(name)
    if not name.endswith(SUFFIX):
        try:
            first = find_agent_file(source, name)
        except UnsafePathError:
            return
        if first is not None and first[0] != path:
            text = f"{shown_name(first[0])} has the same name and runs instead of this file."
            yield Bar("registration", text)
            return
    if name in entries.uses:
        return
    if fault := id_fault(name):
        yield Bar("registration", f"{shown} cannot be listed in config.json: its name {fault}.")
        return
    end = "so nobody can call it" if name.endswith(SUFFIX) else "so it does not run"
    yield Bar("registration", f"{shown} is not listed in config.json, {end}.", "enable")


def _shadowed(shadows: Collection[Shadow]) -> Iterator[Bar]:
    instances = dict.fromkeys(one.instance for one in shadows)
    if not instances:
        return
    said = []
    for instance in instances:
        fields = [one.field for one in shadows if one.instance == instance]
        said.append(f"{shown_name(instance)} overrides {listed(fields)}")
    if len(said) == 1:
        text = f"{said[0]} in config.json. Edits here do nothing for it."
    else:
        text = f"In config.json {listed(said)}. Edits of these here do nothing for them."
    first = next(iter(shadows))
    yield Bar("shadowed", text, "entry", first.entry_line)


def _listed(config: JsonObject) -> list[JsonValue]:
    agents = config.get("agents")
    return agents if isinstance(agents, list) else []


def _is_of(entry: JsonObject, path: str) -> bool:
    name = entry.get("promptFile")
    return isinstance(name, str) and bool(name) and prompt_path(name) == path

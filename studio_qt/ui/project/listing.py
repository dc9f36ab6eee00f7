"""What config.json lists: adding, renaming and taking out entries of `agents`, as data."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from studio_qt.jsontext import JsonObject, JsonValue

__all__ = [
    "Edit",
    "add_entry",
    "in_turn",
    "move_mappings",
    "names_for",
    "remove_entry",
    "rename_entries",
]

Edit = Callable[[JsonObject], None]
"""Changes the object that config.json spells."""


def add_entry(entry: str) -> Edit:
    """Return an edit that lists `entry` last; an entry that is there stays as it is.

    The edit raises ValueError where `agents` is no list.
    """

    def change(data: JsonObject) -> None:
        agents = data.setdefault("agents", [])
        if not isinstance(agents, list):
            raise ValueError('"agents" is no list')
        if entry not in agents:
            agents.append(entry)

    return change


def remove_entry(entry: str) -> Edit:
    """Return an edit that takes the bare `entry` out."""

    def change(data: JsonObject) -> None:
        agents = data.get("agents")
        if isinstance(agents, list) and entry in agents:
            agents.remove(entry)

    return change


def rename_entries(old: str, new: str) -> Edit:
    """Return an edit that follows a file `agents/old` that is called `agents/new` now."""
    names = names_for(old), names_for(new)

    def change(data: JsonObject) -> None:
        agents = data.get("agents")
        if isinstance(agents, list):
            data["agents"] = [_renamed(entry, *names) for entry in agents]

    return change


def move_mappings(old: str, new: str) -> Edit:
    """Return an edit that lets `fileMappings` follow a file or folder that was moved."""

    def moved(value: JsonValue) -> JsonValue:
        if isinstance(value, str) and (value.rstrip("/") == old or value.startswith(f"{old}/")):
            return new + value[len(old) :]
        return value

    def change(data: JsonObject) -> None:
        mappings = data.get("fileMappings")
        if isinstance(mappings, dict):
            data["fileMappings"] = {key: moved(value) for key, value in mappings.items()}

    return change


def in_turn(edits: Sequence[Edit]) -> Edit:
    """Return an edit that makes these one after the other."""

    def change(data: JsonObject) -> None:
        for edit in edits:
            edit(data)

    return change


def names_for(file: str) -> str:
    """Return what entries call a file of the folder `agents`."""
    return file if file.endswith(".subagent.md") else file.rpartition(".")[0]


def _renamed(entry: JsonValue, old: str, new: str) -> JsonValue:
    if entry == old:
        return new
    if isinstance(entry, dict):
        keys = ("promptFile",) if old.endswith(".subagent.md") else ("implementation",)
        return {name: new if name in keys and value == old else value
                for name, value in entry.items()}  # fmt: skip
    return entry

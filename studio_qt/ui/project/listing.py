"""What config.json lists: adding, renaming and taking out entries of `agents`, as data."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from studio_qt.jsontext import JsonObject

__all__ = ["Edit", "add_entry", "remove_entry"]

Edit = Callable[["JsonObject"], None]
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

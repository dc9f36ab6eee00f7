"""Whether a file in `agents/` is in use, and the entry of config.json that enables it (STU-07)."""

from __future__ import annotations

from pathlib import PurePosixPath

from studio_qt.authoring.wiring import file_names
from studio_qt.jsontext import JsonObject, decode_object
from studio_qt.package.builtins import SUFFIXES
from studio_qt.package.rewrite import rewrite_config
from studio_qt.package.subagents.loading import SUFFIX

__all__ = ["enabled_config", "entry_name", "is_enabled", "uses_of"]

_FOLDER = "agents/"


def entry_name(path: str) -> str | None:
    """Return how `agents` of config.json names a file; None for one that is no agent's.

    `agents/keeper.maps.ts` is "keeper.maps", `agents/marcus.subagent.md` keeps its ending.
    """
    name = path.removeprefix(_FOLDER)
    if name == path or not name:
        return None
    if name.endswith(SUFFIX):
        return name if name != SUFFIX else None
    suffix = PurePosixPath(name).suffix
    return name.removesuffix(suffix) if suffix in SUFFIXES and "/" not in name else None


def uses_of(config: JsonObject) -> frozenset[str]:
    """Return the names of files, as `entry_name` gives them, that any entry makes use of."""
    listed = config.get("agents")
    return frozenset(file_names(listed if isinstance(listed, list) else []))


def is_enabled(config: JsonObject, path: str) -> bool:
    """Whether an entry, or a private one of a sub-agent, makes use of a file in `agents/`."""
    return entry_name(path) in uses_of(config)


def enabled_config(text: str, path: str) -> str:
    """Return the text of config.json with an entry for a file, all else to the letter.

    The same text where it is in use already. Raises ValueError where the text is no JSON object,
    `agents` no list, or the file none of an agent.
    """
    name = entry_name(path)
    if name is None:
        raise ValueError(f"{path} is no file of an agent")
    config = decode_object(text.removeprefix("\ufeff"))
    listed = config.get("agents")
    if listed is not None and not isinstance(listed, list):
        raise ValueError('"agents" in config.json is no list')
    if is_enabled(config, path):
        return text

    def add(value: JsonObject) -> None:
        value["agents"] = [*(listed or ()), name]

    return rewrite_config(text, add)

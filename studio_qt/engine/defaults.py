"""Set default: an agent's store becomes the first state that the package ships (PERS-03)."""

from __future__ import annotations

from pathlib import Path

from studio_qt.errors import StorageError
from studio_qt.files import folder_of, write_atomic
from studio_qt.jsontext import decode, encode_pretty
from studio_qt.package import CharacterPackage
from studio_qt.package.defaults import without_tool_call_ids

__all__ = ["save_default"]


def save_default(package: CharacterPackage, agent_id: str, text: str) -> Path:
    """Write `{agentId}.agent.json` in the package's root; returns its path.

    Raises StorageError for a zip and for a folder that cannot be written.
    """
    root = folder_of(package.source)
    if root is None:
        raise StorageError(
            f"{package.name} was opened from a zip, which is never changed. "
            "Unpack it to a folder and open that to set defaults."
        )
    path = root / f"{agent_id}.agent.json"
    write_atomic(path, encode_pretty(without_tool_call_ids(decode(text))))
    return path

"""The one resolver that every read of a character's texts goes through (PKG-02 to PKG-04)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from studio_qt.files.paths import safe_path
from studio_qt.files.source import Source

__all__ = ["CONTEXT", "DEFAULTS", "DESCRIPTION", "INSTRUCTIONS", "INTRODUCTION", "SYSTEM_PROMPT"]
__all__ += ["Resolver"]

INSTRUCTIONS = "Instructions"
SYSTEM_PROMPT = "System Prompt"
DESCRIPTION = "Description"
INTRODUCTION = "Introduction"
CONTEXT = "ContextDirectory"

DEFAULTS: Mapping[str, str] = {
    INSTRUCTIONS: "instructions.txt",
    SYSTEM_PROMPT: "system-prompt.txt",
    DESCRIPTION: "description.txt",
    INTRODUCTION: "intro.txt",
    CONTEXT: "context",
}


@dataclass(frozen=True, slots=True)
class Resolver:
    """Where the character's texts lie in `source`.

    `paths` has every key of `DEFAULTS`; None where the mapping was refused, so that the file
    counts as absent and its default is not read in its place. `mapped` are the keys that
    config.json gives.
    """

    source: Source
    paths: Mapping[str, str | None]
    mapped: frozenset[str] = frozenset()

    def path(self, key: str) -> str | None:
        """Return the path of a key of `DEFAULTS`, None when its mapping was refused."""
        return self.paths[key]

    def context_path(self, name: str) -> str | None:
        """Return the path of a file of the context folder, None when there is no such folder.

        Raises `UnsafePathError` when `name` leads out of the context folder.
        """
        relative = safe_path(name)
        folder = self.paths[CONTEXT]
        if folder is None:
            return None
        return f"{folder}/{relative}"

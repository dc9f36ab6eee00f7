"""The one resolver that every read of a character's texts goes through (PKG-02 to PKG-04)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from studio_qt.errors import Problem
from studio_qt.files.paths import UnsafePathError, safe_path
from studio_qt.files.source import Source

if TYPE_CHECKING:
    from studio_qt.jsontext import JsonValue
    from studio_qt.package.places import Places

__all__ = [
    "CONTEXT",
    "DEFAULTS",
    "DESCRIPTION",
    "INSTRUCTIONS",
    "INTRODUCTION",
    "SYSTEM_PROMPT",
    "Resolver",
    "build_resolver",
]

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


class Resolver(NamedTuple):
    """Where the character's texts lie in `source`.

    `paths` has every key of `DEFAULTS`; None where the mapping was refused, so that the file
    counts as absent and its default is not read in its place. `mapped` has the keys that
    config.json gives, with their lines.
    """

    source: Source
    paths: Mapping[str, str | None]
    mapped: Mapping[str, int]

    def path(self, key: str) -> str | None:
        """Return the path of a key of `DEFAULTS`, None when its mapping was refused."""
        return self.paths[key]

    def context_path(self, name: str) -> str | None:
        """Return the path of a file of the context folder, None when there is no such folder.

        Raises `UnsafePathError` when `name` leads out of the context folder.
        """
        relative = safe_path(name)
        folder = self.paths[CONTEXT]
        return None if folder is None else f"{folder}/{relative}"


def build_resolver(
    source: Source, mappings: JsonValue, places: Places
) -> tuple[Resolver, tuple[Problem, ...]]:
    """Return the resolver for the value of `fileMappings`; absent and null keys keep defaults.

    What the schema finds wrong is not reported again.
    """
    given = mappings if isinstance(mappings, dict) else {}
    paths: dict[str, str | None] = dict(DEFAULTS)
    mapped: dict[str, int] = {}
    problems = []
    for key in DEFAULTS:
        value = given.get(key)
        if value is None:
            continue
        mapped[key] = places.line(["fileMappings", key])
        paths[key], reason = _checked(value)
        if reason is not None:
            message = f'"{key}" counts as absent: {reason}'
            problems.append(Problem("error", "config.json", mapped[key], message))
    return Resolver(source, paths, mapped), tuple(problems)


def _checked(value: JsonValue) -> tuple[str | None, str | None]:
    if not isinstance(value, str) or not value:
        return None, None
    try:
        path = safe_path(value)
    except UnsafePathError as error:
        return None, str(error)
    if not path:
        return None, f"{value!r} is the whole package; name a file or folder in it."
    return path, None

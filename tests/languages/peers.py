"""One agent, written in each of the four languages, and how its source becomes a file."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Self

__all__ = ["APIS", "LANGUAGES", "SUFFIXES", "Peer", "manifest", "tagged"]

SUFFIXES = {"javascript": ".js", "typescript": ".ts", "python": ".py", "lua": ".lua"}
LANGUAGES = tuple(SUFFIXES)
APIS = "\n".join(f"@api studio.{name}" for name in ("history", "context", "model", "grants", "web"))
_BLOCKS = {
    "javascript": ("/**", " * ", " */"),
    "typescript": ("/**", " * ", " */"),
    "python": ('"""', "", '"""'),
    "lua": ("--[[", "", "]]"),
}


def manifest(language: str, *tags: str, star: str | None = None) -> str:
    """Return the block that holds these lines; `star` is what each line begins with."""
    opened, usual, closed = _BLOCKS[language]
    before = usual if star is None else star
    lines = [line.strip() for tag in tags for line in tag.splitlines()]
    return "\n".join([opened, *(before + line for line in lines), closed, ""])


def tagged(tools: Mapping[str, Mapping[str, Any]], commands: Mapping[str, str]) -> list[str]:
    """Return the manifest lines of tools, all their parameters required, and of commands."""
    lines = []
    for name, properties in tools.items():
        schema = {"type": "object", "properties": properties, "required": list(properties)}
        lines += [
            f"@tool {name}",
            f"@tool-description Does {name}",
            f"@tool-params {json.dumps(schema)}",
        ]
    return lines + [f"@command {name} {handler}" for name, handler in commands.items()]


@dataclass(frozen=True, slots=True, kw_only=True)
class Peer:
    """The same behaviour four times, under one manifest.

    `tools` are names with the properties of their parameters; `commands` pairs "@name" with a
    handler; `tags` are further manifest lines.
    """

    javascript: str
    typescript: str
    python: str
    lua: str
    id: str = "t.peer"
    tools: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    commands: Mapping[str, str] = field(default_factory=dict)
    tags: str = ""

    def but(self, **changes: Any) -> Self:
        """Return it with another id, other tools, commands or tags."""
        return replace(self, **changes)

    def source(self, language: str) -> str:
        """Return the whole file in this language."""
        lines = [f"@agent {self.id}", *tagged(self.tools, self.commands), self.tags]
        return f"{manifest(language, *lines)}{getattr(self, language)}\n"

    def path(self, language: str) -> str:
        """Return where the file lies in a package."""
        return f"agents/{self.id}{SUFFIXES[language]}"

    def line(self, language: str, words: str) -> int:
        """Return the line of the file on which `words` stand first."""
        return self.source(language).split(words)[0].count("\n") + 1

    def files(self, *languages: str) -> dict[str, str | bytes]:
        """Return the files of a package that has it in these languages; several get own ids.

        In several languages the ids end in the language's name, and so do the tools' names.
        """
        if len(languages) == 1:
            return {self.path(languages[0]): self.source(languages[0])}
        return {
            path: source for language in languages for path, source in self._own(language).items()
        }

    def _own(self, language: str) -> dict[str, str | bytes]:
        tools = {f"{name}_{language}": properties for name, properties in self.tools.items()}
        own = self.but(id=f"{self.id}-{language}", tools=tools)
        return own.files(language)

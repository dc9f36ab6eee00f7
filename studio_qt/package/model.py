"""What a loaded character is: frozen values, made by `studio_qt.package.load_package`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from studio_qt.errors import Problem
from studio_qt.jsontext import JsonObject

__all__ = [
    "AgentSpec",
    "Command",
    "ContextFile",
    "Language",
    "Library",
    "Manifest",
    "Texts",
    "Tool",
]

Language = Literal["javascript", "typescript", "python", "lua"]


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool of an agent.

    `name` is what the model is offered; `handler_name` what the manifest declares and the handler
    is given (they differ only for composed instances). `parameters` is a checked JSON Schema.
    """

    name: str
    handler_name: str
    description: str
    parameters: JsonObject
    line: int


@dataclass(frozen=True, slots=True)
class Command:
    """A command of an agent: `name` with its @, and the exported function that handles it."""

    name: str
    handler: str
    line: int


@dataclass(frozen=True, slots=True)
class Manifest:
    """The tags of an agent file's first block comment or docstring (MAN-01, MAN-02).

    `agent` is None when the block has no @agent. `apis` are the declared bridge namespaces, for
    example "studio.history"; `hooks` are known event names only. `declared` are the names of all
    tools in order, those that cannot be offered too.
    """

    agent: str | None
    version: str | None = None
    description: str = ""
    tools: tuple[Tool, ...] = ()
    commands: tuple[Command, ...] = ()
    preload: bool = False
    apis: frozenset[str] = frozenset()
    libs: tuple[str, ...] = ()
    hooks: frozenset[str] = frozenset()
    debug: bool = False
    declared: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Library:
    """A library that is evaluated in an agent's context before the agent (LIB-01)."""

    name: str
    file: str
    source: str


@dataclass(frozen=True, slots=True)
class AgentSpec:
    """One entry of `agents`, resolved to its file.

    `id` is the registered id (the string or `id` in config.json); `file` the path in the package,
    or "studio:agents/NAME.js" for a built-in that the package does not carry. `tools` holds the
    offered names. `config` is `context.config`: the whole entry for object entries, else {}.
    `line` is where config.json lists it. Two specs are equal exactly when nothing about the agent
    changed, so that a reload compares them (the line aside).
    """

    id: str
    file: str
    language: Language
    source: str
    manifest: Manifest
    tools: tuple[Tool, ...]
    libraries: tuple[Library, ...] = ()
    config: JsonObject = field(default_factory=dict)
    line: int | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class ContextFile:
    """One file of the context block (SYS-03); `name` is relative to the context directory."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Texts:
    """The character's texts as they are at this moment; None where a file is absent."""

    instructions: str | None
    system_prompt: str | None
    description: str | None
    introduction: str | None
    context: tuple[ContextFile, ...]
    problems: tuple[Problem, ...] = ()


FileHashes = Mapping[str, str]

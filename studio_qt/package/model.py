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
    "SubAgentMeta",
    "SubAgentSpec",
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
class SubAgentMeta:
    """How a sub-agent acts: its frontmatter under the overrides of its entry (SUB-02, SUB-03).

    `id` is the instance's. `params` is a checked JSON Schema; `custom_params` is False where it
    is the default, one `request` string. `history_count` is the N of "recent" and None otherwise.
    `max_tokens` is 1 to 8192, `max_rounds` 1 to 10. Without `temperature` and `top_p` the model's
    own apply. `context_files` are relative to the context folder and need not exist.
    """

    id: str
    description: str
    params: JsonObject
    custom_params: bool = False
    history: Literal["none", "recent", "full"] = "none"
    history_count: int | None = None
    context_files: tuple[str, ...] = ()
    model: Literal["worker", "main"] = "worker"
    max_tokens: int = 1024
    max_rounds: int = 5
    temperature: float | None = None
    top_p: float | None = None
    debug: bool = False

    @property
    def history_text(self) -> str:
        """The history as the documents spell it: "none", "recent:10" or "full"."""
        return f"recent:{self.history_count}" if self.history == "recent" else self.history

    def as_json(self) -> JsonObject:
        """Return it under the documents' names, defaults filled in (SUB-13).

        `temperature` and `topP` are null where the model's own apply.
        """
        return {
            "id": self.id,
            "description": self.description,
            "params": self.params,
            "history": self.history_text,
            "contextFiles": list(self.context_files),
            "model": self.model,
            "maxTokens": self.max_tokens,
            "maxRounds": self.max_rounds,
            "temperature": self.temperature,
            "topP": self.top_p,
            "debug": self.debug,
        }


@dataclass(frozen=True, slots=True)
class SubAgentSpec:
    """What makes an agent a sub-agent: its prompt and its grants.

    `prompt_file` is a path in the package, such as "agents/marcus.subagent.md"; `body` the text
    below its frontmatter, with plain newlines. `shared` are ids of top-level agents, in the order
    of the list; each one was loaded and is no sub-agent. `private` are fresh instances under their
    full ids, "{subAgentId}.{localId}"; they are not in the package's `agents` nor in its
    `registration`. `overridden` names the frontmatter fields that the entry in config.json
    shadows.
    """

    meta: SubAgentMeta
    prompt_file: str
    body: str
    shared: tuple[str, ...] = ()
    private: tuple[AgentSpec, ...] = ()
    overridden: frozenset[str] = frozenset()

    @property
    def has_grants(self) -> bool:
        """Whether it is granted any agent, so that its model has to take tools (SUB-08)."""
        return bool(self.shared or self.private)


@dataclass(frozen=True, slots=True)
class AgentSpec:
    """One entry of `agents`, resolved to its file.

    `id` is the registered id (the string or `id` in config.json); `file` the path in the package,
    or "studio:agents/NAME.js" for a built-in that the package does not carry. `tools` holds the
    offered names. `config` is `context.config`: the whole entry for object entries, else {}.
    `line` is where config.json lists it.

    A sub-agent has `sub_agent`; its `file` and `source` are those of `studio.sub-agent`, its one
    tool and its command come from the prompt file, and `config` holds the entry with the overrides,
    not what the agent is given: that is `{meta, promptBody}`, made at each call (SUB-13).

    Two specs are equal exactly when nothing about the agent
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
    sub_agent: SubAgentSpec | None = None

    @property
    def own_file(self) -> str:
        """The file that its author writes: a sub-agent's prompt, else the code."""
        return self.sub_agent.prompt_file if self.sub_agent else self.file

    @property
    def implementation(self) -> str:
        """The name that config.json calls the agent's file by, such as "studio.agent-db"."""
        return self.file.rpartition("/")[2].rpartition(".")[0]


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

"""What the project has that a sub-agent's form can choose from, and what each thing costs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from studio_qt.authoring.subagententries import FOLDER, stem_of
from studio_qt.errors import Problem
from studio_qt.files.paths import UnsafePathError
from studio_qt.files.source import Source
from studio_qt.jsontext import JsonObject, JsonValue, encode
from studio_qt.package.agents import find_agent_file
from studio_qt.package.builtins import SUFFIXES, builtin_agent, is_builtin_name
from studio_qt.package.character import CharacterPackage
from studio_qt.package.config import CONFIG_FILE
from studio_qt.package.ids import tool_name_of
from studio_qt.package.loader import load_package
from studio_qt.package.manifest import parse_manifest
from studio_qt.package.model import Tool
from studio_qt.package.reading import read_text
from studio_qt.package.resolver import CONTEXT
from studio_qt.package.subagents.loading import SUB_AGENT, SUFFIX
from studio_qt.providers.tokens import estimate
from studio_qt.resources import resource_names

__all__ = ["Choice", "ContextFile", "SubAgentFacts", "read_facts"]

_NEEDS_A_FILE = ("studio.agent-db", "studio.context-access")
"""Built-ins that do something only when an entry names their data."""

_LARGEST_CONTEXT = 16 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Choice:
    """An agent that can be granted: its id, its tools with what they cost, and why it cannot be.

    `tokens` is what its tools add to each request. `fault` is a sentence, "" where it loads.
    """

    id: str
    tools: tuple[str, ...] = ()
    tokens: int = 0
    is_sub_agent: bool = False
    fault: str = ""
    implementation: str = ""


@dataclass(frozen=True, slots=True)
class ContextFile:
    """A file of the context folder; `tokens` is None where it is no text."""

    name: str
    tokens: int | None

    @property
    def is_hidden(self) -> bool:
        """Whether the narrator is not sent it, so that only agents read it."""
        return self.name.startswith(".")


@dataclass(frozen=True, slots=True)
class SubAgentFacts:
    """The project around one sub-agent, which itself is left out.

    `shared` are the top-level agents in their order, `private` what can be given by its name
    alone. `names` are the files in `agents/`, `ids` the registered ids; `tools` maps the tools of
    the narrator to their agents. `threshold` is the size from which a call is large, in tokens.
    `given` has the private entries that were there, by their JSON.
    """

    shared: tuple[Choice, ...] = ()
    private: tuple[Choice, ...] = ()
    context: tuple[ContextFile, ...] = ()
    names: tuple[str, ...] = ()
    ids: tuple[str, ...] = ()
    tools: Mapping[str, str] = field(default_factory=dict)
    threshold: int = 24_000
    instructions: int = 0
    given: Mapping[str, Choice] = field(default_factory=dict)

    def private_choice(self, entry: JsonValue) -> Choice:
        """Return what a private entry is: its local id, its implementation and its tools."""
        if (known := self.given.get(encode(entry))) is not None:
            return known
        name = entry if isinstance(entry, str) else ""
        found = next((one for one in self.private if one.id == name), None)
        return found or (_missing(name) if name else _composed(entry, None))

    def shared_choice(self, agent_id: str) -> Choice | None:
        """Return a top-level agent by its id."""
        return next((one for one in self.shared if one.id == agent_id), None)

    def tokens_of(self, name: str) -> int | None:
        """Return the estimate for a context file, None for one that is not there or no text."""
        return next((one.tokens for one in self.context if one.name == name), None)

    def has_context(self, name: str) -> bool:
        """Whether there is a context file of this name."""
        return any(one.name == name for one in self.context)


def read_facts(
    source: Source,
    own: str = "",
    *,
    named: Sequence[str] = (),
    given: Sequence[JsonValue] = (),
    threshold: int = 24_000,
    problems: Sequence[Problem] = (),
) -> SubAgentFacts:
    """Return what there is; reads files, so not for the thread of a window.

    `own` is the id of the sub-agent itself. `named` are context files that it names, which may lie
    deeper, `given` the private entries that it has. `problems` are those that only a running
    character shows. Raises StudioError where the character cannot be opened at all.
    """
    package = load_package(source)
    mine = {one.id for one in package.agents if one.id == own}
    others = [one for one in package.agents if one.id != own]
    texts = package.read_texts()
    return SubAgentFacts(
        shared=tuple(_shared(package, own, [*package.problems, *problems])),
        private=tuple(_private(source)),
        context=tuple(_context(package, named)),
        names=_names(source),
        ids=tuple(one.id for one in others) + tuple(package.broken - mine - {own}),
        tools={tool.name: one.id for one in others for tool in one.tools},
        threshold=threshold,
        instructions=estimate(texts.instructions or ""),
        given={encode(entry): _choice(source, entry) for entry in given},
    )


def _choice(source: Source, entry: JsonValue) -> Choice:
    return _by_name(source, entry) if isinstance(entry, str) else _composed(entry, source)


def _composed(entry: JsonValue, source: Source | None) -> Choice:
    """Return what an object in the private list makes; its code is looked for in `source`."""
    value = entry if isinstance(entry, dict) else {}
    local, implementation = value.get("id"), value.get("implementation")
    if not isinstance(local, str) or not isinstance(implementation, str):
        fault = 'It is no name, nor an object with "id" and "implementation".'
        return Choice(encode(entry)[:60], fault=fault)
    if source is None:
        return Choice(local, implementation=implementation)
    made = _by_name(source, implementation)
    base = tool_name_of(local)
    tools = tuple(base if not at else f"{base}_{name}" for at, name in enumerate(made.tools))
    return Choice(local, tools, made.tokens, fault=made.fault, implementation=implementation)


def _shared(package: CharacterPackage, own: str, problems: Sequence[Problem]) -> Iterator[Choice]:
    loaded = {agent.id: agent for agent in package.agents}
    for agent_id in _listed(package):
        if agent_id == own:
            continue
        agent = loaded.get(agent_id)
        if agent is None:
            yield Choice(agent_id, fault=_why_not(agent_id, problems))
            continue
        faulty = (one for one in problems if one.severity == "error" and one.file == agent.own_file)
        fault = next((one.message for one in faulty), "")
        yield Choice(
            agent_id,
            tuple(tool.name for tool in agent.tools),
            _cost(agent.tools),
            agent.sub_agent is not None,
            f"{agent.own_file} {fault}" if fault else "",
            agent.implementation,
        )


def _listed(package: CharacterPackage) -> list[str]:
    """Return the ids of the entries in the order of config.json, broken ones too."""
    order: dict[str, None] = {}
    prompts = {agent.sub_agent.prompt_file: agent.id for agent in package.agents if agent.sub_agent}
    entries = package.config.get("agents")
    for entry in entries if isinstance(entries, list) else ():
        name = entry.get("id") if isinstance(entry, dict) else entry
        if isinstance(name, str):
            path = f"{FOLDER}{name}"
            own = prompts.get(path, stem_of(path)) if name.endswith(SUFFIX) else name
            order[own] = None
    return list(order)


def _why_not(agent_id: str, problems: Sequence[Problem]) -> str:
    """Return the sentence on an agent that did not load."""
    errors = [one for one in problems if one.severity == "error"]
    for one in errors:
        if f'"{agent_id}"' in one.message and one.file == CONFIG_FILE:
            return one.message[:1].upper() + one.message[1:]
    for one in errors:
        if one.file.removeprefix(FOLDER).startswith(f"{agent_id}."):
            return f"{one.file} {one.message}"
    return "It does not load; the list of problems says why."


def _private(source: Source) -> Iterator[Choice]:
    """Yield what can be given by its name alone: built-ins, and the project's own code."""
    shipped = {PurePosixPath(name).stem for name in resource_names("agents") if "." in name}
    for name in sorted(shipped - {SUB_AGENT, *_NEEDS_A_FILE}):
        yield _by_name(source, name)
    for name in _names(source):
        suffix = PurePosixPath(name).suffix
        stem = name.removesuffix(suffix)
        if suffix in SUFFIXES and not is_builtin_name(stem):
            yield _by_name(source, stem)


def _by_name(source: Source, name: str) -> Choice:
    if _is_sub_agent(name):
        return _missing(name)
    try:
        found = find_agent_file(source, name)
    except UnsafePathError as error:
        return Choice(name, fault=str(error))
    if found is not None:
        reading = read_text(source, found[0])
        text, language, file = reading.text or "", found[1], found[0]
    elif (shipped := builtin_agent(name)) is not None:
        text, language, file = shipped.source, shipped.language, shipped.file
    else:
        return _missing(name)
    manifest, faults = parse_manifest(text, language, file)
    fault = next((one.message for one in faults if one.severity == "error"), "")
    tools = tuple(tool.name for tool in manifest.tools)
    return Choice(name, tools, _cost(manifest.tools), False, f"{file} {fault}" if fault else "")


def _is_sub_agent(name: str) -> bool:
    return name == SUB_AGENT or name.endswith(SUFFIX)


def _missing(name: str) -> Choice:
    if _is_sub_agent(name):
        return Choice(name, is_sub_agent=True, fault="A sub-agent cannot be granted to another.")
    return Choice(name, fault=f"There is no agent “{name}”, and no file of it in agents/.")


def _cost(tools: Sequence[Tool]) -> int:
    """Return the estimate for tools in a request."""
    offered: list[JsonObject] = [
        {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
        for tool in tools
    ]
    return estimate(encode(list[JsonValue](offered))) if offered else 0


def _context(package: CharacterPackage, named: Sequence[str]) -> Iterator[ContextFile]:
    """Yield the files of the context folder, those that only agents read first."""
    folder = package.resolver.path(CONTEXT)
    if folder is None:
        return
    try:
        names = list(package.source.list_folder(folder))
    except (OSError, UnsafePathError):
        names = []
    deeper = [name for name in named if name not in names]
    for name in sorted(names, key=lambda one: (not one.startswith("."), one.casefold())):
        yield ContextFile(name, _tokens(package.source, f"{folder}/{name}"))
    for name in dict.fromkeys(deeper):
        text = package.read_context_file(name)
        if text is not None:
            yield ContextFile(name, estimate(text))


def _tokens(source: Source, path: str) -> int | None:
    reading = read_text(source, path, limit=_LARGEST_CONTEXT)
    if reading.text is None or "\0" in reading.text[:1024]:
        return None
    return estimate(reading.text)


def _names(source: Source) -> tuple[str, ...]:
    try:
        return tuple(source.list_folder(FOLDER.rstrip("/")))
    except (OSError, UnsafePathError):
        return ()

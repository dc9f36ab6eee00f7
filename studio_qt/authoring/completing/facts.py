"""`ProjectFacts`: what completions know of a project, read in a thread and swapped whole."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath

from studio_qt.authoring.enabling import entry_name
from studio_qt.errors import PackageError, StudioError
from studio_qt.files.overlay import OverlaySource
from studio_qt.files.source import Source
from studio_qt.package.builtins import SUFFIXES, builtin_agent
from studio_qt.package.character import CharacterPackage
from studio_qt.package.loader import load_package
from studio_qt.package.manifest import parse_manifest
from studio_qt.package.model import AgentSpec
from studio_qt.package.resolver import CONTEXT, DEFAULTS, SYSTEM_PROMPT
from studio_qt.package.subagents.loading import SUFFIX
from studio_qt.resources import resource_names

__all__ = ["AgentFacts", "FileFacts", "ProjectFacts", "read_facts"]

_LIBRARIES = "agents/lib"


@dataclass(frozen=True, slots=True)
class FileFacts:
    """A file: its name relative to where it is looked for, and its size in bytes."""

    name: str
    size: int = 0


@dataclass(frozen=True, slots=True)
class AgentFacts:
    """An agent: under its id, or a built-in or a file under the name that config.json uses.

    `short` is what a private grant is called inside its sub-agent. `granted` are a sub-agent's
    grants, private ones first.
    """

    id: str
    file: str = ""
    description: str = ""
    tools: tuple[str, ...] = ()
    is_sub_agent: bool = False
    short: str = ""
    granted: tuple[AgentFacts, ...] = ()


@dataclass(frozen=True, slots=True)
class ProjectFacts:
    """Names of the project, in the order in which they are offered.

    `agents` are those that config.json lists and that load; `implementations` what an entry can
    name: built-ins and files in `agents/` without their ending. `prompts` are relative to
    `agents/`, `context_files` to the context folder. `files` are all paths of the project.
    """

    agents: tuple[AgentFacts, ...] = ()
    implementations: tuple[AgentFacts, ...] = ()
    prompts: tuple[str, ...] = ()
    context_files: tuple[FileFacts, ...] = ()
    context_folder: str = DEFAULTS[CONTEXT]
    system_prompt: str = DEFAULTS[SYSTEM_PROMPT]
    libraries: Mapping[str, str] = field(default_factory=dict)
    files: tuple[str, ...] = ()

    def of_prompt(self, path: str) -> tuple[AgentFacts, ...]:
        """Return the sub-agents that a prompt file makes, by its path in the project."""
        return tuple(one for one in self.agents if one.is_sub_agent and one.file == path)

    def find(self, agent_id: str) -> AgentFacts | None:
        """Return an agent, or an implementation, by its id."""
        both = (*self.agents, *self.implementations)
        return next((one for one in both if one.id == agent_id), None)


def read_facts(
    source: Source, files: Sequence[FileFacts], last: ProjectFacts | None = None
) -> ProjectFacts:
    """Read a project; `files` are all of its files. Raises nothing that files can be to blame for.

    While config.json cannot be read, because it is being written, what `last` knew of it stays;
    without `last` the file on the disk counts.
    """
    paths = tuple(sorted(file.name for file in files))
    try:
        package = load_package(source)
    except PackageError:
        known = last or _on_disk(source)
    else:
        known = _known(package)
    folder = f"{known.context_folder}/"
    inside = (file for file in files if file.name.startswith(folder))
    context = [FileFacts(file.name.removeprefix(folder), file.size) for file in inside]
    return replace(
        known,
        implementations=(*_builtins(), *_agent_files(source, paths)),
        prompts=tuple(
            path.removeprefix("agents/")
            for path in paths
            if path.startswith("agents/") and path.endswith(SUFFIX)
        ),
        context_files=tuple(sorted(context, key=lambda file: file.name.lstrip(".").lower())),
        libraries=_libraries(paths),
        files=paths,
    )


def _on_disk(source: Source) -> ProjectFacts:
    """Return what the files say without unsaved text."""
    if not isinstance(source, OverlaySource):
        return ProjectFacts()
    try:
        return _known(load_package(source.below))
    except PackageError:
        return ProjectFacts()


def _known(package: CharacterPackage) -> ProjectFacts:
    return ProjectFacts(
        agents=tuple(_agent(spec, package.agents) for spec in package.agents),
        context_folder=package.resolver.path(CONTEXT) or DEFAULTS[CONTEXT],
        system_prompt=package.resolver.path(SYSTEM_PROMPT) or "",
    )


def _agent(spec: AgentSpec, listed: Iterable[AgentSpec], owner: str = "") -> AgentFacts:
    sub = spec.sub_agent
    granted: tuple[AgentFacts, ...] = ()
    if sub is not None:
        shared = {one.id: one for one in listed}
        both = [(one, spec.id) for one in sub.private]
        both += [(shared[name], "") for name in sub.shared if name in shared]
        granted = tuple(_agent(one, (), own) for one, own in both)
    return AgentFacts(
        id=spec.id,
        file=spec.own_file,
        description=spec.manifest.description,
        tools=tuple(tool.name for tool in spec.tools),
        is_sub_agent=sub is not None,
        short=spec.id.removeprefix(f"{owner}.") if owner else "",
        granted=granted,
    )


@functools.cache
def _builtins() -> tuple[AgentFacts, ...]:
    return tuple(_read_builtins())


def _read_builtins() -> Iterable[AgentFacts]:
    for name in resource_names("agents"):
        found = PurePosixPath(name)
        if found.suffix in SUFFIXES and (shipped := builtin_agent(found.stem)) is not None:
            manifest, _ = parse_manifest(shipped.source, shipped.language, shipped.file)
            tools = tuple(tool.name for tool in manifest.tools)
            yield AgentFacts(found.stem, shipped.file, manifest.description, tools)


def _agent_files(source: Source, paths: Iterable[str]) -> Iterable[AgentFacts]:
    seen: set[str] = set()
    for path in paths:
        name = entry_name(path)
        if name is None or name.endswith(SUFFIX) or name in seen or builtin_agent(name):
            continue
        seen.add(name)
        manifest = _manifest_of(source, path)
        yield AgentFacts(name, path, *manifest)


def _manifest_of(source: Source, path: str) -> tuple[str, tuple[str, ...]]:
    try:
        text = source.read_bytes(path).decode("utf-8", "replace")
    except (OSError, StudioError):
        return "", ()
    manifest, _ = parse_manifest(text, SUFFIXES[PurePosixPath(path).suffix], path)
    return manifest.description, tuple(tool.name for tool in manifest.tools)


def _libraries(paths: Iterable[str]) -> Mapping[str, str]:
    """Return the libraries by the name that @lib has for them, with their files."""
    found: dict[str, str] = {}
    for path in paths:
        if path.startswith(f"{_LIBRARIES}/") and path.endswith(".js"):
            found.setdefault(_plain(PurePosixPath(path).name), path)
    if "lib" in resource_names("agents"):
        for name in resource_names(_LIBRARIES):
            if name.endswith(".js"):
                found.setdefault(_plain(name), f"studio:{_LIBRARIES}/{name}")
    return dict(sorted(found.items()))


def _plain(name: str) -> str:
    return name.removesuffix(".js").removesuffix(".min")

"""What a generator is told of a project: names alone, never a line of what stands in the files."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from studio_qt.files.names import name_fault
from studio_qt.files.paths import UnsafePathError, same_name
from studio_qt.files.source import Source
from studio_qt.jsontext import encode
from studio_qt.package import load_package
from studio_qt.package.builtins import SUFFIXES
from studio_qt.package.ids import id_fault, tool_name_of
from studio_qt.package.model import AgentSpec
from studio_qt.package.resolver import CONTEXT
from studio_qt.package.subagents.loading import SUFFIX

__all__ = ["Inventory", "Known", "read_inventory"]

_MOST = 150
"""Names of a kind that a request carries."""

_NAME = re.compile(r"[\w.-]+")


@dataclass(frozen=True, slots=True)
class Known:
    """An agent that exists: its id and the names of its tools."""

    id: str
    tools: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Inventory:
    """Names of what there is.

    `files` are those directly in `agents/`, listed in config.json or not.
    """

    context_files: tuple[str, ...] = ()
    agents: tuple[Known, ...] = ()
    sub_agents: tuple[Known, ...] = ()
    files: tuple[str, ...] = ()

    @property
    def tools(self) -> frozenset[str]:
        """The names of all tools, which a new agent cannot have."""
        return frozenset(tool for one in (*self.agents, *self.sub_agents) for tool in one.tools)

    def context_file(self, name: str) -> str | None:
        """Return the file that a name means: case, a dot before it and its folder do not matter."""
        wanted = same_name(name.strip().replace("\\", "/").rpartition("/")[2])
        for file in self.context_files:
            if same_name(file) == wanted:
                return file
        for file in self.context_files:
            if same_name(file).lstrip(".") == wanted.lstrip("."):
                return file
        return None

    def told(self) -> str:
        """Return it as the part of a request."""
        lines = [
            f"Context files that may be bound: {_names(self.context_files)}",
            f"Agents with their tools: {_agents(self.agents)}",
            f"Sub-agents with their tools: {_agents(self.sub_agents)}",
        ]
        if unused := self._unused():
            lines.append(f"Files of agents that are not in use: {_names(unused)}")
        return "\n".join(lines)

    def _unused(self) -> tuple[str, ...]:
        """Return the files whose name is no id; an entry may give another one."""
        ids = {one.id for one in (*self.agents, *self.sub_agents)}
        return tuple(file for file in self.files if _stem(file) not in {file, *ids})

    def fault_of(self, name: str, ending: str = SUFFIX) -> str | None:
        """Return why no new agent can have a name, as a sentence; None where one can."""
        stem = name.strip()
        if not stem:
            return "Give it a name."
        if fault := id_fault(stem):
            return f"“{stem}” {fault}."
        if not _NAME.fullmatch(stem):
            return "Use letters, digits, dots, - and _ alone: the name becomes the agent's id."
        if same_name(stem).startswith("studio."):
            return "Names that begin with studio. are kept for built-in agents."
        if fault := name_fault(stem + ending, self.files):
            return fault
        return self._taken(stem)

    def _taken(self, stem: str) -> str | None:
        tool = tool_name_of(stem)
        for one in (*self.agents, *self.sub_agents):
            if same_name(one.id) == same_name(stem):
                return f"There is an agent “{one.id}” already."
            if tool in one.tools:
                return f"“{one.id}” has the tool {tool} already; choose another last part."
        for file in self.files:
            base = _stem(file)
            if base != file and same_name(base) == same_name(stem):
                return f"There is a file agents/{file} already."
        return None


def read_inventory(source: Source) -> Inventory:
    """Read the names of a project; raises PackageError where its config.json is none."""
    package = load_package(source)
    folder = package.resolver.path(CONTEXT)
    return Inventory(
        context_files=_listed(source, folder) if folder is not None else (),
        agents=tuple(_known(one) for one in package.agents if one.sub_agent is None),
        sub_agents=tuple(_known(one) for one in package.agents if one.sub_agent is not None),
        files=_listed(source, "agents"),
    )


def _known(agent: AgentSpec) -> Known:
    return Known(agent.id, tuple(tool.name for tool in agent.tools))


def _listed(source: Source, folder: str) -> tuple[str, ...]:
    try:
        return tuple(source.list_folder(folder))
    except (OSError, UnsafePathError):
        return ()  # nothing of it can be used either; loading tells why


def _names(names: Sequence[str]) -> str:
    if not names:
        return "none"
    more = f" and {len(names) - _MOST} more" if len(names) > _MOST else ""
    return encode(list(names[:_MOST])) + more


def _agents(agents: Iterable[Known]) -> str:
    told = {one.id: list(one.tools) for one in list(agents)[:_MOST]}
    return encode(told) if told else "none"


def _stem(file: str) -> str:
    """Return what config.json may call an agent's file by; another file keeps its name."""
    for suffix in (SUFFIX, *SUFFIXES):
        if file.endswith(suffix):
            return file.removesuffix(suffix)
    return file

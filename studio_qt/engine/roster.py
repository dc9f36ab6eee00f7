"""Which agents are loaded, for trees and palettes: what each is, offers, and belongs to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from studio_qt.package.model import AgentSpec

__all__ = ["LoadedAgent", "roster"]


@dataclass(frozen=True, slots=True)
class LoadedAgent:
    """An agent that runs. `file` is what its author writes: code, or a sub-agent's prompt.

    A built-in that the package does not carry has a `file` that begins with "studio:". `tools`
    and `commands` are the offered names; `shared` are the ids that a sub-agent is granted; `owner`
    is the sub-agent to which a private instance belongs, None for the others. `description` is what
    the manifest, or a sub-agent's head, says of it, in one line.
    """

    id: str
    file: str
    tools: tuple[str, ...]
    commands: tuple[str, ...]
    is_sub_agent: bool
    shared: tuple[str, ...] = ()
    owner: str | None = None
    description: str = ""


def roster(specs: Iterable[AgentSpec]) -> Iterator[LoadedAgent]:
    """Yield the loaded agents in load order, private instances after their sub-agent."""
    known = list(specs)
    owners = {
        private.id: spec.id
        for spec in known
        if spec.sub_agent is not None
        for private in spec.sub_agent.private
    }
    for spec in known:
        yield LoadedAgent(
            id=spec.id,
            file=spec.own_file,
            tools=tuple(tool.name for tool in spec.tools),
            commands=tuple(command.name for command in spec.manifest.commands),
            is_sub_agent=spec.sub_agent is not None,
            shared=spec.sub_agent.shared if spec.sub_agent else (),
            owner=owners.get(spec.id),
            description=_description(spec),
        )


def _description(spec: AgentSpec) -> str:
    said = spec.sub_agent.meta.description if spec.sub_agent else spec.manifest.description
    return " ".join(said.split())

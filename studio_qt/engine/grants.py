"""What a sub-agent is granted: tools by name, and stores by reference (SUB-04, SUB-07, BR-07)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from studio_qt.package import OwnedTool
from studio_qt.package.model import AgentSpec

__all__ = ["find_granted_store", "granted_agents", "granted_tools", "with_private"]


def with_private(agents: tuple[AgentSpec, ...]) -> Iterator[AgentSpec]:
    """Yield the agents in load order, each sub-agent's private instances right after it."""
    for spec in agents:
        yield spec
        if spec.sub_agent is not None:
            yield from spec.sub_agent.private


def granted_agents(spec: AgentSpec, loaded: Mapping[str, AgentSpec]) -> list[AgentSpec]:
    """Return the granted agents that are loaded, private ones first, each in list order."""
    if spec.sub_agent is None:
        return []
    ids = (*(private.id for private in spec.sub_agent.private), *spec.sub_agent.shared)
    return [loaded[agent_id] for agent_id in ids if agent_id in loaded]


def granted_tools(spec: AgentSpec, loaded: Mapping[str, AgentSpec]) -> dict[str, OwnedTool]:
    """Return the tools that ride along with a sub-agent's calls; the first of a name wins."""
    tools: dict[str, OwnedTool] = {}
    for agent in granted_agents(spec, loaded):
        for tool in agent.tools:
            tools.setdefault(tool.name, OwnedTool(agent, tool))
    return tools


def find_granted_store(
    spec: AgentSpec, loaded: Mapping[str, AgentSpec], reference: str
) -> str | None:
    """Return the id of the granted agent that `reference` means, None when none is granted.

    Private grants come before shared ones; within each a short id wins over the end of an id,
    over a full id, over an implementation.
    """
    if spec.sub_agent is None:
        return None
    private = {agent.id for agent in spec.sub_agent.private}
    granted = granted_agents(spec, loaded)
    for own in (True, False):
        agents = [agent for agent in granted if (agent.id in private) == own]
        for names in zip(*(_names(spec, agent) for agent in agents), strict=True):
            for agent, name in zip(agents, names, strict=True):
                if name == reference or (name == "" and agent.id.endswith(f".{reference}")):
                    return agent.id
    return None


def _names(spec: AgentSpec, agent: AgentSpec) -> tuple[str, str, str, str]:
    """Return what an agent answers to, best first; "" stands for any end of its id."""
    short = agent.id.removeprefix(f"{spec.id}.")
    implementation = agent.config.get("implementation")
    return short, "", agent.id, implementation if isinstance(implementation, str) else short

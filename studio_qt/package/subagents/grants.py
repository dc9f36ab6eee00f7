"""Which agents a sub-agent is granted, and which of them a reference means."""

from __future__ import annotations

from collections.abc import Iterable

from studio_qt.package.model import AgentSpec, SubAgentSpec

__all__ = ["find_grant", "granted_agents"]


def granted_agents(sub_agent: SubAgentSpec, agents: Iterable[AgentSpec]) -> tuple[AgentSpec, ...]:
    """Return the granted agents, private ones first, then shared ones in the order of the list.

    `agents` are the package's, or what is loaded of them; a shared id that is not among them is
    passed over. `register` over the result gives the granted tools (SUB-07).
    """
    by_id = {agent.id: agent for agent in agents}
    shared = (by_id[name] for name in sub_agent.shared if name in by_id)
    return (*sub_agent.private, *shared)


def find_grant(agent: AgentSpec, ref: str, agents: Iterable[AgentSpec]) -> AgentSpec | None:
    """Return the granted agent that a `%%STORE:ref%%` means, None when there is none (SUB-05).

    A reference is a full id, the id that the private entry gives, an implementation, or the end
    of one of these from a dot on; exact ones count before endings, private grants before shared.
    """
    if agent.sub_agent is None or not ref:
        return None
    granted = granted_agents(agent.sub_agent, agents)
    names = [(grant, _names(agent, grant)) for grant in granted]
    for grant, known in names:
        if ref in known:
            return grant
    ending = f".{ref}"
    return next((grant for grant, known in names if any(n.endswith(ending) for n in known)), None)


def _names(agent: AgentSpec, grant: AgentSpec) -> tuple[str, ...]:
    return (grant.id, grant.id.removeprefix(f"{agent.id}."), grant.implementation)

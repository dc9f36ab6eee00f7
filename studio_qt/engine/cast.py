"""`Cast`: the agents of a conversation that run, each with its context in the sandbox."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping

from studio_qt.engine.exchange import OLD_RUNS, sound_agents, stale_agents
from studio_qt.engine.exports import able_spec, promised_in_vain
from studio_qt.engine.grants import with_private
from studio_qt.errors import AgentError, Problem
from studio_qt.package import CharacterPackage
from studio_qt.package.model import AgentSpec
from studio_qt.sandbox import AgentCode, Limits, SandboxedAgent, SandboxHost

__all__ = ["Cast"]


class Cast:
    """Loads agents and exchanges those that changed; a failed one is a problem and stays out.

    While a new version of the package is taken, one that was just loaded is there already.
    """

    def __init__(self, host: SandboxHost, limits: Callable[[AgentSpec], Limits]) -> None:
        self._host, self._limits = host, limits
        self._specs: dict[str, AgentSpec] = {}
        self._agents: dict[str, SandboxedAgent] = {}
        self._able: dict[str, AgentSpec] = {}
        self._private: frozenset[str] = frozenset()
        self._sound: frozenset[str] = frozenset()  # whose running version had no error in its file
        self._faults: dict[str, list[Problem]] = {}  # of loading, by agent
        self._gaps: list[Problem] = []  # between manifests and exports

    @property
    def specs(self) -> Mapping[str, AgentSpec]:
        """The loaded agents by id, in load order, as their entries say."""
        return self._specs

    @property
    def able(self) -> Mapping[str, AgentSpec]:
        """The loaded agents by id, with what their files can answer."""
        return self._able

    @property
    def faults(self) -> tuple[Problem, ...]:
        """What is wrong with agents that did not load, or that run as they were before."""
        return tuple(problem for found in self._faults.values() for problem in found)

    @property
    def gaps(self) -> tuple[Problem, ...]:
        """What manifests promise and files do not have."""
        return tuple(self._gaps)

    def is_private(self, agent_id: str) -> bool:
        """Whether an agent is a private instance, of its sub-agent alone (SUB-04)."""
        return agent_id in self._private

    def agent(self, agent_id: str) -> SandboxedAgent:
        """Return the context of a loaded agent; raises KeyError for any other."""
        return self._agents[agent_id]

    def exports(self, agent_id: str) -> frozenset[str]:
        """Return what a loaded agent's file exports."""
        return self._agents[agent_id].exports

    async def load(self, package: CharacterPackage) -> None:
        """Build a context for every agent of a package."""
        for spec in with_private(package.agents):
            await self._load(spec)
        self._sound = sound_agents(package)
        self._arrange(package)

    async def exchange(self, package: CharacterPackage, calls: asyncio.Lock) -> tuple[str, ...]:
        """Take a newly loaded package; returns the ids of the agents that changed.

        Agents that did not change keep their contexts. One that fails to load reports its problem
        while the old one keeps running. `calls` is held while contexts come and go.
        """
        wanted = {spec.id: spec for spec in with_private(package.agents)}
        stale = await asyncio.to_thread(stale_agents, self._specs, self._sound, package)
        wanted |= {spec.id: spec for spec in with_private(stale)}
        gone = [agent_id for agent_id in self._specs if agent_id not in wanted]
        changed = [spec for spec in wanted.values() if spec != self._specs.get(spec.id)]
        async with calls:
            for agent_id in gone:
                self._faults.pop(agent_id, None)
                await self._unload(agent_id)
            loaded = [spec.id for spec in changed if await self._load(spec)]
        self._specs = {key: self._specs[key] for key in wanted if key in self._specs}
        old = {spec.id for spec in (*stale, *changed)}.difference(loaded)
        self._sound = (self._sound & old) | (sound_agents(package) - old)
        for spec in wanted.values():
            if spec not in changed and spec.id in self._agents:
                self._note(spec)  # a version that failed meanwhile is gone
        for spec in stale:
            self._faults[spec.id] = [Problem("warning", spec.own_file, None, OLD_RUNS)]
        self._arrange(package)
        return (*gone, *loaded)

    async def close(self) -> None:
        """Give up all contexts."""
        for agent_id in tuple(self._agents):
            await self._unload(agent_id)

    async def _load(self, spec: AgentSpec) -> bool:
        code = AgentCode(
            agent_id=spec.id,
            language=spec.language,
            file=spec.file,
            source=spec.source,
            libraries=tuple((library.file, library.source) for library in spec.libraries),
            namespaces=spec.manifest.apis,
        )
        try:
            agent = await self._host.load(
                code, self._limits(spec), role="sub-agents" if spec.sub_agent else "agents"
            )
        except AgentError as error:
            line = getattr(error, "line", None)
            said = str(error)
            if spec.id in self._agents:
                said += f"{'' if said.endswith(('.', '!', '?')) else '.'} {OLD_RUNS}"
            self._faults[spec.id] = [Problem("error", spec.file, line, said)]
            return False
        await self._unload(spec.id)
        self._specs[spec.id], self._agents[spec.id] = spec, agent
        self._note(spec)
        return True

    def _note(self, spec: AgentSpec) -> None:
        """Let what its running agent has noticed be all that is wrong with an entry."""
        notices = self._agents[spec.id].notices
        self._faults[spec.id] = [Problem("warning", spec.file, None, said) for said in notices]

    async def _unload(self, agent_id: str) -> None:
        self._specs.pop(agent_id, None)
        if agent := self._agents.pop(agent_id, None):
            await agent.unload()

    def _arrange(self, package: CharacterPackage) -> None:
        """Put the agents into load order, and compare what they declare with what they export."""
        order = [spec.id for spec in with_private(package.agents)]
        kept = [*order, *(agent_id for agent_id in self._specs if agent_id not in order)]
        self._specs = {
            agent_id: self._specs[agent_id] for agent_id in kept if agent_id in self._specs
        }
        exported = [(spec, self._agents[spec.id].exports) for spec in self._specs.values()]
        self._able = {spec.id: able_spec(spec, names) for spec, names in exported}
        self._gaps = [
            problem for spec, names in exported for problem in promised_in_vain(spec, names)
        ]
        self._private = frozenset(
            private.id
            for spec in self._specs.values()
            if spec.sub_agent is not None
            for private in spec.sub_agent.private
        )

"""Sub-agents among the `agents` of config.json: registration and grants (SUB-01 to SUB-04)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from studio_qt.errors import Fault, Problem, Severity
from studio_qt.jsontext import JsonValue
from studio_qt.package.config import CONFIG_FILE
from studio_qt.package.entries import Entry
from studio_qt.package.ids import id_fault, tool_name_of
from studio_qt.package.manifest import tool_name_fault
from studio_qt.package.model import AgentSpec, Command, Manifest, SubAgentSpec, Tool
from studio_qt.package.places import Places
from studio_qt.package.registration import register
from studio_qt.package.resolver import Resolver
from studio_qt.package.subagents.effective import Overrides, effective_meta
from studio_qt.package.subagents.prompt import PromptFile
from studio_qt.package.subagents.reading import prompt_path, read_prompt_file
from studio_qt.package.subagents.scalars import scalar_text

__all__ = ["COMMAND_HANDLER", "SUB_AGENT", "SUFFIX", "SubAgentLoader"]

SUB_AGENT = "studio.sub-agent"
SUFFIX = ".subagent.md"
COMMAND_HANDLER = "subAgentCommand"
"""What `studio.sub-agent` exports for the command of every sub-agent (SUB-09)."""

_SHARED = "shared-agents"
_PRIVATE = "private-agents"


class SubAgentLoader:
    """Makes sub-agents of entries; what is wrong goes to `problems`.

    `build` loads an entry's code, `claim` takes its id if nobody has it.
    """

    def __init__(
        self,
        resolver: Resolver,
        places: Places,
        build: Callable[[Entry], AgentSpec | None],
        claim: Callable[[Entry], bool],
        problems: list[Problem],
    ) -> None:
        self.problems = problems
        self._source = resolver.source
        self._places = places
        self._resolver = resolver
        self._build = build
        self._claim = claim

    # Registration -------------------------------------------------------------------------

    def shorthand(self, name: str, line: int, place: tuple[str | int, ...]) -> Entry | None:
        """Return the entry behind a bare file name; its id comes from the file (SUB-02)."""
        path = prompt_path(name)
        prompt = self._prompt(name, name, line, place)
        if prompt is None:
            return None
        found = prompt.fields.get("id")
        given = scalar_text(found.lines).strip() if found is not None else ""
        agent_id = given or name.rpartition("/")[2].removesuffix(SUFFIX)
        if fault := _sub_agent_id_fault(agent_id):
            message = f'the sub-agent "{agent_id}" is not offered: its id {fault}.'
            if given and found is not None:
                self._report("error", found.line, message, path)
            else:
                self._report("error", line, message)
            return None
        return Entry(agent_id, SUB_AGENT, line, None, place, name)

    def load(self, entry: Entry) -> AgentSpec | None:
        """Return the agent of an entry, without its grants so far; None when not offered."""
        name = entry.prompt_file or (entry.config or {}).get("promptFile")
        if not isinstance(name, str) or not name:
            message = f'the sub-agent "{entry.id}" has no "promptFile"; name its .subagent.md file.'
            self._report("error", self._line(entry, "promptFile"), message)
            return None
        if fault := _sub_agent_id_fault(entry.id):
            message = f'the sub-agent "{entry.id}" is not offered: its id {fault}.'
            self._report("error", entry.line, message)
            return None
        sub_agent = self._sub_agent(entry, name)
        if sub_agent is None:
            return None
        code = self._build(replace(entry, config=None))
        return None if code is None else self._agent(entry, code, sub_agent)

    def _prompt(
        self, shown: str, name: str, line: int, place: tuple[str | int, ...]
    ) -> PromptFile | None:
        """Return the file called `name`; `place` is that of the entry, which `shown` names."""
        path = prompt_path(name)
        prompt = read_prompt_file(self._source, path)
        if not isinstance(prompt, Problem):
            return prompt
        if prompt.line is not None:
            self.problems.append(prompt)
        else:
            reason = prompt.message
            named = reason if path in reason else f"{path} {reason}"
            message = f'the sub-agent "{shown}" is not offered: {named}'
            fault = Fault("prompt-missing", (name,), place)
            self._report("error", line, message, fault=fault)
        return None

    def _sub_agent(self, entry: Entry, name: str) -> SubAgentSpec | None:
        path = prompt_path(name)
        prompt = self._prompt(entry.id, name, self._line(entry, "promptFile"), entry.place)
        if prompt is None:
            return None
        config = entry.config or {}
        overrides = Overrides(config, lambda field: self._line(entry, field), entry.place)
        meta, problems = effective_meta(entry.id, prompt, path, overrides)
        self.problems += problems
        if meta is None:
            return None
        if "contextFiles" in overrides.fields:
            place = (CONFIG_FILE, self._line(entry, "contextFiles"))
        else:
            place = (path, prompt.line("contextFiles"))
        for file in meta.context_files:
            if not self._exists(file):
                message = f'"{entry.id}": there is no {file!r} in the context folder; add it.'
                where = entry.place if place[0] == CONFIG_FILE else ()
                fault = Fault("context-file-missing", (file,), where)
                self.problems.append(Problem("warning", *place, message, fault))
        return SubAgentSpec(meta, path, prompt.prompt, overridden=overrides.fields)

    def _exists(self, name: str) -> bool:
        path = self._resolver.context_path(name)
        return path is not None and self._source.exists(path)

    def _agent(self, entry: Entry, code: AgentSpec, sub_agent: SubAgentSpec) -> AgentSpec | None:
        meta = sub_agent.meta
        name = tool_name_of(entry.id)
        if fault := tool_name_fault(name):
            severity, reason = fault
            end = " and is not offered" if severity == "error" else ""
            message = f'"{entry.id}" makes the tool name "{name}"{end}: {reason}; rename the id.'
            self._report(severity, entry.line, message)
            if severity == "error":
                return None
        tool = Tool(name, name, meta.description, meta.params, 1)
        manifest = replace(
            code.manifest,
            description=meta.description,
            tools=(tool,),
            declared=(name,),
            commands=(Command(f"@{name}", COMMAND_HANDLER, 1),),
            debug=code.manifest.debug or meta.debug,
        )
        return replace(
            code,
            manifest=manifest,
            tools=(tool,),
            config=entry.config or {},
            sub_agent=sub_agent,
        )

    # Grants -------------------------------------------------------------------------------

    def grant(
        self, entry: Entry, agent: AgentSpec, agents: Mapping[str, AgentSpec]
    ) -> AgentSpec | None:
        """Return the agent with its grants; None when one cannot be given (SUB-04).

        `agents` are all top-level agents that loaded, so that their order does not matter.
        """
        config, known = entry.config or {}, agent.sub_agent
        if known is None:
            return agent
        before = sum(problem.severity == "error" for problem in self.problems)
        shared = tuple(self._shared(entry, config.get(_SHARED), agents))
        declared = self._declared(entry, config.get(_PRIVATE))
        if sum(problem.severity == "error" for problem in self.problems) > before:
            return None
        private = tuple(made for one in declared if (made := self._private(one)) is not None)
        sub_agent = replace(known, shared=shared, private=private)
        self._look_for_collisions(entry, (*private, *(agents[name] for name in shared)))
        return replace(agent, sub_agent=sub_agent)

    def _shared(
        self, entry: Entry, value: JsonValue, agents: Mapping[str, AgentSpec]
    ) -> dict[str, None]:
        granted: dict[str, None] = {}
        for position, name in self._items(entry, _SHARED, value):
            line = self._line(entry, _SHARED, position)
            if not isinstance(name, str) or not name:
                self._refuse(entry, line, "shared-agents must be names of agents in quotes")
            elif name not in agents:
                message = f'shared-agents names "{name}", which is not among the loaded agents'
                fault = Fault("grant-unknown", (name,), (*entry.place, _SHARED, position))
                self._refuse(entry, line, f'{message}; add it to "agents"', fault)
            elif agents[name].sub_agent is not None:
                message = f'"{name}" is a sub-agent, and none can be granted'
                fault = Fault("grant-refused", (name,), (*entry.place, _SHARED, position))
                self._refuse(entry, line, message, fault)
            elif name in granted:
                message = f'"{entry.id}" is granted "{name}" twice; take one out.'
                fault = Fault("grant-refused", (name,), (*entry.place, _SHARED, position))
                self._report("warning", line, message, fault=fault)
            else:
                granted[name] = None
        return granted

    def _declared(self, entry: Entry, value: JsonValue) -> list[Entry]:
        declared = []
        for position, item in self._items(entry, _PRIVATE, value):
            place = (*entry.place, _PRIVATE, position)
            line = self._places.line(place)
            local, implementation = item, item
            if isinstance(item, dict):
                local, implementation = item.get("id"), item.get("implementation")
            if not (isinstance(local, str) and local) or not (
                isinstance(implementation, str) and implementation
            ):
                message = 'private-agents must be names, or objects with "id" and "implementation"'
                self._refuse(entry, line, message)
            elif implementation == SUB_AGENT or implementation.endswith(SUFFIX):
                message = f'"{local}" is a sub-agent, and none can be granted'
                self._refuse(entry, line, message, Fault("grant-refused", (local,), place))
            elif reason := id_fault(local):
                self._refuse(entry, line, f'its private agent "{local}" {reason}')
            else:
                config = item if isinstance(item, dict) else None
                declared.append(Entry(f"{entry.id}.{local}", implementation, line, config, place))
        return declared

    def _private(self, entry: Entry) -> AgentSpec | None:
        return self._build(entry) if self._claim(entry) else None

    def _items(self, entry: Entry, key: str, value: JsonValue) -> list[tuple[int, JsonValue]]:
        if value is None:
            return []
        if not isinstance(value, list):
            self._refuse(entry, self._line(entry, key), f"{key} must be a list in [ ]")
            return []
        return list(enumerate(value))

    def _look_for_collisions(self, entry: Entry, granted: tuple[AgentSpec, ...]) -> None:
        """Warn of granted tools that cannot be called, because an earlier one has the name."""
        bare = [replace(agent, manifest=Manifest(None)) for agent in granted]
        for problem in register(bare).problems:
            message = f'among the grants of "{entry.id}", {problem.message}'
            self._report("warning", entry.line, message)

    # Reports ------------------------------------------------------------------------------

    def _line(self, entry: Entry, *path: str | int) -> int:
        return self._places.line((*entry.place, *path))

    def _refuse(self, entry: Entry, line: int, reason: str, fault: Fault | None = None) -> None:
        message = f'the sub-agent "{entry.id}" is not offered: {reason}.'
        self._report("error", line, message, fault=fault)

    def _report(
        self,
        severity: Severity,
        line: int | None,
        message: str,
        file: str = CONFIG_FILE,
        fault: Fault | None = None,
    ) -> None:
        self.problems.append(Problem(severity, file, line, message, fault))


def _sub_agent_id_fault(agent_id: str) -> str | None:
    if agent_id.startswith("studio."):
        return "begins with studio., which is kept for built-ins; use your own prefix"
    return id_fault(agent_id)

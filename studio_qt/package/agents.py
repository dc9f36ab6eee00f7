"""The `agents` of config.json: each entry resolved to its file, manifest and tools."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from studio_qt.errors import Fault, Problem, Severity
from studio_qt.files.paths import UnsafePathError, same_name
from studio_qt.files.source import Source
from studio_qt.jsontext import JsonValue
from studio_qt.package.builtins import SUFFIXES, builtin_agent, is_builtin_name
from studio_qt.package.config import CONFIG_FILE, Config
from studio_qt.package.entries import Entry
from studio_qt.package.ids import id_fault, tool_name_of
from studio_qt.package.libraries import CODE_LIMIT, load_libraries
from studio_qt.package.manifest import parse_manifest, tool_name_fault
from studio_qt.package.model import AgentSpec, Language, Library, Manifest, Tool
from studio_qt.package.reading import read_text
from studio_qt.package.resolver import Resolver
from studio_qt.package.subagents.loading import SUB_AGENT, SUFFIX, SubAgentLoader
from studio_qt.package.tags import line_of_tag

__all__ = ["AgentLoader", "find_agent_file"]

_LANGUAGE_NAMES: Mapping[Language, str] = {
    "javascript": "JavaScript",
    "typescript": "TypeScript",
    "python": "Python",
    "lua": "Lua",
}


@dataclass(frozen=True, slots=True)
class _Code:
    file: str
    language: Language
    source: str


def find_agent_file(source: Source, name: str) -> tuple[str, Language] | None:
    """Return the first of `agents/{name}.js`, `.ts`, `.py`, `.lua` that exists (PKG-05).

    Raises `UnsafePathError`.
    """
    for suffix, language in SUFFIXES.items():
        path = f"agents/{name}{suffix}"
        if source.exists(path):
            return path, language
    return None


class AgentLoader:
    """Loads the entries one by one; afterwards it has the agents and what was wrong.

    `unplayable` pairs the ids of agents whose language cannot run here with the reason.
    """

    def __init__(
        self,
        source: Source,
        config: Config,
        missing: Mapping[Language, str],
        resolver: Resolver,
    ) -> None:
        self.agents: list[AgentSpec] = []
        self.problems: list[Problem] = []
        self.unplayable: list[tuple[str, str]] = []
        self._source = source
        self._config = config
        self._unavailable = missing
        self._ids: dict[str, str] = {}
        self._entries: list[Entry] = []
        self._sub_agents = SubAgentLoader(
            resolver, config.places, self._build, self._take_id, self.problems
        )

    def load(self) -> None:
        """Load every entry; a broken one is a problem, and the others still load (PKG-10).

        Grants are given last, so that they may name agents that are listed below (SUB-04).
        """
        listed = self._config.data.get("agents")
        loaded: list[tuple[Entry, AgentSpec]] = []
        for position, value in enumerate(listed if isinstance(listed, list) else ()):
            entry = self._entry(value, ("agents", position))
            if entry is None or not self._take_id(entry):
                continue
            self._entries.append(entry)
            if spec := self._load(entry):
                loaded.append((entry, spec))
        known = {spec.id: spec for _, spec in loaded}
        for entry, spec in loaded:
            if granted := self._sub_agents.grant(entry, spec, known):
                self.agents.append(granted)

    @property
    def broken(self) -> frozenset[str]:
        """The ids of entries that are listed and did not load."""
        listed = {entry.id for entry in self._entries}
        return frozenset(listed - {agent.id for agent in self.agents})

    def _entry(self, value: JsonValue, place: tuple[str | int, ...]) -> Entry | None:
        line = self._config.places.line(place)
        if isinstance(value, str) and value:
            if value.endswith(SUFFIX):
                return self._sub_agents.shorthand(value, line, place)
            return Entry(value, value, line, None, place)
        if isinstance(value, dict):
            agent_id, implementation = value.get("id"), value.get("implementation")
            if isinstance(agent_id, str) and isinstance(implementation, str) and agent_id:
                return Entry(agent_id, implementation, line, value, place)
        return None  # the schema has told what is wrong

    def _take_id(self, entry: Entry) -> bool:
        """Claim the id; returns whether it is a usable one that no earlier entry has."""
        names = dict.fromkeys((entry.id, entry.implementation))
        faults = [f'the agent "{name}" {fault}.' for name in names if (fault := id_fault(name))]
        key = same_name(entry.id)
        about: Fault | None = None
        if not faults and key in self._ids:
            faults.append(_same_id(entry.id, self._ids[key]))
            about = Fault("agent-twice", (entry.id,), entry.place)
        for message in faults:
            self._report("error", entry.line, message, about)
        if not faults:
            self._ids[key] = entry.id
        return not faults

    def _load(self, entry: Entry) -> AgentSpec | None:
        is_sub_agent = entry.implementation == SUB_AGENT
        return self._sub_agents.load(entry) if is_sub_agent else self._build(entry)

    def _build(self, entry: Entry) -> AgentSpec | None:
        """Return the agent that an entry's code makes, None when there is none."""
        code = self._code(entry)
        if code is None:
            return None
        manifest, problems = parse_manifest(code.source, code.language, code.file)
        self.problems += problems
        if manifest.agent is None:
            return None
        self._check_name(entry, code, manifest.agent)
        spec = AgentSpec(
            id=entry.id,
            file=code.file,
            language=code.language,
            source=code.source,
            manifest=manifest,
            tools=self._tools(entry, manifest),
            libraries=self._libraries(code, manifest),
            config=entry.config or {},
            line=entry.line,
        )
        self._check_language(spec)
        return spec

    def _code(self, entry: Entry) -> _Code | None:
        name = entry.implementation
        try:
            found = find_agent_file(self._source, name)
        except UnsafePathError as error:
            self._report("error", entry.line, f'the agent "{entry.id}" is not loaded: {error}')
            return None
        if found is None:
            if shipped := builtin_agent(name):
                return _Code(shipped.file, shipped.language, shipped.source)
            fault = Fault("agent-missing", (name,), entry.place)
            self._report("error", entry.line, self._missing(name), fault)
            return None
        path, language = found
        reading = read_text(self._source, path, limit=CODE_LIMIT)
        if reading.problem is not None:
            self.problems.append(reading.problem)
        return None if reading.text is None else _Code(path, language, reading.text)

    def _missing(self, name: str) -> str:
        for suffix in SUFFIXES:
            if name.endswith(suffix):
                bare = name.removesuffix(suffix)
                return f'there is no agent "{name}"; leave {suffix} off, write "{bare}".'
        kinds = ", ".join(SUFFIXES)
        if name.startswith("studio."):
            return f'there is no built-in agent "{name}", and no agents/{name} with {kinds}.'
        return f'the agent "{name}" is missing; put agents/{name} with {kinds} into the package.'

    def _check_name(self, entry: Entry, code: _Code, agent: str) -> None:
        line = line_of_tag(code.source, "agent", agent)
        if agent != entry.implementation:
            message = (
                f'says @agent {agent}, but config.json calls it "{entry.implementation}", which '
                f"counts; make them the same."
            )
            fault = Fault("agent-name", (agent, entry.implementation))
            self.problems.append(Problem("warning", code.file, line, message, fault))
        if agent.startswith("studio.") and not is_builtin_name(agent):
            message = (
                f"says @agent {agent}, but studio. is kept for built-ins; use your own prefix."
            )
            self.problems.append(Problem("warning", code.file, line, message))

    def _tools(self, entry: Entry, manifest: Manifest) -> tuple[Tool, ...]:
        """Return the tools under the names that are offered; composed ones get theirs (PKG-07)."""
        if entry.config is None:
            return manifest.tools
        base = tool_name_of(entry.id)
        tools = []
        for tool in manifest.tools:
            is_first = tool.handler_name == manifest.declared[0]
            name = base if is_first else f"{base}_{tool.handler_name}"
            fault = tool_name_fault(name)
            if fault is not None:
                severity, reason = fault
                end = " and is not offered" if severity == "error" else ""
                message = (
                    f'"{entry.id}" makes the tool name "{name}"{end}: {reason}; rename the id.'
                )
                self._report(severity, entry.line, message)
            if fault is None or fault[0] != "error":
                tools.append(replace(tool, name=name))
        return tuple(tools)

    def _libraries(self, code: _Code, manifest: Manifest) -> tuple[Library, ...]:
        if not manifest.libs:
            return ()
        if code.language in ("python", "lua"):
            name = _LANGUAGE_NAMES[code.language]
            message = f"declares @lib, but libraries are JavaScript and a {name} agent gets none."
            line = line_of_tag(code.source, "lib", manifest.libs[0])
            fault = Fault("lib-unused", manifest.libs)
            self.problems.append(Problem("warning", code.file, line, message, fault))
            return ()
        libraries, problems = load_libraries(self._source, manifest.libs, code.file, code.source)
        self.problems += problems
        return libraries

    def _check_language(self, spec: AgentSpec) -> None:
        why = self._unavailable.get(spec.language)
        if why is None:
            return
        reason = f"{_LANGUAGE_NAMES[spec.language]} agents cannot run here: {why}"
        self.unplayable.append((spec.id, reason))
        message = (
            f'the agent "{spec.id}" cannot be played. {reason}. Take it out of config.json, or '
            "rewrite it in another language."
        )
        self._report("error", spec.line, message)

    def _report(
        self, severity: Severity, line: int | None, message: str, fault: Fault | None = None
    ) -> None:
        self.problems.append(Problem(severity, CONFIG_FILE, line, message, fault))


def _same_id(later: str, first: str) -> str:
    if later == first:
        return f'the agent "{later}" is listed twice; the first one counts.'
    return (
        f'the agent "{later}" is left out: its id and "{first}" differ only in case or accents, '
        f"and their files would be the same on some systems; rename one."
    )

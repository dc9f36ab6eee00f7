"""What may run of a package: loaded so that it can be told, and with parts of it held back."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from studio_qt.authoring.foreigncode import CodeFile, CodeSnapshot
from studio_qt.errors import Problem
from studio_qt.files.source import Source
from studio_qt.package.character import CharacterPackage
from studio_qt.package.loader import load_package
from studio_qt.package.model import AgentSpec, Language
from studio_qt.package.registration import register

__all__ = ["LoadedCode", "hold_back", "load_code", "used_code"]

_WAITS = "changed outside Character Studio and waits for you to agree; {}."


@dataclass(frozen=True, slots=True)
class LoadedCode:
    """A package, and the foreign code that its agents would run: exactly the bytes they hold.

    `snapshot` gives the same bytes again, and those of code that no agent runs.
    """

    package: CharacterPackage
    files: tuple[CodeFile, ...]
    snapshot: CodeSnapshot


def load_code(source: Source, *, missing: Mapping[Language, str] | None = None) -> LoadedCode:
    """Load a package for a check of its code; no agent is run. Raises as `load_package`."""
    snapshot = CodeSnapshot(source)
    package = load_package(snapshot, missing=missing)
    paths = {path for spec in _all(package.agents) for path in used_code(spec)}
    found = (snapshot.code(path) for path in sorted(paths))
    files = tuple(file for file in found if file is not None and not file.is_shipped)
    return LoadedCode(package, files, snapshot)


def used_code(spec: AgentSpec) -> tuple[str, ...]:
    """Return the files of the package that an agent runs; not those of the program."""
    paths = (spec.file, *(library.file for library in spec.libraries))
    return tuple(path for path in paths if not path.startswith("studio:"))


def hold_back(
    package: CharacterPackage, running: CharacterPackage, waiting: Collection[str]
) -> CharacterPackage:
    """Return a package in which no agent runs code of the files `waiting`.

    An agent that runs already goes on as it is in `running`; a new one is left out. Both are
    problems of their file.
    """
    before = {spec.id: spec for spec in _all(running.agents)}
    problems: list[Problem] = []

    def kept(specs: Iterable[AgentSpec]) -> Iterator[AgentSpec]:
        for spec in specs:
            held = next((path for path in used_code(spec) if path in waiting), None)
            if held is None:
                yield _with_private(spec)
                continue
            old = before.get(spec.id)
            end = "the version from before runs meanwhile" if old else "it does not run before"
            problems.append(Problem("warning", held, None, _WAITS.format(end)))
            if old is not None:
                yield old

    def _with_private(spec: AgentSpec) -> AgentSpec:
        sub_agent = spec.sub_agent
        if sub_agent is None or not sub_agent.private:
            return spec
        return replace(spec, sub_agent=replace(sub_agent, private=tuple(kept(sub_agent.private))))

    agents = tuple(kept(package.agents))
    ids = {spec.id for spec in agents}
    agents = tuple(_without_lost(spec, ids) for spec in agents)
    registration = register(agents)
    others = [one for one in package.problems if one not in package.registration.problems]
    found = dict.fromkeys([*others, *problems, *registration.problems])
    return replace(package, agents=agents, registration=registration, problems=tuple(found))


def _without_lost(spec: AgentSpec, ids: Collection[str]) -> AgentSpec:
    """Return a sub-agent without the shared grants of agents that are not there."""
    sub_agent = spec.sub_agent
    if sub_agent is None or all(name in ids for name in sub_agent.shared):
        return spec
    shared = tuple(name for name in sub_agent.shared if name in ids)
    return replace(spec, sub_agent=replace(sub_agent, shared=shared))


def _all(specs: Iterable[AgentSpec]) -> Iterator[AgentSpec]:
    for spec in specs:
        yield spec
        if spec.sub_agent is not None:
            yield from spec.sub_agent.private

"""Mends of entries in config.json: agents, grants, mappings."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from studio_qt.authoring.enabling import enabled_config
from studio_qt.authoring.mending.bench import Bench, Entry, Mend
from studio_qt.authoring.scaffolding import scaffold_text
from studio_qt.errors import Fault, Problem
from studio_qt.files.paths import same_name
from studio_qt.jsontext import JsonObject
from studio_qt.package.alike import closest
from studio_qt.package.builtins import SUFFIXES
from studio_qt.package.config import CONFIG_FILE
from studio_qt.package.ids import id_fault
from studio_qt.package.resolver import DEFAULTS
from studio_qt.package.rewrite import rewrite_config
from studio_qt.package.subagents.loading import SUB_AGENT, SUFFIX

__all__ = ["WAYS"]

_NAMES = {".js": "JavaScript", ".ts": "TypeScript", ".py": "Python", ".lua": "Lua"}


def _agent_missing(bench: Bench, _problem: Problem, fault: Fault) -> Iterator[Mend | None]:
    (name,) = fault.names
    known = [one.id for one in bench.facts.implementations]
    bare = next((name.removesuffix(end) for end in SUFFIXES if name.endswith(end)), name)
    meant = bare if bare != name and bare in known else closest(name, known, at_least=0.7)
    if meant is not None:
        yield bench.configure(f"Write “{meant}”", fault.place, name, _renaming(meant))
    if not name.startswith("studio.") and id_fault(bare) is None:
        for ending, language in _NAMES.items():
            text = scaffold_text(f"agent{ending}", bare)
            path = f"agents/{bare}{ending}"
            if name in (bare, f"{bare}{ending}"):
                yield _made_agent(bench, f"Make {path} ({language})", path, text, fault, bare)
    yield _out(bench, f"Take “{name}” out of config.json", fault, name)


def _made_agent(
    bench: Bench, title: str, path: str, text: str, fault: Fault, bare: str
) -> Mend | None:
    made = bench.make(title, path, text)
    (name,) = fault.names
    if made is None or name == bare:
        return made
    entry = bench.configure(title, fault.place, name, _renaming(bare))
    if entry is None:
        return None
    return Mend(title, {**made.changes, **entry.changes}, {**made.seen, **entry.seen})


def _renaming(name: str) -> Callable[[Entry], None]:
    """Write another implementation, or another bare name."""

    def change(entry: Entry) -> None:
        if isinstance(entry.value, dict):
            entry.value["implementation"] = name
        else:
            entry.put(name)

    return change


def _agent_twice(bench: Bench, _problem: Problem, fault: Fault) -> Iterator[Mend | None]:
    (name,) = fault.names
    taken = {same_name(agent.id) for agent in bench.facts.agents}
    free = next(
        one for number in range(2, 999) if same_name(one := f"{name}-{number}") not in taken
    )

    def rename(entry: Entry) -> None:
        entry.fields["id"] = free

    yield _out(bench, "Take the second entry out", fault, name)
    yield bench.configure(f"Call the second one “{free}”", fault.place, name, rename)


def _prompt_missing(bench: Bench, _problem: Problem, fault: Fault) -> Iterator[Mend | None]:
    (name,) = fault.names

    def write(entry: Entry) -> None:
        if isinstance(entry.value, dict):
            entry.value["promptFile"] = meant
        else:
            entry.put(meant)

    meant = closest(name, bench.facts.prompts, at_least=0.7) or ""
    if not meant and f"{name}{SUFFIX}" in bench.facts.prompts:
        meant = f"{name}{SUFFIX}"
    if meant:
        yield bench.configure(f"Write “{meant}”", fault.place, name, write)
    if name.endswith(SUFFIX) and ".." not in name and not name.startswith("/"):
        stem = name.rpartition("/")[2].removesuffix(SUFFIX)
        text = scaffold_text("sub-agent.subagent.md", stem)
        yield bench.make(f"Make agents/{name}", f"agents/{name}", text)
    yield _out(bench, f"Take “{name}” out of config.json", fault, name)


def _grant_unknown(bench: Bench, _problem: Problem, fault: Fault) -> Iterator[Mend | None]:
    (name,) = fault.names
    grantable = [one.id for one in bench.facts.agents if not one.is_sub_agent]
    meant = closest(name, grantable, at_least=0.7)
    if meant is not None:
        yield bench.configure(f"Write “{meant}”", fault.place, name, lambda one: one.put(meant))
    known = next((one for one in bench.facts.implementations if one.id == name), None)
    if known is not None and name != SUB_AGENT:
        path = f"agents/{name}.js"  # however it ends: an entry names none
        enable = (CONFIG_FILE, lambda text: enabled_config(text, path))
        yield bench.mend(f"Add “{name}” to the agents", enable)
    yield _out(bench, f"Take “{name}” out of the grants", fault, name)


def _grant_refused(bench: Bench, _problem: Problem, fault: Fault) -> Iterator[Mend | None]:
    (name,) = fault.names
    yield _out(bench, f"Take “{name}” out of the grants", fault, name)


def _out(bench: Bench, title: str, fault: Fault, name: str) -> Mend | None:
    """Take an entry out; a list of grants that is empty then goes with it."""

    def change(data: JsonObject) -> None:
        entry = Entry.at(data, fault.place)
        if not entry.says(name):
            raise ValueError("another entry stands there by now")
        entry.remove()
        if len(fault.place) > 2 and not entry.holder:
            Entry.at(data, fault.place[:-1]).remove()

    return bench.mend(title, (CONFIG_FILE, lambda text: rewrite_config(text, change)))


def _mapping_unknown(bench: Bench, _problem: Problem, fault: Fault) -> Iterator[Mend | None]:
    (key,) = fault.names

    def rename(data: JsonObject) -> None:
        mappings = Entry.at(data, ("fileMappings",)).fields
        if key not in mappings or meant in mappings:
            raise ValueError("there is no such key, or both")
        data["fileMappings"] = {
            meant if name == key else name: value for name, value in mappings.items()
        }

    meant = closest(key, DEFAULTS) or ""
    if meant:
        edit = (CONFIG_FILE, lambda text: rewrite_config(text, rename))
        yield bench.mend(f"Write “{meant}”", edit)
    yield bench.configure(f"Take “{key}” out", ("fileMappings", key), "", Entry.remove)


def _mapping_missing(bench: Bench, _problem: Problem, fault: Fault) -> Iterator[Mend | None]:
    key, path = fault.names
    name = path.rpartition("/")[2]
    files = {one.rpartition("/")[2]: one for one in bench.facts.files}
    if (meant := closest(name, files, at_least=0.7)) is not None and files[meant] != path:
        other = files[meant]
        yield bench.configure(
            f"Write “{other}”", ("fileMappings", key), path, lambda one: one.put(other)
        )
    yield bench.make(f"Make {path}", path, "")
    yield bench.configure("Take the mapping out", ("fileMappings", key), path, Entry.remove)


WAYS: Mapping[str, Callable[[Bench, Problem, Fault], Iterator[Mend | None]]] = {
    "agent-missing": _agent_missing,
    "agent-twice": _agent_twice,
    "prompt-missing": _prompt_missing,
    "grant-unknown": _grant_unknown,
    "grant-refused": _grant_refused,
    "mapping-unknown": _mapping_unknown,
    "mapping-missing": _mapping_missing,
}
"""What can be done for each kind."""

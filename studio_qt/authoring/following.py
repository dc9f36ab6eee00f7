"""What follows when files of a character are renamed, moved or deleted."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from studio_qt.authoring.enabling import entry_name
from studio_qt.authoring.references import (
    TextEdit,
    in_turn,
    manifest_named,
    prompt_contexts,
    prompt_stores,
)
from studio_qt.authoring.wiring import (
    PRIVATE,
    SHARED,
    Renames,
    context_names,
    file_names,
    follow_config,
)
from studio_qt.files.paths import UnsafePathError
from studio_qt.files.source import Source
from studio_qt.jsontext import JsonValue
from studio_qt.package.agents import find_agent_file
from studio_qt.package.builtins import SUFFIXES, builtin_agent
from studio_qt.package.config import CONFIG_FILE, read_unchecked
from studio_qt.package.reading import read_text
from studio_qt.package.resolver import CONTEXT, DEFAULTS, build_resolver
from studio_qt.package.subagents.loading import SUFFIX
from studio_qt.package.subagents.prompt import PromptFile, read_prompt
from studio_qt.package.subagents.reading import prompt_path
from studio_qt.package.subagents.scalars import list_items, scalar_text

__all__ = ["Following", "follow"]

_DEFAULT = ".agent.json"


@dataclass(frozen=True, slots=True)
class Following:
    """What is to be done beside a rename or deletion itself.

    `edits` change the texts of files, by their paths afterwards. `files` are default stores with
    their new paths, `stores` ids of agents with their new ids; None for those that go. `left`
    are sentences on what could not follow.
    """

    edits: Mapping[str, TextEdit] = field(default_factory=dict)
    files: Mapping[str, str | None] = field(default_factory=dict)
    stores: Mapping[str, str | None] = field(default_factory=dict)
    left: tuple[str, ...] = ()


def follow(source: Source, changes: Mapping[str, str | None]) -> Following:
    """Return what follows when files or folders get new paths, None where they are deleted.

    `source` is the character before. Raises PackageError where its config.json cannot be read.
    """
    return _Follower(source, changes).follow()


@dataclass(frozen=True, slots=True)
class _Agent:
    """An entry of `agents`, the id that it has, and the one that it will have."""

    entry: JsonValue
    old: str
    new: str | None


class _Follower:
    def __init__(self, source: Source, changes: Mapping[str, str | None]) -> None:
        config = read_unchecked(source)
        listed = config.data.get("agents")
        mappings = config.data.get("fileMappings")
        self._source, self._changes = source, changes
        self._entries = listed if isinstance(listed, list) else []
        self._resolver, _ = build_resolver(source, mappings, config.places)
        self._renames = Renames(paths=self._mapped)
        self._ids: dict[str, str | None] = {}
        self._edits: dict[str, list[TextEdit]] = {}
        self._left: list[str] = []

    def follow(self) -> Following:
        """Find what is called otherwise, then who says the old names."""
        self._find_texts()
        self._find_files()
        self._find_contexts()
        agents = [found for entry in self._entries if (found := self._agent(entry)) is not None]
        self._ids = {one.old: one.new for one in agents if one.old != one.new}
        self._renames.ids.update(self._ids)
        for agent in agents:
            self._ids.update(self._private_ids(agent))
        self._follow_config()
        for path in self._prompts():
            self._follow_prompt(path, agents)
        edits = {path: in_turn(edits) for path, edits in self._edits.items()}
        return Following(edits, self._defaults(), self._ids, tuple(self._left))

    def _path(self, path: str) -> str | None:
        """Return the path of a file or folder afterwards, None for one that is gone.

        Letters with accents may be composed otherwise than on the disk.
        """
        parts = path.split("/")
        for old, new in self._changes.items():
            depth = old.count("/") + 1
            if _composed("/".join(parts[:depth])) == _composed(old):
                return None if new is None else "/".join([new, *parts[depth:]])
        return path

    def _mapped(self, path: str) -> str:
        """Return what a mapping says afterwards; one to what is gone stays, and is a problem."""
        bare = path.rstrip("/")
        after = self._path(bare)
        return path if after is None else after + path[len(bare) :]

    # What is called otherwise

    def _find_texts(self) -> None:
        """Find texts, and the context folder, that leave their usual names (PKG-03)."""
        for key, path in DEFAULTS.items():
            after = self._path(path)
            if key not in self._resolver.mapped and after is not None and after != path:
                self._renames.texts[key] = after

    def _find_files(self) -> None:
        """Find files of agents; one that is gone may uncover a built-in of its name."""
        for name in dict.fromkeys(file_names(self._entries)):
            path = self._file_of(name)
            after = None if path is None else self._path(path)
            if path is None or after == path:
                continue
            if after is None:
                if builtin_agent(name) is None and not self._has_other_file(name):
                    self._renames.files[name] = None
                continue
            new = entry_name(after)
            if new is None or new.endswith(SUFFIX) != name.endswith(SUFFIX):
                words = f"config.json still lists “{name}”; {after} is no agent's file any more."
                self._left.append(words)
            elif new != name:
                self._renames.files[name] = new
                if not name.endswith(SUFFIX):
                    self._edit(after, manifest_named(name, new))

    def _file_of(self, name: str) -> str | None:
        try:
            if name.endswith(SUFFIX):
                path = prompt_path(name)
                return path if self._source.exists(path) else None
            found = find_agent_file(self._source, name)
        except UnsafePathError:
            return None  # a problem of the package tells of it
        return None if found is None else found[0]

    def _has_other_file(self, name: str) -> bool:
        """Whether a file in another language steps in for one that is gone."""
        paths = [f"agents/{name}{suffix}" for suffix in SUFFIXES]
        return any(self._source.exists(path) and self._path(path) == path for path in paths)

    def _find_contexts(self) -> None:
        """Find context files that are named somewhere; the folder itself is followed as a text."""
        folder = self._resolver.path(CONTEXT)
        if folder is None:
            return
        after = self._path(folder) or folder
        said = [name for path in self._prompts() for name in _contexts_of(self._prompt(path))]
        for name in dict.fromkeys([*context_names(self._entries), *said]):
            path = self._path(f"{folder}/{name}")
            if path is None:
                self._renames.contexts[name] = None
            elif not path.startswith(f"{after}/"):
                if path != f"{folder}/{name}":
                    self._left.append(f"“{name}” is not in the context folder any more.")
            elif path[len(after) + 1 :] != name:
                self._renames.contexts[name] = path[len(after) + 1 :]

    # Who is called otherwise

    def _agent(self, entry: JsonValue) -> _Agent | None:
        if isinstance(entry, str):
            return self._bare(entry)
        if not isinstance(entry, dict) or not isinstance(agent_id := entry.get("id"), str):
            return None
        is_gone = any(
            self._renames.is_gone(entry.get(key)) for key in ("implementation", "promptFile")
        )
        return _Agent(entry, agent_id, None if is_gone else agent_id)

    def _bare(self, name: str) -> _Agent:
        new = self._renames.files.get(name, name)
        if not name.endswith(SUFFIX):
            return _Agent(name, name, new)
        given = self._prompt(prompt_path(name)).fields.get("id")
        said = scalar_text(given.lines).strip() if given is not None else ""
        if said:
            return _Agent(name, said, None if new is None else said)
        return _Agent(
            name, name.removesuffix(SUFFIX), None if new is None else new.removesuffix(SUFFIX)
        )

    def _private_ids(self, agent: _Agent) -> Iterator[tuple[str, str | None]]:
        for local, new, _, _ in self._private(agent):
            old = f"{agent.old}.{local}"
            after = None if agent.new is None or new is None else f"{agent.new}.{new}"
            if old != after:
                yield old, after

    def _private(self, agent: _Agent) -> Iterator[tuple[str, str | None, str, str | None]]:
        """Yield the private instances: local ids and implementations, each before and after."""
        declared = agent.entry.get(PRIVATE) if isinstance(agent.entry, dict) else None
        for one in declared if isinstance(declared, list) else ():
            local = one.get("id") if isinstance(one, dict) else one
            file = one.get("implementation") if isinstance(one, dict) else one
            if isinstance(local, str) and isinstance(file, str):
                after = self._renames.files.get(file, file)
                new = local if isinstance(one, dict) and after is not None else after
                yield local, new, file, after

    # Who says the old names

    def _follow_config(self) -> None:
        renames = self._renames
        mapped = any(
            self._path(str(self._resolver.path(key))) != self._resolver.path(key)
            for key in self._resolver.mapped
        )
        if mapped or renames.texts or renames.files or renames.ids or renames.contexts:
            self._edit(CONFIG_FILE, follow_config(renames))

    def _prompts(self) -> list[str]:
        names = self._source.list_folder("agents")
        return [f"agents/{name}" for name in names if name.endswith(SUFFIX)]

    def _prompt(self, path: str) -> PromptFile:
        return read_prompt(read_text(self._source, path).text or "")

    def _follow_prompt(self, path: str, agents: list[_Agent]) -> None:
        after = self._path(path)
        if after is None:
            return
        if not self._renames.contexts.keys().isdisjoint(_contexts_of(self._prompt(path))):
            self._edit(after, prompt_contexts(self._renames.contexts))
        references: dict[str, str] = {}
        for agent in agents:
            file = agent.entry.get("promptFile") if isinstance(agent.entry, dict) else None
            if isinstance(file, str) and prompt_path(file) == path:
                references |= self._references(agent)
        if references:
            self._edit(after, prompt_stores(references))

    def _references(self, agent: _Agent) -> dict[str, str]:
        """Return how a sub-agent's prompt may name its renamed grants, before and after."""
        references: dict[str, str] = {}
        shared = agent.entry.get(SHARED) if isinstance(agent.entry, dict) else None
        for name in shared if isinstance(shared, list) else ():
            new = self._ids.get(name) if isinstance(name, str) else None
            if isinstance(name, str) and new is not None:
                references |= _ends(name, new)
        for local, new, file, after in self._private(agent):
            if new is not None and after is not None:
                references |= {file: after} | _ends(local, new)
                references[f"{agent.old}.{local}"] = f"{agent.new}.{new}"
        return {old: new for old, new in references.items() if old != new}

    def _defaults(self) -> dict[str, str | None]:
        files: dict[str, str | None] = {}
        for old, new in self._ids.items():
            path, target = old + _DEFAULT, None if new is None else new + _DEFAULT
            if not self._source.exists(path) or path in self._changes:
                continue
            if target is not None and self._source.exists(target):
                self._left.append(f"{path} keeps its name: there is a {target} already.")
            else:
                files[path] = target
        return files

    def _edit(self, path: str, edit: TextEdit) -> None:
        self._edits.setdefault(path, []).append(edit)


def _composed(path: str) -> str:
    return unicodedata.normalize("NFC", path)


def _contexts_of(prompt: PromptFile) -> list[str]:
    found = prompt.fields.get("contextFiles")
    return [] if found is None else list_items(found.lines)


def _ends(old: str, new: str) -> dict[str, str]:
    """Return an id and the ends of it after a dot, each with what names the new id so."""
    before, after = old.split("."), new.split(".")
    return {
        ".".join(before[at:]): ".".join(after[max(0, len(after) - len(before) + at) :])
        for at in range(len(before))
    } | {old: new}

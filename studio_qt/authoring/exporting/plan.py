"""What goes into a package, and what stays: only what the character itself names goes in."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from studio_qt.errors import PackageError, Problem
from studio_qt.files.below import files_below
from studio_qt.files.overlay import folder_of
from studio_qt.files.paths import UnsafePathError, find_inside, same_name
from studio_qt.files.source import Source
from studio_qt.files.tree import is_leftover
from studio_qt.package import CharacterPackage
from studio_qt.package.config import CONFIG_FILE
from studio_qt.package.model import AgentSpec
from studio_qt.package.resolver import CONTEXT, DEFAULTS
from studio_qt.resources import resource_path

__all__ = [
    "CARD",
    "PICTURES",
    "ExportPlan",
    "ExportWarning",
    "Fields",
    "FileKind",
    "PlannedFile",
    "plan_export",
]

FileKind = Literal[
    "config", "text", "context", "agent", "subagent", "builtin", "library", "default", "picture"
]

_BUILT_IN = "studio:"
_DEFAULT = ".agent.json"
PICTURES = ("png", "jpg", "jpeg", "webp", "gif", "svg")
"""How the name of a character's picture, `avatar.*`, may end."""

_PAPERS = re.compile(r"(?:LICEN[CS]E|README|CREDITS|NOTICE)(?:\.(?:md|txt))?", re.IGNORECASE)
CARD = "card.json"
"""The card that a package was made of, kept for the way back."""

_LARGE = 64 * 1024
"""Bytes from which on a file that no agent reads is worth a word."""

_KEY = re.compile(
    rb"(?<![A-Za-z0-9])(?:sk-(?:ant-|or-|proj-)?[A-Za-z0-9_-]{24,}|AIza[0-9A-Za-z_-]{35}"
    rb"|gh[pousr]_[A-Za-z0-9]{36}|xox[abp]-[A-Za-z0-9-]{20,})"
)
_CLUTTER = frozenset({".DS_Store", "Thumbs.db", "desktop.ini"})
_TOOL_FOLDERS = frozenset(
    {".git", ".hg", ".svn", ".idea", ".vscode", ".obsidian", "__pycache__", "node_modules"}
)
_CONVERSATIONS = "conversations"


@dataclass(frozen=True, slots=True)
class Fields:
    """What the sheet asks for; None leaves what config.json says."""

    author: str | None = None
    version: str | None = None
    license: str | None = None


@dataclass(frozen=True, slots=True)
class PlannedFile:
    """A file of the package: its path there, and where it comes from.

    `origin` is a path of the project, or "studio:…" for a file of the program. `size` is that of
    the origin, in bytes. With `compiles` it is TypeScript that becomes JavaScript.
    """

    path: str
    kind: FileKind
    origin: str
    size: int
    compiles: bool = False


@dataclass(frozen=True, slots=True)
class ExportWarning:
    """Something to look at; `path` can be left out where it is not ""."""

    sentence: str
    path: str = ""


@dataclass(frozen=True, slots=True)
class ExportPlan:
    """What is going to be packed. `faults` are errors that keep it from being exported."""

    package: CharacterPackage
    files: tuple[PlannedFile, ...]
    warnings: tuple[ExportWarning, ...] = ()
    faults: tuple[Problem, ...] = ()
    left_out: tuple[str, ...] = ()
    fields: Fields = field(default_factory=Fields)

    @property
    def size(self) -> int:
        """Bytes of all files before packing."""
        return sum(file.size for file in self.files)

    @property
    def sources(self) -> tuple[str, ...]:
        """The TypeScript files, which go into a second zip where that is wanted."""
        return tuple(file.origin for file in self.files if file.compiles)


def plan_export(
    package: CharacterPackage,
    *,
    fields: Fields | None = None,
    leave_out: frozenset[str] = frozenset(),
) -> ExportPlan:
    """Return what goes into the package of a loaded character; reads files, changes nothing.

    `leave_out` are paths of context files that the author does not want in it. Raises
    PackageError where a file that is needed cannot be read.
    """
    planner = _Planner(package, leave_out)
    files = planner.files()
    faults = tuple(one for one in package.problems if one.severity == "error")
    return ExportPlan(
        package,
        tuple(files[path] for path in sorted(files)),
        tuple(planner.warnings()),
        faults,
        tuple(sorted(leave_out)),
        fields or Fields(),
    )


class _Planner:
    def __init__(self, package: CharacterPackage, leave_out: frozenset[str]) -> None:
        self._package = package
        self._source: Source = package.source
        self._leave_out = leave_out
        self._agents = [one for agent in package.agents for one in _with_private(agent)]
        self._files: dict[str, PlannedFile] = {}
        self._keys: list[str] = []

    def files(self) -> dict[str, PlannedFile]:
        """Gather the files by their paths in the package."""
        self._add(CONFIG_FILE, "config")
        self._add_texts()
        for agent in self._agents:
            self._add_agent(agent)
        self._add_defaults()
        self._add_papers()
        return self._files

    def warnings(self) -> Iterator[ExportWarning]:
        """Yield what to look at: large files that nobody reads, and what looks like a key."""
        for path in self._keys:
            yield ExportWarning(f"{path} holds what looks like a key. Take it out, and change it.")
        read = self._names_read()
        folder = self._package.resolver.path(CONTEXT)
        for file in self._files.values():
            name = file.path.removeprefix(f"{folder}/")
            hidden = name.rpartition("/")[2].startswith(".") or "/" in name
            if file.kind == "context" and hidden and name not in read and file.size >= _LARGE:
                words = f"{name} is {file.size // 1024:,} KB and no agent reads it."
                yield ExportWarning(f"{words} It goes in all the same.", file.path)

    def _add(self, path: str, kind: FileKind) -> None:
        if path in self._files or path in self._leave_out:
            return
        try:
            self._files[path] = PlannedFile(path, kind, path, len(self._read(path)))
        except (OSError, UnsafePathError) as error:
            reason = str(error).rstrip(".")
            raise PackageError(f"{path} cannot be packed: {reason}.", file=path) from error

    def _read(self, path: str) -> bytes:
        """Return a file's content, having looked for keys in it; conversations are refused."""
        root = folder_of(self._source)
        real = path if root is None else find_inside(root, path).relative_to(root.resolve())
        if same_name(str(real).replace("\\", "/").partition("/")[0]) == _CONVERSATIONS:
            raise UnsafePathError(
                f"it lies in {_CONVERSATIONS}/, which is never packed; move it, and map it anew"
            )
        data = self._source.read_bytes(path)
        if _KEY.search(data):
            self._keys.append(path)
        return data

    def _add_texts(self) -> None:
        resolver = self._package.resolver
        for key in DEFAULTS:
            path = resolver.path(key)
            if path is None:
                continue
            if key != CONTEXT:
                if self._source.exists(path):
                    self._add(path, "text")
                continue
            for file in _below(self._source, path):
                self._add(file, "context")

    def _add_agent(self, agent: AgentSpec) -> None:
        if agent.sub_agent is not None:
            self._add(agent.sub_agent.prompt_file, "subagent")
        self._add_code(agent.file, agent.language)
        for library in agent.libraries:
            self._add_shipped(library.file, "library")

    def _add_code(self, file: str, language: str) -> None:
        if file.startswith(_BUILT_IN):
            self._add_shipped(file, "builtin")
        elif language == "typescript":
            size = len(self._read(file))
            path = file.rpartition(".")[0] + ".js"
            self._files[path] = PlannedFile(path, "agent", file, size, compiles=True)
        else:
            is_copy = file.rpartition("/")[2].startswith("studio.")
            self._add(file, "builtin" if is_copy else "agent")

    def _add_shipped(self, file: str, kind: FileKind) -> None:
        if not file.startswith(_BUILT_IN):
            self._add(file, kind)
            return
        path = file.removeprefix(_BUILT_IN)
        size = resource_path(path).stat().st_size
        self._files.setdefault(path, PlannedFile(path, kind, file, size))

    def _add_defaults(self) -> None:
        for agent in self._agents:
            path = f"{agent.id}{_DEFAULT}"
            if self._source.exists(path):
                self._add(path, "default")

    def _add_papers(self) -> None:
        for name in self._source.list_folder(""):
            if name in {f"avatar.{ending}" for ending in PICTURES}:
                self._add(name, "picture")
            elif name == CARD or _PAPERS.fullmatch(name):
                self._add(name, "text")
        if CARD in self._files:
            for path in files_below(self._source, "assets"):
                self._add(path, "picture")

    def _names_read(self) -> frozenset[str]:
        """Return the context files that an agent is bound to, or includes."""
        names: set[str] = set()
        for agent in self._agents:
            bound = agent.config.get("contextFile")
            if isinstance(bound, str):
                names.add(bound)
            if agent.sub_agent is not None:
                names.update(agent.sub_agent.meta.context_files)
        return frozenset(names)


def _with_private(agent: AgentSpec) -> Iterator[AgentSpec]:
    yield agent
    if agent.sub_agent is not None:
        yield from agent.sub_agent.private


def _below(source: Source, folder: str) -> Iterator[str]:
    """Yield the files below a folder, dot-files too; folders of tools and leftovers stay."""
    for path in files_below(source, folder):
        parts = path.split("/")
        if _TOOL_FOLDERS.isdisjoint(parts) and not is_leftover(path) and parts[-1] not in _CLUTTER:
            yield path

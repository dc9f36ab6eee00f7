"""`load_package`: from files to a `CharacterPackage`."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path

from studio_qt.errors import PackageError, Problem
from studio_qt.files.archive import ZipSource
from studio_qt.files.folder import FolderSource
from studio_qt.files.paths import UnsafePathError
from studio_qt.files.source import Source
from studio_qt.package.agents import AgentLoader
from studio_qt.package.builtins import code_language, is_shipped_code
from studio_qt.package.character import CharacterPackage
from studio_qt.package.config import read_config
from studio_qt.package.defaults import read_default_store
from studio_qt.package.model import AgentSpec, Language
from studio_qt.package.recording import RecordingSource
from studio_qt.package.registration import register
from studio_qt.package.resolver import build_resolver
from studio_qt.package.texts import read_texts

__all__ = ["load_package", "open_source"]


def load_package(
    where: Source | Path | str, *, missing: Mapping[Language, str] | None = None
) -> CharacterPackage:
    """Load a character from a folder, a .zip file or a source.

    `missing` gives for each language that cannot run on this machine the reason (LANG-01).
    Raises `PackageError` only for what cannot be opened at all (PKG-10); every smaller fault is
    in the package's `problems`.
    """
    source = open_source(where) if isinstance(where, (str, Path)) else where
    recorder = RecordingSource(source)
    config = read_config(recorder)
    resolver, refused = build_resolver(recorder, config.data.get("fileMappings"), config.places)
    loader = AgentLoader(recorder, config, missing or {}, resolver)
    loader.load()
    registration = register(loader.agents)
    problems = [
        *config.problems,
        *refused,
        *read_texts(resolver).problems,
        *loader.problems,
        *_default_problems(recorder, loader.agents),
        *registration.problems,
    ]
    return CharacterPackage(
        source=source,
        config=config.data,
        name=config.text_of("name") or source.name or "character",
        version=config.text_of("version"),
        model=config.text_of("model"),
        resolver=resolver._replace(source=source),
        agents=tuple(loader.agents),
        registration=registration,
        problems=tuple(dict.fromkeys(problems)),
        unplayable=tuple(loader.unplayable),
        foreign_languages=_foreign_languages(source),
        hash=recorder.hash(),
        broken=loader.broken,
    )


def open_source(where: Path | str) -> Source:
    """Return the source of a folder or zip; raises `PackageError`."""
    path = Path(where)
    try:
        found = path.exists() if str(where) else False
        is_folder = path.is_dir()
    except (OSError, ValueError) as error:
        raise PackageError(f"{str(where)!r} cannot be opened: {error}.") from error
    if not found:
        raise PackageError(f"There is no {str(where)!r}; choose a character's folder or zip.")
    return FolderSource(path) if is_folder else ZipSource(path)


def _default_problems(source: Source, agents: Collection[AgentSpec]) -> list[Problem]:
    private = [one for agent in agents if agent.sub_agent for one in agent.sub_agent.private]
    return [
        problem
        for agent in (*agents, *private)
        for problem in read_default_store(source, agent.id)[1]
    ]


def _foreign_languages(source: Source) -> frozenset[Language]:
    """Return the languages of the code in `agents/` that does not ship with the program (SUB-14).

    Code that no entry names counts too, since one click can enable it.
    """
    found: set[Language] = set()
    for folder in ("agents", "agents/lib"):
        for path in _code_files(source, folder):
            language = code_language(path)
            if language and language not in found and not _is_shipped(source, path):
                found.add(language)
    return frozenset(found)


def _code_files(source: Source, folder: str) -> list[str]:
    try:
        names = source.list_folder(folder)
    except (OSError, UnsafePathError):
        return []  # nothing can be loaded from it either
    return [f"{folder}/{name}" for name in names if code_language(name)]


def _is_shipped(source: Source, path: str) -> bool:
    try:
        return is_shipped_code(source.read_bytes(path))
    except (OSError, UnsafePathError):
        return False

"""Projects as folders: made from templates, and what a list says of them without loading them."""

from __future__ import annotations

import secrets
import shutil
from dataclasses import dataclass
from pathlib import Path

from studio_qt.errors import StudioError
from studio_qt.files import Source, ZipLimits, ZipSource, storage_errors, write_atomic
from studio_qt.jsontext import JsonObject, JsonValue
from studio_qt.package.config import CONFIG_FILE, read_config
from studio_qt.package.loader import open_source
from studio_qt.package.reading import read_text
from studio_qt.package.resolver import DESCRIPTION, build_resolver
from studio_qt.package.rewrite import rewrite_config
from studio_qt.package.subagents.loading import SUB_AGENT, SUFFIX
from studio_qt.resources import copy_resources, resource_names, resource_path
from studio_qt.sentences import shortened

__all__ = ["Outline", "make_project", "outline", "template_names", "template_outline"]

_TEMPLATES = "templates"
_LARGE_ZIP = ZipLimits(unpacked=64 * 1024 * 1024)
_LONGEST_NAME = 200
_LONGEST_DESCRIPTION = 4_000
"""Characters that are told of a project: a label of megabytes is laid out for minutes."""


@dataclass(frozen=True, slots=True)
class Outline:
    """What config.json and the description say; agents are those that it lists.

    Name and description end with "…" where they are longer than a list can show.
    """

    name: str
    description: str
    agents: int
    sub_agents: int


def template_names() -> tuple[str, ...]:
    """Return the names of the templates, sorted."""
    return resource_names(_TEMPLATES)


def template_outline(name: str) -> Outline:
    """Return what a template says of itself; raises StudioError when there is none."""
    return outline(resource_path(f"{_TEMPLATES}/{name}"))


def make_project(folder: Path, template: str, *, name: str | None = None) -> None:
    """Copy a template into a new or empty folder, as a whole or not at all.

    With `name` the character is called that. Raises StudioError when something is there already
    or there is no such template, StorageError when it cannot be written.
    """
    source = f"{_TEMPLATES}/{template}"
    resource_path(source)  # raises before anything is made
    with storage_errors(folder):
        place = folder.resolve()
        if place.exists() and (not place.is_dir() or any(place.iterdir())):
            raise StudioError(f"{folder} is not empty. Name a folder that is not there yet.")
        place.parent.mkdir(parents=True, exist_ok=True)
        fresh = place.with_name(f".{place.name[:100]}-{secrets.token_hex(4)}")
        try:
            copy_resources(source, fresh)
            if name is not None:
                _call(fresh / CONFIG_FILE, name)
            _move(fresh, place)
        finally:
            shutil.rmtree(fresh, ignore_errors=True)


def outline(where: Path) -> Outline:
    """Return what a folder or zip says of itself; no agent's code is read.

    Raises PackageError when it cannot be opened, and for a zip over 64 MB.
    """
    source: Source
    source = ZipSource(where, limits=_LARGE_ZIP) if where.is_file() else open_source(where)
    config = read_config(source)
    resolver, _ = build_resolver(source, config.data.get("fileMappings"), config.places)
    path = resolver.path(DESCRIPTION)
    said = read_text(source, path).text if path is not None else None
    listed = config.data.get("agents")
    entries = listed if isinstance(listed, list) else []
    sub_agents = sum(map(_is_sub_agent, entries))
    return Outline(
        name=shortened(config.text_of("name") or source.name or where.stem, _LONGEST_NAME),
        description=shortened((said or "").strip(), _LONGEST_DESCRIPTION),
        agents=len(entries) - sub_agents,
        sub_agents=sub_agents,
    )


def _move(fresh: Path, place: Path) -> None:
    """Give a new folder its place; an empty one that is there, maybe the current one, is filled."""
    if not place.exists():
        fresh.replace(place)
        return
    for entry in fresh.iterdir():
        entry.replace(place / entry.name)


def _is_sub_agent(entry: JsonValue) -> bool:
    if isinstance(entry, dict):
        return entry.get("implementation") == SUB_AGENT
    return isinstance(entry, str) and entry.endswith(SUFFIX)


def _call(config: Path, name: str) -> None:
    def rename(data: JsonObject) -> None:
        data["name"] = name

    with config.open(encoding="utf-8", newline="") as file:
        text = file.read()
    write_atomic(config, rewrite_config(text, rename))

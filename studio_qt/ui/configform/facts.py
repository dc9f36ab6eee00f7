"""What the form reads in a thread: config.json, and the names that it offers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from studio_qt.authoring.configform import LOOKUPS, ConfigForm, read_config_form
from studio_qt.authoring.enabling import entry_name
from studio_qt.authoring.wiring import file_names
from studio_qt.files.folder import FolderSource
from studio_qt.files.overlay import OverlaySource
from studio_qt.files.tree import is_out_of_sight, walk_tree
from studio_qt.package.builtins import builtin_agent
from studio_qt.package.config import CONFIG_FILE, read_unchecked
from studio_qt.package.resolver import CONTEXT, DEFAULTS, build_resolver
from studio_qt.package.subagents.loading import SUB_AGENT
from studio_qt.resources import resource_names

__all__ = ["ConfigFacts", "read_facts"]

_COMPOSED = frozenset({*LOOKUPS, SUB_AGENT})
"""Built-in agents that serve only as instances, with a file each."""


@dataclass(frozen=True, slots=True)
class ConfigFacts:
    """The form, and what may be chosen in it.

    `builtins` and `files` are names of entries that no entry uses yet, `context_files` names in
    the context folder, `paths` the files and folders of the project, `missing` the keys of
    `fileMappings`, given or not, whose file or folder is not there.
    """

    form: ConfigForm
    builtins: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    context_files: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    missing: frozenset[str] = field(default_factory=frozenset)


def read_facts(root: Path, buffers: Mapping[str, str]) -> ConfigFacts:
    """Read a project's config.json, unsaved text first, and the names around it.

    Raises StudioError where it cannot be shown as a form, naming the line.
    """
    source = OverlaySource(buffers, FolderSource(root))
    config = read_unchecked(source)
    form = read_config_form(source.read_bytes(CONFIG_FILE).decode("utf-8-sig", "replace"))
    listed = config.data.get("agents")
    used = frozenset(file_names(listed if isinstance(listed, list) else []))
    resolver, _ = build_resolver(source, config.data.get("fileMappings"), config.places)
    context = resolver.path(CONTEXT)
    found = list(walk_tree(root, is_out_of_sight))
    paths = tuple(sorted(one.path for one in found))
    names = (entry_name(path) for path in paths)
    places = frozenset(paths)
    return ConfigFacts(
        form,
        tuple(name for name in _builtins() if name not in used),
        tuple(dict.fromkeys(name for name in names if name is not None and name not in used)),
        tuple(_below(context, paths, frozenset(one.path for one in found if one.is_folder))),
        paths,
        frozenset(key for key in DEFAULTS if (resolver.path(key) or "").rstrip("/") not in places),
    )


def _builtins() -> Iterator[str]:
    for file in resource_names("agents"):
        name = file.rpartition(".")[0]
        if name not in _COMPOSED and builtin_agent(name) is not None:
            yield name


def _below(folder: str | None, paths: tuple[str, ...], folders: frozenset[str]) -> Iterator[str]:
    if folder is not None:
        prefix = folder.rstrip("/") + "/"
        for path in paths:
            if path.startswith(prefix) and path not in folders:
                yield path.removeprefix(prefix)

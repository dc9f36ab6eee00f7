"""A plan in a few rows for people: what goes in by kind, and what stays."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from studio_qt.authoring.exporting.plan import ExportPlan, FileKind, PlannedFile
from studio_qt.files.overlay import folder_of
from studio_qt.files.tree import is_leftover, walk_tree
from studio_qt.package.resolver import CONTEXT
from studio_qt.package.subagents.loading import SUFFIX

__all__ = ["SummaryRow", "goes_in", "stays_here"]

_DATA_FOLDER = "conversations"
_DEFAULT = ".agent.json"
_MOST_NAMES = 8


@dataclass(frozen=True, slots=True)
class SummaryRow:
    """A row: its kind, a title, details, and its size in bytes, None where that says nothing."""

    kind: FileKind | str
    title: str
    details: str
    size: int | None


def goes_in(plan: ExportPlan) -> list[SummaryRow]:
    """Return a row for each kind of file that is packed."""
    return [row for row in _rows(plan) if row.size or row.details]


def stays_here(plan: ExportPlan) -> list[SummaryRow]:
    """Return what of the project's folder is not packed; reads the folder, use a thread."""
    root = folder_of(plan.package.source)
    return [] if root is None else list(_staying(root, plan))


def _rows(plan: ExportPlan) -> Iterator[SummaryRow]:
    def of(kind: FileKind) -> list[PlannedFile]:
        return [file for file in plan.files if file.kind == kind]

    yield _row("text", "Character texts", [*of("config"), *of("text"), *of("picture")])
    context = of("context")
    if context:
        folder = plan.package.resolver.path(CONTEXT)
        hidden = sum(_is_hidden(file, folder) for file in context)
        details = _count(len(context), "file") + (
            f", {hidden} hidden from the prompt" * bool(hidden)
        )
        yield SummaryRow("context", f"{folder}/", details, _size(context))
    agents = of("agent")
    if agents:
        typed = [file for file in agents if file.compiles]
        words = [f"{_name(file.origin)} becomes {_name(file.path)}" for file in typed]
        yield SummaryRow(
            "agent", "agents/", "; ".join([f"{len(agents)} own", *words]), _size(agents)
        )
    yield _named("subagent", "Sub-agents", of("subagent"), SUFFIX)
    yield _named("builtin", "Built-ins copied", of("builtin"), ".js", "studio.")
    yield _named("library", "agents/lib/", of("library"), ".js")
    yield _named("default", "Default data", of("default"), _DEFAULT)


def _staying(root: Path, plan: ExportPlan) -> Iterator[SummaryRow]:
    packed = {file.origin for file in plan.files}
    count, size, tools, others = 0, 0, set[str](), list[str]()
    for found in walk_tree(root):
        first = found.path.split("/")[0]
        if found.is_folder or found.path in packed or is_leftover(found.path):
            continue
        if first == _DATA_FOLDER:
            size += found.size
            name = found.path.removeprefix(f"{_DATA_FOLDER}/")
            count += name.startswith("conversation_") and name.count(".") == 1
        elif first.startswith("."):
            tools.add(first)
        else:
            others.append(found.path)
    if count or size:
        words = f"{_count(count, 'conversation')} with stores and journals"
        yield SummaryRow("conversations", words, "", size)
    if others:
        yield SummaryRow("unused", "Files that nothing uses", _listed(others), None)
    yield SummaryRow("tools", ", ".join([*sorted(tools), "local history, keys"]), "", None)


def _row(kind: str, title: str, files: Sequence[PlannedFile]) -> SummaryRow:
    return SummaryRow(kind, title, _count(len(files), "file"), _size(files))


def _named(
    kind: str, title: str, files: Sequence[PlannedFile], suffix: str, prefix: str = ""
) -> SummaryRow:
    names = [_name(file.path).removesuffix(suffix).removeprefix(prefix) for file in files]
    return SummaryRow(kind, title, _listed(names), _size(files))


def _is_hidden(file: PlannedFile, folder: str | None) -> bool:
    name = file.path.removeprefix(f"{folder}/")
    return name.startswith(".") or "/" in name


def _listed(names: Sequence[str]) -> str:
    more = len(names) - _MOST_NAMES
    shown = ", ".join(names[:_MOST_NAMES])
    return f"{shown} and {more} more" if more > 0 else shown


def _count(number: int, word: str) -> str:
    return f"{number:,} {word}" if number == 1 else f"{number:,} {word}s"


def _size(files: Sequence[PlannedFile]) -> int:
    return sum(file.size for file in files)


def _name(path: str) -> str:
    return path.rpartition("/")[2]

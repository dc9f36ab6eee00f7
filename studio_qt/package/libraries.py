"""Libraries that agents declare with `@lib` (LIB-01)."""

from __future__ import annotations

from collections.abc import Sequence

from studio_qt.errors import Fault, Problem
from studio_qt.files.source import Source
from studio_qt.package.builtins import builtin_library
from studio_qt.package.ids import id_fault
from studio_qt.package.model import Library
from studio_qt.package.reading import read_text
from studio_qt.package.scanning import is_es_module
from studio_qt.package.tags import line_of_tag

__all__ = ["CODE_LIMIT", "load_libraries"]

CODE_LIMIT = 4 * 1024 * 1024
"""Bytes that an agent's or a library's source may have."""


def load_libraries(
    source: Source, names: Sequence[str], file: str, code: str
) -> tuple[tuple[Library, ...], tuple[Problem, ...]]:
    """Return the libraries in the order of `names`; one that cannot be used is a problem.

    `file` and `code` are the agent's, for the problem's place.
    Looked for as `agents/lib/name.js`, `agents/lib/name.min.js`, then among the shipped ones.
    """
    libraries = []
    problems = []
    for name in names:
        found = _load(source, name, file, line_of_tag(code, "lib", name))
        if isinstance(found, Library):
            libraries.append(found)
        else:
            problems.append(found)
    return tuple(libraries), tuple(problems)


def _load(source: Source, name: str, file: str, line: int | None) -> Library | Problem:
    if fault := id_fault(name):
        message = f'@lib "{name}" is not loaded: the name {fault}.'
        return Problem("error", file, line, message, Fault("lib-missing", (name,)))
    library: Library | None = None
    for path in (f"agents/lib/{name}.js", f"agents/lib/{name}.min.js"):
        reading = read_text(source, path, limit=CODE_LIMIT)
        if reading.problem is not None:
            return reading.problem
        if reading.text is not None:
            library = Library(name, path, reading.text)
            break
    if library is None and (shipped := builtin_library(name)):
        library = Library(name, shipped.file, shipped.source)
    if library is None:
        bare = name.removesuffix(".js")
        remedy = f"put the library at agents/lib/{name}.js"
        if bare != name:
            remedy = f'leave .js off, write "{bare}"'
        message = f'@lib "{name}" is missing; {remedy}.'
        return Problem("error", file, line, message, Fault("lib-missing", (name,)))
    if is_es_module(library.source):
        message = "is an ES module, which cannot be a library; use its UMD or browser build."
        return Problem("error", library.file, None, message, Fault("lib-module", (name, file)))
    return library

"""The character's texts and context files, read when they are asked for (SYS-03, SYS-04)."""

from __future__ import annotations

from studio_qt.errors import Fault, Problem
from studio_qt.files.paths import UnsafePathError
from studio_qt.package.model import ContextFile, Texts
from studio_qt.package.reading import read_text
from studio_qt.package.resolver import (
    CONTEXT,
    DESCRIPTION,
    INSTRUCTIONS,
    INTRODUCTION,
    SYSTEM_PROMPT,
    Resolver,
)

__all__ = ["read_context_file", "read_texts"]


def read_texts(resolver: Resolver) -> Texts:
    """Read everything that the system message and the context block need; raises nothing."""
    reader = _Reader(resolver)
    texts = {key: reader.text(key) for key in (INSTRUCTIONS, SYSTEM_PROMPT)}
    path = resolver.path(INSTRUCTIONS)
    if path and not any(texts.values()) and not reader.problems:
        message = "is missing or empty, and so is the system prompt; write who the character is."
        fault = Fault("text-missing", (path,))
        reader.problems.append(Problem("warning", path, None, message, fault))
    return Texts(
        instructions=texts[INSTRUCTIONS],
        system_prompt=texts[SYSTEM_PROMPT],
        description=reader.text(DESCRIPTION),
        introduction=reader.text(INTRODUCTION),
        context=reader.context(),
        problems=tuple(reader.problems),
    )


def read_context_file(resolver: Resolver, name: str) -> str | None:
    """Return the text of one file below the context folder, None when it cannot be had (BR-05)."""
    try:
        path = resolver.context_path(name)
        return None if path is None else _lenient(resolver.source.read_bytes(path))
    except (UnsafePathError, OSError):
        return None


def _lenient(content: bytes) -> str:
    return content.decode("utf-8", "replace").removeprefix("\ufeff")


class _Reader:
    def __init__(self, resolver: Resolver) -> None:
        self._resolver = resolver
        self.problems: list[Problem] = []

    def text(self, key: str) -> str | None:
        """Return the text of a key, None where it is absent or was refused."""
        path = self._resolver.path(key)
        if path is None:
            return None
        reading = read_text(self._resolver.source, path)
        if reading.problem is not None:
            self._report(key, reading.problem)
        elif reading.text is None and key in self._resolver.mapped:
            wrong = f"{path!r}, which does not exist; make it or mend the path."
            self._report_mapping(key, wrong, Fault("mapping-missing", (key, path)))
        return reading.text

    def context(self) -> tuple[ContextFile, ...]:
        """Return the UTF-8 files directly in the context folder, dot-files left out, by name."""
        folder = self._resolver.path(CONTEXT)
        if folder is None:
            return ()
        readings = (
            (name, read_text(self._resolver.source, f"{folder}/{name}"))
            for name in self._names(folder)
            if not name.startswith(".")
        )
        files = []
        for name, reading in readings:
            if reading.problem is not None:
                self.problems.append(reading.problem)
            if reading.text is not None:
                files.append(ContextFile(name, reading.text))
        return tuple(files)

    def _names(self, folder: str) -> tuple[str, ...]:
        try:
            names = tuple(self._resolver.source.list_folder(folder))
        except UnsafePathError as error:
            self._report(CONTEXT, Problem("error", folder, None, str(error)))
            return ()
        except OSError as error:
            reason = error.strerror or str(error)
            message = f"cannot be read ({reason}); check its permissions."
            self._report(CONTEXT, Problem("error", folder, None, message))
            return ()
        if not names and CONTEXT in self._resolver.mapped:
            self._report_mapping(CONTEXT, f"{folder!r}, where there are no files.")
        return names

    def _report(self, key: str, problem: Problem) -> None:
        """Add a problem of a key's file; it names the key (PKG-04)."""
        message = f'"{key}": {problem.message}'
        self.problems.append(Problem(problem.severity, problem.file, problem.line, message))

    def _report_mapping(self, key: str, rest: str, fault: Fault | None = None) -> None:
        line, message = self._resolver.mapped[key], f'"{key}" is mapped to {rest}'
        self.problems.append(Problem("error", "config.json", line, message, fault))

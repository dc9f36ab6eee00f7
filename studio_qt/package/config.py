"""`config.json`: its schema, and the problems of one that breaks it."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from studio_qt.errors import Fault, PackageError, Problem
from studio_qt.files.paths import UnsafePathError
from studio_qt.files.source import Source
from studio_qt.jsontext import JsonObject, decode
from studio_qt.package.places import Node, Places
from studio_qt.package.reading import line_at, read_text
from studio_qt.package.resolver import DEFAULTS

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError
    from jsonschema.protocols import Validator

__all__ = ["CONFIG_FILE", "CONFIG_SCHEMA", "Config", "read_config", "read_unchecked"]

CONFIG_FILE = "config.json"

_PATH: JsonObject = {
    "type": ["string", "null"],
    "minLength": 1,
    "x-expected": "the path of a file inside the package",
    "x-remedy": 'write it in quotes, such as "texts/intro.txt"',
}
_ID: JsonObject = {
    "type": "string",
    "minLength": 1,
    "x-expected": "a name in quotes",
    "x-remedy": 'write for example "aria.lore"',
}
_MAPPINGS: JsonObject = dict.fromkeys(DEFAULTS, _PATH)

CONFIG_SCHEMA: JsonObject = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "A character's config.json",
    "type": "object",
    "properties": {
        "name": {
            "type": "string",
            "x-expected": "text",
            "x-remedy": 'write it in quotes, such as "Aria"',
        },
        "version": {
            "type": ["string", "null"],
            "x-expected": "text",
            "x-remedy": 'write it in quotes, such as "1.0"',
        },
        "model": {
            "type": ["string", "null"],
            "x-expected": "the name of a model",
            "x-remedy": "write it in quotes, or leave it out",
        },
        "agents": {
            "type": "array",
            "x-expected": "a list",
            "x-remedy": "put the names in [ ]",
            "items": {
                "type": ["string", "object"],
                "minLength": 1,
                "x-expected": "the name of an agent or an object",
                "x-remedy": 'write "namespace.agent", or { "id": …, "implementation": … }',
                "if": {"type": "object"},
                "then": {
                    "required": ["id", "implementation"],
                    "properties": {"id": _ID, "implementation": _ID},
                },
            },
        },
        "fileMappings": {
            "type": ["object", "null"],
            "x-expected": "an object",
            "x-remedy": 'write { "Instructions": "sheet.txt" }',
            "properties": _MAPPINGS,
        },
    },
}
"""What config.json may hold; other keys are allowed and kept. `x-expected` and `x-remedy` are the
words that a problem uses."""

_NO_NUMBER = re.compile(r"\b(?:NaN|Infinity)\b")


@dataclass(frozen=True, slots=True)
class Config:
    """The object that config.json spells, where its parts stand, and what is wrong with it."""

    data: JsonObject
    places: Places
    problems: tuple[Problem, ...]

    def text_of(self, key: str) -> str | None:
        """Return a text field without outer blanks; None when absent, blank or no text."""
        value = self.data.get(key)
        return (value.strip() or None) if isinstance(value, str) else None


def read_config(source: Source) -> Config:
    """Read and check config.json; raises `PackageError` when it is no JSON object (PKG-10)."""
    config = read_unchecked(source)
    data, places = config.data, config.places
    problems = [*_faults(data, places), *_repeated(places), *_unknown_mappings(data, places)]
    return Config(data, places, tuple(sorted(problems, key=lambda found: found.line or 0)))


def read_unchecked(source: Source) -> Config:
    """Read config.json as `read_config` does, without looking for problems.

    Takes a fraction of the time, at first above all: what checks is imported with the first check.
    """
    try:
        present = source.exists(CONFIG_FILE)
    except UnsafePathError as error:
        raise PackageError(f"{source.name} cannot be opened: {error}") from error
    reading = read_text(source, CONFIG_FILE)
    if reading.problem is not None:
        raise _broken(reading.problem.line, reading.problem.message)
    if reading.text is None or not present:
        raise PackageError(
            f"{source.name} has no {CONFIG_FILE}; choose the folder or zip that has it at its top."
        )
    return _parse(reading.text)


def _parse(text: str) -> Config:
    try:
        data = decode(text)
    except ValueError as error:
        raise _broken(_line_of(error, text), f"it is not JSON: {_reason(error)}.") from error
    if not isinstance(data, dict):
        raise _broken(1, "an object was expected; put everything between { and }.")
    places = Places.of(text)
    return Config(data, places, ())


def _broken(line: int | None, reason: str) -> PackageError:
    place = CONFIG_FILE if line is None else f"{CONFIG_FILE}, line {line}"
    sentence = f"{place}: {reason} Mend the file, then open the character again."
    return PackageError(sentence, file=CONFIG_FILE, line=line)


def _line_of(error: ValueError, text: str) -> int | None:
    line = getattr(error, "lineno", None)
    if isinstance(line, int):
        return line
    found = _NO_NUMBER.search(text)
    return line_at(text, found.start()) if found else None


def _reason(error: ValueError) -> str:
    return str(getattr(error, "msg", error)).rstrip(".")


@functools.cache
def _validator() -> Validator:
    from jsonschema import Draft202012Validator

    return Draft202012Validator(CONFIG_SCHEMA)


def _faults(data: JsonObject, places: Places) -> Iterable[Problem]:
    for error in _validator().iter_errors(data):
        path = list(error.absolute_path)
        line = places.line(path)
        for message in _sentences(error, path):
            yield Problem("error", CONFIG_FILE, line, message)


def _sentences(error: ValidationError, path: Sequence[str | int]) -> list[str]:
    where = _words(path)
    if error.validator == "required" and isinstance(error.validator_value, list):
        name = next(name for name in error.validator_value if f"{name!r}" in error.message)
        return [f'{where} has no "{name}"; add it, or take the entry out.']
    schema = error.schema if isinstance(error.schema, dict) else {}
    return [f"{where} must be {schema['x-expected']}; {schema['x-remedy']}."]


def _words(path: Sequence[str | int]) -> str:
    """Return `"agents", entry 2, "id"` for a path; entries count from 1 for people."""
    words = [f'"{part}"' if isinstance(part, str) else f"entry {part + 1}" for part in path]
    return ", ".join(words) or CONFIG_FILE


def _repeated(places: Places) -> Iterable[Problem]:
    pending: list[Node] = [places.root]
    while pending:
        node = pending.pop()
        for member in node.repeated:
            message = f'"{member.name}" is given twice and the last one counts; take one out.'
            yield Problem("warning", CONFIG_FILE, line_at(places.text, member.start), message)
        pending += [member.node for member in (node.members or {}).values()]
        pending += node.items or []


def _unknown_mappings(data: JsonObject, places: Places) -> Iterable[Problem]:
    mappings = data.get("fileMappings")
    for key in mappings if isinstance(mappings, dict) else ():
        if key not in DEFAULTS:
            known = ", ".join(f'"{name}"' for name in DEFAULTS)
            message = f'"{key}" is no key of fileMappings and maps nothing; the keys are {known}.'
            line, fault = places.line(["fileMappings", key]), Fault("mapping-unknown", (key,))
            yield Problem("warning", CONFIG_FILE, line, message, fault)

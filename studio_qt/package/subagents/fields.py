"""The fields of a sub-agent: what each may hold, read from a frontmatter or from config.json.

A frontmatter is read as its author means it (quoted numbers, `yes`, one name for a list); JSON
says its types itself, and another type is a fault (SUB-02, INTERFACES).
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from studio_qt.files.paths import UnsafePathError, safe_path
from studio_qt.jsontext import JsonObject, JsonValue, encode
from studio_qt.package.parameters import ParameterError, read_parameters
from studio_qt.package.subagents.prompt import KNOWN, Field
from studio_qt.package.subagents.scalars import list_items, scalar_text
from studio_qt.package.subagents.trees import TreeError, read_tree
from studio_qt.sentences import shortened

__all__ = ["DEFAULT_PARAMS", "FIELDS", "FieldError", "FileValue", "Given", "JsonGiven", "Warn"]

DEFAULT_PARAMS: JsonObject = {
    "type": "object",
    "properties": {
        "request": {
            "type": "string",
            "description": "What to ask or to have done, in full sentences, with all that one has "
            "to know for it.",
        }
    },
    "required": ["request"],
}
"""What a sub-agent without `params` takes: one free text."""

Warn = Callable[[str, Sequence[str]], None]
"""Takes what is mended rather than refused, as the end of a sentence that begins with the field,
and the values that would do."""

_RECENT = re.compile(r"recent[\s:]\s*([0-9]{1,9})")
_WHOLE = re.compile(r"[+-]?[0-9]+(?:_[0-9]+)*(?:\.0*)?")
_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,4})?")
_FLAGS = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}
_BOTH = ("true", "false")
_ABSENT = frozenset({"", "null", "~"})


class FieldError(ValueError):
    """A value that a field cannot have; the text ends a sentence that begins with its name.

    `instead` are values that would do, as a frontmatter spells them.
    """

    def __init__(self, message: str, *instead: str) -> None:
        super().__init__(message)
        self.instead = instead


class Given(Protocol):
    """A value as it is given; each method reads it as one type and raises `FieldError`."""

    @property
    def is_absent(self) -> bool:
        """Whether nothing is said, so that the default counts."""
        ...

    def text(self) -> str:
        """As text without outer blanks."""
        ...

    def whole(self) -> int:
        """As a whole number."""
        ...

    def number(self) -> float:
        """As a finite number."""
        ...

    def flag(self) -> bool:
        """As true or false."""
        ...

    def texts(self) -> list[str]:
        """As a list of texts."""
        ...

    def schema(self) -> JsonValue:
        """As a value of any form."""
        ...


class FileValue:
    """What a frontmatter says of a field."""

    def __init__(self, field: Field) -> None:
        self._name = field.name
        self._lines = field.lines
        self._text = scalar_text(field.lines).strip()

    @property
    def is_absent(self) -> bool:
        """An empty field is absent; so is null, except as a text that a person could write."""
        return self._text == "" or (self._name != "description" and self._text.lower() in _ABSENT)

    def text(self) -> str:
        """As text; every field can be one."""
        return self._text

    def whole(self) -> int:
        """`400`, `"400"`, `08`, `1_000` and `400.0` are whole numbers."""
        if len(self._text) > 30 or not _WHOLE.fullmatch(self._text):
            raise FieldError(f"must be a whole number, not {_shown(self._text)}")
        return int(self._text.partition(".")[0])

    def number(self) -> float:
        """`0.2`, `.2`, `1` and `2e-1` are numbers."""
        if len(self._text) > 40 or not _NUMBER.fullmatch(self._text):
            raise FieldError(f"must be a number, not {_shown(self._text)}")
        return _finite(float(self._text))

    def flag(self) -> bool:
        """`true`, `yes`, `on` and their opposites, in any case."""
        if self._text.lower() not in _FLAGS:
            raise FieldError(f"must be true or false, not {_shown(self._text)}", *_BOTH)
        return _FLAGS[self._text.lower()]

    def texts(self) -> list[str]:
        """A list in any form."""
        return list_items(self._lines)

    def schema(self) -> JsonValue:
        """A value in any form; JSON in quotes or in a block is read too."""
        value = read_tree(self._lines)
        return read_tree([value]) if isinstance(value, str) and value.lstrip()[:1] == "{" else value


class JsonGiven:
    """What an entry of config.json says of a field."""

    def __init__(self, value: JsonValue) -> None:
        self._value = value

    @property
    def is_absent(self) -> bool:
        """null says nothing."""
        return self._value is None

    def text(self) -> str:
        """Only a string is text."""
        if not isinstance(self._value, str):
            raise FieldError(f"must be text in quotes, not {_shown(self._value)}")
        return self._value.strip()

    def whole(self) -> int:
        """Only a number without a fraction is whole."""
        number = self.number()
        if number != int(number):
            raise FieldError(f"must be a whole number, not {_shown(self._value)}")
        return int(number)

    def number(self) -> float:
        """Only a number is one."""
        if isinstance(self._value, bool) or not isinstance(self._value, (int, float)):
            raise FieldError(f"must be a number, not {_shown(self._value)}")
        try:
            return _finite(float(self._value))
        except OverflowError as error:
            raise FieldError(f"must be a number, not {_shown(self._value)}") from error

    def flag(self) -> bool:
        """Only true and false are flags."""
        if not isinstance(self._value, bool):
            raise FieldError(f"must be true or false, not {_shown(self._value)}", *_BOTH)
        return self._value

    def texts(self) -> list[str]:
        """Only a list of strings is one."""
        values = self._value
        texts = [v for v in values if isinstance(v, str)] if isinstance(values, list) else None
        if texts is None or not isinstance(values, list) or len(texts) != len(values):
            raise FieldError(f"must be a list of names in [ ], not {_shown(values)}")
        return [text for text in texts if text]

    def schema(self) -> JsonValue:
        """The value as it is."""
        return self._value


def _description(given: Given, _warn: Warn) -> JsonValue:
    return given.text()


def _params(given: Given, _warn: Warn) -> JsonValue:
    try:
        value = given.schema()
        if not isinstance(value, dict):
            raise FieldError(f"must be a JSON Schema between {{ and }}, not {_shown(value)}")
        return read_parameters(encode(value))
    except (TreeError, ParameterError) as error:
        raise FieldError(str(error)) from error


def _history(given: Given, _warn: Warn) -> JsonValue:
    text = given.text().lower()
    if text in ("none", "full"):
        return text
    found = _RECENT.fullmatch(text)
    if found is None or int(found[1]) < 1:
        raise FieldError(
            f"must be none, recent:N (such as recent:10) or full, not {_shown(given.text())}",
            *_histories(text),
        )
    return f"recent:{int(found[1])}"


def _histories(text: str) -> tuple[str, ...]:
    """Return what may be meant by a history that is none, the likeliest first."""
    number = re.search(r"[1-9][0-9]{0,3}", text)
    recent = f"recent:{number[0] if number else 10}"
    likeliest = recent if number or text[:1] == "r" else "full" if text[:1] in "fa" else "none"
    return (likeliest, *(one for one in ("none", recent, "full") if one != likeliest))


def _context_files(given: Given, _warn: Warn) -> JsonValue:
    names: list[JsonValue] = []
    for text in given.texts():
        try:
            name = safe_path(text)
        except UnsafePathError as error:
            raise FieldError(f"cannot be used: {error}".rstrip(".")) from error
        if not name:
            raise FieldError(f"must name files of the context folder, not {_shown(text)}")
        names.append(name)
    return names


def _model(given: Given, warn: Warn) -> JsonValue:
    try:
        text = given.text()
    except FieldError:
        text = ""
    if text.lower() in ("worker", "main"):
        return text.lower()
    warn(
        "must be worker or main, since the user chooses the models; it is taken as worker"
        + (f", not {_shown(text)}" if text else ""),
        ("worker", "main"),
    )
    return "worker"


def _bounded(low: int, high: int) -> Reader:
    def read(given: Given, warn: Warn) -> JsonValue:
        number = given.whole()
        bounded = max(low, min(high, number))
        if bounded != number:
            warn(f"must be {low} to {high}; {number} is taken as {bounded}", (str(bounded),))
        return bounded

    return read


def _sampling(high: int) -> Reader:
    def read(given: Given, _warn: Warn) -> JsonValue:
        number = given.number()
        if not 0 <= number <= high:
            bounded = "0" if number < 0 else str(high)
            raise FieldError(f"must be 0 to {high}, not {number:g}", bounded)
        return number

    return read


def _debug(given: Given, _warn: Warn) -> JsonValue:
    return given.flag()


Reader = Callable[[Given, Warn], JsonValue]

FIELDS: Mapping[str, Reader] = {
    "description": _description,
    "params": _params,
    "history": _history,
    "contextFiles": _context_files,
    "model": _model,
    "maxTokens": _bounded(1, 8192),
    "maxRounds": _bounded(1, 10),
    "temperature": _sampling(2),
    "topP": _sampling(1),
    "debug": _debug,
}
"""How each field is read; all but `id`, which is no behaviour and cannot be overridden."""

assert ("id", *FIELDS) == KNOWN


def _finite(number: float) -> float:
    if not math.isfinite(number):
        raise FieldError("must be a finite number")
    return number


def _shown(value: JsonValue) -> str:
    return shortened(encode(value), 60)

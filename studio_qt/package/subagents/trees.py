"""Nested values in a frontmatter: a JSON Schema, or whatever an author keeps under own names.

Anchors, aliases and tags are refused, so that a file of a few lines can neither run anything nor
grow. Plain words are JSON's: `true`, `null` and numbers; `no` and `12:30` are texts.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

import yaml

from studio_qt.jsontext import JsonObject, JsonValue, decode, encode
from studio_qt.package.subagents.scalars import (
    clean,
    content_of,
    indent_of,
    scalar_text,
    without_comment,
)

__all__ = ["TreeError", "read_tree"]

_DEEPEST = 100
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_QUOTED_KEY = re.compile(r"""("(?:[^"\\]|\\.)*"|'(?:[^']|'')*')[ \t]*:(?=[ \t]|$)""")
_COLON = re.compile(r":(?=[ \t]|$)")
_WORDS: dict[str, JsonValue] = {
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **dict.fromkeys(("null", "Null", "NULL", "~", ""), None),
}
_TEXTS = frozenset({"description", "title", "pattern", "format", "$ref", "$comment"})
"""The keys of a schema whose values are texts, whatever they look like."""


class TreeError(ValueError):
    """Lines from which no value can be made; the text ends a sentence."""


def read_tree(lines: Sequence[str]) -> JsonValue:
    """Return the value of a field's lines, the first of which follows the colon.

    Raises `TreeError`.
    """
    return _value([lines[0].lstrip(), *lines[1:]], 0, is_text=False)


def _value(lines: Sequence[str], depth: int, *, is_text: bool) -> JsonValue:
    if depth > _DEEPEST:
        raise TreeError(f"is nested more than {_DEEPEST} deep; make it flatter")
    head = without_comment(lines[0] if lines else "").strip()
    if head[:1] in ("{", "["):
        return _flow(lines)
    if head:
        return _scalar(lines, is_text=is_text)
    content = content_of(lines)
    if not content:
        return None
    first = content[0].strip()
    if first == "-" or first[:2] in ("- ", "-\t"):
        return _sequence(content, depth)
    if first[0] in "{[":
        return _flow(content)
    return _mapping(content, depth) if _split(content[0]) else _scalar(lines, is_text=is_text)


def _mapping(content: Sequence[str], depth: int) -> JsonObject:
    result: JsonObject = {}
    base = indent_of(content[0])
    for lines in _groups(content, base, is_list=False):
        found = _split(lines[0])
        if found is None:
            raise TreeError(f"has the line {lines[0].strip()[:40]!r}, which is no name: value")
        key = scalar_text([found[0]])
        result[key] = _value([found[1], *lines[1:]], depth + 1, is_text=key in _TEXTS)
    return result


def _split(line: str) -> tuple[str, str] | None:
    """Return name and value of a line `name: value`, None when it is no such line."""
    text = line.strip()
    found = _QUOTED_KEY.match(text)
    if found:
        return found[1], text[found.end() :].lstrip()
    colon = _COLON.search(text)
    if colon is None or not colon.start() or text[0] in "#[]{},\"'":
        return None
    return text[: colon.start()].rstrip(), text[colon.end() :].lstrip()


def _sequence(content: Sequence[str], depth: int) -> list[JsonValue]:
    result = []
    base = indent_of(content[0])
    for lines in _groups(content, base, is_list=True):
        if not lines[0].lstrip().startswith("-"):
            raise TreeError(f"has the line {lines[0].strip()[:40]!r} in a list of - lines")
        rest = lines[0].lstrip()[1:]
        inner = rest.strip()
        if inner.startswith("- ") or (inner[:1] not in ("|", ">") and _split(inner)):
            moved = " " * (base + 1 + len(rest) - len(rest.lstrip())) + inner
            result.append(_value(["", moved, *lines[1:]], depth + 1, is_text=False))
        else:
            result.append(_value([inner, *lines[1:]], depth + 1, is_text=False))
    return result


def _groups(content: Sequence[str], base: int, *, is_list: bool) -> list[list[str]]:
    """Cut lines into parts that each begin at column `base`."""
    groups: list[list[str]] = []
    for line in content:
        indent = indent_of(line)
        item_of_above = not is_list and indent == base and line.lstrip().startswith("- ")
        if groups and (indent > base or item_of_above):
            groups[-1].append(line)
        else:
            groups.append([line])
    return groups


def _scalar(lines: Sequence[str], *, is_text: bool) -> JsonValue:
    text = scalar_text(lines)
    head = next((line.strip() for line in content_of(lines)), "")
    return text if is_text or head[:1] in ('"', "'", "|", ">") else _typed(text)


def _typed(text: str) -> JsonValue:
    if text in _WORDS:
        return _WORDS[text]
    if len(text) > 40 or not _NUMBER.fullmatch(text):
        return clean(text)
    number = float(text)
    if not math.isfinite(number):
        return text
    return number if any(sign in text for sign in ".eE") else int(text)


def _flow(lines: Sequence[str]) -> JsonValue:
    text = "\n".join(line for line in lines if not line.lstrip().startswith("#"))
    _check_depth(text)
    try:
        return decode(text)
    except ValueError:  # it is not JSON, so that it has to be YAML
        return _Builder().build(text)


def _check_depth(text: str) -> None:
    depth = deepest = 0
    for sign in re.findall(r"[{\[]|[}\]]", text):
        depth += 1 if sign in "{[" else -1
        deepest = max(deepest, depth)
    if deepest > _DEEPEST:
        raise TreeError(f"is nested more than {_DEEPEST} deep; make it flatter")


class _Builder:
    """Builds a value from the events of PyYAML, without recursion and without its types."""

    def __init__(self) -> None:
        self._stack: list[tuple[JsonObject | list[JsonValue], list[str]]] = []
        self._root: list[JsonValue] = []

    def build(self, text: str) -> JsonValue:
        """Return the one value of the text."""
        try:
            for event in yaml.parse(text, Loader=yaml.BaseLoader):
                self._take(event)
        except (yaml.YAMLError, ValueError, OverflowError, RecursionError) as error:
            if isinstance(error, TreeError):
                raise
            raise TreeError(f"cannot be read: {_reason(error)}") from error
        if len(self._root) != 1:
            raise TreeError("cannot be read: one value was expected")
        return self._root[0]

    def _take(self, event: yaml.Event) -> None:
        if isinstance(event, yaml.AliasEvent):
            raise TreeError("uses an alias (*name); write the value out, or put it in quotes")
        if isinstance(event, yaml.NodeEvent):
            self._check(event)
        match event:
            case yaml.ScalarEvent():
                self._add(clean(event.value) if event.style else _typed(event.value))
            case yaml.MappingStartEvent():
                self._open({})
            case yaml.SequenceStartEvent():
                self._open([])
            case yaml.MappingEndEvent() | yaml.SequenceEndEvent():
                self._stack.pop()

    @staticmethod
    def _check(event: yaml.NodeEvent) -> None:
        if event.anchor is not None or getattr(event, "tag", None) not in (None, "!"):
            raise TreeError("uses an anchor or a tag (&name, !name); put it in quotes")

    def _open(self, container: JsonObject | list[JsonValue]) -> None:
        self._add(container)
        self._stack.append((container, []))

    def _add(self, value: JsonValue) -> None:
        if not self._stack:
            self._root.append(value)
            return
        container, keys = self._stack[-1]
        if isinstance(container, list):
            container.append(value)
        elif keys:
            container[keys.pop()] = value
        elif isinstance(value, (dict, list)):
            raise TreeError("has a list or an object where a name was expected")
        else:
            keys.append(value if isinstance(value, str) else _spelled(value))


def _spelled(value: JsonValue) -> str:
    if value is None or isinstance(value, bool):
        return encode(value)
    return str(value)


def _reason(error: Exception) -> str:
    problem = getattr(error, "problem", None) or str(error)
    return str(problem).splitlines()[0] if str(problem) else "it is no YAML"

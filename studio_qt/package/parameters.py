"""The JSON Schema behind `@tool-params`: read and checked so that no schema can hang the host."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from urllib.parse import unquote

from studio_qt.jsontext import JsonObject, JsonValue, decode
from studio_qt.package.metaschema import schema_fault
from studio_qt.sentences import shortened

__all__ = ["NO_PARAMETERS", "ParameterError", "read_parameters"]

NO_PARAMETERS: JsonObject = {"type": "object", "properties": {}}
"""What a tool without `@tool-params` takes."""

_LONGEST = 64 * 1024
_DEEPEST = 100
_NESTING = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"?|[{\[]|[}\]]', re.DOTALL)
_REFERENCES = ("$ref", "$dynamicRef", "$recursiveRef")


class ParameterError(ValueError):
    """A schema that cannot be used; `line` counts from 0, the first line of the text."""

    def __init__(self, message: str, line: int = 0) -> None:
        super().__init__(message)
        self.line = line


def read_parameters(text: str) -> JsonObject:
    """Return the object schema at the beginning of `text`.

    After a blank line there may be prose. A schema without `type` gets "object". Raises
    `ParameterError`.
    """
    body = text.lstrip()
    skipped = text[: len(text) - len(body)].count("\n")
    if not body:
        raise ParameterError("is empty; write a JSON Schema or take the tag out")
    _check_size(body)
    try:
        end = _end_of_value(body)
        value = decode(body[:end])
    except json.JSONDecodeError as error:
        raise ParameterError(f"is not JSON: {error.msg}", skipped + error.lineno - 1) from error
    except (ValueError, RecursionError) as error:
        raise ParameterError(f"is not JSON: {error}", skipped) from error
    if rest := re.split(r"\n[ \t]*\n", body[end:], maxsplit=1)[0].strip():
        line = skipped + body.count("\n", 0, end)
        raise ParameterError(f"is not JSON: {rest[:40]!r} follows after its end", line)
    return _checked(value)


def _check_size(text: str) -> None:
    if len(text) > _LONGEST:
        raise ParameterError(f"is longer than {_LONGEST // 1024} KB; make it shorter")
    depth = 0
    for found in _NESTING.finditer(text):
        depth += {"{": 1, "[": 1, "}": -1, "]": -1}.get(found[0], 0)
        if depth > _DEEPEST:
            raise ParameterError(f"is nested more than {_DEEPEST} deep; make it flatter")


def _end_of_value(text: str) -> int:
    def refuse(word: str) -> JsonValue:
        raise ValueError(f"{word} is no JSON value")

    decoder = json.JSONDecoder(parse_constant=refuse)
    return int(decoder.raw_decode(text)[1])


def _checked(value: JsonValue) -> JsonObject:
    if not isinstance(value, dict):
        raise ParameterError("must be a JSON object; put the schema between { and }")
    schema: JsonObject = value if "type" in value else {"type": "object", **value}
    if schema["type"] != "object":
        raise ParameterError('must describe an object; its "type" has to be "object"')
    _check_references(schema)
    try:
        fault = schema_fault(schema)
    except RecursionError as error:
        raise ParameterError("is nested too deeply; make it flatter") from error
    if fault is not None:
        raise ParameterError(f"is not a JSON Schema: {fault}")
    return schema


def _check_references(schema: JsonObject) -> None:
    """Refuse references out of the document, and those to nothing (INTERFACES, `$ref`)."""
    objects = list(_objects(schema))
    anchors = {o[key] for o in objects for key in ("$anchor", "$dynamicAnchor") if _is_text(o, key)}
    has_ids = any(_is_text(o, "$id") or _is_text(o, "id") for o in objects)
    for found in objects:
        for key in _REFERENCES:
            target = found.get(key)
            if not isinstance(target, str):
                continue
            if not target.startswith("#"):
                raise ParameterError(
                    f'has the {key} "{shortened(target, 160)}", which leaves the schema; use one '
                    f"that begins with #"
                )
            if not has_ids and target[1:] not in anchors and not _leads(schema, target[1:]):
                raise ParameterError(
                    f'has the {key} "{shortened(target, 160)}", which leads to nothing'
                )


def _objects(value: JsonValue) -> Iterator[JsonObject]:
    pending = [value]
    while pending:
        part = pending.pop()
        if isinstance(part, dict):
            yield part
            pending += part.values()
        elif isinstance(part, list):
            pending += part


def _is_text(found: JsonObject, key: str) -> bool:
    return isinstance(found.get(key), str)


def _leads(schema: JsonValue, pointer: str) -> bool:
    if not pointer:
        return True
    if not pointer.startswith("/"):
        return False
    place = schema
    for part in unquote(pointer)[1:].split("/"):
        name = part.replace("~1", "/").replace("~0", "~")
        if isinstance(place, dict) and name in place:
            place = place[name]
        elif isinstance(place, list) and name.isdecimal() and int(name) < len(place):
            place = place[int(name)]
        else:
            return False
    return True

"""Writing a frontmatter that every YAML parser reads as it was meant, and short (SUB-01)."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping

import yaml

from studio_qt.jsontext import JsonValue
from studio_qt.package.subagents.fields import DEFAULT_PARAMS
from studio_qt.package.subagents.prompt import KNOWN, Field, read_prompt
from studio_qt.package.subagents.scalars import clean, scalar_text
from studio_qt.package.subagents.trees import TreeError, read_tree

__all__ = ["DEFAULTS", "rewrite_prompt", "write_frontmatter"]

DEFAULTS: Mapping[str, JsonValue] = {
    "params": DEFAULT_PARAMS,
    "history": "none",
    "contextFiles": [],
    "model": "worker",
    "maxTokens": 1024,
    "maxRounds": 5,
    "temperature": None,
    "topP": None,
    "debug": False,
}
"""What a field holds that is not written."""

_PLAIN = re.compile(r"[A-Za-z.](?:[^\s:#]|[^\S\r\n\t\v\f]+(?![#\s])|:(?=\S)|(?<=\S)#)*")
_UNPRINTABLE = re.compile(
    "[\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f\u2028\u2029\\ufeff\\ufffe\\uffff\ud800-\udfff]"
)
_TO_ESCAPE = re.compile(f'["\\\\\\t\\n]|{_UNPRINTABLE.pattern}')
_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}
_NAME = re.compile(r"[A-Za-z_][\w.-]*")
_LONGEST_KEY = 1000  # a parser need not look further ahead for the colon
_RESOLVER = yaml.SafeLoader("")
_STRING = "tag:yaml.org,2002:str"


def write_frontmatter(fields: Mapping[str, JsonValue]) -> str:
    """Return the frontmatter with both fences and a line break after the last one.

    `fields` has the documents' names. Known ones come first, in the documents' order, and are left
    out where they hold the default or None; others follow as they are. Raises ValueError for a
    name that no field can have, and for a value that is not JSON.
    """
    lines = [
        _field(name, fields[name])
        for name in KNOWN
        if fields.get(name) is not None and fields[name] != DEFAULTS.get(name)
    ]
    lines += [_field(name, value) for name, value in fields.items() if name not in KNOWN]
    return "\n".join(["---", *lines, "---", ""])


def rewrite_prompt(text: str, fields: Mapping[str, JsonValue], *, body: str | None = None) -> str:
    """Return a prompt file with these fields, its body kept to the letter unless one is given.

    Fields that the program does not know are kept from `text` unless `fields` has them; comments
    in the frontmatter are not. Line breaks are those of the old frontmatter.
    """
    prompt = read_prompt(text)
    unknown = {name: unknown_value(found) for name, found in prompt.fields.items()}
    kept = {name: value for name, value in unknown.items() if name not in KNOWN}
    head = write_frontmatter({**kept, **fields})
    if "\r\n" in prompt.head:
        head = head.replace("\n", "\r\n")
    mark = "\ufeff" if text.startswith("\ufeff") else ""
    if body is None:
        body = prompt.body if prompt.head else text.removeprefix("\ufeff")
    return mark + head + body


def unknown_value(found: Field) -> JsonValue:
    """Return what a field of an unknown name holds, as text where it cannot be read."""
    try:
        return read_tree(found.lines)
    except TreeError:
        return scalar_text(found.lines)


def _field(name: str, value: JsonValue) -> str:
    if not _NAME.fullmatch(name):
        raise ValueError(f"{name!r} cannot be the name of a field; use letters, digits, . - _")
    key = name if _is_string(name) else f'"{name}"'
    if isinstance(value, str):
        return f"{key}: {_scalar(value)}"
    if name == "contextFiles" and isinstance(value, list):
        items = [f"  - {_line(item)}" for item in value if isinstance(item, str)]
        return "\n".join([f"{key}:", *items])
    return f"{key}: {_flow(value)}"


def _scalar(text: str) -> str:
    text = clean(text)
    lines = text.split("\n")
    fits = all(line == line.rstrip() and not line.startswith("\t") for line in lines)
    if len(lines) == 1 or not fits or not text[0].strip() or _UNPRINTABLE.search(text):
        return _line(text)
    if text.endswith("\n"):
        return _line(text)  # a parser may be given the frontmatter without its last line break
    return "\n  ".join(["|-", *lines]).replace("\n  \n", "\n\n")


def _line(text: str) -> str:
    """Return a text on one line, in quotes where it needs them."""
    text = clean(text)
    is_plain = _PLAIN.fullmatch(text) and text == text.strip() and not _UNPRINTABLE.search(text)
    return text if is_plain and _is_string(text) else _quoted(text)


def _is_string(text: str) -> bool:
    """Whether YAML takes the plain word for a text, not for a flag, a number or a date."""
    if text.lower() in ("y", "n"):
        return False  # flags in YAML 1.1, though not for PyYAML
    tag: object = _RESOLVER.resolve(yaml.ScalarNode, text, (True, False))  # type: ignore[no-untyped-call]
    return tag == _STRING


def _quoted(text: str) -> str:
    return '"' + _TO_ESCAPE.sub(_escape, text) + '"'


def _escape(found: re.Match[str]) -> str:
    character = found[0]
    if character in _ESCAPES:
        return _ESCAPES[character]
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def _flow(value: JsonValue) -> str:
    if isinstance(value, str):
        return _quoted(clean(value))
    if isinstance(value, list):
        return "[" + ", ".join(_flow(item) for item in value) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(_member(name, item) for name, item in value.items()) + "}"
    return _atom(value)


def _member(name: str, value: JsonValue) -> str:
    key = _quoted(clean(name))
    explicit = "? " if len(key) > _LONGEST_KEY else ""
    return f"{explicit}{key}: {_flow(value)}"


def _atom(value: JsonValue) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if not isinstance(value, float) or not math.isfinite(value):
        raise ValueError(f"{value!r} is not JSON")
    mantissa, exponent, power = repr(value).partition("e")
    if not exponent:
        return mantissa
    point = "" if "." in mantissa else ".0"  # without it, YAML 1.1 reads a text
    return f"{mantissa}{point}e{power if power[0] in '+-' else '+' + power}"

"""Changing `config.json` so that everything else in it stays as the author wrote it (PKG-12)."""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from studio_qt.jsontext import JsonObject, JsonValue, decode_object
from studio_qt.package.places import Node, scan

__all__ = ["rewrite_config"]

_BOM = "\ufeff"
_INDENT = re.compile(r"[{\[][ \t]*\r?\n([ \t]+)\S")


def rewrite_config(text: str, change: Callable[[JsonObject], None]) -> str:
    """Return `text` after `change` was made to the object that it spells.

    What did not change is kept to the letter: unknown keys, order, spacing, numbers, the byte
    order mark and the line ends. What is new is indented like the rest. Raises ValueError when
    `text` is not a JSON object or the changed value is not JSON.
    """
    mark, body = (_BOM, text[1:]) if text.startswith(_BOM) else ("", text)
    old, new = decode_object(body), decode_object(body)
    change(new)
    root = scan(body)
    found = _INDENT.search(body)
    writer = _Rewriter(body, root, found[1] if found else "  ")
    try:
        written = writer.value(root, old, new, "")
    except RecursionError as error:
        raise ValueError("the value is nested too deeply") from error
    return mark + body[: root.start] + written + body[root.end :]


@dataclass(frozen=True, slots=True)
class _Part:
    """The text of a member or an element, and where it began in the old text."""

    text: str
    start: int | None = None


class _Rewriter:
    """Puts a value's text together from the old text where it is the same."""

    def __init__(self, text: str, root: Node, indent: str) -> None:
        self._text = text
        self._root = root
        self._indent = indent
        self._newline = "\r\n" if "\r\n" in text else "\n"

    def value(self, node: Node, old: JsonValue, new: JsonValue, margin: str) -> str:
        """Return the text of `new`, whose lines after the first are indented by `margin`."""
        if _same(old, new):
            return self._text[node.start : node.end]
        if node.members is not None and isinstance(old, dict) and isinstance(new, dict):
            return self._join(node, self._members(node, old, new, margin), margin)
        if node.items is not None and isinstance(old, list) and isinstance(new, list):
            return self._join(node, self._items(node, old, new, margin), margin)
        return self._fresh(new, margin, many_lines=self._is_broken(self._root))

    def _members(self, node: Node, old: JsonObject, new: JsonObject, margin: str) -> list[_Part]:
        inner = margin + self._indent
        parts = []
        for name, value in new.items():
            member = (node.members or {}).get(name)
            if member is None or name not in old:
                content = self._fresh(value, inner, many_lines=self._is_broken(node))
                parts.append(_Part(f"{_dump(name)}: {content}"))
            else:
                key = self._text[member.start : member.node.start]
                content = self.value(member.node, old[name], value, inner)
                parts.append(_Part(key + content, member.start))
        return parts

    def _items(
        self, node: Node, old: list[JsonValue], new: list[JsonValue], margin: str
    ) -> list[_Part]:
        """Follow each element from where it was: an equal one, of its "id", or in its place."""
        inner = margin + self._indent
        nodes = node.items or []
        left = _Left(old)
        parts = []
        for position, value in enumerate(new):
            at = left.take(value, position if len(old) == len(new) else None)
            if at is None:
                parts.append(_Part(self._fresh(value, inner, many_lines=self._is_broken(node))))
            else:
                parts.append(_Part(self.value(nodes[at], old[at], value, inner), nodes[at].start))
        return parts

    def _join(self, node: Node, parts: list[_Part], margin: str) -> str:
        """Put parts between the value's brackets; what was there keeps the space before it."""
        opening, closing = self._text[node.start], self._text[node.end - 1]
        if not parts:
            return opening + closing
        is_broken = self._is_broken(node)
        outer = self._newline + margin if is_broken else ""
        gaps = self._gaps(node)
        usual = outer + self._indent if is_broken else " "
        usual = next((gap for gap in reversed(gaps.values()) if is_broken and "\n" in gap), usual)
        first = next(iter(gaps.values()), usual if is_broken else "")
        text = opening + first + parts[0].text
        for part in parts[1:]:
            gap = gaps.get(part.start) if part.start != next(iter(gaps), None) else None
            text += "," + (usual if gap is None else gap) + part.text
        return text + (self._tail(node) if gaps else outer) + closing

    def _gaps(self, node: Node) -> dict[int | None, str]:
        """Return the blanks before each part of a value, by where the part begins."""
        spans = _spans(node)
        ends = [node.start + 1, *(end for _, end in spans)]
        return {
            start: self._text[end:start].rpartition(",")[2]
            for end, (start, _) in zip(ends, spans, strict=False)
        }

    def _tail(self, node: Node) -> str:
        return self._text[_spans(node)[-1][1] : node.end - 1]

    def _fresh(self, value: JsonValue, margin: str, *, many_lines: bool) -> str:
        if not many_lines:
            return _dump(value)
        return _dump(value, self._indent).replace("\n", self._newline + margin)

    def _is_broken(self, node: Node) -> bool:
        """Whether the value has its parts on lines of their own; an empty one is as the root."""
        first = next((member.start for member in (node.members or {}).values()), None)
        if first is None:
            first = node.items[0].start if node.items else None
        if first is None:
            return node is not self._root and self._is_broken(self._root)
        return "\n" in self._text[node.start : first]


class _Left:
    """The elements of an array that no element of the new one has followed yet."""

    def __init__(self, old: list[JsonValue]) -> None:
        self._free = [True] * len(old)
        self._equal: dict[str, deque[int]] = {}
        self._named: dict[str, deque[int]] = {}
        for at, value in enumerate(old):
            self._equal.setdefault(_text(value), deque()).append(at)
            if (name := _id_text(value)) is not None:
                self._named.setdefault(name, deque()).append(at)

    def take(self, value: JsonValue, place: int | None) -> int | None:
        """Return where `value` was, which then is taken; `place` where nothing else is alike."""
        found = self._next(self._equal.get(_text(value)))
        if found is None and (name := _id_text(value)) is not None:
            found = self._next(self._named.get(name))
        if found is None and place is not None and self._free[place]:
            found = place
        if found is not None:
            self._free[found] = False
        return found

    def _next(self, places: deque[int] | None) -> int | None:
        while places:
            if self._free[at := places.popleft()]:
                return at
        return None


def _spans(node: Node) -> list[tuple[int, int]]:
    """Return where the parts of an object or array begin and end, in the order of the text."""
    members = [(member.start, member.node.end) for member in (node.members or {}).values()]
    return sorted(members or [(item.start, item.end) for item in node.items or ()])


def _id_text(value: JsonValue) -> str | None:
    """Return how the "id" of an object is spelled, None where there is none."""
    return _text(value["id"]) if isinstance(value, dict) and "id" in value else None


def _dump(value: JsonValue, indent: str | None = None) -> str:
    try:
        return json.dumps(value, ensure_ascii=False, indent=indent, allow_nan=False)
    except TypeError as error:
        raise ValueError(f"the changed value is not JSON: {error}") from error


def _text(value: JsonValue) -> str:
    """Return what tells values apart; numbers that are too large for this machine are one."""
    try:
        return json.dumps(value)
    except TypeError as error:
        raise ValueError(f"the changed value is not JSON: {error}") from error


def _same(one: JsonValue, other: JsonValue) -> bool:
    """Whether both spell the same; 1, 1.0 and true differ, and so does the order of keys."""
    return _text(one) == _text(other)

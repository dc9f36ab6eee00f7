"""Changing `config.json` so that everything else in it stays as the author wrote it (PKG-12)."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

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
    return mark + body[: root.start] + writer.value(root, old, new, "") + body[root.end :]


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
            return self._join(node, "{}", self._members(node, old, new, margin), margin)
        if node.items is not None and isinstance(old, list) and isinstance(new, list):
            return self._join(node, "[]", self._items(node, old, new, margin), margin)
        return self._fresh(new, margin, many_lines=self._is_broken(self._root))

    def _members(self, node: Node, old: JsonObject, new: JsonObject, margin: str) -> list[str]:
        inner = margin + self._indent
        parts = []
        for name, value in new.items():
            member = (node.members or {}).get(name)
            if member is None or name not in old:
                key, spaced = _dump(name), ": "
                content = self._fresh(value, inner, many_lines=self._is_broken(node))
            else:
                key = self._text[member.start : member.end]
                spaced = self._text[member.end : member.node.start]
                content = self.value(member.node, old[name], value, inner)
            parts.append(key + spaced + content)
        return parts

    def _items(
        self, node: Node, old: list[JsonValue], new: list[JsonValue], margin: str
    ) -> list[str]:
        """Take the text of an equal old element; one that was changed in place is followed."""
        inner = margin + self._indent
        left = list(zip(old, node.items or (), strict=False))
        parts = []
        for position, value in enumerate(new):
            match = next((pair for pair in left if _same(pair[0], value)), None)
            if match is not None:
                left.remove(match)
                parts.append(self._text[match[1].start : match[1].end])
            elif len(old) == len(new):
                parts.append(self.value((node.items or [])[position], old[position], value, inner))
            else:
                parts.append(self._fresh(value, inner, many_lines=self._is_broken(node)))
        return parts

    def _join(self, node: Node, brackets: str, parts: list[str], margin: str) -> str:
        if not parts:
            return brackets
        if not self._is_broken(node):
            return brackets[0] + ", ".join(parts) + brackets[1]
        outer = self._newline + margin
        inner = outer + self._indent
        return brackets[0] + inner + ("," + inner).join(parts) + outer + brackets[1]

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


def _dump(value: JsonValue, indent: str | None = None) -> str:
    try:
        return json.dumps(value, ensure_ascii=False, indent=indent, allow_nan=False)
    except (TypeError, RecursionError) as error:
        raise ValueError(f"the changed value is not JSON: {error}") from error


def _same(one: JsonValue, other: JsonValue) -> bool:
    """Whether both spell the same; 1, 1.0 and true differ, and so does the order of keys."""
    return _dump(one) == _dump(other)

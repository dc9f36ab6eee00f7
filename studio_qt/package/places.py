"""Where the parts of a JSON text stand: for lines in problems, and for careful rewriting."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from studio_qt.package.reading import line_at

__all__ = ["Member", "Node", "Places", "scan"]

_TOKEN = re.compile(
    r"""[ \t\r\n]*(?:
        (?P<mark>[{}\[\],:])
      | (?P<string>"[^"\\]*(?:\\.[^"\\]*)*")
      | (?P<scalar>[^\s{}\[\],:"]+)
    )""",
    re.VERBOSE,
)


@dataclass(slots=True)
class Node:
    """A value: its span in the text, and its parts when it is an object or an array."""

    start: int
    end: int
    members: dict[str, Member] | None = None
    items: list[Node] | None = None
    repeated: list[Member] = field(default_factory=list)


@dataclass(slots=True)
class Member:
    """A member of an object: its name, where that begins and ends, and its value."""

    name: str
    start: int
    end: int
    node: Node


@dataclass(slots=True)
class Places:
    """The lines of the values of a JSON text, by path: names and positions from the root."""

    text: str
    root: Node

    @classmethod
    def of(cls, text: str) -> Places:
        """Scan `text`, which has to be JSON."""
        return cls(text, scan(text))

    def line(self, path: Sequence[str | int]) -> int:
        """Return the line where the value's name, or the value in an array, begins.

        Where the path leads to nothing, the line of the last part that exists.
        """
        node, offset = self.root, self.root.start
        for part in path:
            if node.members is not None and isinstance(part, str) and part in node.members:
                member = node.members[part]
                node, offset = member.node, member.start
            elif node.items is not None and isinstance(part, int) and part < len(node.items):
                node = node.items[part]
                offset = node.start
            else:
                break
        return line_at(self.text, offset)


@dataclass(slots=True)
class _Scan:
    root: Node | None = None
    open_nodes: list[Node] = field(default_factory=list)
    name: tuple[str, int, int] | None = None

    def add(self, node: Node) -> None:
        if not self.open_nodes:
            self.root = node
            return
        parent = self.open_nodes[-1]
        if parent.items is not None:
            parent.items.append(node)
        elif parent.members is not None and self.name is not None:
            member = Member(*self.name, node)
            if member.name in parent.members:
                parent.repeated.append(member)
            parent.members[member.name] = member
            self.name = None


def scan(text: str) -> Node:
    """Return the root value of `text`, which has to be JSON; depth costs no recursion."""
    state = _Scan()
    for token in _TOKEN.finditer(text):
        start, end = token.span(token.lastgroup or 0)
        word = text[start:end]
        in_object = bool(state.open_nodes) and state.open_nodes[-1].members is not None
        if word == "{":
            node = Node(start, end, members={})
            state.add(node)
            state.open_nodes.append(node)
        elif word == "[":
            node = Node(start, end, items=[])
            state.add(node)
            state.open_nodes.append(node)
        elif word in ("}", "]"):
            state.open_nodes.pop().end = end
        elif token.lastgroup == "string" and in_object and state.name is None:
            state.name = (str(json.loads(word)), start, end)
        elif word not in (",", ":"):
            state.add(Node(start, end))
    return state.root or Node(0, 0)

"""Where a place stands in a JSON text that need not be whole: its path, and what is beside it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

__all__ = ["JsonPlace", "json_place"]

_TOKEN = re.compile(r'[{}\[\],:]|"(?:[^"\\\n]|\\.)*("?)|[^\s{}\[\],:"]+')


@dataclass(slots=True)
class _Frame:
    """An open object or list: the member or position that is being written, and what it has."""

    is_object: bool
    name: str = ""
    position: int = 0
    awaits_value: bool = False
    members: dict[str, str] = field(default_factory=dict)
    items: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class JsonPlace:
    """`path` leads to the value at the place, or to the object whose member is being named.

    `typed` is what stands in the string up to the place, None outside of strings. `members` are the
    plain members of the object around it, `items` the strings of the list around it.
    """

    path: tuple[str | int, ...]
    is_name: bool
    typed: str | None
    members: dict[str, str]
    items: tuple[str, ...]


def json_place(before: str, after: str) -> JsonPlace | None:
    """Return where the end of `before` is; None outside of objects and lists."""
    frames: list[_Frame] = []
    typed: str | None = None
    for token in _TOKEN.finditer(before):
        word = token[0]
        if word[0] == '"' and not token[1] and token.end() == len(before):
            typed = word[1:]
            break
        if word in ("}", "]"):
            if frames:
                frames.pop()
        else:
            _take(frames, word)
    if not frames:
        return None
    frame = frames[-1]
    is_name = frame.is_object and not frame.awaits_value
    path = tuple(one.name if one.is_object else one.position for one in frames)
    _look_on(frame, after, in_string=typed is not None)
    return JsonPlace(
        path[:-1] if is_name else path, is_name, typed, frame.members, tuple(frame.items)
    )


def _take(frames: list[_Frame], word: str) -> None:
    frame = frames[-1] if frames else None
    if word in "{[":
        if frame is not None and frame.is_object:
            frame.members.setdefault(frame.name, "")
        frames.append(_Frame(word == "{"))
    elif frame is None:
        return
    elif word == ",":
        frame.position += 1
        frame.awaits_value = False
        frame.name = ""
    elif word == ":":
        frame.awaits_value = True
    elif frame.is_object and not frame.awaits_value:
        frame.name = word.strip('"')
    elif frame.is_object:
        frame.members[frame.name] = word.strip('"')
    else:
        frame.items.append(word.strip('"'))


def _look_on(frame: _Frame, after: str, *, in_string: bool) -> None:
    """Take what the object or list has below the place."""
    at = 0
    if in_string:
        rest = re.match(r'(?:[^"\\\n]|\\.)*"?', after)
        at = rest.end() if rest else 0
    depth = 0
    last = ""
    for token in _TOKEN.finditer(after, at):
        word = token[0]
        if word in ("{", "["):
            depth += 1
        elif word in ("}", "]"):
            if not depth:
                return
            depth -= 1
        elif depth:
            continue
        elif word == ":":
            frame.members.setdefault(last, "")
        elif word[0] == '"':
            if last and frame.is_object and last in frame.members and not frame.members[last]:
                frame.members[last] = word.strip('"')
            if not frame.is_object:
                frame.items.append(word.strip('"'))
            last = word.strip('"')

"""What a call changed in its agent's store, in a few lines. No Qt in here."""

from __future__ import annotations

from collections.abc import Iterator

from studio_qt.jsontext import JsonValue, decode, encode

__all__ = ["changes"]

_MOST = 12
_LONG = 120


def changes(before: str, after: str) -> tuple[str, ...]:
    """Return lines such as "+ name: value", "− name: value", "± name: old → new"."""
    found = _compare("", decode(before), decode(after))
    lines: list[str] = []
    for line in found:
        if len(lines) == _MOST:
            lines.append("… and more")
            break
        lines.append(line)
    return tuple(lines)


def _compare(path: str, old: JsonValue, new: JsonValue) -> Iterator[str]:
    if old == new:
        return
    if isinstance(old, dict) and isinstance(new, dict):
        for name in dict.fromkeys([*old, *new]):
            inner = f"{path}.{name}" if path else name
            if name not in new:
                yield f"− {inner}: {_short(old[name])}"
            elif name not in old:
                yield f"+ {inner}: {_short(new[name])}"
            else:
                yield from _compare(inner, old[name], new[name])
    elif isinstance(old, list) and isinstance(new, list):
        yield from _lists(path, old, new)
    else:
        yield f"± {path}: {_short(old)} → {_short(new)}"


def _lists(path: str, old: list[JsonValue], new: list[JsonValue]) -> Iterator[str]:
    start = 0
    while start < min(len(old), len(new)) and old[start] == new[start]:
        start += 1
    end = 0
    while end < min(len(old), len(new)) - start and old[-1 - end] == new[-1 - end]:
        end += 1
    gone, come = old[start : len(old) - end], new[start : len(new) - end]
    for at, (one, other) in enumerate(zip(gone, come, strict=False)):
        yield from _compare(f"{path}[{start + at}]", one, other)
    for at, value in enumerate(gone[len(come) :], start + len(come)):
        yield f"− {path}[{at}]: {_short(value)}"
    for at, value in enumerate(come[len(gone) :], start + len(gone)):
        yield f"+ {path}[{at}]: {_short(value)}"


def _short(value: JsonValue) -> str:
    text = encode(value)
    return text if len(text) <= _LONG else f"{text[:_LONG]}…"

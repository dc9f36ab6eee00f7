"""How a file is indented, and what a new line begins with."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

__all__ = ["detect_indent", "leading", "opens_block", "width_of"]

_OPENERS = {
    "python": re.compile(r"[:({\[]\s*(#.*)?$"),
    "yaml": re.compile(r":\s*$"),
    "lua": re.compile(r"(\b(then|do|else|repeat)|\bfunction\b[^)]*\)|[({])\s*(--.*)?$"),
    "": re.compile(r"[({\[]\s*(//.*)?$"),
}
_NEVER = ("text", "markdown", "subagent")
_LEAST_WIDTH, _MOST_WIDTH = 2, 8


def detect_indent(lines: Iterable[str]) -> str | None:
    """Return one step of indentation ("\\t", or some blanks), or None where nothing is indented.

    The step is the difference that comes most often between a line and the one before it.
    """
    steps: Counter[int] = Counter()
    tabs = blanks = before = 0
    for line in lines:
        if not line.strip():
            continue
        lead = leading(line)
        tabs += "\t" in lead
        blanks += lead.startswith(" ")
        step = abs(len(lead) - before)
        if "\t" not in lead and _LEAST_WIDTH <= step <= _MOST_WIDTH:
            steps[step] += 1
        before = len(lead)
    if tabs > blanks:
        return "\t"
    if not steps:
        return None
    return " " * min(steps, key=lambda step: (-steps[step], step))


def leading(line: str) -> str:
    """Return the blanks and tabs that a line begins with."""
    return line[: len(line) - len(line.lstrip(" \t"))]


def width_of(unit: str, tab_width: int) -> int:
    """Return how many columns one step takes."""
    return tab_width if unit == "\t" else len(unit)


def opens_block(before: str, language: str) -> bool:
    """Return whether the line after a text that ends like `before` stands one step deeper."""
    if language in _NEVER:
        return False
    return _OPENERS.get(language, _OPENERS[""]).search(before) is not None

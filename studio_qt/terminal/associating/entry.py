"""The desktop entry: how a command is written in it, and how a desktop reads it."""

from __future__ import annotations

import re
from collections.abc import Sequence

__all__ = ["exec_line", "exec_words", "with_values"]

_PLAIN = re.compile(r"[\w@%+=:,./~^-]+")
_ESCAPED = re.compile(r'(["`$\\])')


def exec_line(command: Sequence[str]) -> str:
    """Return the value of `Exec` that runs a command with the file that was chosen."""
    return f"{' '.join(_quoted(word) for word in command)} %f"


def exec_words(line: str, file: str) -> list[str]:
    """Return what a desktop runs for a value of `Exec` and a file, by the rules of the format."""
    text = re.sub(r"\\(.)", lambda found: {"s": " "}.get(found[1], found[1]), line)
    words = []
    for quoted, plain in re.findall(r'"((?:[^"\\]|\\.)*)"|(\S+)', text):
        word = re.sub(r'\\(["`$\\])', r"\1", quoted) if quoted else plain
        words.append(file if word == "%f" else word.replace("%%", "%"))
    return words


def with_values(entry: str, values: dict[str, str]) -> str:
    """Return an entry with other values of keys; those that it does not have are added."""
    lines, left = [], dict(values)
    for line in entry.splitlines():
        key = line.partition("=")[0]
        lines.append(f"{key}={left.pop(key)}" if key in left else line)
    lines += [f"{key}={value}" for key, value in left.items()]
    return "\n".join(lines) + "\n"


def _quoted(word: str) -> str:
    """Quote an argument, whose backslashes the format itself reads once more."""
    word = word.replace("%", "%%")
    if _PLAIN.fullmatch(word):
        return word
    return '"' + _ESCAPED.sub(r"\\\1", word).replace("\\", "\\\\") + '"'

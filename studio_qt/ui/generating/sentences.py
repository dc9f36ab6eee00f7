"""Long lines of prose, broken so that two of them can be compared side by side."""

from __future__ import annotations

import re
import textwrap

__all__ = ["broken_lines"]

_SENTENCE = re.compile(r"(?<=[.!?…。！？])[\"'”’)*_]*\s+")


def broken_lines(text: str, columns: int) -> str:
    """Return `text` with lines of at most `columns`: broken between sentences first, then words.

    Each sentence begins a line, so that a change in one moves nothing of the others. Lines that
    fit stay as they are, and so does a word that is longer.
    """
    return "\n".join(part for line in text.split("\n") for part in _broken(line, columns))


def _broken(line: str, columns: int) -> list[str]:
    if len(line) <= columns:
        return [line]
    margin = re.match(r"[ \t]*(?:[-*+>]\s+|\d+[.)]\s+)?", line)
    indent = " " * len(margin[0].expandtabs(4)) if margin else ""
    parts: list[str] = []
    for number, sentence in enumerate(_sentences(line)):
        wrapper = textwrap.TextWrapper(
            width=max(columns, len(indent) + 20),
            initial_indent="" if number == 0 else indent,
            subsequent_indent=indent,
            expand_tabs=False,
            replace_whitespace=False,
            drop_whitespace=True,
            break_long_words=False,
            break_on_hyphens=False,
        )
        parts += wrapper.wrap(sentence) or [sentence]
    return parts


def _sentences(line: str) -> list[str]:
    found, start = [], 0
    for end in _SENTENCE.finditer(line):
        found.append(line[start : end.end()].rstrip())
        start = end.end()
    found.append(line[start:])
    return [sentence for sentence in found if sentence.strip()]

"""The references of a character to its own files, rewritten in one text at a time.

Each function returns an edit of a text and leaves everything else in it to the letter.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from studio_qt.package.subagents.prompt import Field, read_prompt
from studio_qt.package.subagents.scalars import list_items, without_comment
from studio_qt.package.subagents.writing import write_frontmatter

__all__ = ["TextEdit", "in_turn", "manifest_named", "prompt_contexts", "prompt_stores"]

TextEdit = Callable[[str], str]
"""Returns a file's text after a change; raises ValueError for a text that it cannot change."""

_STORE = re.compile(r"%%STORE:((?:(?!%%)[^\r\n])*)%%")
_FIELD = "contextFiles"
_PLAIN = re.compile(r"[\w.-]+(?:[ /][\w.-]+)*")
"""A name that reads the same in every form of a list."""

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|$)")
"""A line as prompt files have them; others, such as U+2028, end none."""


def in_turn(edits: list[TextEdit]) -> TextEdit:
    """Return an edit that makes these one after the other."""

    def change(text: str) -> str:
        for edit in edits:
            text = edit(text)
        return text

    return change


def prompt_contexts(names: Mapping[str, str | None]) -> TextEdit:
    """Return an edit of a prompt file whose `contextFiles` follow; None takes a name out.

    The form of the list stays where words only change; else it is written anew, and nothing else.
    """

    def change(text: str) -> str:
        found = read_prompt(text).fields.get(_FIELD)
        items = [] if found is None else list_items(found.lines)
        wanted = [after for item in items if (after := names.get(item, item)) is not None]
        if found is None or wanted == items:
            return text
        if all(_PLAIN.fullmatch(name) for name in names.values() if name is not None):
            changed = _with_words(text, found, names)
            again = read_prompt(changed).fields.get(_FIELD)
            if again is not None and list_items(again.lines) == wanted:
                return changed
        return _with_list(text, found, wanted)

    return change


def prompt_stores(references: Mapping[str, str]) -> TextEdit:
    """Return an edit of a prompt file whose `%%STORE:…%%` follow grants that are renamed."""

    def renamed(found: re.Match[str]) -> str:
        name = found[1].strip()
        return f"%%STORE:{references[name]}%%" if name in references else found[0]

    def change(text: str) -> str:
        prompt = read_prompt(text)
        return prompt.head + _STORE.sub(renamed, prompt.body) if prompt.head else text

    return change


def manifest_named(old: str, new: str) -> TextEdit:
    """Return an edit of an agent's code whose `@agent old` becomes `@agent new`."""
    tag = re.compile(rf"(@agent[ \t]+){re.escape(old)}(?![\w.-])")
    return lambda text: tag.sub(lambda found: found[1] + new, text, count=1)


def _with_words(text: str, found: Field, names: Mapping[str, str | None]) -> str:
    """Rename words in the lines of a field."""
    words = {old: new for old, new in names.items() if new is not None}
    lines = _LINE.findall(text)
    if words:
        either = "|".join(re.escape(old) for old in words)
        word = re.compile(rf"(?<![\w./-])(?:{either})(?![\w./-])")
        for at in _lines_of(found):
            lines[at] = word.sub(lambda match: words[match[0]], lines[at])
    return "".join(lines)


def _with_list(text: str, found: Field, items: list[str]) -> str:
    """Write a list of names in the place of a field."""
    lines, at = _LINE.findall(text), _lines_of(found)
    end = lines[at.start][len(lines[at.start].rstrip("\r\n")) :] or "\n"
    fresh = write_frontmatter({_FIELD: [*items]}).splitlines()[1:-1]
    lines[at.start : at.stop] = [line + end for line in fresh]
    return "".join(lines)


def _lines_of(found: Field) -> range:
    """Return the lines of a field, from 0, without the comments below it."""
    last = max(
        at for at, line in enumerate(found.lines) if at == 0 or without_comment(line).strip()
    )
    return range(found.line - 1, found.line + last)

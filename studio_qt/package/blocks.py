"""The block that holds an agent's manifest, in each of the four languages (MAN-01)."""

from __future__ import annotations

import re
from dataclasses import dataclass

from studio_qt.package.docstring import module_docstring
from studio_qt.package.model import Language
from studio_qt.package.reading import line_at
from studio_qt.package.scanning import js_pieces, lua_comment

__all__ = ["Block", "Line", "find_block", "form_of"]

Line = tuple[int, str]

_WINDOW = 256 * 1024

_FORMS: dict[Language, str] = {
    "javascript": "a /** … */ comment",
    "typescript": "a /** … */ comment",
    "python": "a docstring",
    "lua": "a --[[ … ]] comment",
}


@dataclass(frozen=True, slots=True)
class Block:
    """The lines of the block with their numbers in the file.

    `raw` is the same with the backslashes as they are written; it differs only in Python.
    """

    lines: tuple[Line, ...]
    raw: tuple[Line, ...]


def form_of(language: Language) -> str:
    """Return what the block is called in a sentence for people."""
    return _FORMS[language]


def find_block(text: str, language: Language) -> Block | None:
    """Return the block of a file, without its delimiters; None when there is none.

    It has to end within the first 256 K characters, so that no file keeps the host busy for long.
    """
    text = text[:_WINDOW]
    if language == "python":
        docstring = module_docstring(text)
        return None if docstring is None else Block(docstring.cooked, docstring.raw)
    span = lua_comment(text) if language == "lua" else _first_doc(text)
    if span is None:
        return None
    first = line_at(text, span[0])
    lines = tuple(enumerate(re.split(r"\r\n|\r|\n", text[span[0] : span[1]]), first))
    return Block(lines, lines)


def _first_doc(text: str) -> tuple[int, int] | None:
    if "/**" not in text:
        return None
    spans = ((p.start + 3, p.end - 2) for p in js_pieces(text) if p.kind == "doc")
    return next(spans, None)

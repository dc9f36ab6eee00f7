"""Looking through source text without running or understanding it: comments, strings, docstrings.

Every scan takes time in proportion to the text, whatever stands in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

__all__ = ["Piece", "is_es_module", "js_pieces", "lua_comment"]

Kind = Literal["doc", "comment", "string", "regex"]

_JS_MARK = re.compile(r"""[/'"`{}]""")
_JS_STRING = re.compile(
    r"""'[^'\\\r\n]*(?:\\(?:\r\n|[\s\S])[^'\\\r\n]*)*'?|"[^"\\\r\n]*(?:\\(?:\r\n|[\s\S])[^"\\\r\n]*)*"?"""
)
_JS_TEMPLATE = re.compile(r"[^`\\$]*(?:(?:\\[\s\S]|\$(?!\{))[^`\\$]*)*")
_JS_REGEX = re.compile(r"/(?:[^\\/\[\r\n]|\\[^\r\n]|\[(?:[^\]\\\r\n]|\\[^\r\n])*\])+/[A-Za-z]*")
_LINE_END = re.compile(r"[\r\n]|\Z")
_LAST_WORD = re.compile(r"[\w$]+\Z")
_BEFORE_REGEX = frozenset(
    {"return", "typeof", "instanceof", "in", "of", "new", "delete", "void", "throw", "case"}
    | {"do", "else", "yield", "await"}
)
_ES_MODULE = re.compile(
    r"""(?<![.\w$])(?:
        export\b\s*(?:[{*]|(?:default|const|let|var|function|class|async)\b)
      | import\b\s*(?:[{*"']|[\w$]+\s*(?:,|from\b))
    )""",
    re.VERBOSE,
)

_LUA_MARK = re.compile(r"""--|['"]|\[=*\[""")
_LUA_LONG = re.compile(r"\[(=*)\[")
_LUA_STRING = re.compile(
    r"""'[^'\\\r\n]*(?:\\[\s\S][^'\\\r\n]*)*'?|"[^"\\\r\n]*(?:\\[\s\S][^"\\\r\n]*)*"?"""
)


class Piece(NamedTuple):
    """A stretch that is no code; a `doc` is a comment that begins with exactly two stars."""

    kind: Kind
    start: int
    end: int


def js_pieces(text: str) -> Iterator[Piece]:
    """Yield the comments, strings, template texts and regular expressions of JS or TS, in order.

    Whether a slash begins a regular expression is told from what stands before it, which is right
    in all but contrived code. An unclosed comment or template ends the scan.
    """
    return _JsScan(text).pieces()


def is_es_module(text: str) -> bool:
    """Whether a script has import or export statements outside comments and strings (LIB-01)."""
    if _ES_MODULE.search(text) is None:
        return False
    code: list[str] = []
    position = 0
    for piece in js_pieces(text):
        quote = text[piece.start] if piece.kind == "string" else " "
        code += [text[position : piece.start], quote]
        position = piece.end
    code.append(text[position:])
    return _ES_MODULE.search("".join(code)) is not None


def lua_comment(text: str) -> tuple[int, int] | None:
    """Return the span of the content of the first `--[[ ]]`; None when there is none.

    Other long brackets (`--[==[ ]==]`), line comments and strings are passed over (MAN-01).
    """
    position = _line_end(text, 0) if text.startswith("#") else 0
    while mark := _LUA_MARK.search(text, position):
        start = mark.start()
        if mark[0] == "--":
            long = _LUA_LONG.match(text, mark.end())
            if long is None:
                position = _line_end(text, start)
                continue
            end = text.find(f"]{long[1]}]", long.end())
            if end < 0:
                return None
            if not long[1]:
                return long.end(), end
            position = end + len(long[1]) + 2
        elif mark[0].startswith("["):
            closing = "]" + "=" * (len(mark[0]) - 2) + "]"
            end = text.find(closing, mark.end())
            if end < 0:
                return None
            position = end + len(closing)
        else:
            string = _LUA_STRING.match(text, start)
            position = string.end() if string else start + 1
    return None


class _JsScan:
    def __init__(self, text: str) -> None:
        self._text = text
        self._braces: list[int] = []  # open { inside each open ${ of a template
        self._comment = (-1, -1)
        self._no_regex_before = 0

    def pieces(self) -> Iterator[Piece]:
        text = self._text
        position = 0
        if text.startswith("#!"):
            position = _line_end(text, 0)
        while mark := _JS_MARK.search(text, position):
            piece = self._piece(mark[0], mark.start())
            if piece is None:
                position = mark.end()
                continue
            if piece.end < 0:
                return
            yield piece
            position = piece.end
            if piece.kind in ("comment", "doc"):
                self._comment = (piece.start, piece.end)

    def _piece(self, char: str, start: int) -> Piece | None:
        """Return what begins at `start`; None for code, an end of -1 when it is never closed."""
        if char == "/":
            return self._slash(start)
        if char == "`":
            return self._template(start)
        if char in "'\"":
            string = _JS_STRING.match(self._text, start)
            return Piece("string", start, string.end() if string else start + 1)
        if self._braces:
            return self._brace(char, start)
        return None

    def _slash(self, start: int) -> Piece | None:
        text = self._text
        if text.startswith("//", start):
            return Piece("comment", start, _line_end(text, start))
        if text.startswith("/*", start):
            end = text.find("*/", start + 2)
            is_doc = text.startswith("/**", start) and text[start + 3 : start + 4] not in ("/", "*")
            return Piece("doc" if is_doc else "comment", start, end + 2 if end >= 0 else -1)
        if start < self._no_regex_before or not self._may_be_regex(start):
            return None
        found = _JS_REGEX.match(text, start)
        if found is None:
            self._no_regex_before = _line_end(text, start)
            return None
        return Piece("regex", start, found.end())

    def _template(self, start: int) -> Piece:
        found = _JS_TEMPLATE.match(self._text, start + 1)
        end = found.end() if found else start + 1
        if self._text.startswith("${", end):
            self._braces.append(0)
            return Piece("string", start, end + 2)
        return Piece("string", start, end + 1 if end < len(self._text) else -1)

    def _brace(self, char: str, start: int) -> Piece | None:
        if char == "{":
            self._braces[-1] += 1
        elif self._braces[-1]:
            self._braces[-1] -= 1
        else:
            self._braces.pop()
            return self._template(start)
        return None

    def _may_be_regex(self, start: int) -> bool:
        before = start
        while before and (self._text[before - 1].isspace() or before == self._comment[1]):
            before = self._comment[0] if before == self._comment[1] else before - 1
        if not before or (self._text[before - 1] not in ")]'\"`" and not self._in_word(before)):
            return True
        word = _LAST_WORD.search(self._text[max(0, before - 16) : before])
        return word is not None and word[0] in _BEFORE_REGEX

    def _in_word(self, end: int) -> bool:
        return _LAST_WORD.match(self._text[end - 1]) is not None


def _line_end(text: str, start: int) -> int:
    found = _LINE_END.search(text, start)
    return found.start() if found else len(text)

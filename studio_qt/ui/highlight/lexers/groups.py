"""What the tables of this folder share."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from re import Match
from typing import TypeAlias

from pygments.lexer import LexerContext, RegexLexer
from pygments.token import _TokenType

__all__ = ["Callback", "Tokens", "groups"]

Tokens: TypeAlias = Iterator[tuple[int, _TokenType, str]]
"""Place, type and text, as the lexers of Pygments yield them."""

Callback: TypeAlias = Callable[[RegexLexer, Match[str], LexerContext], Tokens]
"""What stands in a table instead of a type; it moves the context's place on by itself."""


def groups(*types: _TokenType) -> Callback:
    """Return what gives each group of a match its type; groups that matched nothing have none."""

    def callback(_lexer: RegexLexer, hit: Match[str], context: LexerContext) -> Tokens:
        for number, token in enumerate(types, 1):
            if hit[number]:
                yield hit.start(number), token, hit[number]
        context.pos = hit.end()

    return callback

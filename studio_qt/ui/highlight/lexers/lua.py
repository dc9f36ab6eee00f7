"""Lua."""

from __future__ import annotations

from re import Match

from pygments.lexer import LexerContext, RegexLexer, default, include, words
from pygments.token import (
    Comment,
    Keyword,
    Name,
    Number,
    Operator,
    Punctuation,
    String,
    Whitespace,
    _TokenType,
)

from studio_qt.ui.highlight.lexers.groups import Tokens, groups

__all__ = ["CLOSER", "Lua"]

CLOSER = "closer"
"""The field of the context with what ends a long bracket, such as "]==]"; "" outside of one."""

_NAME = r"[A-Za-z_]\w*"
_WORDS = (
    *("and", "break", "do", "else", "elseif", "end", "for", "function", "goto", "if", "in"),
    *("local", "not", "or", "repeat", "return", "then", "until", "while"),
)
_LIBRARY = (
    *("assert", "collectgarbage", "error", "getmetatable", "ipairs", "next", "pairs", "pcall"),
    *("print", "rawequal", "rawget", "rawlen", "rawset", "require", "select", "setmetatable"),
    *("tonumber", "tostring", "type", "xpcall", "coroutine", "debug", "io", "math", "os"),
    *("package", "string", "table", "utf8", "_ENV", "_G"),
)


def _open(_lexer: RegexLexer, hit: Match[str], context: LexerContext) -> Tokens:
    """Begin a long string or comment; the context keeps what closes it."""
    context.stack.append("long-comment" if hit[0].startswith("-") else "long-string")
    setattr(context, CLOSER, f"]{hit[1]}]")
    context.pos = hit.end()
    yield hit.start(), _long(context), hit[0]


def _close(_lexer: RegexLexer, hit: Match[str], context: LexerContext) -> Tokens:
    """End what is open, if this closes it; else go on behind the first bracket."""
    token = _long(context)
    closes = hit[0] == getattr(context, CLOSER)
    if closes:
        context.stack.pop()
        setattr(context, CLOSER, "")
    context.pos = hit.end() if closes else hit.start() + 1
    yield hit.start(), token, hit[0] if closes else "]"


def _long(context: LexerContext) -> _TokenType:
    return Comment.Multiline if context.stack[-1] == "long-comment" else String


class Lua(RegexLexer):
    """Lua 5.4; a long bracket keeps in the context what closes it."""

    name = "Lua, line by line"

    tokens = {  # noqa: RUF012
        "space": [
            (r"\s+", Whitespace),
            (r"--\[(=*)\[", _open),
            (r"--.*\n?", Comment.Single),
        ],
        "root": [
            include("space"),
            (r"^#!.*", Comment.Hashbang),
            (r"0[xX][\da-fA-F]*(?:\.[\da-fA-F]*)?(?:[pP][-+]?\d+)?", Number),
            (r"(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?", Number),
            (r"\[(=*)\[", _open),
            (r"(::)([ \t]*)(\w+)([ \t]*)(::)", groups(Punctuation, Whitespace, Name.Label)),
            (r"\.\.\.?", Operator),
            (r"[.:](?!:)", Punctuation, "member"),
            (r"(<)([ \t]*)(const|close)([ \t]*)(>)", groups(Operator, Whitespace, Keyword)),
            (r"[-+*/%^#&~|<>=]+|::", Operator),
            (r"\{", Punctuation, ("table", "field")),
            (r"[\[\](),;}]", Punctuation),
            (
                rf"(function)([ \t]+)({_NAME}(?:[ \t]*[.:][ \t]*{_NAME})*)",
                groups(Keyword, Whitespace, Name.Function),
            ),
            (words(_WORDS, suffix=r"\b"), Keyword),
            (r"(?:true|false|nil)\b", Keyword.Constant),
            (words(_LIBRARY, suffix=r"\b"), Name.Builtin),
            (rf"{_NAME}(?=[ \t]*(?:[(\"'{{]|\[=*\[))", Name.Function),
            (_NAME, Name),
            (r"'", String, "single"),
            (r'"', String, "double"),
        ],
        "table": [
            (r"\}", Punctuation, "#pop"),
            (r"[,;]", Punctuation, "field"),
            include("root"),
        ],
        "field": [
            include("space"),
            (rf"{_NAME}(?=[ \t]*=(?!=))", Name.Tag, "#pop"),
            default("#pop"),
        ],
        "member": [
            include("space"),
            (rf"{_NAME}(?=[ \t]*(?:[(\"'{{]|\[=*\[))", Name.Function, "#pop"),
            (_NAME, Name, "#pop"),
            default("#pop"),
        ],
        "long-string": [
            (r"\]=*\]", _close),
            (r"[^\]\n]+|\]|\n", String),
        ],
        "long-comment": [
            (r"\]=*\]", _close),
            (r"^([ \t]*(?:#[ \t]*)?)(@[a-z][\w-]*)", groups(Comment, Comment.Special)),
            (r"[^\]\n]+|\]|\n", Comment.Multiline),
        ],
        "escapes": [
            (r"\\(?:z\s*|x[\da-fA-F]{2}|\d{1,3}|u\{[\da-fA-F]+\}|[^\n]|\n)", String.Escape),
        ],
        "single": [
            (r"[^\\'\n]+", String),
            include("escapes"),
            (r"'|\n", String, "#pop"),
        ],
        "double": [
            (r'[^\\"\n]+', String),
            include("escapes"),
            (r'"|\n', String, "#pop"),
        ],
    }

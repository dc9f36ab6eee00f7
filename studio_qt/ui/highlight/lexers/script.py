"""JavaScript and TypeScript.

Pygments' own tables read comments, strings and regular expressions across lines in one match, and
know neither calls nor keys; these have a state for each. `start` is the state in which a slash
begins a regular expression, `keys` that in which a name before a colon is a key.
"""

from __future__ import annotations

import re

from pygments.lexer import RegexLexer, default, include, words
from pygments.token import Comment, Keyword, Name, Number, Operator, Punctuation, String, Whitespace

from studio_qt.ui.highlight.lexers.groups import groups

__all__ = ["JavaScript", "TypeScript"]

_NAME = r"[^\W\d][\w$]*|[$][\w$]*"
_END = r"(?![\w$])"

_STARTS = (
    *("await", "break", "case", "catch", "continue", "default", "delete", "do", "else", "export"),
    *("extends", "finally", "for", "if", "import", "in", "instanceof", "new"),
    *("return", "switch", "throw", "try", "typeof", "void", "while", "with", "yield"),
)
_SELVES = ("super", "this")
_VALUES = ("Infinity", "NaN", "false", "null", "true", "undefined")


class JavaScript(RegexLexer):
    """JavaScript as of today, without JSX."""

    name = "JavaScript, line by line"
    flags = re.MULTILINE

    tokens = {  # noqa: RUF012
        "comments": [
            (r"[ \t\r\f\v\u00a0\u2028\u2029\ufeff]+", Whitespace),
            (r"\n", Whitespace),
            (r"//.*\n?", Comment.Single),
            (r"/\*", Comment.Multiline, "comment"),
        ],
        "comment": [
            (r"\*/", Comment.Multiline, "#pop"),
            (r"^([ \t]*\*?[ \t]*(?:#[ \t]*)?)(@[a-z][\w-]*)", groups(Comment, Comment.Special)),
            (r"[^*\n]+|\*(?!/)|\n", Comment.Multiline),
        ],
        "start": [
            include("comments"),
            (
                r"/(?![*/])(?:[^\\/\[\n]|\\.|\[(?:[^\]\\\n]|\\.){0,200}\]){1,500}/[a-z]*",
                String.Regex,
                "#pop",
            ),
            default("#pop"),
        ],
        "keys": [
            (rf"(?:{_NAME})(?=[ \t]*\??[ \t]*:(?!:))", Name.Tag, "#pop"),
            (r'"[^"\\\n]*"(?=[ \t]*:)', Name.Tag, "#pop"),
            (r"'[^'\\\n]*'(?=[ \t]*:)", Name.Tag, "#pop"),
            include("start"),
        ],
        "member": [
            include("comments"),
            (rf"#?(?:{_NAME})(?=[ \t]*\()", Name.Function, "#pop"),
            (rf"#?(?:{_NAME})", Name, "#pop"),
            default("#pop"),
        ],
        "root": [
            include("comments"),
            (r"[{(,;]", Punctuation, "keys"),
            (r"\?\.(?!\d)|\.(?!\.|\d)", Punctuation, "member"),
            (r"[})\]]+", Punctuation),
            (r'"', String.Double, "double"),
            (r"'", String.Single, "single"),
            (r"`", String, "template"),
            (r"\+\+|--", Operator),
            (r"\.\.\.|\[|[-+*%&|^!=<>?:~]+|/=?", Operator, "start"),
            (r"^#!.*", Comment.Hashbang),
            include("language"),
            include("words"),
            (rf"(?:{_NAME})(?=[ \t]*\()", Name.Function),
            (r"[A-Z][\w$]*[a-z][\w$]*", Name.Class),
            (_NAME, Name),
            (rf"[#@](?:{_NAME})", Name.Decorator),
            include("numbers"),
        ],
        "language": [],
        "words": [
            (words(_STARTS, suffix=_END), Keyword, "start"),
            (
                rf"(class|function)([ \t]*\*?[ \t]+)({_NAME})",
                groups(Keyword, Whitespace, Name.Class),
            ),
            (rf"(?:get|set|static|async)(?=[ \t]+(?:[\[#*]|{_NAME}))", Keyword),
            (r"(?<=[ \t])as(?=[ \t]+[\w$])", Keyword),
            (r"from(?=[ \t]*[\"'])", Keyword),
            (r"(?<=[ \t])of(?=[ \t]+[\w$(\[{\"'`])", Keyword, "start"),
            (rf"(?:class|const|debugger|function|let|var){_END}", Keyword),
            (words(_SELVES, suffix=_END), Keyword),
            (words(_VALUES, suffix=_END), Keyword.Constant),
        ],
        "numbers": [
            (r"0[xX][\da-fA-F_]+n?|0[bB][01_]+n?|0[oO][0-7_]+n?", Number),
            (r"(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][-+]?\d[\d_]*)?n?", Number),
        ],
        "escapes": [
            (r"\\(?:u\{[\da-fA-F]+\}|u[\da-fA-F]{4}|x[\da-fA-F]{2}|[^\n])", String.Escape),
            (r"\\\n", String.Escape),
        ],
        "double": [
            (r'[^"\\\n]+', String),
            include("escapes"),
            (r'"|\n', String, "#pop"),
        ],
        "single": [
            (r"[^'\\\n]+", String),
            include("escapes"),
            (r"'|\n", String, "#pop"),
        ],
        "template": [
            (r"[^`\\$]+", String),
            include("escapes"),
            (r"\$\{", String.Interpol, ("inside", "start")),
            (r"\$", String),
            (r"`", String, "#pop"),
        ],
        "inside": [
            (r"\}", String.Interpol, "#pop"),
            include("nested"),
        ],
        "braces": [
            (r"\}", Punctuation, "#pop"),
            include("nested"),
        ],
        "nested": [
            (r"\{", Punctuation, ("braces", "keys")),
            (r"[)\]]", Punctuation),
            include("root"),
        ],
    }


class TypeScript(JavaScript):
    """TypeScript: JavaScript with its words for types."""

    name = "TypeScript, line by line"

    tokens = {  # noqa: RUF012
        "language": [
            (
                rf"(interface|enum|namespace|module|type)([ \t]+)({_NAME})",
                groups(Keyword, Whitespace, Name.Class),
            ),
            (
                rf"(?:abstract|asserts|declare|infer|keyof|override|private|protected|public"
                rf"|readonly|unique)(?=[ \t]+(?:[\[{{(#*]|{_NAME}))",
                Keyword,
                "keys",
            ),
            (rf"(?:{_NAME})(?=\?\()", Name.Function),
            (r"(?<=[ \t])(?:as|implements|is|satisfies)(?=[ \t]+[\w$\"'{\[(])", Keyword),
            (
                rf"(?:any|bigint|boolean|never|number|object|string|symbol|unknown){_END}"
                r"(?![ \t]*[(=.])",
                Keyword.Type,
            ),
        ],
    }

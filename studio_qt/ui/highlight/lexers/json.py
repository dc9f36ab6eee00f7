"""JSON."""

from __future__ import annotations

from pygments.lexer import RegexLexer
from pygments.token import Comment, Keyword, Name, Number, Punctuation, String, Whitespace

__all__ = ["Json"]


class Json(RegexLexer):
    """JSON. The lexer of Pygments has no tables; it reads character by character to the end."""

    name = "JSON, line by line"

    tokens = {  # noqa: RUF012
        "root": [
            (r"\s+", Whitespace),
            (r"[{}\[\],:]+", Punctuation),
            (r'"[^"\\\n]*(?:\\.[^"\\\n]*)*"(?=\s*:)', Name.Tag),
            (r'"', String.Double, "string"),
            (r"-?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?", Number),
            (r"(?:true|false|null)\b", Keyword.Constant),
            (r"//.*\n?", Comment.Single),
            (r"/\*", Comment.Multiline, "comment"),
            (r"\w+", Name),
        ],
        "string": [
            (r'[^"\\\n]+', String.Double),
            (r'\\(?:u[\da-fA-F]{4}|["\\/bfnrt])', String.Escape),
            (r"\\", String.Double),
            (r'"|\n', String.Double, "#pop"),
        ],
        "comment": [
            (r"\*/", Comment.Multiline, "#pop"),
            (r"[^*\n]+|\*|\n", Comment.Multiline),
        ],
    }

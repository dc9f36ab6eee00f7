"""Python: the tables of Pygments, but for docstrings, which they read in one match."""

from __future__ import annotations

from pygments.lexer import inherit
from pygments.lexers.python import PythonLexer
from pygments.token import Comment, Name, String, Whitespace

from studio_qt.ui.highlight.lexers.groups import groups

__all__ = ["Python"]


def _docstring(mark: str) -> list[object]:
    return [
        (mark, String.Doc, "#pop"),
        (r"^([ \t]*(?:#[ \t]*)?)(@[a-z][\w-]*)", groups(String.Doc, String.Special)),
        (rf"[^\\{mark[0]}\n]+|\\.|{mark[0]}|\\|\n", String.Doc),
    ]


class Python(PythonLexer):
    """Python 3."""

    name = "Python, line by line"

    tokens = {  # noqa: RUF012
        "root": [
            (
                r'^([ \t]*)([rRuUbB]{,2})(""")',
                groups(Whitespace, String.Affix, String.Doc),
                "doc-double",
            ),
            (
                r"^([ \t]*)([rRuUbB]{,2})(''')",
                groups(Whitespace, String.Affix, String.Doc),
                "doc-single",
            ),
            (r"#.*\n?", Comment.Single),
            inherit,
        ],
        "doc-double": _docstring('"""'),
        "doc-single": _docstring("'''"),
        "name": [
            (rf"{PythonLexer.uni_name}(?=\()", Name.Function),
            inherit,
        ],
    }

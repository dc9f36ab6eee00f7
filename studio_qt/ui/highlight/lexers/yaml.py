"""YAML: the lexer of Pygments, with numbers and words such as `true` told from other scalars."""

from __future__ import annotations

import re

from pygments.lexers.data import YamlLexer
from pygments.token import Keyword, Literal, Name

from studio_qt.ui.highlight.grammar import Span, Spans, State
from studio_qt.ui.highlight.table import TableGrammar

__all__ = ["Yaml"]

_KINDS = {
    Name.Namespace: "mark",
    Name.Variable: "plain",
    Literal.Scalar.Plain: "plain",
    Name.Constant: "string",
    Name.Label: "name",
    Keyword.Type: "keyword",
}
_FRESH = {"indent_stack": (), "indent": -1, "next_indent": 0, "block_scalar_indent": None}
"""What a context of this lexer has at the beginning of a text."""

_NUMBER = re.compile(r"[-+]?(?:0x[\da-fA-F]+|0o[0-7]+|(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)")
_WORD = re.compile(r"(?:true|false|null|yes|no|on|off|~)", re.IGNORECASE)


class Yaml(TableGrammar):
    """YAML, whose state is a stack and the indentations that it is in."""

    def __init__(self) -> None:
        super().__init__("yaml", YamlLexer(), fields=_FRESH, kinds=_KINDS, looks_far=True)

    def line(self, text: str, state: State) -> tuple[Spans, State]:
        spans, state = super().line(text, state)
        return tuple(_scalar(text, span) for span in spans), state


def _scalar(text: str, span: Span) -> Span:
    start, length, kind = span
    if kind != "plain":
        return span
    scalar = text[start : start + length]
    if _NUMBER.fullmatch(scalar):
        return start, length, "number"
    return start, length, "keyword" if _WORD.fullmatch(scalar) else "string"

"""One line of Markdown outside a fenced block."""

from __future__ import annotations

from pygments.lexer import RegexLexer, include
from pygments.token import Comment, Generic, String, Text, Whitespace

from studio_qt.ui.highlight.lexers.groups import groups

__all__ = ["Markdown"]

_MARK = Generic.Traceback
_LIST = Generic.Output
_LINK = Generic.Prompt
_ADDRESS = Generic.Subheading
_REACH = 1000
"""Characters that emphasis may have; a mark without an end costs no more than looking so far."""


def _between(mark: str, inner: str) -> str:
    """Match text between two marks that cling to it."""
    return rf"{mark}(?!\s)(?:\\.|{inner}){{1,{_REACH}}}?(?<!\s){mark}"


class Markdown(RegexLexer):
    """The marks that people use in prompts: headings, lists, quotes, emphasis, code, links."""

    name = "Markdown, line by line"

    tokens = {  # noqa: RUF012
        "root": [
            (r"^[ ]{0,3}#{1,6}(?:[ \t].*)?\n", Generic.Heading),
            (r"^[ ]{0,3}=+[ \t]*\n", _MARK),
            (r"^[ ]{0,3}(?:(?:-[ \t]*){2,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})\n", _MARK),
            (
                r"^([ \t]*)([-*+]|\d{1,9}[.)])([ \t]+)(\[[ xX]\](?=[ \t]))?",
                groups(Whitespace, _LIST, Whitespace, _LIST),
            ),
            (r"^[ ]{0,3}(?:>[ \t]?)+", _MARK),
            (r"^[ ]{0,3}(\[[^\]\n]{1,200}\]:)([ \t]*)(\S+)", groups(_LINK, Whitespace, _ADDRESS)),
            include("inline"),
        ],
        "inline": [
            (r"[^\W_](?:[^\\`*_~<\[!\n]*[^\W_])?", Text),
            (r"\\[^\w\s]", Text),
            (r"(`+)(?!`).{1,2000}?(?<!`)\1(?!`)", String.Backtick),
            (r"`+", Text),
            (r"<!--", Comment, "comment"),
            (r"<(?:https?://|mailto:)[^>\s]{1,1000}>", _LINK),
            (
                r"(!?\[)([^\]\n]{1,500})(\])(\()([^)\n]{0,1000})(\))",
                groups(_MARK, _LINK, _MARK, _MARK, _ADDRESS, _MARK),
            ),
            (
                r"(!?\[)([^\]\n]{1,500})(\])(\[)([^\]\n]{0,500})(\])",
                groups(_MARK, _LINK, _MARK, _MARK, _ADDRESS, _MARK),
            ),
            (_between(r"\*\*\*", r"[^*\\\n]") + r"(?!\*)", Generic.EmphStrong),
            (_between(r"\*\*", r"\*(?!\*)|[^*\\\n]") + r"(?!\*)", Generic.Strong),
            (_between(r"\*", r"\*\*[^*\n]{1,200}\*\*|[^*\\\n]") + r"(?!\*)", Generic.Emph),
            (r"(?<!\w)" + _between("__", r"_(?!_)|[^_\\\n]") + r"(?!\w)", Generic.Strong),
            (r"(?<!\w)" + _between("_", r"[^_\\\n]|(?<=\w)_(?=\w)") + r"(?!\w)", Generic.Emph),
            (_between("~~", r"[^~\\\n]"), Generic.Deleted),
            (r"[*_~]+", Text),
            (r"\s+", Whitespace),
        ],
        "comment": [
            (r"-->", Comment, "#pop"),
            (r"[^-\n]+|-|\n", Comment),
        ],
    }

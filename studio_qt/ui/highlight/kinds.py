"""The kinds of what is coloured, and how each looks in a theme."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from PySide6.QtGui import QColor, QFont, QTextCharFormat

from studio_qt.ui.theme.tokens import Tokens

__all__ = ["LOOKS", "Look", "char_format", "char_formats"]


class Look(NamedTuple):
    """The tokens of a kind's colour and plate (none: as the text around), and its face."""

    token: str | None = None
    plate: str | None = None
    weight: QFont.Weight = QFont.Weight.Normal
    italic: bool = False
    struck: bool = False


_BOLD = QFont.Weight.Bold

LOOKS: Mapping[str, Look] = {
    "comment": Look("co"),
    "comment.tag": Look("key"),
    "string": Look("st"),
    "string.escape": Look("nu"),
    "string.tag": Look("key"),
    "number": Look("nu"),
    "keyword": Look("kw"),
    "name": Look("fn"),
    "key": Look("key"),
    "macro": Look("macro", plate="macrobg"),
    "mark": Look("co"),
    "heading": Look("fn", weight=QFont.Weight.DemiBold),
    "list": Look("kw"),
    "emphasis": Look("em", italic=True),
    "strong": Look(weight=_BOLD),
    "strong.emphasis": Look("em", weight=_BOLD, italic=True),
    "struck": Look("co", struck=True),
    "code": Look("st"),
    "link": Look("fn"),
    "link.address": Look("co"),
}
"""A kind after a dot is a part of the one before it: an escape in a string, a tag in a comment."""


def char_formats(tokens: Tokens) -> dict[str, QTextCharFormat]:
    """Return how each kind is written in the colours of a theme."""
    return {kind: char_format(look, tokens) for kind, look in LOOKS.items()}


def char_format(look: Look, tokens: Tokens) -> QTextCharFormat:
    """Return one look as Qt needs it; what the look leaves open stays as the editor has it."""
    made = QTextCharFormat()
    if look.token is not None:
        made.setForeground(QColor(tokens[look.token]))
    if look.plate is not None:
        made.setBackground(QColor(tokens[look.plate]))
    if look.weight is not QFont.Weight.Normal:
        made.setFontWeight(look.weight)
    if look.italic:
        made.setFontItalic(True)
    if look.struck:
        made.setFontStrikeOut(True)
    return made

"""Macros of cards as text that every player shows alike."""

from __future__ import annotations

import re

__all__ = ["portable"]

_NAMES = re.compile(r"\{\{\s*(char|user)\s*\}\}|<(BOT|CHAR|USER)>", re.IGNORECASE)
_COMMENT = re.compile(r"\{\{\s*(?://|comment:)[^{}]*\}\}", re.IGNORECASE)
_NOTHING = re.compile(r"\{\{\s*(?:original|trim|noop)\s*\}\}", re.IGNORECASE)
_NEWLINE = re.compile(r"\{\{\s*newline\s*\}\}", re.IGNORECASE)
_CHOICE = re.compile(r"\{\{\s*(?:random|pick)\s*:{1,2}([^{}]*)\}\}", re.IGNORECASE)
_PERSON = "the user"
_NEAR = 200
"""Characters before a name that tell whether a sentence begins with it."""


def portable(text: str, character: str) -> str:
    """Return a text with the character's name and "the user" for macros, comments taken out.

    Of `{{random:a,b}}` the first choice is taken, so that a text is the same each time; macros
    that are not known stay as they are. Line breaks become `\\n`.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    text = _NOTHING.sub("", _COMMENT.sub("", text))
    text = _NEWLINE.sub("\n", text)
    text = _CHOICE.sub(lambda found: _first(found[1]), text)

    def name(found: re.Match[str]) -> str:
        if (found[1] or found[2]).lower() != "user":
            return character
        return _at_start(text, found.start())

    return _NAMES.sub(name, text)


def _at_start(text: str, at: int) -> str:
    """Return how the user is called there: with a capital at the beginning of a sentence."""
    before = text[max(0, at - _NEAR) : at].rstrip(' \t"“*_(')
    begins = (before[-1:] or ".") in ".!?\n:"
    return _PERSON.capitalize() if begins else _PERSON


def _first(choices: str) -> str:
    parts = choices.split("::") if "::" in choices else choices.split(",")
    return parts[0].strip()

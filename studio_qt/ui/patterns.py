"""What is looked for in texts, as an expression that can be stopped at a time limit."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from studio_qt.errors import StudioError

if TYPE_CHECKING:
    import regex

__all__ = ["compile_pattern"]


def compile_pattern(
    pattern: str, *, case: bool, word: bool, expression: bool
) -> regex.Pattern[str]:
    """Return what finds `pattern`, where `^` and `$` are ends of lines.

    `expression`: it is a regular expression, else plain text. Raises StudioError for one that
    cannot be read.
    """
    engine = import_module("regex")  # slow to import; nobody looks for anything at the start
    source = pattern if expression else engine.escape(pattern)
    if word:
        source = rf"(?<!\w)(?:{source})(?!\w)"
    flags = engine.MULTILINE | (0 if case else engine.IGNORECASE)
    try:
        compiled: regex.Pattern[str] = engine.compile(source, flags)
    except engine.error as error:
        raise StudioError(f"The expression cannot be read: {error}.") from error
    return compiled

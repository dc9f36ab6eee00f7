"""Words for sentences, in the language of the program."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["listed", "shortened"]


def listed(words: Sequence[str]) -> str:
    """Return "a", "a and b", "a, b and c"; "" for none."""
    return " and ".join([*filter(None, [", ".join(words[:-1])]), *words[-1:]])


def shortened(text: str, most: int) -> str:
    """Return a text of at most so many letters; a longer one ends with "…"."""
    return text if len(text) <= most else f"{text[: most - 1]}…"

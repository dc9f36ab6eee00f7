"""Words for sentences, in the language of the program."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["listed"]


def listed(words: Sequence[str]) -> str:
    """Return "a", "a and b", "a, b and c"; "" for none."""
    return " and ".join([*filter(None, [", ".join(words[:-1])]), *words[-1:]])

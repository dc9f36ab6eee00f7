"""`Seam`: where the rest of a reply is joined to what there was of it."""

from __future__ import annotations

__all__ = ["LEAST_REPEATED", "Seam"]

LEAST_REPEATED = 20
"""Characters from which on a repetition is taken for one; a shorter one may be meant."""

_LONGEST = 4_000
"""Characters at the end of what there was among which a repetition is looked for."""


class Seam:
    """Leaves out the last words of a text where its continuation begins with exactly these.

    `feed` takes pieces as they come and returns what of them can be told to be new; `end` what was
    held back to the last. Nothing but a whole repetition up to the text's end is left out.
    """

    def __init__(self, before: str) -> None:
        tail = before[-_LONGEST:]
        self._repeats = [tail[at:] for at in range(len(tail) - LEAST_REPEATED + 1)]
        self._held = ""

    def feed(self, piece: str) -> str:
        """Take a piece of the continuation; returns what of it, and of those held, is new."""
        if not self._repeats:
            return piece
        held = self._held = self._held + piece
        self._repeats = [
            one for one in self._repeats if held.startswith(one) or one.startswith(held)
        ]
        if any(len(one) > len(held) for one in self._repeats):
            return ""
        return self.end()

    def end(self) -> str:
        """Return what is held back, without the repetition that it begins with."""
        repeated = max((one for one in self._repeats if self._held.startswith(one)), default="")
        fresh = self._held[len(repeated) :]
        self._repeats, self._held = [], ""
        return fresh

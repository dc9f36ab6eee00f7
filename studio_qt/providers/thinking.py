"""Reasoning that stands in the text between tags, told apart while it streams."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

__all__ = ["Piece", "ThinkSplitter"]

_OPEN = ("<think>", "<thinking>", "<mm:think>")
_CLOSE = ("</think>", "</thinking>", "</mm:think>")
_CLOSING = re.compile("|".join(map(re.escape, _CLOSE)))
_QUOTES = ("`", '"', "'")


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of text or of reasoning.

    `recast` says that the guess so far was wrong: as reasoning, that all text before was reasoning
    too; as text, that the reply was no reasoning at all, and this is the whole of it.
    """

    text: str
    reasoning: bool
    recast: bool = False


class ThinkSplitter:
    """Splits text with thinking tags, also when a chunk cuts a tag.

    An opening tag counts only at the start of the reply or after a closed block, so that a
    character may write about tags. One closing tag without an opener counts where it is not
    quoted: some templates open the block in the prompt. With `opened` the reply is taken to begin
    inside such a block. `lone_close` tells afterwards whether it did; None: nothing was learned.
    """

    def __init__(self, *, opened: bool = False) -> None:
        self.lone_close: bool | None = None
        self._state: Literal["start", "thinking", "text"] = "start"
        self._presumed = opened
        self._held = ""
        self._thought = ""  # while the block is only presumed
        self._last = ""  # the last character that was given as text
        self._lone_possible = True

    def feed(self, text: str) -> list[Piece]:
        """Return the pieces that are sure after `text`."""
        self._held += text
        pieces: list[Piece] = []
        while self._held:
            before = (self._state, self._held)
            pieces += self._step()
            if (self._state, self._held) == before:
                break
        return [piece for piece in pieces if piece.text or piece.recast]

    def finish(self, *, cut: bool = False) -> list[Piece]:
        """Return what was held back; `cut` when the reply ended at a limit, maybe in a thought."""
        rest, self._held = self._held, ""
        if self._presumed and not cut and (self._thought + rest).strip():
            self.lone_close = False
            return [Piece(self._thought + rest, reasoning=False, recast=True)]
        if not rest.strip() and self._state == "start":
            return []
        return [Piece(rest, reasoning=self._state == "thinking")] if rest else []

    def _step(self) -> list[Piece]:
        if self._state == "start":
            self._begin()
            return []
        return self._in_thought() if self._state == "thinking" else self._in_text()

    def _begin(self) -> None:
        bare = self._held.lstrip()
        opener = next((tag for tag in _OPEN if bare.startswith(tag)), None)
        if opener:
            self._state, self._held = "thinking", bare.removeprefix(opener)
            self._presumed = self._lone_possible = False
        elif bare and not any(tag.startswith(bare) for tag in _OPEN):
            self._state = "thinking" if self._presumed else "text"
            if not self._lone_possible:
                self._held = bare  # the blank lines between a thought and its answer

    def _in_thought(self) -> list[Piece]:
        thought, closed = self._until_close()
        if closed:
            self._state = "start"
            if self._presumed:
                self.lone_close = True
            self._presumed = self._lone_possible = False
        elif self._presumed:
            self._thought += thought
        return [Piece(thought, reasoning=True)]

    def _in_text(self) -> list[Piece]:
        if not self._lone_possible:
            said, self._held = self._held, ""
            return [Piece(said, reasoning=False)]
        found = _CLOSING.search(self._held)
        before = self._last + self._held[: found.start()] if found else ""
        if found and before.endswith(_QUOTES):
            self._lone_possible = False
            return []
        said, closed = self._until_close()
        self._last = (self._last + said)[-1:]
        if closed:
            self._state, self._lone_possible, self.lone_close = "start", False, True
        return [Piece(said, reasoning=closed, recast=closed)]

    def _until_close(self) -> tuple[str, bool]:
        """Take what is held up to a closing tag, which goes; or all that cannot be one's start."""
        found = _CLOSING.search(self._held)
        if found:
            said, self._held = self._held[: found.start()], self._held[found.end() :]
            return said, True
        start = self._held.rfind("<")
        if start >= 0 and any(tag.startswith(self._held[start:]) for tag in _CLOSE):
            said, self._held = self._held[:start], self._held[start:]
            return said, False
        said, self._held = self._held, ""
        return said, False

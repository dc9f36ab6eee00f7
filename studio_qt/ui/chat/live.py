"""The reply that is being written, as rows. No Qt in here."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace

from studio_qt.ui.chat.pieces import Cutter, Piece
from studio_qt.ui.chat.rows import Part, Row, Said, State, Thought, split_row

__all__ = ["Live"]


_SURE = 0.4
"""Seconds after which the rate of a stream can be told."""


@dataclass(slots=True)
class Live:
    """What has come of a reply as far as it is no entry yet.

    `started` holds when tool calls began, by their toolCallId. What costs with the length of a
    reply is done for its new part only: the text is cut while it grows, and a piece that is done
    stays the same row.
    """

    state: State = "thinking"
    detail: str = ""
    started: dict[int, float] = field(default_factory=dict)
    first: float = 0.0
    latest: float = 0.0
    tokens: int = 0
    _fresh: list[str] = field(default_factory=list)
    _text: str = ""
    _thought: list[str] = field(default_factory=list)
    _cutter: Cutter = field(default_factory=Cutter)
    _done: list[Row] = field(default_factory=list)
    _first: Row | None = None
    _split: tuple[Row, list[Row]] | None = None

    @property
    def thought(self) -> str:
        """The reasoning so far."""
        if len(self._thought) > 1:
            self._thought = ["".join(self._thought)]
        return self._thought[0] if self._thought else ""

    @property
    def text(self) -> str:
        """The text so far."""
        self._text += "".join(self._fresh)
        self._fresh.clear()
        return self._text

    @property
    def words(self) -> str:
        """What it does, in words: "streaming · 38 tokens/s" while text comes."""
        spent = self.latest - self.first
        if self.state != "writing" or spent < _SURE:
            return self.detail
        return f"{(self.tokens - 1) / spent:.0f} tokens/s"

    def say(self, text: str) -> None:
        """Take in a piece of the reply."""
        self._fresh.append(text)
        self.latest = time.monotonic()
        self.first = self.first or self.latest
        self.tokens += 1
        self.state = "writing"

    def think(self, text: str) -> None:
        """Take in a piece of the model's reasoning."""
        self._thought.append(text)
        self.state = "thinking"

    def drop_text(self) -> None:
        """Forget the text: it has become an entry."""
        self._fresh.clear()
        self._text = ""
        self.first, self.tokens = 0.0, 0
        self._cutter = Cutter()
        self._done = []

    def rows(self, base: Row) -> list[Row]:
        """Return the rows: what of the reply is stored already (`base`), and what follows.

        What follows a reply that broke off goes on with its last words.
        """
        before = ""
        if base.unfinished:
            ended = base.parts[-1]
            before = ended.text if isinstance(ended, Said) else ""
            base = replace(base, parts=base.parts[:-1], stopped=False, cut=False)
        stored = self._stored(base)
        text = before + self.text if before else self.text
        if not text:
            return stored
        self._cutter.follow(text)
        if self._first is not stored[-1]:
            self._first, self._done = stored[-1], []
        first, done = stored[-1], self._done
        for piece in self._cutter.done[len(done) :]:
            row = self._row(first, len(stored) - 1 + len(done), piece, text)
            done.append(replace(row, pieces=row.pieces + 1))  # it is not the last one
        last = self._row(first, len(stored) - 1 + len(done), self._cutter.last(text), text)
        last = replace(last, detail=self.words)
        return [*stored[:-1], *done, last]

    def _stored(self, base: Row) -> list[Row]:
        """Return the rows of what is stored, cut once."""
        thought: tuple[Part, ...] = (Thought(self.thought),) if self._thought else ()
        shown = replace(base, parts=(*thought, *base.parts), state=self.state, detail=self.detail)
        if self._split is None or self._split[0] != shown:
            self._split = (shown, split_row(shown))
        return self._split[1]

    def _row(self, first: Row, place: int, piece: Piece, text: str) -> Row:
        said: tuple[Part, ...] = (Said(piece.of(text)),)
        parts = said if piece.start else (*first.parts, *said)
        return replace(first, parts=parts, piece=place, pieces=place + 1)

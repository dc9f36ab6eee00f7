"""The past turns as the model is sent them, kept up entry by entry, fitted to the window.

Building a request must cost the same at ten and at ten thousand messages, so the messages of past
turns are made once, with running token sums, and a request takes a suffix of whole turns.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from studio_qt.jsontext import JsonObject, JsonValue

__all__ = ["Fitted", "History", "Source", "message_for_model"]

MESSAGE_OVERHEAD = 4
"""Estimated tokens that a message costs beside its text."""


class Entries(Protocol):
    """What is read of a conversation: its length and its entries."""

    def __len__(self) -> int: ...

    def entry(self, index: int) -> JsonObject:
        """Return the entry at a position."""
        ...


Source = tuple[int, str]
"""The turn and the entry's id that a message comes from."""


@dataclass(frozen=True, slots=True)
class Fitted:
    """The past turns that fit: messages oldest first, and how many whole turns were left out.

    `sources` tells where each message comes from, `rejected` which entries between them are never
    sent. `messages_cut` and `tokens_cut` are those of the turns left out, which end with turn
    `last_cut`.
    """

    messages: list[JsonObject]
    tokens: int
    turns_cut: int
    sources: list[Source]
    rejected: list[Source]
    messages_cut: int = 0
    tokens_cut: int = 0
    last_cut: int = 0


def message_for_model(entry: JsonObject) -> JsonObject | None:
    """Return a past entry as a message, None when it is never sent (SYS-07, PERS-05).

    Logs, tool results, rejected and text-less entries are not; text beside tool calls is.
    """
    content = entry.get("content")
    if entry.get("role") not in ("user", "assistant") or entry.get("rejected"):
        return None
    if not isinstance(content, str) or not content:
        return None
    return {"role": entry["role"], "content": content}


class History:
    """The messages of a conversation's past turns; `follow` takes in what was appended since.

    `estimate` gives the tokens of a text. Call `forget` when entries changed or went.
    """

    def __init__(self, estimate: Callable[[str], int]) -> None:
        self._estimate = estimate
        self.forget()

    def forget(self) -> None:
        """Start anew at the next `follow`."""
        self._seen = 0
        self._messages: list[JsonObject] = []
        self._turns: list[JsonValue] = []
        self._firsts: list[int] = []  # where each turn begins in the conversation
        self._starts: list[int] = []  # where each turn begins in _messages
        self._sums: list[int] = [0]  # tokens before each turn, and of all at the end
        self._sources: list[Source] = []  # of each message
        self._rejected: list[tuple[int, Source]] = []  # with the position of each entry

    def follow(self, entries: Entries, stop: int) -> None:
        """Hold exactly the entries before position `stop`, where a turn begins."""
        while self._firsts and self._firsts[-1] >= stop:
            self._drop_last_turn()
        while self._rejected and self._rejected[-1][0] >= stop:
            self._rejected.pop()
        self._seen = min(self._seen, stop)
        for index in range(self._seen, stop):
            entry = entries.entry(index)
            if message := message_for_model(entry):
                self._add(index, entry.get("turn"), message)
                self._sources.append(_source(entry))
            elif entry.get("rejected"):
                self._rejected.append((index, _source(entry)))
        self._seen = stop

    def fit(self, budget: int) -> Fitted:
        """Return the newest whole turns that together need at most `budget` estimated tokens."""
        total = self._sums[-1]
        first = bisect_left(self._sums, total - budget)
        all_cut = first >= len(self._turns)
        start = len(self._messages) if all_cut else self._starts[first]
        place = self._seen if all_cut else self._firsts[first] if first else 0
        turns_cut = min(first, len(self._turns))
        return Fitted(
            self._messages[start:],
            total - self._sums[turns_cut],
            turns_cut,
            self._sources[start:],
            [source for _, source in self._rejected[bisect_left(self._rejected, (place,)) :]],
            start,
            self._sums[turns_cut],
            self._sources[start - 1][0] if start else 0,
        )

    def _drop_last_turn(self) -> None:
        self._turns.pop()
        self._firsts.pop()
        self._sums.pop()
        start = self._starts.pop()
        del self._messages[start:]
        del self._sources[start:]

    def _add(self, index: int, turn: JsonValue, message: JsonObject) -> None:
        tokens = self._estimate(str(message["content"])) + MESSAGE_OVERHEAD
        if not self._turns or self._turns[-1] != turn:
            self._turns.append(turn)
            self._firsts.append(index)
            self._starts.append(len(self._messages))
            self._sums.append(self._sums[-1])
        self._messages.append(message)
        self._sums[-1] += tokens


def _source(entry: JsonObject) -> Source:
    turn = entry.get("turn")
    return turn if isinstance(turn, int) else 0, str(entry.get("id", ""))

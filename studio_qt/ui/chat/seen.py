"""What this window has seen of a conversation and no entry tells: times, reasoning, changes."""

from __future__ import annotations

import time
from collections.abc import Mapping, MutableMapping
from dataclasses import replace
from typing import TYPE_CHECKING

from studio_qt.errors import StudioError
from studio_qt.jsontext import encode
from studio_qt.ui.chat.changes import changes
from studio_qt.ui.chat.rows import Call, Part, Row, Thought, Used

if TYPE_CHECKING:
    from studio_qt.engine.player import CharacterPlayer

__all__ = ["Seen"]

_LARGEST_STORE = 200_000
"""Characters of a store up to which a call's change of it is looked at."""


class Seen:
    """Times and store changes by toolCallId, inner calls by their parent's, thoughts by turn."""

    def __init__(self) -> None:
        self._seconds: dict[int, float] = {}
        self._stores: dict[int, str] = {}
        self._changes: dict[int, tuple[str, ...]] = {}
        self._inner: dict[int, list[Call]] = {}
        self._thoughts: dict[int, str] = {}

    def store(self, player: CharacterPlayer | None, agent: str) -> str:
        """Return an agent's store as text, "" where there is none or a very large one."""
        if player is None or not agent:
            return ""
        try:
            text = player.store_text(agent)
        except StudioError:
            return ""
        return text if len(text) <= _LARGEST_STORE else ""

    def call_began(self, number: int, store: str) -> None:
        """Remember the store before a call."""
        self._stores[number] = store

    def call_ended(
        self, said: Mapping[str, object], started: MutableMapping[int, float], store: str
    ) -> None:
        """Take in what `toolCall` tells; `started` holds when calls began."""
        number, parent = said.get("toolCallId"), said.get("parentToolCallId")
        if isinstance(parent, int):
            self._inner.setdefault(parent, []).append(_inner_call(said))
        elif isinstance(number, int) and number in started:
            self._seconds[number] = time.monotonic() - started.pop(number)
            before = self._stores.pop(number, "")
            if before and store and before != store:
                self._changes[number] = changes(before, store)

    def keep_thought(self, turn: int, text: str) -> None:
        """Remember the reasoning of a turn."""
        if text:
            self._thoughts[turn] = text

    def complete(self, row: Row) -> Row:
        """Return a row with what has been seen of it."""
        parts: list[Part] = [
            Used(tuple(self._complete(call) for call in part.calls))
            if isinstance(part, Used)
            else part
            for part in row.parts
        ]
        if row.kind == "reply" and not row.follows and row.turn in self._thoughts:
            parts.insert(0, Thought(self._thoughts[row.turn]))
        return replace(row, parts=tuple(parts))

    def _complete(self, call: Call) -> Call:
        if call.number is None:
            return call
        return replace(
            call,
            seconds=self._seconds.get(call.number),
            inner=call.inner or tuple(self._inner.get(call.number, ())),
            changes=self._changes.get(call.number, ()),
        )


def _inner_call(said: Mapping[str, object]) -> Call:
    number = said.get("toolCallId")
    arguments: object = said.get("args") or {}
    return Call(
        name=str(said["toolName"]),
        arguments=encode(arguments),
        result=str(said["result"]),
        agent=str(said["agentId"]),
        number=number if isinstance(number, int) else None,
    )

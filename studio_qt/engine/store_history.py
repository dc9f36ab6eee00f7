"""A store's past, told by the journal: who changed it in which turn, and what it was before.

Reading blocks, and goes through the journal once, part by part; call it in a thread.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from studio_qt.engine.storage import names
from studio_qt.engine.storage.chains import apply_store
from studio_qt.engine.storage.journal import number_of
from studio_qt.engine.storage.past import read_bytes
from studio_qt.errors import StudioError
from studio_qt.jsontext import JsonObject, JsonValue, decode_object

__all__ = ["ChangeKind", "StoreChange", "StoreStep", "read_store_history", "read_store_step"]

ChangeKind = Literal[
    "created", "tool", "command", "hook", "preload", "hand", "undo", "fork", "reset", "outside"
]
"""What changed a store: "hand" is an edit by the user, "outside" another program."""

_CAUSES: dict[str, ChangeKind] = {
    "created": "created",
    "edited": "hand",
    "reset": "reset",
    "moved": "created",
    "put back": "undo",
    "fork": "fork",
    "changed by another program": "outside",
    "found on opening": "outside",
    "onToolCall": "tool",
    "onLoad": "preload",
}
_HOOK = re.compile(r"on[A-Z]\w*")
_KIND = re.compile(rb'\{"n":\d+,"k":"(\w+)"')
_WANTED = frozenset({b"store", b"append", b"turn", b"base", b"edit"})
_ASKED = 200
"""Characters of the user's message that are kept."""


@dataclass(frozen=True, slots=True)
class StoreChange:
    """One change of a store.

    `line` is its journal line, by which `CharacterPlayer.store_step` knows it. `turn` counts user
    messages from 1; 0 is before the first. `ended` says that the turn was over by then. `cause`
    is the handler that changed it, `tool` the tool's name where that is known. `inserted` and
    `removed` count characters of the text, `size` is its length afterwards, 0 for one that was
    removed. `asked` is how the user's message of the turn begins, `entry_id` is that entry.
    """

    line: int
    time: str
    kind: ChangeKind
    turn: int
    ended: bool = False
    cause: str = ""
    tool: str = ""
    tool_call_id: int | None = None
    inserted: int = 0
    removed: int = 0
    size: int = 0
    asked: str = ""
    entry_id: str = ""


@dataclass(frozen=True, slots=True)
class StoreStep:
    """A store's text before and after one change; None where there was none."""

    before: str | None
    after: str | None


def read_store_history(
    folder: Path, conversation_id: str, agent_id: str, limit: int
) -> list[StoreChange]:
    """Return the newest `limit` changes of an agent's store, the oldest of them first.

    Raises StorageError where the journal cannot be read.
    """
    teller = _Teller(agent_id, limit)
    for record in _records(folder, conversation_id):
        teller.hear(record)
    return teller.told()


def read_store_step(folder: Path, conversation_id: str, agent_id: str, line: int) -> StoreStep:
    """Return the texts around one change.

    Raises StudioError where the journal has no such change or not what came before it,
    StorageError where it cannot be read.
    """
    chain: list[JsonObject] = []
    for record in _records(folder, conversation_id):
        if record.get("k") != "store" or record.get("agent") != agent_id:
            continue
        if number_of(record) >= line:
            break
        if "text" in record:
            chain.clear()  # a whole text needs nothing before it
        chain.append(record)
    else:
        record = {}
    if number_of(record) != line:
        raise StudioError(f"The journal of {conversation_id} has no such change of {agent_id}.")
    try:
        before = None
        for earlier in chain:
            before = apply_store(before, earlier)
        return StoreStep(before, apply_store(before, record))
    except ValueError as error:
        raise StudioError(
            f"The journal of {conversation_id} is damaged before that change of {agent_id}; "
            "what the store was then cannot be told."
        ) from error


class _Teller:
    """Goes along a journal and remembers what concerns one store."""

    def __init__(self, agent_id: str, limit: int) -> None:
        self._agent_id = agent_id
        self._changes: deque[StoreChange] = deque(maxlen=max(limit, 0))
        self._calls: set[int] = set()
        self._tools: dict[int, str] = {}
        self._turn, self._ended = 0, False
        self._asked = self._entry_id = ""
        self._size = 0

    def told(self) -> list[StoreChange]:
        """Return the changes, with the tools' names that came after them."""
        return [
            replace(change, tool=self._tools.get(change.tool_call_id or 0, ""))
            for change in self._changes
        ]

    def hear(self, record: JsonObject) -> None:
        """Take in one journal line."""
        match record:
            case {"k": "store", "agent": self._agent_id}:
                self._change(record)
            case {"k": "append", "entry": dict(entry)}:
                if entry.get("role") == "assistant":
                    self._ended = False  # the turn goes on, or is answered once more
                self._entry(entry)
            case {"k": "turn"}:
                self._ended = True
            case {"k": "base", "messages": list(messages)} | {
                "k": "edit",
                "entries": list(messages),
            }:
                for message in messages:
                    if isinstance(message, dict):
                        self._entry(message)

    def _entry(self, entry: JsonObject) -> None:
        if entry.get("role") == "user":
            self._ended = False
            self._turn = _number(entry.get("turn")) or self._turn + 1
            self._asked = str(entry.get("content") or "")[:_ASKED]
            self._entry_id = str(entry.get("id") or "")
        elif entry.get("role") == "tool":
            self._note_tool(entry, "name")
            inner = entry.get("inner")
            for call in inner if isinstance(inner, list) else ():
                if isinstance(call, dict):
                    self._note_tool(call, "toolName")
        elif _number(entry.get("turn")) > self._turn:
            self._turn = _number(entry.get("turn"))

    def _note_tool(self, call: JsonObject, key: str) -> None:
        number = _number(call.get("toolCallId"))
        if number in self._calls:
            self._tools[number] = str(call.get(key) or "")

    def _change(self, record: JsonObject) -> None:
        inserted, removed, size = _extent(record, self._size)
        self._size = size
        cause, call = str(record.get("cause") or ""), _number(record.get("call"))
        self._calls.add(call)
        self._changes.append(
            StoreChange(
                line=number_of(record),
                time=str(record.get("t") or ""),
                kind=_kind_of(cause),
                turn=self._turn,
                ended=self._ended,
                cause=cause,
                tool_call_id=call or None,
                inserted=inserted,
                removed=removed,
                size=size,
                asked=self._asked,
                entry_id=self._entry_id,
            )
        )


def _kind_of(cause: str) -> ChangeKind:
    if (known := _CAUSES.get(cause)) is not None:
        return known
    return "hook" if _HOOK.fullmatch(cause) else "command"


def _extent(record: JsonObject, size: int) -> tuple[int, int, int]:
    """Return how much a change inserts and removes, and the size after it."""
    if "text" in record:
        whole = record["text"]
        length = len(whole) if isinstance(whole, str) else 0
        return length, size, length
    inserted = removed = 0
    splices = record.get("splices")
    for splice in splices if isinstance(splices, list) else ():
        match splice:
            case [int(), int(gone), str(text)]:
                inserted, removed = inserted + len(text), removed + gone
    return inserted, removed, size + inserted - removed


def _records(folder: Path, conversation_id: str) -> Iterator[JsonObject]:
    """Yield the lines of a journal that tell of stores and turns, each once, part by part.

    A part that is finished while this goes on is found as well: the lines are numbered.
    """
    last, seen = 0, -1
    while seen < len(parts := names.segment_numbers(folder, conversation_id)):
        seen = len(parts)
        paths = [names.segment_path(folder, conversation_id, number) for number in parts]
        for path in (*paths, names.journal_path(folder, conversation_id)):
            for record in _lines(read_bytes(path) or b""):
                if number_of(record) > last:
                    last = number_of(record)
                    yield record


def _lines(data: bytes) -> Iterator[JsonObject]:
    """Yield the lines that are wanted; others are not even parsed."""
    for line in data.split(b"\n")[:-1]:
        told = _KIND.match(line)
        if told is not None and told[1] not in _WANTED:
            continue
        try:
            yield decode_object(line)
        except ValueError:
            continue  # a broken line costs that line alone, as everywhere


def _number(value: JsonValue) -> int:
    return value if isinstance(value, int) and value > 0 else 0

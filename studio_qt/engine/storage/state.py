"""What a conversation is in memory, and what each journal line does to it.

The same function serves a change that is made now and one that is read back, so that a reopened
conversation cannot differ from the one that was closed. Lines that change entries or counters:

====== ===================================== ======================================
kind   fields                                meaning
====== ===================================== ======================================
base   title, created, messages, the books   begins anew with exactly this
append entry                                 one entry more
amend  at, changes                           fields of one entry; null removes one
edit   start, stop, entries, reason          entries replaced, removed, put back
draft  text, at                              a streamed piece, of what goes on with an
                                             entry where it names one; null forgets all
title  title
issue  last                                  a tool call id was given out
model  model                                 who answers here; "" is whoever answers
spend  total                                 tokens that agents have spent
begin                                        all stores have been made
====== ===================================== ======================================
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from studio_qt.jsontext import JsonObject, JsonValue

__all__ = ["State", "adopt", "title_of"]

_ENTRY_ID = re.compile(r"e([1-9]\d{0,15})")
_TITLE_WORDS = 10
_TITLE_LENGTH = 60
_BESIDE = frozenset({"title", "model"})
"""What is said about a conversation, and makes it no newer."""


@dataclass(slots=True)
class State:
    """Entries and counters of a conversation.

    `line` is the last journal line that is in it, `changed` the last one that changed it. Of a
    fork, `parent` is the conversation that it came from and how far the journal of that one was,
    `parent_entry` the id of the last entry that it took along. `main_model` is "" for no choice.
    Entries are never changed in place, so that a copy of the list is a copy of the conversation.
    """

    id: str
    title: str = ""
    created: str = ""
    updated: str = ""
    entries: list[JsonObject] = field(default_factory=list)
    line: int = 0
    changed: int = 0
    last_entry: int = 0
    last_turn: int = 0
    last_tool_call_id: int = 0
    agent_tokens: int = 0
    stores_started: bool = False
    draft: list[str] = field(default_factory=list)
    draft_at: int | None = None
    parent: tuple[str, int] | None = None
    parent_entry: str = ""
    main_model: str = ""

    def apply(self, record: JsonObject) -> None:
        """Do what a journal line says; lines of other kinds change nothing.

        Raises ValueError, KeyError, TypeError or IndexError for a line that does not fit.
        """
        line = record.get("n")
        if isinstance(line, int):
            self.line = line
        act = _ACTS.get(str(record.get("k")))
        if act is not None:
            act(self, record)
            if record.get("k") not in _BESIDE:
                self.updated = str(record.get("t") or self.updated)
            self.changed = self.line

    def books(self) -> JsonObject:
        """What a snapshot keeps beside the entries."""
        books: JsonObject = {
            "line": self.line,
            "lastEntry": self.last_entry,
            "lastTurn": self.last_turn,
            "lastToolCallId": self.last_tool_call_id,
            "agentTokens": self.agent_tokens,
            "storesStarted": self.stores_started,
            "draft": "".join(self.draft),
        }
        if self.draft_at is not None:
            books["draftAt"] = self.draft_at
        if self.parent is not None:
            books["parent"] = list(self.parent)
        if self.parent_entry:
            books["parentEntry"] = self.parent_entry
        if self.main_model:
            books["mainModel"] = self.main_model
        return books

    def take_books(self, books: JsonObject) -> None:
        """Raise the counters to what was kept; values of a wrong type are passed over."""
        self.last_entry = max(self.last_entry, _count(books.get("lastEntry")))
        self.last_turn = max(self.last_turn, _count(books.get("lastTurn")))
        self.last_tool_call_id = max(self.last_tool_call_id, _count(books.get("lastToolCallId")))
        self.agent_tokens = max(self.agent_tokens, _count(books.get("agentTokens")))
        self.stores_started = self.stores_started or books.get("storesStarted") is True
        draft = books.get("draft")
        self.draft = [draft] if isinstance(draft, str) and draft else []
        at = books.get("draftAt")
        self.draft_at = at if isinstance(at, int) and self.draft else None
        match books.get("parent"):
            case [str(parent), int(line)]:
                self.parent = (parent, line)
        self.parent_entry = _word(books.get("parentEntry")) or self.parent_entry
        self.main_model = _word(books.get("mainModel")) or self.main_model

    def count_in(self, entries: Iterable[JsonObject]) -> None:
        """Raise the counters to what entries bear, so that nothing is given out twice."""
        for entry in entries:
            if match := _ENTRY_ID.fullmatch(str(entry.get("id"))):
                self.last_entry = max(self.last_entry, int(match[1]))
            self.last_turn = max(self.last_turn, _count(entry.get("turn")))
            self.last_tool_call_id = max(self.last_tool_call_id, _last_call(entry))

    def unfinished(self) -> tuple[int | None, JsonObject] | None:
        """What a draft that nothing has ended is to become; None without one.

        The fields of an entry that are to be changed, with its position, or else a new entry.
        """
        if not self.draft:
            return None
        text, at = "".join(self.draft), self.draft_at
        if at is not None and 0 <= at < len(self.entries):
            before = self.entries[at].get("content")
            if isinstance(before, str) and self.entries[at].get("role") == "assistant":
                return at, {"content": before + text, "stopped": True}
        return None, {"role": "assistant", "content": text, "stopped": True}

    def end_draft(self) -> None:
        """Forget what has streamed."""
        self.draft.clear()
        self.draft_at = None

    def turn_of_next(self, entry: JsonObject) -> int:
        """The turn that an entry belongs to when it comes after all others."""
        turn = entry.get("turn")
        if isinstance(turn, int) and turn >= 0:
            return turn
        if entry.get("role") == "user":
            return self.last_turn + 1
        return _count(self.entries[-1].get("turn")) if self.entries else 0


def adopt(
    state: State, raw: Iterable[JsonObject], *, others: Iterable[JsonObject] = (), turn: int = 0
) -> list[JsonObject]:
    """Return entries that another program or an edit brings, with ids and turns.

    An id is kept unless one of `others` or an earlier entry has it. `turn` is the turn before
    them. Counters are raised first, so that new ids are new; nothing else of the state changes.
    """
    incoming = list(raw)
    state.count_in(incoming)
    taken = {str(other.get("id")) for other in others}
    adopted = []
    for entry in incoming:
        entry_id = entry.get("id")
        if not isinstance(entry_id, str) or not entry_id or entry_id in taken:
            state.last_entry += 1
            entry_id = f"e{state.last_entry}"
        taken.add(entry_id)
        given = entry.get("turn")
        if isinstance(given, int) and given >= 0:
            turn = given
        elif entry.get("role") == "user":
            state.last_turn += 1
            turn = state.last_turn
        adopted.append({**entry, "id": entry_id, "turn": turn})
    return adopted


def title_of(entry: JsonObject) -> str:
    """The first words of an entry's text, at most 60 characters."""
    content = entry.get("content")
    if not isinstance(content, str):
        return ""
    title = " ".join(content[: 20 * _TITLE_LENGTH].split()[:_TITLE_WORDS])
    if len(title) <= _TITLE_LENGTH:
        return title
    return title[: _TITLE_LENGTH - 1].rstrip() + "…"


def _base(state: State, record: JsonObject) -> None:
    state.title = str(record["title"])
    state.created = str(record["created"])
    state.entries = _objects(record["messages"])
    state.draft = []
    state.stores_started = False
    state.take_books(record)
    state.count_in(state.entries)


def _append(state: State, record: JsonObject) -> None:
    (entry,) = _objects([record["entry"]])
    state.entries.append(entry)
    state.count_in((entry,))
    if entry.get("role") == "assistant":
        state.end_draft()
    if not state.title and entry.get("role") == "user":
        state.title = title_of(entry)


def _amend(state: State, record: JsonObject) -> None:
    at = _index(record["at"], len(state.entries) - 1)
    (changes,) = _objects([record["changes"]])
    entry = {**state.entries[at], **changes}
    for key in [key for key, value in changes.items() if value is None]:
        del entry[key]
    state.entries[at] = entry
    if at == state.draft_at and "content" in changes:
        state.end_draft()


def _edit(state: State, record: JsonObject) -> None:
    start = _index(record["start"], len(state.entries))
    stop = _index(record["stop"], len(state.entries))
    entries = _objects(record["entries"])
    state.entries[start:stop] = entries
    state.count_in(entries)


def _draft(state: State, record: JsonObject) -> None:
    text = record["text"]
    if isinstance(text, str):
        at = record.get("at")
        state.draft.append(text)
        state.draft_at = at if isinstance(at, int) else None
    else:
        state.end_draft()


def _title(state: State, record: JsonObject) -> None:
    state.title = str(record["title"])


def _model(state: State, record: JsonObject) -> None:
    state.main_model = str(record["model"])


def _issue(state: State, record: JsonObject) -> None:
    state.last_tool_call_id = max(state.last_tool_call_id, _count(record["last"]))


def _spend(state: State, record: JsonObject) -> None:
    state.agent_tokens = _count(record["total"])


def _begin(state: State, _: JsonObject) -> None:
    state.stores_started = True


_ACTS: dict[str, Callable[[State, JsonObject], None]] = {
    "base": _base,
    "append": _append,
    "amend": _amend,
    "edit": _edit,
    "draft": _draft,
    "title": _title,
    "model": _model,
    "issue": _issue,
    "spend": _spend,
    "begin": _begin,
}


def _objects(values: JsonValue) -> list[JsonObject]:
    if not isinstance(values, list):
        raise ValueError("a list of entries was expected")
    objects = [value for value in values if isinstance(value, dict)]
    if len(objects) != len(values):
        raise ValueError("each entry must be an object")
    return objects


def _index(value: JsonValue, most: int) -> int:
    if not isinstance(value, int) or not 0 <= value <= most:
        raise IndexError(f"there is no entry {value!r}")
    return value


def _word(value: JsonValue) -> str:
    return value if isinstance(value, str) else ""


def _count(value: JsonValue) -> int:
    return value if isinstance(value, int) and value > 0 else 0


def _last_call(entry: JsonObject) -> int:
    """The highest tool call id that an entry bears, in its calls and inner calls."""
    last = _count(entry.get("toolCallId"))
    for key in ("tool_calls", "inner"):
        calls = entry.get(key)
        if isinstance(calls, list):
            last = max(last, *(_last_call(call) for call in calls if isinstance(call, dict)), 0)
    return last

"""What edits mean, as plain functions of the entries: replies, alternatives, tool call ids."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from studio_qt.errors import StudioError
from studio_qt.jsontext import JsonObject

__all__ = [
    "active_ids",
    "check_index",
    "edit_event",
    "is_reply",
    "last_question",
    "moments",
    "reply_at",
    "responses",
]

Entries = Sequence[JsonObject]


def check_index(entries: Entries, index: int) -> JsonObject:
    """Return the entry at a position; raises StudioError where there is none."""
    if isinstance(index, bool) or not isinstance(index, int) or not 0 <= index < len(entries):
        raise StudioError(f"There is no entry {index}; the conversation has {len(entries)}.")
    return entries[index]


def is_reply(entry: JsonObject) -> bool:
    """Whether an entry belongs to a reply: the model's words, or a tool's answer to it."""
    return entry["role"] in ("assistant", "tool")


def active_ids(entries: Entries) -> set[int]:
    """Return the tool call ids in what is not rejected, inner ones included (HOOK-05)."""
    return {found for entry in entries if not entry.get("rejected") for found in _ids(entry)}


def edit_event(before: Entries, after: Entries) -> JsonObject | None:
    """Return what afterUserEdit is told of an edit, None when no tool call went (HOOK-05)."""
    left = active_ids(after)
    gone = sorted(active_ids(before) - left)
    if not gone:
        return None
    return {"deletedToolCallIds": list(gone), "lastViableToolCallId": max(left, default=0)}


def last_question(entries: Entries) -> int:
    """Return the position of the last user message; raises StudioError when there is none."""
    for at in range(len(entries) - 1, -1, -1):
        if entries[at]["role"] == "user":
            return at
    raise StudioError("There is no message to answer yet. Send one first.")


def responses(entries: Entries, turn: object) -> list[list[int]]:
    """Return the replies of a turn, each as the positions of its entries, in the order made."""
    found: dict[object, list[int]] = {}
    for at, entry in enumerate(entries):
        if entry.get("turn") == turn and is_reply(entry):
            key = entry.get("response", bool(entry.get("rejected")))
            found.setdefault(key, []).append(at)
    return list(found.values())


def reply_at(entries: Entries, index: int) -> list[int]:
    """Return the positions of the whole reply that the entry at `index` belongs to.

    Raises StudioError when the entry is no part of a reply.
    """
    entry = check_index(entries, index)
    for positions in responses(entries, entry.get("turn")):
        if index in positions:
            return positions
    raise StudioError(f"Entry {index} is no part of a reply; choose a reply of the character.")


def moments(entries: Entries, stop: int) -> Iterator[tuple[int, str | None]]:
    """Yield where to look for the stores "as of then", best first: (turn, id of the last entry).

    `stop` is the position after the last entry that counts. A turn whose answer does not count
    has not ended there: the moment is then the end of the turn before.
    """
    kept = entries[:stop]
    answered = [entry for entry in kept if is_reply(entry) and not entry.get("rejected")]
    last = answered[-1] if answered else None
    if kept and (asked := kept[-1]) is not last and asked["role"] == "user":
        last = next((e for e in reversed(answered) if e.get("turn") != asked.get("turn")), None)
    if last is None:
        yield 0, None
        return
    turn = last.get("turn")
    number = turn if isinstance(turn, int) else 0
    following = [e for e in entries if e.get("turn") == turn and _number(e) >= _number(last)]
    others = [e for e in following if is_reply(e) and e.get("response") != last.get("response")]
    end = min((_number(e) for e in others), default=None)
    within = [e for e in following if end is None or _number(e) < end]
    for entry in sorted(within, key=_number, reverse=True):
        yield number, str(entry["id"])
    if not others:
        yield number, None


def _number(entry: JsonObject) -> int:
    """Return the number in an entry's id: entries were made in this order."""
    digits = str(entry.get("id", "e0")).lstrip("e")
    return int(digits) if digits.isdecimal() else 0


def _ids(entry: JsonObject) -> Iterator[int]:
    for key in ("tool_calls", "inner"):
        calls = entry.get(key)
        for call in calls if isinstance(calls, list) else ():
            if isinstance(call, dict) and isinstance(call.get("toolCallId"), int):
                yield int(str(call["toolCallId"]))
    if isinstance(entry.get("toolCallId"), int):
        yield int(str(entry["toolCallId"]))

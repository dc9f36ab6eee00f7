"""Which reply can go on, and what the model is asked for that, as plain functions of the entries.

The model gets the turn as it stands, tool calls included, with the unfinished answer as its own
last words, and behind them a message of ours that asks for the rest. A user message ends the
request, so that endpoints which insist on an order of roles take it. Nothing of it is kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from studio_qt.engine.edits import responses
from studio_qt.engine.history import message_for_model
from studio_qt.errors import StudioError
from studio_qt.jsontext import JsonObject, JsonValue
from studio_qt.providers.model import GO_ON

__all__ = ["Unfinished", "is_unfinished", "unfinished_reply"]

_NOTHING = (
    "There is nothing to continue: only a last reply that was stopped, or cut at the length limit, "
    "can go on."
)


@dataclass(frozen=True, slots=True)
class Unfinished:
    """A reply that can go on.

    `at` is the position of its last entry, with `text`; `asked_at` that of the user's message;
    `response` what tells it from the other ones of its turn. `messages` are those of the running
    turn, the last two the unfinished answer and the request to go on.
    """

    at: int
    asked_at: int
    response: JsonValue
    text: str
    messages: tuple[JsonObject, ...]


def is_unfinished(entry: JsonObject) -> bool:
    """Whether an entry is an answer that broke off: words, no tool calls, and a mark."""
    return bool(
        entry.get("role") == "assistant"
        and not entry.get("rejected")
        and (entry.get("stopped") or entry.get("cut"))
        and isinstance(entry.get("content"), str)
        and entry["content"]
        and not entry.get("tool_calls")
    )


def unfinished_reply(entries: Sequence[JsonObject]) -> Unfinished:
    """Return the last reply where it broke off; raises StudioError where nothing can go on."""
    spoken = [
        at
        for at, entry in enumerate(entries)
        if entry.get("role") != "log" and not entry.get("rejected")
    ]
    at = spoken[-1] if spoken else -1
    turn = entries[at].get("turn") if spoken else None
    asked = [one for one in spoken if entries[one]["role"] == "user"]
    if not spoken or not is_unfinished(entries[at]) or not asked:
        raise StudioError(_NOTHING)
    if entries[asked[-1]].get("turn") != turn:
        raise StudioError(_NOTHING)
    text = str(entries[at]["content"])
    positions = next(found for found in responses(entries, turn) if at in found)
    question = message_for_model(entries[asked[-1]])
    messages: list[JsonObject] = [question] if question else []
    messages += _tool_messages([entries[one] for one in positions])
    messages.append({"role": "assistant", "content": text})
    messages.append({"role": "user", "content": GO_ON})
    return Unfinished(at, asked[-1], entries[at].get("response"), text, tuple(messages))


def _tool_messages(entries: Sequence[JsonObject]) -> list[JsonObject]:
    """Return the calls of a reply with their results, as far as each call has its own."""
    made: list[JsonObject] = []
    for at, entry in enumerate(entries):
        calls = _calls(entry)
        results = [_result(entries[at + 1 :], str(call["id"])) for call in calls]
        found = [result for result in results if result is not None]
        if calls and len(found) == len(calls):
            content = entry.get("content")
            made.append({"role": "assistant", "content": content, "tool_calls": [*calls]})
            made += found
    return made


def _calls(entry: JsonObject) -> list[JsonObject]:
    """Return the tool calls of an entry, without what is ours."""
    calls = entry.get("tool_calls")
    return [
        {key: call[key] for key in ("id", "type", "function") if key in call}
        for call in (calls if isinstance(calls, list) else ())
        if isinstance(call, dict) and "id" in call
    ]


def _result(entries: Sequence[JsonObject], call_id: str) -> JsonObject | None:
    for entry in entries:
        if entry.get("role") == "assistant":
            return None
        if entry.get("role") == "tool" and entry.get("tool_call_id") == call_id:
            return {"role": "tool", "tool_call_id": call_id, "content": entry.get("content")}
    return None

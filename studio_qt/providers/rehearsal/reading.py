"""What Rehearsal takes out of a request: the turn to answer and what stands before it.

Only the head of the messages (system, context, preload, intro) and their tail (the current turn
and the replies just before) are read, so a long conversation costs no more than a short one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from studio_qt.jsontext import JsonObject, JsonValue, decode_object

__all__ = ["ToolAnswer", "Turn", "message_text", "read_turn"]

_HEAD = 8
_TAIL = 12
_LONGEST_JSON = 65_536


@dataclass(frozen=True, slots=True)
class ToolAnswer:
    """A tool's result; `name` is "" where the request does not tell."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Turn:
    """The turn to answer.

    `text` is the user's message; where it is a JSON object (the arguments of a sub-agent with
    several parameters) its values, one a line. `called` says whether tools have already been
    called in this turn. `background` is context and preload; `replies` are the assistant's last
    texts before this turn, newest first.
    """

    text: str
    called: bool
    results: tuple[ToolAnswer, ...]
    system: str
    background: tuple[str, ...]
    intro: str
    replies: tuple[str, ...]
    length: int


def read_turn(messages: Sequence[JsonObject]) -> Turn:
    """Return the turn that `messages` ask to answer; any shape of message is taken."""
    asked = _last_user(messages)
    after = messages[asked + 1 :]
    results = _results(after)
    head = messages[: min(_HEAD, max(asked, 0))] if asked >= 0 else messages[:_HEAD]
    before = messages[max(asked - _TAIL, 0) : max(asked, 0)]
    replies = [message_text(one) for one in reversed(before) if one.get("role") == "assistant"]
    spoken = [
        text for one in head if one.get("role") == "assistant" and (text := message_text(one))
    ]
    return Turn(
        text=_plain(message_text(messages[asked])) if asked >= 0 else "",
        called=bool(results),
        results=results,
        system="\n\n".join(message_text(one) for one in head if one.get("role") == "system"),
        background=tuple(message_text(one) for one in head if _is_file(one)),
        intro=spoken[0] if spoken else "",
        replies=tuple(text for text in replies if text)[:3],
        length=len(messages),
    )


def message_text(message: Mapping[str, JsonValue]) -> str:
    """Return the text of a message: a string, or the text parts of a list; else ""."""
    content = message.get("content")
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    texts = (part.get("text") for part in content if isinstance(part, dict))
    return "\n".join(text for text in texts if isinstance(text, str))


def _is_file(message: JsonObject) -> bool:
    return message.get("role") == "user" and message.get("isFile") is True


def _last_user(messages: Sequence[JsonObject]) -> int:
    for at in range(len(messages) - 1, -1, -1):
        if messages[at].get("role") == "user" and not _is_file(messages[at]):
            return at
    return -1


def _results(messages: Sequence[JsonObject]) -> tuple[ToolAnswer, ...]:
    names: dict[str, str] = {}
    found: list[ToolAnswer] = []
    for message in messages:
        if message.get("role") == "tool":
            name = names.get(str(message.get("tool_call_id")), "")
            found.append(ToolAnswer(name, message_text(message)))
        else:
            names |= _called_names(message)
    return tuple(found)


def _called_names(message: JsonObject) -> dict[str, str]:
    calls = message.get("tool_calls")
    names: dict[str, str] = {}
    for call in calls if isinstance(calls, list) else ():
        function = call.get("function") if isinstance(call, dict) else None
        if isinstance(call, dict) and isinstance(function, dict):
            names[str(call.get("id"))] = str(function.get("name", ""))
    return names


def _plain(text: str) -> str:
    if not text.lstrip().startswith("{") or len(text) > _LONGEST_JSON:
        return text
    try:
        values = decode_object(text).values()
    except ValueError:
        return text
    return "\n".join(str(value) for value in values if isinstance(value, (str, int, float)))

"""The order of roles that a chat template insists on; used only where a profile says so.

Every function takes messages that are already in wire form and returns new ones.
"""

from __future__ import annotations

from collections.abc import Sequence

from studio_qt.jsontext import JsonObject, JsonValue
from studio_qt.providers.profile import Profile

__all__ = ["shaped"]

_BEGIN = "(The conversation begins.)"
_GO_ON = "(Please go on.)"
_NO_REPLY = "(no reply)"


def shaped(messages: Sequence[JsonObject], profile: Profile) -> list[JsonObject]:
    """Return the messages in the order of roles that `profile` asks for."""
    made = list(messages)
    if profile.no_system or profile.single_system:
        made = _fold_system(made, keep=not profile.no_system)
    if profile.reply_after_tool:
        made = _answer_tools(made)
    if profile.merge_same_role:
        made = _merge(made)
    if profile.user_first:
        made = _begin_with_user(made)
    if profile.user_last and made and made[-1].get("role") == "assistant":
        made.append({"role": "user", "content": _GO_ON})
    return made


def _fold_system(messages: Sequence[JsonObject], *, keep: bool) -> list[JsonObject]:
    """One system message at the start when `keep`; all other system text becomes user text."""
    start = 0
    while start < len(messages) and messages[start].get("role") == "system":
        start += 1
    head, rest = list(messages[:start]), list(messages[start:])
    later = [{**m, "role": "user"} if m.get("role") == "system" else m for m in rest]
    if not head:
        return later
    text = _joined([m.get("content") for m in head])
    if keep:
        return [{"role": "system", "content": text}, *later]
    if later and later[0].get("role") == "user":
        first = later.pop(0)
        text = _joined([text, first.get("content")])
    return [{"role": "user", "content": text}, *later]


def _answer_tools(messages: Sequence[JsonObject]) -> list[JsonObject]:
    made: list[JsonObject] = []
    for message in messages:
        if made and made[-1].get("role") == "tool" and message.get("role") == "user":
            made.append({"role": "assistant", "content": _NO_REPLY})
        made.append(message)
    return made


def _merge(messages: Sequence[JsonObject]) -> list[JsonObject]:
    made: list[JsonObject] = []
    for message in messages:
        if made and _mergeable(made[-1], message):
            made[-1] = _merged(made[-1], message)
        else:
            made.append(message)
    return made


def _mergeable(one: JsonObject, two: JsonObject) -> bool:
    return one.get("role") == two.get("role") != "tool"


def _merged(one: JsonObject, two: JsonObject) -> JsonObject:
    """Join two messages; `isFile` stays only when both have it."""
    content = _joined([one.get("content"), two.get("content")]) or two.get("content")
    made = {**one, **two, "content": content}
    if not (one.get("isFile") and two.get("isFile")):
        made.pop("isFile", None)
    return made


def _joined(contents: Sequence[JsonValue]) -> JsonValue:
    """Join contents with a blank line; when one has parts, the whole has parts."""
    if all(not isinstance(content, list) for content in contents):
        return "\n\n".join(c for c in contents if isinstance(c, str) and c)
    parts: list[JsonValue] = []
    for content in contents:
        if isinstance(content, list):
            parts += content
        elif content:
            parts.append({"type": "text", "text": content})
    return parts


def _begin_with_user(messages: Sequence[JsonObject]) -> list[JsonObject]:
    start = next((i for i, m in enumerate(messages) if m.get("role") != "system"), None)
    if start is None or messages[start].get("role") == "user":
        return list(messages)
    begin: JsonObject = {"role": "user", "content": _BEGIN}
    return [*messages[:start], begin, *messages[start:]]

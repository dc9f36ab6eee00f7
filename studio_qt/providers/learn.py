"""What a refusal teaches about an endpoint and model: the profile to try next, or nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from studio_qt.jsontext import JsonObject, JsonValue
from studio_qt.providers.lenient import as_object, objects_in
from studio_qt.providers.profile import Profile
from studio_qt.providers.refusal import Refusal

__all__ = ["Lesson", "lesson"]

_CORE = frozenset({"model", "messages", "stream", "tools"})
_ABOUT_VALUE = re.compile(
    r"too (large|big|high|small|low|long)|at (most|least)|maximum|minimum|between|range|exceed"
    r"|(greater|less|larger|smaller|more|fewer) than|must be (positive|a )|<=|>=|≤|≥|context"
)
_NO_TOOLS = re.compile(
    r"not support (tools?|tool use|tool calling|tool calls|function calling|functions?)\b"
    r"|(tool use|tool calling|function calling|tools?) (is|are) (not|un)"
    r"|no endpoints found that support tool use"
    r"|requires? --jinja|enable-auto-tool-choice|tool-call-parser"
    r"|(unrecognized|unknown|unexpected|unsupported|extra)[^.]{0,40}\btools\b"
)
_ALTERNATE = re.compile(r"roles? must alternate|alternate user/assistant|alternating")
_SYSTEM_FIRST = re.compile(
    r"system message[^.]{0,30} (beginning|first|start)|unexpected role .system. after"
    r"|(only|multiple|more than one)[^.]{0,30}system message"
)
_NO_SYSTEM = re.compile(
    r"system (role|messages?|prompts?)[^.]{0,20} (not|un)(-| )?(support|allow)"
    r"|not support[^.]{0,20}system (role|message|prompt|instruction)"
    r"|developer instruction is not enabled"
)
_USER_FIRST = re.compile(r"(first|start|begin)[^.]{0,40}\buser\b")
_USER_AFTER_TOOL = re.compile(r"unexpected role .user. after role .tool")
_USER_LAST = re.compile(
    r"(last|final|end)[^.]{0,60}(user|not be.{0,12}assistant|but got assistant)|prefill"
)
_NULL_CONTENT = re.compile(
    r"content type: <nil>|content[^.]{0,60}(null|none\b|nil\b|valid string|must be a string)"
    r"|(null|none|nil)[^.]{0,30}content"
)
_EMPTY_CONTENT = re.compile(
    r"content[^.]{0,40}(non-empty|not be empty|is empty|cannot be empty|whitespace)|empty content"
)
_NEEDS_TOOLS = re.compile(r"`?tools=?`? ?(param|must|field)[^.]{0,60}(passed|set|defined|provided)")
_EXTRAS = ("reasoning_content", "reasoning_details", "extra_content")


@dataclass(frozen=True, slots=True)
class Lesson:
    """The profile to try; `lasting` False when only this request should do without."""

    profile: Profile
    notice: str = ""
    lasting: bool = True


def lesson(refusal: Refusal, profile: Profile, body: JsonObject) -> Lesson | None:
    """Return what `refusal` of `body`, made with `profile`, teaches; None when it is no lesson.

    Texts of templates also come with status 500 (llama.cpp), those about tools with 404
    (OpenRouter); a field that is named counts with 400 and 422 only.
    """
    status = refusal.status
    if status in {401, 402, 403, 408, 413, 429} or refusal.page:
        return None
    if taught := _of_tools(refusal.words, profile, body):
        return taught
    if changed := _of_messages(refusal.words, profile, body):
        return Lesson(changed)
    return _of_fields(refusal, profile, body) if status in {400, 422, None} else None


def _of_tools(words: str, profile: Profile, body: JsonObject) -> Lesson | None:
    if "tools" in body and _NO_TOOLS.search(words):
        notice = "The model does not take tools; it was asked without them, so no agent can act."
        return Lesson(replace(profile, takes_tools=False), notice)
    if "tools" not in body and _calls(body) and _NEEDS_TOOLS.search(words):
        return Lesson(replace(profile, tools_with_calls=True))
    return None


def _of_messages(words: str, profile: Profile, body: JsonObject) -> Profile | None:
    if _ALTERNATE.search(words):
        return replace(profile, merge_same_role=True, single_system=True, user_first=True)
    if _NO_SYSTEM.search(words):
        return replace(profile, no_system=True)
    if _SYSTEM_FIRST.search(words):
        return replace(profile, single_system=True)
    if _USER_AFTER_TOOL.search(words):
        return replace(profile, reply_after_tool=True)
    if _last_role(body) == "assistant" and _USER_LAST.search(words):
        return replace(profile, user_last=True)
    if _first_role(body) != "user" and _USER_FIRST.search(words):
        return replace(profile, user_first=True)
    return _of_content(words, profile, body)


def _of_content(words: str, profile: Profile, body: JsonObject) -> Profile | None:
    contents = [(m.get("content"), "tool_calls" in m) for m in objects_in(body.get("messages"))]
    if (None, True) in contents and _NULL_CONTENT.search(words):
        return replace(profile, empty_content="text")
    if not _EMPTY_CONTENT.search(words):
        return None
    if ("", True) in contents:
        return replace(profile, empty_content="null")
    return replace(profile, skips_empty=True) if ("", False) in contents else None


def _of_fields(refusal: Refusal, profile: Profile, body: JsonObject) -> Lesson | None:
    """Look for the name of something that was sent: the innermost things first."""
    if any(_names(refusal, key) and _sent_in_messages(body, key) for key in _EXTRAS):
        return Lesson(replace(profile, returns_extras=False))
    if _names(refusal, "isfile") and _sent_in_messages(body, "isFile"):
        return Lesson(replace(profile, takes_is_file=False))
    if re.search(r"messages[.\[]\S*\bname\b", refusal.words):
        return Lesson(profile.refusing("messages.name"))
    for key in sorted(_schema_keys(body)):
        if _quotes(refusal, key):
            keys = tuple(sorted({*profile.refused_schema_keys, key}))
            return Lesson(replace(profile, refused_schema_keys=keys))
    named = [key for key in body if key not in _CORE and _names(refusal, key)]
    return _without(named[0], refusal, profile) if named else None


def _without(key: str, refusal: Refusal, profile: Profile) -> Lesson:
    """Leave `key` out from now on; only this time when the value was the trouble."""
    other = "max_completion_tokens" if key == "max_tokens" else "max_tokens"
    if key.startswith("max_") and other in refusal.words and not profile.refuses(other):
        renamed = profile.updated({"max_tokens_field": other})
        return Lesson(renamed.refusing(key))
    without = profile.refusing(key)
    if _ABOUT_VALUE.search(refusal.words):
        return Lesson(without, f"The provider refused the value of {key}; it was left out.", False)
    return Lesson(without)


def _names(refusal: Refusal, key: str) -> bool:
    return bool(re.search(rf"(?<![\w$]){re.escape(key.lower())}(?!\w)", refusal.words))


def _quotes(refusal: Refusal, key: str) -> bool:
    return bool(re.search(rf"[\"'`]{re.escape(key.lower())}[\"'`]", refusal.words))


def _schema_keys(body: JsonObject) -> set[str]:
    found: set[str] = set()
    for tool in objects_in(body.get("tools")):
        found |= set(_keys_in(as_object(tool.get("function")).get("parameters")))
    return found - {"type", "properties", "required", "items"}


def _keys_in(schema: JsonValue) -> Iterator[str]:
    """Yield the keys of a schema and of what is in it, names of properties apart."""
    for key, value in as_object(schema).items():
        yield key
        if key == "properties":
            for inner in as_object(value).values():
                yield from _keys_in(inner)
        else:
            yield from _keys_in(value)


def _sent_in_messages(body: JsonObject, key: str) -> bool:
    messages = objects_in(body.get("messages"))
    return any(key in m or any(key in c for c in objects_in(m.get("tool_calls"))) for m in messages)


def _calls(body: JsonObject) -> bool:
    return any("tool_calls" in message for message in objects_in(body.get("messages")))


def _first_role(body: JsonObject) -> str:
    roles = [str(m.get("role")) for m in objects_in(body.get("messages"))]
    return next((role for role in roles if role != "system"), "")


def _last_role(body: JsonObject) -> str:
    messages = objects_in(body.get("messages"))
    return str(messages[-1].get("role")) if messages else ""

"""What of a conversation goes into a file, and the parts that a reader sees of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo
from typing import Literal

from studio_qt.jsontext import JsonObject, JsonValue, decode, encode_pretty

__all__ = ["About", "Chosen", "Part", "chosen_entries", "parts_of", "plain", "time_words"]

_CONTROLS = {code: 0x2400 + code for code in range(32) if chr(code) not in "\t\n"} | {127: 0x2421}
"""Control characters as their pictures: no reader shows them, and some files end at one."""


@dataclass(frozen=True, slots=True)
class About:
    """What a file says of a conversation; `updated` is UTC in ISO form, `zone` None the local."""

    conversation_id: str
    title: str
    character: str
    updated: str = ""
    user: str = "You"
    zone: tzinfo | None = None

    @property
    def heading(self) -> str:
        """The title, or the id where there is none."""
        return self.title.strip() or self.conversation_id


@dataclass(frozen=True, slots=True)
class Chosen:
    """What goes along beside the talk: logs, tools with their calls, what a sub-agent called
    inside of its own call, and the responses that were put aside.
    """

    logs: bool = False
    tools: bool = False
    inner: bool = False
    alternatives: bool = False


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a transcript. `note` is "put aside" or "stopped"; a tool has `given`."""

    kind: Literal["user", "reply", "log", "tool"]
    name: str
    text: str
    time: str = ""
    note: str = ""
    given: str = ""
    inner: bool = False


def chosen_entries(entries: Sequence[JsonObject], chosen: Chosen) -> Iterator[JsonObject]:
    """Yield the entries that are wanted, without what is not wanted of them."""
    for entry in entries:
        role = entry.get("role")
        if entry.get("rejected") is True and not chosen.alternatives:
            continue
        if (role == "log" and not chosen.logs) or (role == "tool" and not chosen.tools):
            continue
        kept = dict(entry)
        if not chosen.inner:
            kept.pop("inner", None)
        if role == "assistant" and not chosen.tools:
            called = kept.pop("tool_calls", None)
            if called and not kept.get("content"):
                continue
        yield kept


def parts_of(entries: Sequence[JsonObject], about: About, chosen: Chosen) -> Iterator[Part]:
    """Yield what a reader sees, in order; a call stands with its result."""
    open_calls: dict[str, JsonObject] = {}
    for entry in chosen_entries(entries, chosen):
        role = entry.get("role")
        if role == "tool":
            call = open_calls.pop(str(entry.get("tool_call_id")), {})
            yield from _tool(entry, call)
            continue
        yield from _unanswered(open_calls)
        open_calls.clear()
        if text := _text(entry.get("content")):
            yield _said(entry, text, about)
        open_calls.update(_calls(entry))
    yield from _unanswered(open_calls)


def plain(text: str) -> str:
    """Return a text with line feeds alone, and pictures in the place of control characters."""
    return text.replace("\r\n", "\n").replace("\r", "\n").translate(_CONTROLS)


def time_words(time: str, zone: tzinfo | None) -> str:
    """Return "2026-11-14 21:43" for a time in ISO form, "" for anything else."""
    try:
        moment = datetime.fromisoformat(time)
    except ValueError:
        return ""
    return moment.astimezone(zone).strftime("%Y-%m-%d %H:%M")


def _said(entry: JsonObject, text: str, about: About) -> Part:
    time = time_words(str(entry.get("time") or ""), about.zone)
    match entry.get("role"):
        case "user":
            return Part("user", about.user, text, time)
        case "log":
            return Part("log", str(entry.get("agentId") or "log"), text, time)
    note = "put aside" if entry.get("rejected") is True else ""
    return Part("reply", about.character, text, time, note or _stopped(entry))


def _stopped(entry: JsonObject) -> str:
    return "stopped" if entry.get("stopped") is True else ""


def _calls(entry: JsonObject) -> dict[str, JsonObject]:
    calls = entry.get("tool_calls")
    listed = calls if isinstance(calls, list) else []
    return {str(call.get("id")): call for call in listed if isinstance(call, dict)}


def _tool(entry: JsonObject, call: JsonObject) -> Iterator[Part]:
    name, given = _name_and_given(call)
    name = name or str(entry.get("name") or entry.get("toolName") or "tool")
    yield Part("tool", name, _text(entry.get("content")), given=given)
    inner = entry.get("inner")
    for one in inner if isinstance(inner, list) else ():
        if isinstance(one, dict):
            yield Part(
                "tool",
                str(one.get("toolName") or "tool"),
                _text(one.get("result")),
                given=_pretty(one.get("args")),
                inner=True,
            )


def _unanswered(calls: dict[str, JsonObject]) -> Iterator[Part]:
    for call in calls.values():
        name, given = _name_and_given(call)
        yield Part("tool", name or "tool", "", note="no result", given=given)


def _name_and_given(call: JsonObject) -> tuple[str, str]:
    match call.get("function"):
        case {"name": str(name), "arguments": str(arguments)}:
            try:
                return name, _pretty(decode(arguments))
            except ValueError:
                return name, arguments
    return "", ""


def _pretty(value: JsonValue) -> str:
    return "" if value is None else encode_pretty(value).rstrip("\n")


def _text(content: JsonValue) -> str:
    """Return a text; what is none is shown as JSON, so that nothing is swallowed."""
    if content is None:
        return ""
    return content if isinstance(content, str) else _pretty(content)

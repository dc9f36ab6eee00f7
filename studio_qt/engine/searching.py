"""Searching all conversations of a data folder, one after the other, off the loop.

Letters of any case match, and an accent matches however it is composed: both sides are folded as
Unicode's canonical caseless matching folds them.
"""

from __future__ import annotations

import asyncio
import logging
import unicodedata
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass

from studio_qt.engine.storage import ConversationSummary, DataFolder
from studio_qt.engine.storage.state import title_of
from studio_qt.errors import StudioError
from studio_qt.jsontext import JsonObject, JsonValue, encode

__all__ = ["FoundEntry", "SearchIn", "fold", "search_conversations", "search_entries"]

_BEFORE, _AFTER = 32, 160
"""Characters of an entry that are told around what was found."""
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class SearchIn:
    """Where to look beside what the user and the character said."""

    logs: bool = False
    tools: bool = False


@dataclass(frozen=True, slots=True)
class FoundEntry:
    """An entry in which the words stand, `count` times; the first of them with what is around it.

    `entry_id` is "" where they stand in the title; `role` is "title" then.
    """

    conversation_id: str
    title: str
    entry_id: str
    role: str
    time: str
    before: str
    match: str
    after: str
    count: int


def fold(text: str) -> str:
    """Return a text as it is compared."""
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFD", unicodedata.normalize("NFD", text).casefold())


async def search_conversations(
    folder: DataFolder, words: str, where: SearchIn, limit: int
) -> AsyncIterator[list[FoundEntry]]:
    """Yield what is found, conversation by conversation, the latest first; `limit` in all.

    One that cannot be read is passed over.
    """
    wanted = fold(words.strip())
    latest = sorted(await folder.summaries(), key=lambda one: (one.updated, one.id), reverse=True)
    for summary in latest if wanted else ():
        try:
            entries = await folder.read_entries(summary.id)
        except StudioError as error:
            _log.info("Not searched: %s", error)
            continue
        found = await asyncio.to_thread(_search, summary, entries, wanted, where, limit)
        limit -= len(found)
        if found:
            yield found
        if limit <= 0:
            return


def search_entries(
    entries: Sequence[JsonObject], wanted: str, where: SearchIn
) -> Iterator[tuple[JsonObject, str, int, int, int]]:
    """Yield entry, text, start, end and count of each entry in which folded words stand.

    Responses that were put aside are passed over.
    """
    for entry in entries:
        if entry.get("rejected") is True:
            continue
        for text in _texts(entry, where):
            if count := fold(text).count(wanted):
                yield entry, text, *_place(text, wanted), count
                break


def _search(
    summary: ConversationSummary,
    entries: Sequence[JsonObject],
    wanted: str,
    where: SearchIn,
    limit: int,
) -> list[FoundEntry]:
    found: list[FoundEntry] = []
    looked_at = [*_title(summary, entries), *entries]
    for entry, text, start, end, count in search_entries(looked_at, wanted, where):
        if len(found) == limit:
            break
        found.append(
            FoundEntry(
                summary.id,
                summary.title,
                str(entry.get("id") or ""),
                str(entry.get("role")),
                str(entry.get("time") or ""),
                _line(text[max(0, start - _BEFORE) : start], cut=start > _BEFORE),
                _line(text[start:end]),
                _line(text[end : end + _AFTER]),
                count,
            )
        )
    return found


def _title(summary: ConversationSummary, entries: Sequence[JsonObject]) -> list[JsonObject]:
    """Return the title as an entry; none where it only repeats the user's first words."""
    first = next((entry for entry in entries if entry.get("role") == "user"), None)
    if first is not None and title_of(first) == summary.title:
        return []
    return [{"role": "title", "content": summary.title, "id": ""}]


def _texts(entry: JsonObject, where: SearchIn) -> Iterator[str]:
    """Yield what of an entry is looked into."""
    role, content = entry.get("role"), entry.get("content")
    wanted = role in ("title", "user", "assistant") or (role == "log" and where.logs)
    if isinstance(content, str) and (wanted or (role == "tool" and where.tools)):
        yield content
    if where.tools:
        for key in ("tool_calls", "inner"):
            calls = entry.get(key)
            for call in calls if isinstance(calls, list) else ():
                yield _call_text(call)


def _call_text(call: JsonValue) -> str:
    match call:
        case {"function": {"name": str(name), "arguments": str(arguments)}}:
            return f"{name} {arguments}"
        case {"toolName": str(name), "args": args, "result": result}:
            return f"{name} {encode(args)} {result}"
    return ""


def _place(text: str, wanted: str) -> tuple[int, int]:
    """Return where in the text itself folded words stand first."""
    if text.isascii():
        start = text.lower().index(wanted)
        return start, start + len(wanted)
    target = fold(text).index(wanted)
    ends = target + len(wanted)
    start, at = -1, 0
    for place, cluster in _clusters(text):
        length = len(fold(cluster))
        if start < 0 and at + length > target:
            start = place
        at += length
        if at >= ends:
            return start, place + len(cluster)
    return max(start, 0), len(text)


def _clusters(text: str) -> Iterator[tuple[int, str]]:
    """Yield each letter with the marks on it, and where it begins."""
    start = 0
    for at in range(1, len(text) + 1):
        if at == len(text) or not unicodedata.combining(text[at]):
            yield start, text[start:at]
            start = at


def _line(text: str, *, cut: bool = False) -> str:
    """Return a text on one line; one that begins in the middle begins with an ellipsis."""
    line = "".join(" " if sign.isspace() else sign for sign in text)
    return f"…{line}" if cut else line

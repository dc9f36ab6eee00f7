"""Where words stand in the entries of a conversation. No Qt in here."""

from __future__ import annotations

import re
from dataclasses import dataclass

from studio_qt.jsontext import JsonObject
from studio_qt.ui.chat.rows import compact_json, inner_call, shown_part

__all__ = ["Hit", "count_hits", "count_words", "entry_hits", "tool_texts"]

_SIGNS = re.compile(r"[*`~]+|(?<![^\W_])_+|_+(?![^\W_])")


@dataclass(frozen=True, slots=True)
class Hit:
    """Words in an entry: the `nth` in what it says, or in the text `tool` of its tool calls."""

    entry: int
    nth: int
    tool: int = -1


def entry_hits(entry: JsonObject, at: int, words: str) -> list[Hit]:
    """Return the hits of folded `words` in the entry at position `at`."""
    hits = [Hit(at, nth) for nth in range(count_hits(entry, words))]
    for which, text in enumerate(tool_texts(entry) if words else ()):
        hits += [Hit(at, nth, which) for nth in range(shown_part(text).casefold().count(words))]
    return hits


def count_hits(entry: JsonObject, words: str) -> int:
    """Return how often folded `words` stand in what an entry says, with or without its signs."""
    content = entry.get("content")
    if entry.get("role") not in ("user", "assistant", "log") or not isinstance(content, str):
        return 0
    return count_words(content, words)


def count_words(text: str, words: str) -> int:
    """Return how often folded `words` stand in a text, with or without its signs."""
    if not words:
        return 0
    folded = text.casefold()
    found = folded.count(words)
    if found or not _SIGNS.search(folded):
        return found
    return _SIGNS.sub("", folded).count(words)


def tool_texts(entry: JsonObject) -> list[str]:
    """Return the arguments of an entry's calls, or the result and the inner calls of a tool's."""
    if entry.get("role") == "tool":
        texts = [str(entry.get("content") or "")]
        inner = entry.get("inner")
        for call in inner if isinstance(inner, list) else ():
            if isinstance(call, dict):
                made = inner_call(call)
                texts += [made.arguments, made.result or ""]
        return texts
    calls = entry.get("tool_calls")
    if entry.get("role") != "assistant" or not isinstance(calls, list):
        return []
    functions = [call.get("function", call) for call in calls if isinstance(call, dict)]
    return [compact_json(made.get("arguments", "")) for made in functions if isinstance(made, dict)]

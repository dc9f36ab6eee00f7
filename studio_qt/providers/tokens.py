"""Estimates of tokens: by the script of the characters, corrected by what servers report."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from studio_qt.jsontext import JsonObject, JsonValue

__all__ = ["corrected", "estimate", "estimate_body"]

_ASCII_PER_TOKEN = 4.0
_OTHER_PER_TOKEN = 2.5  # Greek, Cyrillic, Arabic, accented letters, ...
_WIDE_PER_TOKEN = 1.5  # Chinese, Japanese, Korean, emoji
_EACH_MESSAGE = 4
_NEW_WEIGHT = 0.3
_LOWEST, _HIGHEST = 0.4, 3.0
_SHORT = 50

_WIDE = re.compile(
    "[\u1100-\u11ff\u2e80-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\uff00-\uffef"
    "\U0001f000-\U0001ffff\U00020000-\U0003ffff]"
)
_NOT_ASCII = re.compile("[^\x00-\x7f]")


def estimate(text: str, ratio: float = 1.0) -> int:
    """Return the estimated number of tokens, rounded up; `ratio` is what was learned."""
    if text.isascii():
        return math.ceil(len(text) / _ASCII_PER_TOKEN * ratio)
    narrow = _WIDE.sub("", text)
    plain = len(_NOT_ASCII.sub("", narrow))
    wide = (len(text) - len(narrow)) / _WIDE_PER_TOKEN
    other = (len(narrow) - plain) / _OTHER_PER_TOKEN
    return math.ceil((plain / _ASCII_PER_TOKEN + other + wide) * ratio)


def estimate_body(body: JsonObject, ratio: float = 1.0) -> int:
    """Return the estimate for a whole request: messages with their frame, and tools."""
    messages = body.get("messages")
    count = sum(_message(item, ratio) for item in messages) if isinstance(messages, list) else 0
    tools = body.get("tools")
    return count + (estimate(_encoded(tools), ratio) if tools else 0)


def corrected(ratio: float, estimated: int, reported: int) -> float:
    """Return the ratio after a report: `estimated` was made with `ratio`; short texts say little.

    A report moves it by a third of the way. One far off tells of something else than the language
    of the text, such as a server that counts only what it had not read before, and moves nothing.
    """
    seen = ratio * reported / max(estimated, 1)
    if estimated < _SHORT or not _LOWEST <= seen <= _HIGHEST:
        return ratio
    return round(ratio + _NEW_WEIGHT * (seen - ratio), 3)


def _message(message: JsonValue, ratio: float) -> int:
    if not isinstance(message, dict):
        return 0
    content = message.get("content")
    text = content if isinstance(content, str) else _encoded(content) if content else ""
    calls = message.get("tool_calls")
    called = estimate(_encoded(calls), ratio) if calls else 0
    return _EACH_MESSAGE + estimate(text, ratio) + called


def _encoded(value: JsonValue) -> str:
    from studio_qt.jsontext import encode  # slow to import; texts are estimated without it

    return encode(value)

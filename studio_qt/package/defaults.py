"""Default stores: `{agentId}.agent.json` in the package's root (PKG-09)."""

from __future__ import annotations

from studio_qt.errors import Problem
from studio_qt.files.source import Source
from studio_qt.jsontext import JsonValue, decode_object
from studio_qt.package.reading import read_text

__all__ = ["read_default_store", "without_tool_call_ids"]

_LARGEST = 16 * 1024 * 1024


def read_default_store(source: Source, agent_id: str) -> tuple[str | None, tuple[Problem, ...]]:
    """Return the text of the agent's default store, None when absent or no JSON object.

    An id that is no plain name has none.
    """
    path = f"{agent_id}.agent.json"
    if "/" in path:
        return None, ()
    reading = read_text(source, path, limit=_LARGEST)
    if reading.text is None:
        return None, () if reading.problem is None else (reading.problem,)
    try:
        decode_object(reading.text)
    except ValueError as error:
        line = getattr(error, "lineno", None)
        message = (
            f'is no JSON object, so "{agent_id}" starts with an empty store: '
            f"{getattr(error, 'msg', error)}."
        )
        return None, (Problem("error", path, line, message),)
    return reading.text, ()


def without_tool_call_ids(value: JsonValue) -> JsonValue:
    """Return a copy of `value` without any `toolCallId` field, at whatever depth."""
    if isinstance(value, dict):
        return {
            key: without_tool_call_ids(inner) for key, inner in value.items() if key != "toolCallId"
        }
    if isinstance(value, list):
        return [without_tool_call_ids(inner) for inner in value]
    return value

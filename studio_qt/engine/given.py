"""What callers hand in, checked before anything happens: texts, arguments, stores."""

from __future__ import annotations

import json

from studio_qt.engine.store_text import read_store_text, store_text_of
from studio_qt.errors import AgentError, StudioError
from studio_qt.jsontext import JsonObject, encode
from studio_qt.sandbox.frames import NESTING_CAP, STORE_CAP
from studio_qt.sandbox.workers.nesting import nested_deeper_than

__all__ = ["check_arguments", "check_message", "check_text", "checked_store", "store_of"]


def check_text(value: object) -> None:
    """Raise StudioError unless `value` is a string."""
    if not isinstance(value, str):
        raise StudioError(f"A text was expected, not {type(value).__name__}.")


def check_message(text: object) -> None:
    """Raise StudioError unless `text` is a string that says something."""
    check_text(text)
    if not str(text).strip():
        raise StudioError("There is nothing to send. Write a message first.")


def check_arguments(name: object, arguments: object) -> None:
    """Raise AgentError unless these are a tool's name and arguments that JSON can hold."""
    if not isinstance(name, str):
        raise AgentError(f"The name of a tool must be a text, not {type(name).__name__}.")
    if not isinstance(arguments, dict):
        raise AgentError(f"The arguments of {name} must be an object: a dict with text keys.")
    try:
        _encoded(arguments)
    except ValueError as error:
        raise AgentError(f"The arguments of {name} are not JSON: {error}") from error


def checked_store(agent_id: str, text: str) -> str:
    """Return JSON text as a store is kept; raises StudioError as `store_of` does; blocks."""
    try:
        checked = store_text_of(read_store_text(text))
    except ValueError as error:
        raise StudioError(f"The store of {agent_id} is not JSON: {error}") from error
    return _bounded(agent_id, checked)


def store_of(agent_id: str, value: JsonObject) -> str:
    """Return a store as JSON text; raises StudioError for what no agent could have stored."""
    if not isinstance(value, dict):
        raise StudioError("A store must be an object: a dict with text keys.")
    try:
        text = _encoded(value)
    except ValueError as error:
        raise StudioError(f"The store of {agent_id} is not JSON: {error}") from error
    return _bounded(agent_id, text)


def _bounded(agent_id: str, text: str) -> str:
    """Return a store's text; raises StudioError where it is too large or too deep."""
    data = text.encode()
    if len(data) > STORE_CAP:
        raise StudioError(f"The store of {agent_id} is larger than {STORE_CAP >> 20} MB.")
    if nested_deeper_than(data, NESTING_CAP):
        raise StudioError(f"The store of {agent_id} is nested over {NESTING_CAP} deep.")
    return text


def _encoded(value: object) -> str:
    try:
        json.dumps(value)  # stricter than our encoder, which takes sets and bytes
    except (TypeError, RecursionError) as error:
        raise ValueError(str(error)) from error
    return encode(value)

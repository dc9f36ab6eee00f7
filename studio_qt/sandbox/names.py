"""How a handler that the engine knows under one name is called in each language (EXP-04)."""

from __future__ import annotations

from types import MappingProxyType

__all__ = ["engine_name", "handler_name"]

_SNAKE = MappingProxyType(
    {
        "onLoad": "on_load",
        "onToolCall": "on_tool_call",
        "onConversationStart": "on_conversation_start",
        "onBeforeResponse": "on_before_response",
        "onAfterResponse": "on_after_response",
        "onAfterToolCall": "on_after_tool_call",
        "onAfterUserEdit": "on_after_user_edit",
    }
)
_CAMEL = MappingProxyType({own: engine for engine, own in _SNAKE.items()})
_SNAKE_LANGUAGES = frozenset({"python", "lua"})


def handler_name(language: str, name: str) -> str:
    """Return what an agent in `language` calls the handler that the engine calls `name`.

    Handlers of commands keep the name that the manifest declares.
    """
    return _SNAKE.get(name, name) if language in _SNAKE_LANGUAGES else name


def engine_name(language: str, name: str) -> str | None:
    """Return the engine's name of an exported function; None when it can never be called.

    A Python function called `onLoad` is no handler, because the engine asks for `on_load`.
    """
    if language not in _SNAKE_LANGUAGES:
        return name
    return None if name in _SNAKE else _CAMEL.get(name, name)

"""How a conversation looks: as text for people, or as one JSON object a line for programs."""

from __future__ import annotations

import os
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import TextIO

from studio_qt.engine.player import CharacterPlayer
from studio_qt.errors import AgentError, ModelError
from studio_qt.jsontext import JsonObject, JsonValue, encode

__all__ = ["JsonOutput", "Output", "TextOutput", "harmless"]

_DIM, _PLAIN = "\x1b[2m", "\x1b[0m"
_LONGEST_RESULT = 300


def harmless(text: str) -> str:
    """Return `text` without control characters, so that no reply can steer the terminal."""
    return "".join(char for char in text if char in "\n\t" or char.isprintable() or ord(char) > 159)


class Output(ABC):
    """What the player and the commands say; one of these for a run."""

    def follow(self, player: CharacterPlayer) -> None:
        """Subscribe to everything that is shown; before the player is opened."""
        for name, callback in self._callbacks().items():
            player.on(name, callback)

    @abstractmethod
    def answer(self, name: str, lines: Sequence[str], data: JsonValue) -> None:
        """Show what a / command found: `lines` for people, `data` for programs."""

    @abstractmethod
    def failed(self, error: Exception) -> None:
        """Show an error that ended a message or a command."""

    @abstractmethod
    def _callbacks(self) -> dict[str, Callable[..., None]]:
        """Return what listens to which event."""


class TextOutput(Output):
    """Replies stream to stdout as they come; tool calls and logs are dim lines between them."""

    def __init__(self, out: TextIO | None = None, errors: TextIO | None = None) -> None:
        self._out = out or sys.stdout
        self._errors = errors or sys.stderr
        self._styled = self._out.isatty() and "NO_COLOR" not in os.environ
        self._in_line = False
        self._streamed = False
        self._broken = False

    def answer(self, name: str, lines: Sequence[str], data: JsonValue) -> None:  # noqa: ARG002
        """Write the lines."""
        for line in lines:
            self._line(line)

    def failed(self, error: Exception) -> None:
        """Write one line to stderr, and how to go on."""
        self._end_line()
        self._errors.write(f"studio-qt: {' '.join(harmless(str(error)).split())}\n")
        if isinstance(error, ModelError):
            self._errors.write("(nothing is lost; /retry asks again)\n")
        self._errors.flush()

    def aside(self, text: str) -> None:
        """Show what is not part of the talk."""
        self._line(text, dim=True)

    def _callbacks(self) -> dict[str, Callable[..., None]]:
        return {
            "token": self._on_token,
            "message": self._on_message,
            "toolCall": self._on_tool_call,
            "agentLog": lambda text: self.aside(f"· {text}"),
            "agentToast": lambda text: self.aside(f"* {text}"),
            "turn": self._on_turn,
            "error": self._on_error,
        }

    def _on_token(self, text: str) -> None:
        shown = harmless(text)
        self._out.write(shown)
        self._out.flush()
        self._streamed = True
        self._in_line = not shown.endswith("\n") if shown else self._in_line

    def _on_message(self, message: JsonObject) -> None:
        if not self._streamed:
            self._line(str(message["content"]))
        self._end_line()

    def _on_tool_call(self, call: JsonObject) -> None:
        result = " ".join(str(call["result"]).split())
        if len(result) > _LONGEST_RESULT:
            result = f"{result[:_LONGEST_RESULT]}…"
        inner = "  " if "parentToolCallId" in call else ""
        self.aside(f"{inner}> {call['toolName']} {encode(call['args'])} = {result}")

    def _on_turn(self, turn: JsonObject) -> None:
        if turn["state"] == "started":
            self._streamed = self._broken = False
        elif turn["state"] == "waiting":
            self.aside(f"({turn['detail']})")
        elif turn["state"] == "finished" and turn["stopped"] and not self._broken:
            self.aside("(stopped)")

    def _on_error(self, error: Exception) -> None:
        if isinstance(error, AgentError):
            self.failed(error)
        else:
            self._broken = True  # it ends the message, and is shown there

    def _line(self, text: str, *, dim: bool = False) -> None:
        self._end_line()
        shown = harmless(text)
        self._out.write(f"{_DIM}{shown}{_PLAIN}\n" if dim and self._styled else f"{shown}\n")
        self._out.flush()

    def _end_line(self) -> None:
        if self._in_line:
            self._out.write("\n")
            self._out.flush()
        self._in_line = False


class JsonOutput(Output):
    """One `{"event", "data"}` a line on stdout: the player's events and the commands' answers."""

    _NAMES = ("message", "token", "agentLog", "agentToast", "toolCall", "reload", "turn")

    def __init__(self, out: TextIO | None = None) -> None:
        self._out = out or sys.stdout
        self._told: Exception | None = None

    def answer(self, name: str, lines: Sequence[str], data: JsonValue) -> None:  # noqa: ARG002
        """Write the value under the command's name."""
        self._event(name, data)

    def failed(self, error: Exception) -> None:
        """Write an `error` event unless the player has said the same already."""
        if error is not self._told:  # the player's own `error` event has said it otherwise
            self._on_error(error)

    def _callbacks(self) -> dict[str, Callable[..., None]]:
        callbacks: dict[str, Callable[..., None]] = {
            name: self._teller(name) for name in self._NAMES
        }
        return {**callbacks, "error": self._on_error}

    def _teller(self, name: str) -> Callable[[JsonValue], None]:
        return lambda data: self._event(name, data)

    def _on_error(self, error: Exception) -> None:
        self._told = error
        data: JsonObject = {"type": type(error).__name__, "message": str(error)}
        if isinstance(error, ModelError):
            data.update(status=error.status, retryAfter=error.retry_after)
        self._event("error", data)

    def _event(self, name: str, data: object) -> None:
        self._out.write(f"{encode({'event': name, 'data': data})}\n")
        self._out.flush()

"""Every setting, declared once: type, default, range and label.

The library reads nothing from the machine: a `PlayerSettings` is what the caller gives. What the
application keeps for the user lives below `home_folder()`.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, get_args, get_type_hints

import platformdirs

from studio_qt.errors import StudioError

__all__ = ["PlayerSettings", "Setting", "cache_folder", "home_folder"]


@dataclass(frozen=True, slots=True)
class Setting:
    """What a form shows of a setting, and the range that its value must keep (ends included)."""

    label: str
    low: float | None = None
    high: float | None = None

    def check(self, name: str, value: object, hint: object) -> None:
        """Raise StudioError, naming `name`, when a value is no `hint` or out of the range."""
        kinds = get_args(hint) or (hint,)
        fits = type(value) in kinds or (type(value) is int and float in kinds)
        if not fits:
            names = " or ".join(getattr(kind, "__name__", str(kind)) for kind in kinds)
            raise StudioError(f"{name} is {value!r}; it must be {names}.")
        if not isinstance(value, (int, float)):
            return
        if self.low is not None and value < self.low:
            raise StudioError(f"{name} is {value}; it must be {self.low} or more.")
        if self.high is not None and value > self.high:
            raise StudioError(f"{name} is {value}; it must be {self.high} or less.")


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerSettings:
    """How a character is played; the user's choice alone, never the package's (CAP-01).

    Times are in seconds, sizes in mebibytes, lengths in estimated tokens. None means: as the
    endpoint's profile says. Raises StudioError when a number is out of its range.
    """

    agent_tokens_per_response: Annotated[int, Setting("Agent tokens per response", 0)] = 32_000
    agent_tokens_per_conversation: Annotated[int, Setting("Agent tokens per conversation", 0)] = (
        1_000_000
    )
    max_rounds: Annotated[int, Setting("Model calls per response", 1, 100)] = 10
    size_warning_tokens: Annotated[int, Setting("Size warning for sub-agents", 0)] = 24_000
    call_timeout: Annotated[float, Setting("Time limit of an agent call", 0.05, 600)] = 8.0
    model_call_timeout: Annotated[float, Setting("Time limit with model calls", 0.05, 3600)] = 120.0
    agent_memory_mb: Annotated[int, Setting("Memory of an agent", 8, 4096)] = 256
    web_access: Annotated[bool, Setting("Web access for agents")] = False
    send_is_file: Annotated[bool | None, Setting("Send isFile to the provider")] = None
    merge_same_role: Annotated[bool | None, Setting("Merge messages of one role")] = None
    context_window: Annotated[int | None, Setting("Context window", 256)] = None
    model_takes_tools: Annotated[bool | None, Setting("Model takes tools")] = None
    persona: Annotated[str | None, Setting("Persona")] = None
    temperature: Annotated[float | None, Setting("Temperature", 0, 2)] = None
    top_p: Annotated[float | None, Setting("Top P", 0, 1)] = None
    max_tokens: Annotated[int | None, Setting("Longest reply", 1)] = None

    def __post_init__(self) -> None:
        for name, hint in get_type_hints(type(self), include_extras=True).items():
            kind, *settings = get_args(hint)
            for setting in settings:
                setting.check(name, getattr(self, name), kind)


def home_folder() -> Path:
    """Where the application keeps everything for the user; `STUDIO_QT_HOME` moves it."""
    if chosen := os.environ.get("STUDIO_QT_HOME"):
        return Path(chosen).expanduser().absolute()
    return Path(platformdirs.user_data_dir("studio_qt", appauthor=False))


def cache_folder() -> Path:
    """Where what can be made again is kept for the user; it need not be there yet.

    `STUDIO_QT_CACHE` moves it; else it goes with `STUDIO_QT_HOME` where that is set.
    """
    if chosen := os.environ.get("STUDIO_QT_CACHE"):
        return Path(chosen).expanduser().absolute()
    if os.environ.get("STUDIO_QT_HOME"):
        return home_folder() / "cache"
    return Path(platformdirs.user_cache_dir("studio_qt", appauthor=False))

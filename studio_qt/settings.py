"""Every setting, declared once: type, default, range and label.

The library reads nothing from the machine: a `PlayerSettings` is what the caller gives. What the
application keeps for the user lives below `home_folder()`.
"""

from __future__ import annotations

import math
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal, NamedTuple, get_args, get_type_hints

from studio_qt.errors import StudioError

__all__ = ["PlayerSettings", "Setting", "cache_folder", "home_folder"]


class Setting(NamedTuple):
    """What a form shows of a setting, and what its value must keep.

    `low` and `high` are included. `choices` are pairs of a value and its words, and then nothing
    else is allowed. `unit` stands behind the field, `unset` are the words for None. `group` names
    the page, `kind` what the field is when the type alone does not tell: several lines of text, a
    typeface, a language of spelling.
    """

    label: str
    low: float | None = None
    high: float | None = None
    help: str = ""
    group: str = ""
    unit: str = ""
    unset: str = "not set"
    choices: tuple[tuple[str, str], ...] = ()
    kind: Literal["", "text", "face", "language"] = ""

    def check(self, name: str, value: object, hint: object) -> None:
        """Raise StudioError, naming `name`, when a value is no `hint` or out of the range."""
        kinds = get_args(hint) or (hint,)
        fits = type(value) in kinds or (type(value) is int and float in kinds)
        if not fits:
            names = " or ".join(getattr(kind, "__name__", str(kind)) for kind in kinds)
            raise StudioError(f"{name} is {value!r}; it must be {names}.")
        if self.choices and value not in {choice for choice, _ in self.choices}:
            allowed = ", ".join(choice for choice, _ in self.choices)
            raise StudioError(f"{name} is {value!r}; it must be one of {allowed}.")
        if not isinstance(value, (int, float)):
            return
        if not math.isfinite(value):
            raise StudioError(f"{name} is {value}; it must be a number.")
        if self.low is not None and value < self.low:
            raise StudioError(f"{name} is {value}; it must be {self.low} or more.")
        if self.high is not None and value > self.high:
            raise StudioError(f"{name} is {value}; it must be {self.high} or less.")


_PROFILE = "as the endpoint's profile says"
_PROVIDER = "as the provider decides"


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerSettings:
    """How a character is played; the user's choice alone, never the package's (CAP-01).

    Times are in seconds, sizes in mebibytes, lengths in estimated tokens. None means: as the
    endpoint's profile says. Raises StudioError when a number is out of its range.
    """

    agent_tokens_per_response: Annotated[
        int,
        Setting(
            "Agent tokens per response",
            0,
            help="So many tokens may agents and sub-agents spend while one message is answered. "
            "0 lets them ask no model.",
            group="caps",
            unit="tokens",
        ),
    ] = 32_000
    agent_tokens_per_conversation: Annotated[
        int,
        Setting(
            "Agent tokens per conversation",
            0,
            help="The sum over a whole conversation; it is kept with the conversation.",
            group="caps",
            unit="tokens",
        ),
    ] = 1_000_000
    max_rounds: Annotated[
        int,
        Setting(
            "Model calls per response",
            1,
            100,
            help="A model that goes on calling tools is stopped after so many calls.",
            group="caps",
            unit="calls",
        ),
    ] = 10
    size_warning_tokens: Annotated[
        int,
        Setting(
            "Size warning for sub-agents",
            0,
            help="The prompt of a sub-agent that is longer is marked when it is written.",
            group="caps",
            unit="tokens",
        ),
    ] = 24_000
    call_timeout: Annotated[
        float,
        Setting(
            "Time limit of an agent call",
            0.05,
            600,
            help="An agent that has not answered by then is stopped; nothing of its call is kept.",
            group="agents",
            unit="seconds",
        ),
    ] = 8.0
    model_call_timeout: Annotated[
        float,
        Setting(
            "Time limit with model calls",
            0.05,
            3600,
            help="The same for a call in which an agent asks a model.",
            group="agents",
            unit="seconds",
        ),
    ] = 120.0
    agent_memory_mb: Annotated[
        int,
        Setting(
            "Memory of an agent",
            8,
            4096,
            help="An agent that wants more is stopped. It counts from the next opening on.",
            group="agents",
            unit="MB",
        ),
    ] = 256
    web_access: Annotated[
        bool,
        Setting(
            "Web access for agents",
            help="Agents may read public web pages. Your own network stays out of their reach.",
            group="agents",
        ),
    ] = False
    send_is_file: Annotated[
        bool | None,
        Setting(
            "Send isFile to the provider",
            help="Marks the messages that hold files. Most providers refuse the mark.",
            group="models",
            unset=_PROFILE,
        ),
    ] = None
    merge_same_role: Annotated[
        bool | None,
        Setting(
            "Merge messages of one role",
            help="Joins neighbours, for models that want user and assistant by turns.",
            group="models",
            unset=_PROFILE,
        ),
    ] = None
    context_window: Annotated[
        int | None,
        Setting(
            "Context window",
            256,
            help="Conversations are cut to this length. Set it where the server gives less than "
            "its model list says.",
            group="models",
            unit="tokens",
            unset="as the model list says",
        ),
    ] = None
    model_takes_tools: Annotated[
        bool | None,
        Setting(
            "Model takes tools",
            help="Without tools no agent can act; some models only get confused by them.",
            group="models",
            unset=_PROFILE,
        ),
    ] = None
    persona_name: Annotated[
        str | None,
        Setting(
            "Your name",
            help="What characters may call you. It is sent in a message after the context files.",
            group="persona",
            unset="characters are not told",
        ),
    ] = None
    persona: Annotated[
        str | None,
        Setting(
            "About you",
            help="Who you are in the story: looks, past, what the character knows of you. It is "
            "sent after your name, in every conversation.",
            group="persona",
            unset="characters are not told",
            kind="text",
        ),
    ] = None
    temperature: Annotated[
        float | None,
        Setting(
            "Temperature",
            0,
            2,
            help="Low keeps close to the likeliest words, high is more surprising.",
            group="sampling",
            unset=_PROVIDER,
        ),
    ] = None
    top_p: Annotated[
        float | None,
        Setting(
            "Top P",
            0,
            1,
            help="Leaves out the unlikeliest words; 1 leaves out none.",
            group="sampling",
            unset=_PROVIDER,
        ),
    ] = None
    max_tokens: Annotated[
        int | None,
        Setting(
            "Longest reply",
            1,
            help="A reply that is cut there can be continued.",
            group="sampling",
            unit="tokens",
            unset=_PROVIDER,
        ),
    ] = None

    def __post_init__(self) -> None:
        for name, hint in get_type_hints(type(self), include_extras=True).items():
            kind, *settings = get_args(hint)
            for setting in settings:
                setting.check(name, getattr(self, name), kind)


def home_folder() -> Path:
    """Where the application keeps everything for the user; `STUDIO_QT_HOME` moves it."""
    if chosen := os.environ.get("STUDIO_QT_HOME"):
        return Path(chosen).expanduser().absolute()
    import platformdirs  # not for the first paint where the place is given

    return Path(platformdirs.user_data_dir("studio_qt", appauthor=False))


def cache_folder() -> Path:
    """Where what can be made again is kept for the user; it need not be there yet.

    `STUDIO_QT_CACHE` moves it; else it goes with `STUDIO_QT_HOME` where that is set.
    """
    if chosen := os.environ.get("STUDIO_QT_CACHE"):
        return Path(chosen).expanduser().absolute()
    if os.environ.get("STUDIO_QT_HOME"):
        return home_folder() / "cache"
    import platformdirs

    return Path(platformdirs.user_cache_dir("studio_qt", appauthor=False))

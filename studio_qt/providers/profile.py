"""What an endpoint and model accept: guessed from the kind of server, then learned."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal, Self, get_type_hints

import msgspec

from studio_qt.jsontext import JsonObject
from studio_qt.providers.endpoint import ServerKind

__all__ = ["Overrides", "Profile", "guessed"]


@dataclass(frozen=True, slots=True)
class Profile:
    """How requests for one endpoint and model are shaped.

    A field that was refused stays in `refused_fields` (message keys as `messages.KEY`) and is left
    out from then on. `takes_tools` None means that nobody has said no yet. `extra_body` goes to
    the top level of each request. `opens_thinking`: replies begin inside a reasoning block whose
    opening tag the server swallowed. `token_ratio` corrects the estimate of tokens.
    """

    takes_tools: bool | None = None
    takes_is_file: bool = False
    merge_same_role: bool = False
    single_system: bool = False  # one system message, the first; later ones become user text
    no_system: bool = False
    user_first: bool = False
    user_last: bool = False
    reply_after_tool: bool = False  # no user message directly after a tool's
    skips_empty: bool = False  # no message without content
    tools_with_calls: bool = False  # calls in the messages need the tools to be declared
    returns_extras: bool = True
    empty_content: Literal["null", "text"] = "null"  # beside tool calls
    max_tokens_field: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    refused_fields: tuple[str, ...] = ()
    refused_schema_keys: tuple[str, ...] = ()
    opens_thinking: bool = False
    token_ratio: float = 1.0
    extra_body: dict[str, Any] = field(default_factory=dict)  # JSON

    def refusing(self, name: str) -> Self:
        """Return the profile that leaves the field `name` out."""
        return replace(self, refused_fields=tuple(sorted({*self.refused_fields, name})))

    def refuses(self, name: str) -> bool:
        """Whether the field `name` is to be left out."""
        return name in self.refused_fields

    def learned_since(self, start: Profile) -> JsonObject:
        """Return the fields that differ from `start`, as JSON."""
        pairs = {f.name: (getattr(self, f.name), getattr(start, f.name)) for f in fields(self)}
        return {
            name: list(now) if isinstance(now, tuple) else now
            for name, (now, before) in pairs.items()
            if now != before
        }

    def updated(self, learned: JsonObject) -> Profile:
        """Return this profile with what `learned_since` gave; what does not fit is ignored."""
        known: dict[str, Any] = {}  # each value is of its field's type
        hints = get_type_hints(Profile)
        for name, value in learned.items():
            with suppress(KeyError, msgspec.ValidationError):
                known[name] = msgspec.convert(value, hints[name])
        return replace(self, **known)


@dataclass(frozen=True, slots=True)
class Overrides:
    """The user's own choices; None leaves the matter to the profile."""

    send_is_file: bool | None = None
    merge_same_role: bool | None = None
    model_takes_tools: bool | None = None

    def applied(self, profile: Profile) -> Profile:
        """Return the profile in effect."""
        chosen: dict[str, bool | None] = {
            "takes_is_file": self.send_is_file,
            "merge_same_role": self.merge_same_role,
            "takes_tools": self.model_takes_tools,
        }
        return profile.updated({name: value for name, value in chosen.items() if value is not None})


_GUESSES: dict[ServerKind, Profile] = {
    "openai": Profile(max_tokens_field="max_completion_tokens"),
    "venice": Profile(extra_body={"venice_parameters": {"include_venice_system_prompt": False}}),
    "mistral": Profile(
        returns_extras=False, reply_after_tool=True, refused_fields=("messages.name",)
    ),
    "groq": Profile(returns_extras=False),
    "gemini": Profile(refused_schema_keys=("$id", "$schema", "default")),
    "ollama": Profile(empty_content="text"),
}


def guessed(kind: ServerKind) -> Profile:
    """Return the profile that a kind of server starts with; every field can be unlearned."""
    return _GUESSES.get(kind, Profile())

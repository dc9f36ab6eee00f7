"""What a profile says of an endpoint and model, as rows that people can read and change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from studio_qt.providers.profile import Profile
from studio_qt.providers.profiles import Note

__all__ = ["Trait", "traits"]

_Values = Mapping[str, Any]
_Choices = tuple[tuple[str, _Values], ...]


@dataclass(frozen=True, slots=True)
class Trait:
    """One row: its fields in the profile, what may be chosen, and what it is now.

    `choices` are pairs of words and the values of the fields; without any the row is only shown.
    """

    title: str
    names: tuple[str, ...]
    choices: _Choices
    now: str
    since: str
    by_user: bool
    differs: bool

    def chosen(self, profile: Profile, values: _Values) -> Profile:
        """Return the profile with other values of this row."""
        return replace(profile, **values)

    def unlearned(self, profile: Profile, start: Profile) -> Profile:
        """Return the profile with this row as the kind of server has it."""
        return replace(profile, **{name: getattr(start, name) for name in self.names})


def _switch(title: str, name: str, off: str, on: str) -> tuple[str, _Choices]:
    return title, ((off, {name: False}), (on, {name: True}))


_ROWS: tuple[tuple[str, _Choices], ...] = (
    (
        "System messages",
        (
            ("as they come", {"single_system": False, "no_system": False}),
            ("one, the first", {"single_system": True, "no_system": False}),
            ("none, sent as user", {"single_system": False, "no_system": True}),
        ),
    ),
    _switch("Neighbours of one role", "merge_same_role", "kept apart", "merged"),
    _switch("First message", "user_first", "anyone's", "the user's"),
    _switch("Last message", "user_last", "anyone's", "the user's"),
    (
        "Limit of an answer",
        (
            ("max_tokens", {"max_tokens_field": "max_tokens"}),
            ("max_completion_tokens", {"max_tokens_field": "max_completion_tokens"}),
        ),
    ),
    (
        "Tool calls",
        (
            ("yes, unless refused", {"takes_tools": None}),
            ("yes", {"takes_tools": True}),
            ("no", {"takes_tools": False}),
        ),
    ),
    (
        "Text beside tool calls",
        (("null", {"empty_content": "null"}), ("an empty text", {"empty_content": "text"})),
    ),
    _switch("After a tool's result", "reply_after_tool", "anyone", "the reply first"),
    _switch("Tools with old calls", "tools_with_calls", "when offered", "always declared"),
    _switch("Empty messages", "skips_empty", "sent", "left out"),
    _switch("Thinking text", "opens_thinking", "marked by the server", "opens unmarked"),
    _switch("Opaque extras", "returns_extras", "kept here", "sent back"),
    _switch("isFile marks", "takes_is_file", "left off", "sent"),
)


def traits(profile: Profile, start: Profile, notes: Mapping[str, Note]) -> Sequence[Trait]:
    """Return the rows for a profile; `start` is what the kind of server begins with."""
    rows = []
    for title, choices in _ROWS:
        names = tuple(choices[0][1])
        values = {name: getattr(profile, name) for name in names}
        now = next((words for words, chosen in choices if chosen == values), "both")
        rows.append(_trait(title, names, choices, now, profile, start, notes))
    rows += [_field(name, profile, start, notes) for name in profile.refused_fields]
    if profile.refused_schema_keys:
        now = ", ".join(profile.refused_schema_keys)
        rows.append(
            _trait(
                "Left out of schemas",
                ("refused_schema_keys",),
                (("nothing", {"refused_schema_keys": ()}),),
                now,
                profile,
                start,
                notes,
            )
        )
    if profile.token_ratio != 1.0:
        now = f"× {profile.token_ratio:.2f}"
        rows.append(_trait("Estimate of tokens", ("token_ratio",), (), now, profile, start, notes))
    return rows


def _field(name: str, profile: Profile, start: Profile, notes: Mapping[str, Note]) -> Trait:
    rest = tuple(one for one in profile.refused_fields if one != name)
    choices: _Choices = (
        ("left out", {"refused_fields": profile.refused_fields}),
        ("sent", {"refused_fields": rest}),
    )
    made = _trait(name, ("refused_fields",), choices, "left out", profile, start, notes)
    return replace(made, differs=name not in start.refused_fields)


def _trait(
    title: str,
    names: tuple[str, ...],
    choices: _Choices,
    now: str,
    profile: Profile,
    start: Profile,
    notes: Mapping[str, Note],
) -> Trait:
    differs = any(getattr(profile, name) != getattr(start, name) for name in names)
    note = next((notes[name] for name in names if name in notes), None)
    default = Profile()
    if differs:
        since = _since(note)
    elif any(getattr(start, name) != getattr(default, name) for name in names):
        since = "kind of server"
    else:
        since = "default"
    by_user = differs and note is not None and note.by == "user"
    return Trait(title, names, choices, now, since, by_user, differs)


def _since(note: Note | None) -> str:
    if note is None:
        return "learned from an answer"
    words = "set by you" if note.by == "user" else "learned from an answer"
    try:
        day = date.fromisoformat(note.on)
    except ValueError:
        return words
    return f"{words} on {day.day} {day:%b}"

"""The sentences of the permission sheet."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date
from pathlib import Path

from studio_qt.authoring.permissions import (
    API_WORDS,
    HOOK_WORDS,
    AgentPermissions,
    Permissions,
    shown_name,
)
from studio_qt.sentences import listed
from studio_qt.ui.guarding import Question
from studio_qt.ui.permission.words import Part

__all__ = ["agent_lines", "counted", "lead", "mark", "source_line", "title", "web_line"]

_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_MOST_NAMES = 12


def title(question: Question) -> str:
    """Return what the sheet is called."""
    name = shown_name(question.permissions.name)
    if question.settled:
        return f"What the code of {name} may do"
    if question.changed or question.record.agreed:
        return f"The code of {name} has changed"
    return f"{name} brings its own code"


def source_line(question: Question, today: date | None = None) -> str:
    """Return where the character comes from, and when it was opened."""
    origin = shown_name(question.record.origin) or _short(question.place)
    when = question.opened
    if when is None:
        return f"from {origin}"
    day = "today" if when.date() == (today or date.today()) else f"on {when:%d %B}"
    return f"from {origin}, opened {day} at {when:%H:%M}"


def lead(question: Question) -> list[Part]:
    """Return what is asked, and why."""
    told = question.permissions
    if question.settled:
        parts = [Part(_settled(question))]
    elif question.changed:
        files = _names([path.rpartition("/")[2] for path in question.changed])
        parts = [
            Part(f"{files} changed outside Character Studio. "),
            Part("What ran before runs on until you agree.", "fg"),
        ]
    elif question.record.agreed:
        parts = [
            Part("It changed outside Character Studio since you agreed to it. "),
            Part("Nothing of it runs before you agree again.", "fg"),
        ]
    else:
        parts = [Part(f"{_brought(told)} written by someone else. ")]
        end = "runs before you agree" if question.played else "has run yet"
        parts.append(Part(f"Nothing of {'it' if _is_one(told) else 'them'} {end}.", "fg"))
    if harmless := _harmless(told):
        parts.append(Part(f" {harmless}"))
    return parts


def agent_lines(agent: AgentPermissions) -> Iterator[list[Part]]:
    """Yield the lines below an agent's id."""
    if agent.tools:
        yield [Part("tools "), Part(_names(agent.tools), mono=True)]
    if agent.commands:
        yield [Part("commands "), Part(_names(agent.commands), mono=True)]
    yield _may(agent)
    runs = [HOOK_WORDS[hook] for hook in agent.hooks]
    if runs:
        yield [Part("runs by itself "), Part(listed(runs), "fg")]
    if agent.preload:
        yield [Part("adds words of its own "), Part("to what the model reads", "fg")]
    if agent.unlisted:
        yield [Part("does not run: config.json does not list it")]


def web_line(told: Permissions, *, allowed: bool) -> str:
    """Return what is said of web access."""
    state = "On." if allowed else "Off."
    asking = told.web_agents
    if not asking:
        return f"{state} No agent here asks for it."
    ask = "asks" if len(asking) == 1 else "ask"
    return f"{state} {_names(asking, 3)} {ask} for it. Your own network stays out of reach."


def mark(digest: str) -> str:
    """Return a fingerprint as it can be compared: its beginning and its end."""
    return f"{digest[:4]} {digest[4:8]} … {digest[-4:]}" if digest else ""


def counted(count: int, one: str, many: str) -> str:
    """Return a number in words with what is counted."""
    number = _NUMBERS[count] if count < len(_NUMBERS) else f"{count:,}"
    return f"{number} {one if count == 1 else many}"


def _may(agent: AgentPermissions) -> list[Part]:
    parts = [Part("may ")]
    for at, api in enumerate(agent.apis):
        if at:
            parts.append(Part(" · "))
        parts += [Part(API_WORDS[api], "fg"), Part(f" ({api})")]
    if not agent.apis:
        parts.append(Part("nothing beyond its own notes", "fg"))
    if agent.libraries:
        word = "library" if len(agent.libraries) == 1 else "libraries"
        parts += [Part(f" · {word} "), Part(_names(agent.libraries), "fg")]
    return parts


def _settled(question: Question) -> str:
    if question.record.made_here:
        return "This character is your own work, so its code runs without a question."
    when = question.record.agreed_at
    if when is None:
        return "Nothing in it is foreign code that would have to be asked about."
    return f"You agreed to its code on {when.astimezone():%d %B %Y at %H:%M}."


def _brought(told: Permissions) -> str:
    count = len(told.agents)
    if not count:
        return "Files in this character are programs"
    words = counted(count, "agent", "agents")
    are = "is a program" if count == 1 else "are programs"
    return f"{words[:1].upper()}{words[1:]} in this character {are}"


def _is_one(told: Permissions) -> bool:
    return len(told.agents) == 1


def _harmless(told: Permissions) -> str:
    parts = []
    if told.built_in:
        one = told.built_in == 1
        words = counted(told.built_in, "built-in agent", "built-in agents")
        words = words.removeprefix("one ") if one else words
        parts.append(f"the {words} {'is' if one else 'are'} unchanged")
    if told.sub_agents:
        one = told.sub_agents == 1
        words = counted(told.sub_agents, "sub-agent", "sub-agents")
        words = words.removeprefix("one ") if one else words
        parts.append(f"the {words} {'holds' if one else 'hold'} no code")
    said = ", and ".join(parts)
    return f"{said[:1].upper()}{said[1:]}." if said else ""


def _names(names: Sequence[str], most: int = _MOST_NAMES) -> str:
    shown = [shown_name(name, 60) for name in names[:most]]
    more = len(names) - len(shown)
    return ", ".join(shown) + (f" and {more:,} more" if more else "")


def _short(place: Path) -> str:
    """Return a place as people write it, its folder included."""
    home = Path.home()
    shown = f"~/{place.relative_to(home).as_posix()}" if place.is_relative_to(home) else str(place)
    return shown_name(shown)

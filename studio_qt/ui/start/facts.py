"""What the start page says of a project, read in a thread. No Qt in here."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from studio_qt.errors import StudioError
from studio_qt.package.projects import outline, template_names, template_outline

__all__ = ["ProjectFacts", "TemplateFacts", "read_project", "read_templates", "when_text"]

_CONVERSATION = re.compile(r"conversation_\d{2,9}\.json")
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_SENTENCE = re.compile(r".+?[.!?](?=\s|$)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class ProjectFacts:
    """A project as its card shows it; `there` is False for one that is gone."""

    name: str
    description: str = ""
    counts: str = ""
    there: bool = True


@dataclass(frozen=True, slots=True)
class TemplateFacts:
    """A template: its name for `make_project`, a title, a sentence, and what it holds."""

    name: str
    title: str
    description: str
    counts: str


def read_project(place: Path) -> ProjectFacts:
    """Return what a project's card says; raises nothing, since a broken one is listed as well."""
    try:
        there = place.exists()
    except OSError:
        there = False
    if not there:
        kind = "zip" if place.suffix.lower() == ".zip" else "folder"
        return ProjectFacts(place.stem, f"The {kind} {place} is not there any more.", there=False)
    try:
        said = outline(place)
    except (StudioError, OSError) as error:
        return ProjectFacts(place.name, str(error))
    counts = _counts(said.agents, said.sub_agents)
    conversations = _conversations(place)
    if conversations:
        counts.append(_number(conversations, "conversation"))
    return ProjectFacts(said.name, _one_line(said.description), " · ".join(counts))


def read_templates() -> tuple[TemplateFacts, ...]:
    """Return the templates: the blank one first, then the sample, then the others by name."""
    names = sorted(template_names(), key=lambda name: (name != "blank", name != "lantern-keeper"))
    return tuple(map(_template, names))


def when_text(opened: datetime, now: datetime) -> str:
    """Return when something was opened, in the time zone of `now`: "today 21:43", "12 Nov"."""
    then = opened.astimezone(now.tzinfo)
    days = (now.date() - then.date()).days
    if days <= 0:
        return f"today {then:%H:%M}"
    if days == 1:
        return "yesterday"
    if days < 7:
        return _DAYS[then.weekday()]
    year = f" {then.year}" if then.year != now.year else ""
    return f"{then.day} {_MONTHS[then.month - 1]}{year}"


def _template(name: str) -> TemplateFacts:
    said = template_outline(name)
    text = _one_line(said.description)
    first = _SENTENCE.match(text)
    counts = _counts(said.agents, said.sub_agents) if said.agents + said.sub_agents else []
    title = " ".join(word.capitalize() for word in name.split("-"))
    return TemplateFacts(name, title, first[0] if first else text, " · ".join(counts))


def _counts(agents: int, sub_agents: int) -> list[str]:
    if not agents and not sub_agents:
        return ["no agents"]
    counts = [_number(agents, "agent")] if agents else []
    return [*counts, *([_number(sub_agents, "sub-agent")] if sub_agents else [])]


def _conversations(place: Path) -> int:
    from studio_qt.engine.places import default_data_folder  # slow to import, and never at first

    try:
        names = [entry.name for entry in default_data_folder(place).iterdir()]
    except OSError:
        return 0  # never played, or nothing that this user may look at
    return sum(1 for name in names if _CONVERSATION.fullmatch(name))


def _number(count: int, noun: str) -> str:
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def _one_line(text: str) -> str:
    return " ".join(text.split())

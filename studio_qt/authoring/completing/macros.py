"""Completions of macros: in the prompts of sub-agents, and in the system prompt (SUB-05, SYS)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from studio_qt.authoring.completing.completion import Completion, Spot
from studio_qt.authoring.completing.facts import ProjectFacts
from studio_qt.authoring.completing.words import MACRO_HELP

__all__ = ["prompt_macros", "text_macros"]

_CLOSED = re.compile(r"%%(?:CONTEXT|CHARACTER_INSTRUCTIONS|HISTORY|STORE:(?:(?!%%)[^\r\n])*)%%")
_OPEN = re.compile(r"%%([\w.:@-]*)$")
_RIGHT = re.compile(r"[\w.:@-]*%%|\w*")


def prompt_macros(spot: Spot, project: ProjectFacts) -> list[Completion]:
    """Return the macros of a sub-agent's prompt."""
    return list(_macros(spot, ["CONTEXT", "HISTORY", "CHARACTER_INSTRUCTIONS"], project))


def text_macros(spot: Spot) -> list[Completion]:
    """Return the macro of the system prompt."""
    return list(_macros(spot, ["CHARACTER_INSTRUCTIONS"], None))


def _macros(spot: Spot, names: list[str], project: ProjectFacts | None) -> Iterator[Completion]:
    head = spot.head
    inside = next(
        (
            found
            for found in _CLOSED.finditer(head + spot.tail)
            if found.start() < len(head) < found.end()
        ),
        None,
    )
    if inside is not None:
        start, end = (spot.at - len(head) + at for at in inside.span())
    else:
        end_of_last = max((found.end() for found in _CLOSED.finditer(head)), default=0)
        opened = _OPEN.search(head, end_of_last)
        start = spot.at - len(head) + opened.start() if opened else spot.at
        right = _RIGHT.match(spot.tail) if opened else None
        end = spot.at + (len(right[0]) if right else 0)
        if opened is None and head[-1:] not in ("", " ", "\t", "(", '"', ">"):
            return  # in the middle of a word
    eager = start < spot.at
    for name in names:
        yield Completion(
            f"%%{name}%%", f"%%{name}%%", start, end, "macro", "", MACRO_HELP[name], eager=eager
        )
    if project is None:
        return
    seen = set()
    for agent in project.of_prompt(spot.path):
        for grant in agent.granted:
            name = grant.short or grant.id
            if name not in seen:
                seen.add(name)
                kind = f"private, {grant.id}" if grant.short else "shared"
                told = f"{MACRO_HELP['STORE']}\n\n{grant.description}".strip()
                macro = f"%%STORE:{name}%%"
                yield Completion(macro, macro, start, end, "macro", kind, told, eager=eager)

"""Which commands fit what has been typed. No Qt in here."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from studio_qt.engine.roster import LoadedAgent

__all__ = ["Offer", "complete", "offers", "ranked", "token"]


@dataclass(frozen=True, slots=True)
class Offer:
    """A command with its @, the agent that runs it, and what is said of that."""

    command: str
    agent: str = ""
    description: str = ""
    is_sub_agent: bool = False


def offers(commands: Iterable[str], agents: Iterable[LoadedAgent]) -> list[Offer]:
    """Return the commands in their order; of several agents the first that has one runs it."""
    found: dict[str, Offer] = {}
    for agent in agents:
        for command in () if agent.owner is not None else agent.commands:
            offer = Offer(command, agent.id, agent.description, agent.is_sub_agent)
            found.setdefault(command, offer)
    return [found.get(command, Offer(command)) for command in commands]


def token(line: str) -> str:
    """Return the command in a line: up to the first white space, with its @."""
    words = line.split(maxsplit=1)
    first = words[0] if words else ""
    return first if first.startswith("@") else f"@{first}"


def ranked(line: str, commands: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the commands that fit what is typed, the best first, and the others in their order.

    Those fit that are it, begin with it, have it inside, or have its letters at the beginnings of
    their words: "@fun" is "@find_unused_name".
    """
    typed = token(line).casefold()
    if typed == "@":
        return [], list(commands)
    exact = [command for command in commands if command.casefold() == typed]
    begun = [command for command in commands if command.casefold().startswith(typed)]
    inside = [command for command in commands if typed[1:] in command.casefold()]
    parts = [command for command in commands if _spells(typed[1:], _words(command))]
    fitting = list(dict.fromkeys([*exact, *begun, *inside, *parts]))
    return fitting, [command for command in commands if command not in fitting]


def complete(line: str, command: str) -> tuple[str, int]:
    """Return the line with its command replaced, and the place behind that; the rest stays."""
    rest = line.split(maxsplit=1)[1:]
    return f"{command} {rest[0] if rest else ''}", len(command) + 1


def _words(command: str) -> list[str]:
    """Return the words of a name, folded: "@findUnused_name" has three."""
    spaced = "".join(
        f" {sign}" if sign.isupper() else sign if sign.isalnum() else " " for sign in command
    )
    return spaced.casefold().split()


def _spells(typed: str, words: Sequence[str]) -> bool:
    """Whether letters are beginnings of words, in their order; words may be left out."""
    reached = {0}
    for word in words:
        for place in tuple(reached):
            for length in range(1, len(word) + 1):
                if not typed.startswith(word[:length], place):
                    break
                reached.add(place + length)
    return len(typed) in reached

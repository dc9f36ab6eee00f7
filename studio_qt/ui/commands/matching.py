"""Which commands fit what has been typed. No Qt in here."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["complete", "ranked", "token"]


def token(line: str) -> str:
    """Return the command in a line: up to the first white space, with its @."""
    words = line.split(maxsplit=1)
    first = words[0] if words else ""
    return first if first.startswith("@") else f"@{first}"


def ranked(line: str, commands: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the commands that the line begins or names, and the others, both in their order."""
    typed = token(line).casefold()
    if typed == "@":
        return [], list(commands)
    exact = [command for command in commands if command.casefold() == typed]
    begun = [command for command in commands if command.casefold().startswith(typed)]
    inside = [command for command in commands if typed[1:] in command.casefold()]
    fitting = list(dict.fromkeys([*exact, *begun, *inside]))
    return fitting, [command for command in commands if command not in fitting]


def complete(line: str, command: str) -> str:
    """Return the line with its command replaced; what follows it stays."""
    rest = line.split(maxsplit=1)[1:]
    return f"{command} {rest[0]}" if rest else f"{command} "

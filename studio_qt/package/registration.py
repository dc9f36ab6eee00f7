"""Which agent answers which tool and command: load order decides (PKG-08)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from studio_qt.errors import Problem
from studio_qt.package.model import AgentSpec, Command, Tool

__all__ = ["OwnedCommand", "OwnedTool", "Registration", "register"]


@dataclass(frozen=True, slots=True)
class OwnedTool:
    """A tool and the agent that answers it."""

    agent: AgentSpec
    tool: Tool


@dataclass(frozen=True, slots=True)
class OwnedCommand:
    """A command and the agent that handles it."""

    agent: AgentSpec
    command: Command


@dataclass(frozen=True, slots=True)
class Registration:
    """Tools by offered name and commands by name with their @, both in load order."""

    tools: Mapping[str, OwnedTool]
    commands: Mapping[str, OwnedCommand]
    problems: tuple[Problem, ...] = ()


def register(agents: Iterable[AgentSpec]) -> Registration:
    """Give every tool and command to the first agent that names it.

    A later one of the same name is left out with a warning; the rest of its agent still counts.
    """
    tools: dict[str, OwnedTool] = {}
    commands: dict[str, OwnedCommand] = {}
    problems: list[Problem] = []
    for agent in agents:
        for tool in agent.tools:
            first = tools.setdefault(tool.name, OwnedTool(agent, tool))
            if first.tool is not tool:
                problems.append(_collision(agent, tool.line, "tool", tool.name, first.agent))
        for command in agent.manifest.commands:
            taken = commands.setdefault(command.name, OwnedCommand(agent, command))
            if taken.command is not command or taken.agent is not agent:
                problems.append(
                    _collision(agent, command.line, "command", command.name, taken.agent)
                )
    return Registration(tools, commands, tuple(problems))


def _collision(agent: AgentSpec, line: int, kind: str, name: str, first: AgentSpec) -> Problem:
    message = (
        f'the {kind} "{name}" of agent "{agent.id}" is left out: "{first.id}" has it already and '
        f"comes first in config.json. Rename one of them, or change their order."
    )
    file = agent.file if agent.sub_agent is None else agent.sub_agent.prompt_file
    return Problem("warning", file, line, message)

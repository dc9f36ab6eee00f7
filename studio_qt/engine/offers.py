"""What can be called by hand: every tool and command of every loaded agent, or why it cannot."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from studio_qt.jsontext import JsonObject
from studio_qt.package import Registration
from studio_qt.package.model import AgentSpec, Tool

__all__ = ["Offer", "offers"]


@dataclass(frozen=True, slots=True)
class Offer:
    """A tool or a command. `refused` says why it cannot be called by hand; "" where it can.

    `name` is what is called: a tool's offered name, a command with its @. `parameters` is a tool's
    JSON Schema, {} for a command. `file` is what the agent's author writes.
    """

    kind: Literal["tool", "command"]
    name: str
    agent_id: str
    file: str
    description: str
    parameters: JsonObject
    refused: str = ""


def offers(specs: Sequence[AgentSpec], registration: Registration) -> Iterator[Offer]:
    """Yield what the loaded agents have, in load order: of each its tools, then its commands."""
    owners = {
        private.id: spec.id
        for spec in specs
        if spec.sub_agent is not None
        for private in spec.sub_agent.private
    }
    for spec in specs:
        owner = owners.get(spec.id, "")
        for tool in spec.tools:
            yield _tool(spec, tool, _refused_tool(spec, tool, owner, registration))
        for command in spec.manifest.commands:
            owned = registration.commands.get(command.name)
            first = owned.agent.id if owned else ""
            refused = _private(owner) if owner else _taken(command.name, spec.id, first)
            yield Offer("command", command.name, spec.id, spec.own_file, "", {}, refused)


def _tool(spec: AgentSpec, tool: Tool, refused: str) -> Offer:
    return Offer(
        "tool", tool.name, spec.id, spec.own_file, tool.description, tool.parameters, refused
    )


def _refused_tool(spec: AgentSpec, tool: Tool, owner: str, registration: Registration) -> str:
    if owner:
        return _private(owner)
    owned = registration.tools.get(tool.name)
    return _taken(tool.name, spec.id, owned.agent.id if owned else "")


def _private(owner: str) -> str:
    return (
        f"It belongs to {owner} alone: only that sub-agent's model calls it. Call {owner} and ask "
        "for it there."
    )


def _taken(name: str, agent_id: str, first: str) -> str:
    if first == agent_id:
        return ""
    if first:
        return f"{first} comes first in config.json and answers {name}. Rename one of them."
    return (
        f"{agent_id} is not offered: its model does not take tools, which its grants need. Choose "
        "another model in the settings."
    )

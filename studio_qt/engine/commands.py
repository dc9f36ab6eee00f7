"""What the user runs by hand: @ commands, and tools without a model (EXP-03)."""

from __future__ import annotations

from dataclasses import dataclass

from studio_qt.engine.events import ToolCalled, ToolStarted
from studio_qt.engine.given import check_arguments
from studio_qt.engine.session import Session
from studio_qt.engine.tools import refusal, result_text
from studio_qt.errors import AgentError
from studio_qt.jsontext import JsonObject

__all__ = ["CommandResult", "call_by_hand", "run_command", "split_command"]


@dataclass(frozen=True, slots=True)
class CommandResult:
    """How a command ended; `error` is the sentence that keeps a dialog open."""

    ok: bool
    error: str | None = None


def split_command(line: str) -> tuple[str, str]:
    """Return the command's name with its @ and the unparsed rest of the line.

    The name ends at the first white space; the @ may be left out.
    """
    parts = line.strip().split(maxsplit=1)
    name = parts[0] if parts else ""
    return name if name.startswith("@") else f"@{name}", parts[1] if len(parts) > 1 else ""


async def run_command(session: Session, line: str) -> CommandResult:
    """Run one command; whatever goes wrong is in the result, never raised."""
    name, rest = split_command(line)
    owned = session.registration.commands.get(name)
    if owned is None:
        known = ", ".join(session.registration.commands) or "none"
        return CommandResult(False, f"There is no command {name}. Commands: {known}.")
    outcome = await session.call(owned.agent.id, owned.command.handler, (rest,), "direct")
    if not outcome.ok:
        return CommandResult(False, f"{name} failed. {outcome.error}")
    if isinstance(outcome.value, str) and outcome.value:
        return CommandResult(False, outcome.value)
    return CommandResult(True)


async def call_by_hand(session: Session, name: str, arguments: JsonObject) -> str:
    """Run a tool as "direct" and return its result; raises AgentError with a model's sentence."""
    check_arguments(name, arguments)
    tools = session.registration.tools
    if reason := await refusal(tools, session.host, name, arguments):
        raise AgentError(reason)
    owned = tools[name]
    agent_id = owned.agent.id
    session.emit(ToolStarted(agent_id, name, arguments, None))
    given = (owned.tool.handler_name, arguments)
    outcome = await session.call(agent_id, "onToolCall", given, "direct")
    result = result_text(owned, outcome)
    if not outcome.ok:
        raise AgentError(result)
    session.emit(ToolCalled(agent_id, name, arguments, result, None))
    return result

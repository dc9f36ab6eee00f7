"""Tools as the model is offered them, and a tool run by hand."""

from __future__ import annotations

from studio_qt.engine.events import ToolCalled, ToolStarted
from studio_qt.engine.session import Session
from studio_qt.errors import AgentError
from studio_qt.jsontext import JsonObject, encode
from studio_qt.package import OwnedTool
from studio_qt.sandbox import Outcome, SandboxHost

__all__ = ["call_by_hand", "refusal", "result_text"]


async def refusal(
    session: Session, host: SandboxHost, name: str, arguments: JsonObject | None
) -> str | None:
    """Return why a call cannot reach an agent, as a sentence for the model; None: it can (LOOP-04).

    `arguments` is None when what the model wrote is not a JSON object.
    """
    owned = session.registration.tools.get(name)
    if owned is None:
        names = ", ".join(session.registration.tools) or "none"
        return f"Error: there is no tool called {name}. Tools on offer: {names}."
    if arguments is None:
        return (
            f"Error: the arguments of {name} are not a JSON object. Call it again with valid JSON."
        )
    fault = await host.check_arguments(owned.tool.parameters, arguments)
    return f"Error: {name} was not run. {fault}" if fault else None


def result_text(owned: OwnedTool, outcome: Outcome) -> str:
    """Return what the model is told of a call: the text, JSON, or why it failed (EXP-02)."""
    if not outcome.ok:
        return f"Error: {owned.tool.name} failed. {outcome.error}"
    value = outcome.value
    return value if isinstance(value, str) else encode(value)


async def call_by_hand(
    session: Session, host: SandboxHost, name: str, arguments: JsonObject
) -> str:
    """Run a tool as "direct" and return its result; raises AgentError with a model's sentence."""
    if not isinstance(arguments, dict):
        raise AgentError(f"The arguments of {name} must be an object: a dict with text keys.")
    if reason := await refusal(session, host, name, arguments):
        raise AgentError(reason)
    owned = session.registration.tools[name]
    agent_id = owned.agent.id
    session.emit(ToolStarted(agent_id, name, arguments, None))
    given = (owned.tool.handler_name, arguments)
    outcome = await session.call(agent_id, "onToolCall", given, "direct")
    result = result_text(owned, outcome)
    if not outcome.ok:
        raise AgentError(result)
    session.emit(ToolCalled(agent_id, name, arguments, result, None))
    return result

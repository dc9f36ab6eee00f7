"""Tools as the model is offered them, and what its calls become."""

from __future__ import annotations

from collections.abc import Mapping

from studio_qt.jsontext import JsonObject, encode
from studio_qt.package import OwnedTool
from studio_qt.package.model import Tool
from studio_qt.providers.model import ToolCallRequest
from studio_qt.sandbox import Outcome, SandboxHost

__all__ = ["offer", "refusal", "result_text", "stored_call"]


async def refusal(
    tools: Mapping[str, OwnedTool], host: SandboxHost, name: str, arguments: JsonObject | None
) -> str | None:
    """Return why a call cannot reach an agent, as a sentence for the model; None: it can (LOOP-04).

    `arguments` is None when what the model wrote is not a JSON object.
    """
    owned = tools.get(name)
    if owned is None:
        return (
            f"Error: there is no tool called {name}. Tools on offer: {', '.join(tools) or 'none'}."
        )
    if arguments is None:
        return (
            f"Error: the arguments of {name} are not a JSON object. Call it again with valid JSON."
        )
    fault = await host.check_arguments(owned.tool.parameters, arguments)
    return f"Error: {name} was not run. {fault}" if fault else None


def offer(tool: Tool) -> JsonObject:
    """Return a tool in the OpenAI function form (LOOP-01)."""
    function: JsonObject = {
        "name": tool.name,
        "description": tool.description,
        "parameters": tool.parameters,
    }
    return {"type": "function", "function": function}


def stored_call(call: ToolCallRequest) -> JsonObject:
    """Return a model's call in the form in which it is kept and sent back."""
    function: JsonObject = {"name": call.name, "arguments": call.arguments_text}
    return {"id": call.id, "type": "function", "function": function}


def result_text(owned: OwnedTool, outcome: Outcome) -> str:
    """Return what the model is told of a call: the text, JSON, or why it failed (EXP-02)."""
    if not outcome.ok:
        return f"Error: {owned.tool.name} failed. {outcome.error}"
    value = outcome.value
    return value if isinstance(value, str) else encode(value)

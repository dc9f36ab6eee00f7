"""Asking a provider and keeping all that it says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from studio_qt.providers.model import (
    ChatRequest,
    Completion,
    Provider,
    ReasoningDelta,
    StreamEvent,
    TextDelta,
    ToolCallRequest,
    Waiting,
)
from studio_qt.providers.patience import Patience

QUICK = Patience(connect=5, first_byte=5, idle=5, after_end=0.05, tries=3, backoff=0.01)
IMPATIENT = Patience(connect=5, first_byte=0.15, idle=0.15, after_end=0.02, tries=1)


@dataclass
class Asked:
    """What came, in order; `feed` grows while the answer does, so it survives an error."""

    events: list[StreamEvent] = field(default_factory=list)

    @property
    def text(self) -> str:
        return "".join(e.text for e in self.events if isinstance(e, TextDelta))

    @property
    def reasoning(self) -> str:
        return "".join(e.text for e in self.events if isinstance(e, ReasoningDelta))

    @property
    def waits(self) -> list[Waiting]:
        return [e for e in self.events if isinstance(e, Waiting)]

    @property
    def completion(self) -> Completion:
        last = self.events[-1]
        assert isinstance(last, Completion)
        return last

    @property
    def calls(self) -> tuple[ToolCallRequest, ...]:
        return self.completion.tool_calls

    async def feed(self, provider: Provider, request: ChatRequest) -> None:
        async for event in provider.stream(request):
            self.events.append(event)


async def ask(provider: Provider, request: ChatRequest | str = "Hi", **more: Any) -> Asked:
    """Ask and wait for the whole answer."""
    asked = Asked()
    await asked.feed(
        provider, request if isinstance(request, ChatRequest) else chat(request, **more)
    )
    return asked


def chat(
    *said: str | dict[str, Any], tools: Sequence[str | dict[str, Any]] = (), **more: Any
) -> ChatRequest:
    """A request: texts are user messages, tool names become tools without parameters."""
    messages = [user(m) if isinstance(m, str) else m for m in said]
    offered = [tool(t) if isinstance(t, str) else t for t in tools]
    return ChatRequest("m", messages, offered, **more)


def tool(name: str, parameters: dict[str, Any] | None = None) -> dict[str, Any]:
    function = {"name": name, "description": f"Does {name}.", "parameters": parameters or {}}
    return {"type": "function", "function": function}


def user(content: Any, **more: Any) -> dict[str, Any]:
    return {"role": "user", "content": content, **more}


def system(content: str) -> dict[str, Any]:
    return {"role": "system", "content": content}


def assistant(content: str | None, **more: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": content, **more}


def called(
    name: str = "roll", arguments: str = "{}", call_id: str = "c1", **more: Any
) -> dict[str, Any]:
    """An assistant message that called one tool."""
    call = {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}
    return assistant(None, tool_calls=[call], **more)


def result(content: Any, call_id: str = "c1") -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": call_id, "content": content}

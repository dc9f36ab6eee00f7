"""`studio.callModel`: one brokered model call, and for a sub-agent its bounded inner loop."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from studio_qt.engine.caller import Caller
from studio_qt.engine.caps import TokenCaps
from studio_qt.engine.events import Event, ToolCalled
from studio_qt.engine.models import Lane, Models
from studio_qt.engine.requests import Built, Makeup, SentRequest, SentRequests, answered_tools
from studio_qt.engine.storage import AgentLogLine, Conversation
from studio_qt.engine.tools import offer, refusal, result_text, stored_call
from studio_qt.errors import AgentError, BudgetExhausted
from studio_qt.jsontext import JsonObject, JsonValue, encode
from studio_qt.package import OwnedTool
from studio_qt.package.model import AgentSpec
from studio_qt.providers.model import ChatRequest, Completion, ToolCallRequest
from studio_qt.sandbox import Outcome, SandboxHost

__all__ = ["ModelCall", "ModelCalls", "ModelScene"]


@dataclass(frozen=True, slots=True)
class ModelCall:
    """What an agent asks of a model; `max_tokens` is within 1 and 8192."""

    messages: Sequence[JsonObject]
    lane: Lane
    max_tokens: int
    temperature: float | None
    top_p: float | None


class ModelScene(Protocol):
    """What a model call reaches of the session."""

    host: SandboxHost
    conversation: Conversation
    models: Models
    caps: TokenCaps
    requests: SentRequests

    def emit(self, event: Event) -> None:
        """Tell an event to whoever listens."""
        ...

    def spec(self, agent_id: str) -> AgentSpec | None:
        """Return a loaded agent's entry."""
        ...

    def tools_for(self, agent_id: str) -> Mapping[str, OwnedTool]:
        """Return the tools that an agent is granted, by name."""
        ...

    async def call_granted(
        self, owned: OwnedTool, arguments: JsonObject, caller: Caller
    ) -> Outcome:
        """Run a granted tool inside the call that runs."""
        ...

    def log_agent(self, line: AgentLogLine) -> None:
        """Write a line of the agent log."""
        ...

    def note_inner(self, call: JsonObject) -> None:
        """Keep an inner call for the tool entry of the call that runs."""
        ...


@dataclass(slots=True)
class _Run:
    """One callModel: its caller and grants, and what it has come to."""

    caller: Caller
    spec: AgentSpec | None
    tools: Mapping[str, OwnedTool]
    model: str
    lane: Lane
    messages: list[JsonObject]
    rounds: int = 0
    tokens: int = 0
    calls: list[ToolCallRequest] = field(default_factory=list)


class ModelCalls:
    """Answers callModel, metered and bounded (BR-06, CAP, SUB-07, SUB-12)."""

    def __init__(self, scene: ModelScene) -> None:
        self._scene = scene

    async def answer(self, caller: Caller, call: ModelCall) -> str:
        """Return the reply's text; raises AgentError, ModelError, BudgetExhausted."""
        if caller.granted:
            raise AgentError(
                "A tool that a sub-agent calls cannot ask a model itself; "
                "depth is limited to one model call."
            )
        self._check_caps(caller)
        scene = self._scene
        model = await scene.models.lane(call.lane)
        spec, tools = scene.spec(caller.agent_id), scene.tools_for(caller.agent_id)
        run = _Run(caller, spec, tools, model.id, call.lane, list(call.messages))
        started = time.monotonic()
        try:
            return await self._loop(run, call)
        finally:
            self._summarise(run, call, time.monotonic() - started)

    async def _loop(self, run: _Run, call: ModelCall) -> str:
        most = run.spec.sub_agent.meta.max_rounds if run.spec and run.spec.sub_agent else 0
        while True:
            completion = await self._ask(run, call)
            if not completion.tool_calls or not run.tools:
                return completion.content
            if run.rounds >= most:
                return completion.content or f"(No answer within {most} tool rounds.)"
            run.rounds += 1
            await self._run_tools(run, completion)
            try:
                self._check_caps(run.caller)
            except BudgetExhausted as error:
                return f"{completion.content}\n\n({error})".strip()

    def _check_caps(self, caller: Caller) -> None:
        if caller.metered:
            self._scene.caps.check()

    async def _ask(self, run: _Run, call: ModelCall) -> Completion:
        scene = self._scene
        request = ChatRequest(
            model=run.model,
            messages=[*run.messages],
            tools=[offer(owned.tool) for owned in run.tools.values()],
            temperature=call.temperature,
            top_p=call.top_p,
            max_tokens=call.max_tokens,
            stream=False,
        )
        started = time.monotonic()
        completion = await self._whole(self._built(run, request))
        tokens = _tokens_of(completion, scene.models, request)
        run.tokens += tokens
        if run.caller.metered:
            scene.caps.spend(tokens)
        if run.tools:
            self._log(
                run,
                "round",
                f"round {run.rounds + 1}",
                {
                    "tools": [asked.name for asked in completion.tool_calls],
                    "tokens": tokens,
                    "finishReason": completion.finish_reason,
                    "ms": _ms(time.monotonic() - started),
                },
            )
        return completion

    async def _whole(self, built: Built) -> Completion:
        provider = self._scene.models.provider
        with self._scene.requests.recording(built, provider) as record:
            async for event in provider.stream(record.request):
                record.hear(event)
                if isinstance(event, Completion):
                    return event
            raise AgentError("The model gave no answer.")

    def _built(self, run: _Run, request: ChatRequest) -> Built:
        """Return what is told of an agent's request."""
        conversation = self._scene.conversation
        turn = conversation.entry(len(conversation) - 1).get("turn") if len(conversation) else 0
        number = turn if isinstance(turn, int) else 0
        about = SentRequest(
            number=0,
            conversation_id=conversation.id,
            turn=number,
            lane=run.lane,
            agent_id=run.caller.agent_id,
            round=run.rounds + 1,
            model=request.model,
            time=0.0,
            state="next",
            tokens=_asked_tokens(self._scene.models, request),
            tool_call_id=run.caller.tool_call_id,
            after=answered_tools(request.messages),
        )
        return Built(request, Makeup(number, len(request.messages)), about)

    async def _run_tools(self, run: _Run, completion: Completion) -> None:
        calls = [stored_call(call) for call in completion.tool_calls]
        asked: JsonObject = {
            "role": "assistant",
            "content": completion.content,
            "tool_calls": [*calls],
            "extras": completion.extras,
        }
        run.messages.append(asked)
        for call in completion.tool_calls:
            result = await self._run_tool(run, call)
            answer: JsonObject = {"role": "tool", "tool_call_id": call.id, "content": result}
            run.messages.append(answer)

    async def _run_tool(self, run: _Run, call: ToolCallRequest) -> str:
        scene, arguments = self._scene, call.arguments
        reason = await refusal(run.tools, scene.host, call.name, arguments)
        if reason is not None or arguments is None:
            return reason or ""
        owned = run.tools[call.name]
        number = None
        if run.caller.invoked_by == "model":
            number = await scene.conversation.issue_tool_call_id()
        agent_id = owned.agent.id
        caller = replace(run.caller, agent_id=agent_id, tool_call_id=number, granted=True)
        started = time.monotonic()
        outcome = await scene.call_granted(owned, arguments, caller)
        result = result_text(owned, outcome)
        inner: JsonObject = {
            "agentId": agent_id,
            "toolName": call.name,
            "args": arguments,
            "result": result,
        }
        if number is not None:
            inner["toolCallId"] = number
        scene.note_inner(inner)
        parent = run.caller.tool_call_id
        scene.emit(ToolCalled(agent_id, call.name, arguments, result, number, parent))
        self._log(run, "granted", call.name, {**inner, "ms": _ms(time.monotonic() - started)})
        return result

    def _summarise(self, run: _Run, call: ModelCall, seconds: float) -> None:
        """Write a sub-agent's line for the whole call (SUB-12)."""
        if run.spec is None or run.spec.sub_agent is None:
            return
        prompt = "".join(str(message["content"]) for message in call.messages)
        self._log(
            run,
            "sub-agent",
            f"{run.model}, {run.rounds} tool rounds, {run.tokens} tokens",
            {
                "promptChars": len(prompt),
                "promptTokens": self._scene.models.provider.estimate_tokens(prompt),
                "history": run.spec.sub_agent.meta.history_text,
                "lane": run.lane,
                "model": run.model,
                "cap": call.max_tokens,
                "rounds": run.rounds,
                "tokens": run.tokens,
                "unmetered": not run.caller.metered,
                "ms": _ms(seconds),
            },
        )

    def _log(self, run: _Run, kind: str, message: str, details: JsonObject) -> None:
        if run.spec and run.spec.sub_agent and run.spec.sub_agent.meta.debug:
            line = AgentLogLine(run.spec.id, kind, message, details)
            self._scene.log_agent(line)


def _tokens_of(completion: Completion, models: Models, request: ChatRequest) -> int:
    """Return what a call cost: as reported, else an estimate of both texts (INTERFACES, Caps)."""
    if completion.usage is not None:
        return completion.usage.total_tokens
    asked = _asked_tokens(models, request)
    return asked + models.provider.estimate_tokens(completion.content)


def _asked_tokens(models: Models, request: ChatRequest) -> int:
    estimate = models.provider.estimate_tokens
    return sum(estimate(_said(message)) for message in request.messages)


def _said(message: JsonObject) -> str:
    calls: JsonValue = message.get("tool_calls")
    return str(message.get("content") or "") + (encode(calls) if calls else "")


def _ms(seconds: float) -> float:
    return round(seconds * 1000, 1)

"""One response: asks the model, runs the tool calls, and asks again until it only speaks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from studio_qt.engine.events import (
    EntriesChanged,
    ReasoningStreamed,
    TokenStreamed,
    ToolCalled,
    ToolStarted,
    TurnChanged,
)
from studio_qt.engine.going_on import Unfinished
from studio_qt.engine.requests import Built
from studio_qt.engine.seam import Seam
from studio_qt.engine.session import Session, uninterrupted
from studio_qt.engine.tools import refusal, result_text, stored_call
from studio_qt.errors import ModelError
from studio_qt.jsontext import JsonObject, JsonValue
from studio_qt.providers.model import (
    Completion,
    ReasoningDelta,
    StreamEvent,
    TextDelta,
    ToolCallRequest,
    Waiting,
)

__all__ = ["Broker", "Response"]

NOT_RUN = (
    "This call was not run: the response has used all {rounds} model calls that it may make. "
    "Answer without further tools."
)
LONGEST_REPLY = 2_000_000
NOTHING_MORE = "The model had nothing to add to its reply."
_CUT = frozenset({"length", "max_tokens"})
NO_RESULT = "This call has no result: the response was ended before it was answered."

BuildRequest = Callable[[Sequence[JsonObject]], Built]
"""Makes the request from the messages of the running turn."""


@dataclass(slots=True)
class Response:
    """What a response has come to so far.

    `text` is that of its last message; `calls` are the model's own tool calls as hooks are told
    of them (HOOK-03).
    """

    text: str = ""
    stopped: bool = False
    produced: bool = False
    calls: list[JsonObject] = field(default_factory=list)
    tools_offered: bool = False


class Broker:
    """Runs one response in a session (LOOP-01 to LOOP-08).

    `tail` holds the messages of the running turn, its user message first; `number` tells this
    response from the other ones of its turn. With `goes_on` the first answer is the rest of that
    reply, and becomes part of its entry. The conversation is whole and can be sent again after
    every way out: the end, the cap, a stop, a failure.
    """

    def __init__(
        self,
        session: Session,
        build: BuildRequest,
        tail: list[JsonObject],
        number: JsonValue,
        goes_on: Unfinished | None = None,
    ) -> None:
        self._session = session
        self._build = build
        self._tail = tail
        self._number = number
        self._goes_on = goes_on
        self._seam = Seam(goes_on.text if goes_on else "")
        self._length = 0  # of what this response has streamed, in characters
        self._streamed: list[str] = []
        self._ended = False
        self.response = Response()

    async def run(self) -> None:
        """Answer; raises ModelError. Call `settle` afterwards, whatever the way out."""
        rounds = self._session.settings.max_rounds
        for number in range(1, rounds + 1):
            completion = await self._ask()
            if not completion.tool_calls:
                self._take_answer(completion)
                break
            await self._answer_calls(completion, last=number == rounds)
        self._ended = True

    def settle(self) -> None:
        """Keep what has streamed of an answer that did not end (LOOP-07, LOOP-08)."""
        if self._ended:
            return
        text = "".join([*self._streamed, self._seam.end()])
        self._streamed.clear()
        self.response.stopped = True
        if text:
            whole = self._before + text
            self._add_reply({"role": "assistant", "content": whole, "stopped": True})
            self.response.text = whole

    @property
    def _before(self) -> str:
        """What the reply that goes on has said; "" for a new one."""
        return self._goes_on.text if self._goes_on is not None else ""

    async def _ask(self) -> Completion:
        session = self._session
        built, provider = self._build(self._tail), session.models.provider
        session.emit(TurnChanged("thinking"))
        completion: Completion | None = None
        self._streamed.clear()
        with session.requests.recording(built, provider) as record:
            async for event in provider.stream(record.request):
                record.hear(event)
                if isinstance(event, Completion):
                    completion = event
                else:
                    self._pass_on(event)
        self._say(self._seam.end())
        if completion is None:
            raise ModelError("The provider ended its answer without saying anything. Try again.")
        self.response.tools_offered = bool(built.request.tools) and completion.tools_offered
        for notice in completion.notices:
            self._log(notice)
        return completion

    def _pass_on(self, event: StreamEvent) -> None:
        session = self._session
        if isinstance(event, TextDelta):
            self._say(self._seam.feed(event.text))
        elif isinstance(event, ReasoningDelta):
            session.emit(ReasoningStreamed(event.text))
        elif isinstance(event, Waiting):
            detail = f"{event.reason} Asking again in {event.seconds:.0f} s."
            session.emit(TurnChanged("waiting", detail=detail))

    def _say(self, text: str) -> None:
        """Pass on a piece of the answer, and keep it."""
        if not text:
            return
        self._streamed.append(text)
        self._length += len(text)
        if self._length > LONGEST_REPLY:
            raise ModelError(
                f"The reply was ended: it is longer than {LONGEST_REPLY:,} characters. What "
                "came is kept; try another model when this happens again."
            )
        at = self._goes_on.at if self._goes_on is not None else None
        self._session.conversation.draft(text, at)
        self._session.emit(TokenStreamed(text))

    def _take_answer(self, completion: Completion) -> None:
        self._streamed.clear()
        content, before = self._fresh(completion), self._before
        self.response.text = before + content
        if content:
            entry: JsonObject = {"role": "assistant", "content": before + content}
            if (completion.finish_reason or "").lower() in _CUT:
                entry["cut"] = True
            self._add_reply(entry)
        elif before:
            self._log(NOTHING_MORE)
        elif not completion.notices:
            self._log(_silence(completion))

    def _fresh(self, completion: Completion) -> str:
        """Return what an answer says, without what the reply that goes on had said already."""
        seam = Seam(self._before)
        return seam.feed(completion.content) + seam.end()

    async def _answer_calls(self, completion: Completion, *, last: bool) -> None:
        """Run the calls one by one, in order; each gets a result whatever happens (LOOP-03)."""
        self._streamed.clear()
        content = self.response.text = self._before + self._fresh(completion)
        calls = [stored_call(call) for call in completion.tool_calls]
        entry: JsonObject = {
            "role": "assistant",
            "content": content,
            "tool_calls": list[JsonValue](calls),
        }
        if self._goes_on is not None:
            del self._tail[-2:]  # the beginning of this message, and the request to go on
        self._tail.append(_for_model(entry) | {"extras": completion.extras})
        index = self._add_reply(entry)
        done = 0
        try:
            for position, call in enumerate(completion.tool_calls):
                if last:
                    rounds = self._session.settings.max_rounds
                    self._add_result(call, NOT_RUN.format(rounds=rounds))
                else:
                    await self._answer(call, index, position)
                done += 1
        finally:
            for call in completion.tool_calls[done:]:
                self._add_result(call, NO_RESULT)
        if last:
            self._log(
                f"The response was ended after {self._session.settings.max_rounds} model calls, "
                "the most that the settings allow."
            )

    async def _answer(self, call: ToolCallRequest, index: int, position: int) -> None:
        session, arguments = self._session, call.arguments
        reason = await refusal(session.registration.tools, session.host, call.name, arguments)
        if reason is not None or arguments is None:
            self._add_result(call, reason or "")
            return
        owned = session.registration.tools[call.name]
        agent_id = owned.agent.id
        tool_call_id = await uninterrupted(session.conversation.issue_tool_call_id())
        self._note_id(index, position, tool_call_id)
        session.emit(ToolStarted(agent_id, call.name, arguments, tool_call_id))
        outcome = await session.call(
            agent_id,
            "onToolCall",
            (owned.tool.handler_name, arguments),
            "model",
            tool_call_id=tool_call_id,
        )
        result = result_text(owned, outcome)
        extra: JsonObject = {"toolCallId": tool_call_id, "agentId": agent_id}
        if inner := session.take_inner():
            extra["inner"] = [*inner]
        if not outcome.ok:
            extra["error"] = True
        self._add_result(call, result, extra)
        session.emit(ToolCalled(agent_id, call.name, arguments, result, tool_call_id))
        if outcome.ok:
            told = self.response.calls[-1]
            about: JsonObject = {"agentId": agent_id, "toolName": call.name, **told}
            del about["name"]
            await session.run_hooks("afterToolCall", about, skip=agent_id)

    def _note_id(self, index: int, position: int, tool_call_id: int) -> None:
        """Write the id beside the call in the stored history (CTX-02)."""
        conversation = self._session.conversation
        calls = conversation.entry(index)["tool_calls"]
        if isinstance(calls, list):
            noted: list[JsonValue] = [
                {**call, "toolCallId": tool_call_id}
                if at == position and isinstance(call, dict)
                else call
                for at, call in enumerate(calls)
            ]
            conversation.amend(index, {"tool_calls": noted})
            self._session.emit(EntriesChanged(index, 1, 1))

    def _add_result(
        self, call: ToolCallRequest, result: str, extra: JsonObject | None = None
    ) -> None:
        entry: JsonObject = {
            "role": "tool",
            "tool_call_id": call.id,
            "name": call.name,
            "content": result,
            **(extra or {"error": True}),
        }
        self._tail.append(_for_model(entry))
        self._add(entry)
        told: JsonObject = {"name": call.name, "args": call.arguments or {}, "result": result}
        if "toolCallId" in entry:
            told["toolCallId"] = entry["toolCallId"]
        self.response.calls.append(told)

    def _add_reply(self, entry: JsonObject) -> int:
        """Keep an answer, in the entry of the reply that goes on or in one of its own.

        Returns the position.
        """
        session, goes_on = self._session, self._goes_on
        if goes_on is None:
            self._add(entry)
            return len(session.conversation) - 1
        self._goes_on = None
        session.revision += 1
        session.conversation.amend(goes_on.at, {"stopped": None, "cut": None, **entry})
        session.emit(EntriesChanged(goes_on.at, 1, 1))
        self.response.produced = True
        return goes_on.at

    def _add(self, entry: JsonObject) -> None:
        numbered: JsonObject = {} if self._number is None else {"response": self._number}
        self._session.add_entry({**entry, **numbered})
        self.response.produced = True

    def _log(self, text: str) -> None:
        self._session.add_entry({"role": "log", "agentId": "", "content": text})


def _for_model(entry: JsonObject) -> JsonObject:
    """Return a copy of an entry of this turn with nothing that is ours."""
    keys = ("role", "content", "tool_calls", "tool_call_id", "name")
    return {key: entry[key] for key in keys if key in entry and (key != "name")}


def _silence(completion: Completion) -> str:
    why = f" (it ended with {completion.finish_reason})" if completion.finish_reason else ""
    return f"The model gave no text{why}. Send again, or choose another model."

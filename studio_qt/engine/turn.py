"""A turn: a user message and everything answered to it, from the stores to the last save."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Sequence

from studio_qt.engine.broker import Broker, Response
from studio_qt.engine.edits import responses
from studio_qt.engine.events import TurnChanged
from studio_qt.engine.history import MESSAGE_OVERHEAD, Fitted, message_for_model
from studio_qt.engine.prompt import Block, fixed_blocks, persona_text
from studio_qt.engine.session import Session, uninterrupted
from studio_qt.engine.storage import AgentLogLine
from studio_qt.jsontext import JsonObject, JsonValue, encode
from studio_qt.providers.model import ChatRequest, ModelInfo

__all__ = ["Turn"]

LEAST_ROOM = 512
"""Estimated tokens that are kept for past turns however full the window is."""


class Turn:
    """Runs one response in a session; a new object for each.

    `stop` ends what runs at that moment, the answer or the hooks after it; whatever the way out,
    the conversation is saved and can be sent again (LOOP-07, LOOP-08).
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._start = 0
        self._blocks: list[Block] = []
        self._model = ModelInfo("")
        self._work: asyncio.Task[object] | None = None
        self._begins = True
        self._turns_cut = 0
        self.stopped = False

    def stop(self) -> None:
        """End what runs now, or the answer before it begins; the turn comes to its normal end."""
        if self._work is not None:
            self._work.cancel()
        else:
            self._begins = False

    async def send(self, text: str) -> Response:
        """Append the user's message and answer it; raises ModelError and StorageError."""
        session = self._session
        session.emit(TurnChanged("started"))
        is_new = session.is_new
        session.add_entry({"role": "user", "content": text})
        return await self._respond(len(session.conversation) - 1, is_new=is_new)

    async def again(self, ready: Coroutine[object, object, int]) -> Response:
        """Answer a user message anew; `ready` makes way for that and returns its position."""
        self._session.emit(TurnChanged("started"))
        return await self._respond(await uninterrupted(ready), regenerate=True)

    async def look(self, text: str) -> JsonObject:
        """Return the request that sending `text` would make; nothing changes (SYS-08)."""
        session = self._session
        await self._prepare(dry=True)
        self._start = len(self._session.conversation)  # an edit may have come in between
        request = self._request([{"role": "user", "content": text}])
        return {
            "model": request.model,
            "messages": list[JsonValue](request.messages),
            "tools": list[JsonValue](request.tools),
            "turnsCut": self._turns_cut,
            "estimatedTokens": self._estimate(request),
            "contextWindow": session.models.window(self._model),
        }

    def _estimate(self, request: ChatRequest) -> int:
        """Return about how many tokens a request holds."""
        estimate = self._session.models.provider.estimate_tokens
        said = sum(estimate(encode(message)) + MESSAGE_OVERHEAD for message in request.messages)
        return said + (estimate(encode(request.tools)) if request.tools else 0)

    async def _respond(
        self, asked_at: int, *, regenerate: bool = False, is_new: bool = False
    ) -> Response:
        session = self._session
        self._start = asked_at
        session.caps.begin_response()
        message = message_for_model(session.conversation.entry(asked_at))
        tail = [message] if message else []
        turn = session.conversation.entry(asked_at).get("turn")
        number = len(responses(session.conversation.entries(asked_at), turn)) + 1
        broker = Broker(session, self._request, tail, number)
        user_text = str(message["content"]) if message else ""
        try:
            await session.begin_stores(is_new=is_new)
            asked: JsonObject = {
                "userText": user_text,
                "regenerate": regenerate,
                "respondingToHuman": True,
            }
            if self._begins:
                await self._stoppable(self._answer(broker, asked))
        finally:
            broker.settle()
            self.stopped = broker.response.stopped
            await uninterrupted(self._finish(broker.response, user_text))
        return broker.response

    async def _answer(self, broker: Broker, asked: JsonObject) -> None:
        if await self._session.run_hooks("beforeResponse", asked):
            self._session.forget_preload()
        await self._prepare()
        await broker.run()
        self._log_cut()

    def _log_cut(self) -> None:
        """Note in the agent log how much of the conversation the model was not sent."""
        if self._turns_cut:
            window = self._session.models.window(self._model)
            text = f"{self._turns_cut} oldest turns were left out: the window is {window:,} tokens."
            self._session.log_agent(AgentLogLine("", "request", text))

    async def _stoppable(self, work: Coroutine[object, object, object]) -> None:
        """Run `work` until it ends or `stop` ends it; the caller's cancellation ends it too."""
        task = self._work = asyncio.create_task(work, name="player-turn")
        try:
            await asyncio.wait([task])
        finally:
            self._work = None
            if not task.done():
                task.cancel()
                await asyncio.wait([task])
        if not task.cancelled():
            task.result()

    async def _prepare(self, *, dry: bool = False) -> None:
        session = self._session
        texts = await asyncio.to_thread(session.package.read_texts)
        preload = await session.preload(dry=dry)
        settings = session.settings
        persona = persona_text(settings.persona_name, settings.persona)
        self._blocks = fixed_blocks(texts, preload, persona)
        self._model = await session.models.lane("main")

    async def _finish(self, response: Response, user_text: str) -> None:
        """Run the hooks after the response, rebuild the preload block, and save (SYS-06)."""
        session = self._session
        conversation = session.conversation
        if response.produced:
            answered: JsonObject = {
                "userText": user_text,
                "responseText": response.text,
                "toolCalls": list[JsonValue](response.calls),
                "stopped": response.stopped,
                "toolsOffered": response.tools_offered,
            }
            await self._stoppable(session.run_hooks("afterResponse", answered))
        session.forget_preload()
        await self._stoppable(session.preload())
        if len(conversation):
            turn = conversation.entry(len(conversation) - 1).get("turn")
            conversation.mark_turn_end(turn if isinstance(turn, int) else 0)
        await conversation.checkpoint()

    def _request(self, tail: Sequence[JsonObject]) -> ChatRequest:
        """Build the request: fixed blocks, the past turns that fit, the running turn."""
        session = self._session
        tools = session.offered_tools() if self._model.takes_tools is not False else []
        past = self._fit(tail, tools)
        self._turns_cut = past.turns_cut
        keep = [block for block in self._blocks if block.kind != "intro" or not past.turns_cut]
        settings = session.settings
        return ChatRequest(
            model=self._model.id,
            messages=[*(block.message for block in keep), *past.messages, *tail],
            tools=tools,
            temperature=settings.temperature,
            top_p=settings.top_p,
            max_tokens=settings.max_tokens,
        )

    def _fit(self, tail: Sequence[JsonObject], tools: Sequence[JsonObject]) -> Fitted:
        session = self._session
        estimate = session.models.provider.estimate_tokens
        window = session.models.window(self._model)
        fixed = sum(estimate(block.text) + MESSAGE_OVERHEAD for block in self._blocks)
        running = sum(estimate(encode(message)) + MESSAGE_OVERHEAD for message in tail)
        offered = estimate(encode(tools)) if tools else 0
        reply = session.settings.max_tokens or min(1024, window // 4)
        room = window - fixed - running - offered - reply
        session.history.follow(session.conversation, self._start)
        return session.history.fit(max(room, min(LEAST_ROOM, window // 4)))

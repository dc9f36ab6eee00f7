"""A turn: a user message and everything answered to it, from the stores to the last save."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Sequence

from studio_qt.engine.broker import Broker, Response
from studio_qt.engine.edits import responses
from studio_qt.engine.events import TurnChanged
from studio_qt.engine.going_on import Unfinished, unfinished_reply
from studio_qt.engine.history import MESSAGE_OVERHEAD, Fitted, message_for_model
from studio_qt.engine.prompt import Block, fixed_blocks, persona_text
from studio_qt.engine.requests import Built, Makeup, SentRequest, answered_tools
from studio_qt.engine.session import Session, uninterrupted
from studio_qt.engine.storage import AgentLogLine
from studio_qt.jsontext import JsonObject, JsonValue, encode
from studio_qt.providers.model import ChatRequest, ModelInfo

__all__ = ["Turn"]

_LARGE = 50_000
"""Characters whose tokens are counted on another thread."""

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
        self._fixed = 0
        self._model = ModelInfo("")
        self._work: asyncio.Task[object] | None = None
        self._begins = True
        self._turns_cut = 0
        self._rounds = 0
        self._earlier = 0
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

    async def go_on(self) -> Response:
        """Let the last reply go on where it broke off; raises StudioError where it did not.

        Hooks are told as of any response: `afterResponse` with the whole text, and with the calls
        that were made since.
        """
        goes_on = unfinished_reply(self._session.conversation.entries())
        self._session.emit(TurnChanged("started"))
        return await self._respond(goes_on.asked_at, goes_on=goes_on)

    async def look(self, text: str) -> JsonObject:
        """Return the request that sending `text` would make; nothing changes (SYS-08)."""
        session = self._session
        await self._prepare(dry=True)
        self._start = len(self._session.conversation)  # an edit may have come in between
        request = self._request([{"role": "user", "content": text}]).request
        return {
            "model": request.model,
            "messages": list[JsonValue](request.messages),
            "tools": list[JsonValue](request.tools),
            "turnsCut": self._turns_cut,
            "estimatedTokens": self._estimate(request),
            "contextWindow": session.models.window(self._model),
        }

    async def examine(self, text: str) -> Built:
        """As `look`, with how the request came together; without a text it ends before it."""
        await self._prepare(dry=True)
        self._start = len(self._session.conversation)
        return self._request([{"role": "user", "content": text}] if text else [])

    def _estimate(self, request: ChatRequest) -> int:
        """Return about how many tokens a request holds."""
        estimate = self._session.models.provider.estimate_tokens
        said = sum(estimate(encode(message)) + MESSAGE_OVERHEAD for message in request.messages)
        return said + (estimate(encode(request.tools)) if request.tools else 0)

    async def _respond(
        self,
        asked_at: int,
        *,
        regenerate: bool = False,
        is_new: bool = False,
        goes_on: Unfinished | None = None,
    ) -> Response:
        session = self._session
        self._start = asked_at
        session.caps.begin_response()
        message = message_for_model(session.conversation.entry(asked_at))
        tail = [message] if message else []
        turn = session.conversation.entry(asked_at).get("turn")
        self._earlier = len(responses(session.conversation.entries(asked_at), turn))
        number: JsonValue = self._earlier + 1
        if goes_on is not None:
            self._earlier -= 1
            number, tail = goes_on.response, list(goes_on.messages)
        broker = Broker(session, self._request, tail, number, goes_on)
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
        paths = session.package.resolver.paths
        self._blocks = fixed_blocks(texts, preload, persona, paths)
        self._model = await session.models.lane("main")
        length = sum(len(block.text) for block in self._blocks)
        count = self._count_fixed
        self._fixed = count() if length < _LARGE else await asyncio.to_thread(count)

    def _count_fixed(self) -> int:
        """Return the estimated tokens of what precedes the turns."""
        estimate = self._session.models.provider.estimate_tokens
        return sum(estimate(block.text) + MESSAGE_OVERHEAD for block in self._blocks)

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

    def _request(self, tail: Sequence[JsonObject]) -> Built:
        """Build the request: fixed blocks, the past turns that fit, the running turn."""
        session = self._session
        tools = session.offered_tools() if self._model.takes_tools is not False else []
        past, taken = self._fit(tail, tools)
        self._turns_cut = past.turns_cut
        self._rounds += 1
        keep = [block for block in self._blocks if block.kind != "intro" or not past.turns_cut]
        settings = session.settings
        request = ChatRequest(
            model=self._model.id,
            messages=[*(block.message for block in keep), *past.messages, *tail],
            tools=tools,
            temperature=settings.temperature,
            top_p=settings.top_p,
            max_tokens=settings.max_tokens,
        )
        makeup = self._makeup(keep, past, len(tail))
        return Built(request, makeup, self._about(makeup.turn, taken + past.tokens, tail))

    def _makeup(self, keep: Sequence[Block], past: Fitted, running: int) -> Makeup:
        """Return how the messages came together; it holds references, and copies nothing."""
        conversation = self._session.conversation
        asked = conversation.entry(self._start) if self._start < len(conversation) else {}
        turn = asked.get("turn")
        return Makeup(
            turn=turn if isinstance(turn, int) else 0,
            running=running,
            blocks=tuple(keep),
            left_out=tuple(block for block in self._blocks[-1:] if len(keep) < len(self._blocks)),
            past=past.sources,
            rejected=past.rejected,
            asked=str(asked.get("id", "")),
            earlier=self._earlier,
            turns_cut=past.turns_cut,
            messages_cut=past.messages_cut,
            tokens_cut=past.tokens_cut,
            last_cut=past.last_cut,
            window=self._session.models.window(self._model),
            reserve=self._reserve,
        )

    def _about(self, turn: int, tokens: int, tail: Sequence[JsonObject]) -> SentRequest:
        return SentRequest(
            number=0,
            conversation_id=self._session.conversation.id,
            turn=turn,
            lane="main",
            agent_id="",
            round=self._rounds,
            model=self._model.id,
            time=0.0,
            state="next",
            tokens=tokens,
            after=answered_tools(tail),
        )

    @property
    def _reserve(self) -> int:
        """The estimated tokens that are kept for the answer."""
        window = self._session.models.window(self._model)
        return self._session.settings.max_tokens or min(1024, window // 4)

    def _fit(self, tail: Sequence[JsonObject], tools: Sequence[JsonObject]) -> tuple[Fitted, int]:
        """Return the past turns that fit, and the tokens of everything else."""
        session = self._session
        estimate = session.models.provider.estimate_tokens
        window = session.models.window(self._model)
        running = sum(estimate(encode(message)) + MESSAGE_OVERHEAD for message in tail)
        offered = estimate(encode(tools)) if tools else 0
        taken = self._fixed + running + offered
        room = window - taken - self._reserve
        session.history.follow(session.conversation, self._start)
        return session.history.fit(max(room, min(LEAST_ROOM, window // 4))), taken

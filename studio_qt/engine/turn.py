"""A turn: a user message and everything answered to it, from the stores to the last save."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from studio_qt.engine.broker import Broker, Response
from studio_qt.engine.events import EntriesChanged, TurnChanged
from studio_qt.engine.history import MESSAGE_OVERHEAD, Fitted, message_for_model
from studio_qt.engine.prompt import Block, fixed_blocks
from studio_qt.engine.session import Session, uninterrupted
from studio_qt.errors import StudioError
from studio_qt.jsontext import JsonObject, JsonValue, encode
from studio_qt.providers.model import ChatRequest, ModelInfo
from studio_qt.sandbox import SandboxHost

__all__ = ["Turn"]

LEAST_ROOM = 512
"""Estimated tokens that are kept for past turns however full the window is."""


class Turn:
    """Runs one response in a session; a new object for each.

    The stop of the user cancels the task; whatever the way out, the conversation is saved and can
    be sent again (LOOP-07, LOOP-08).
    """

    def __init__(self, session: Session, host: SandboxHost) -> None:
        self._session = session
        self._host = host
        self._start = 0
        self._blocks: list[Block] = []
        self._model = ModelInfo("")
        self.stopped = False

    async def send(self, text: str) -> Response:
        """Append the user's message and answer it; raises ModelError and StorageError."""
        session = self._session
        session.emit(TurnChanged("started"))
        session.add_entry({"role": "user", "content": text})
        return await self._respond(len(session.conversation) - 1)

    async def again(self) -> Response:
        """Answer the last user message anew; what answered it is rejected, and stays in the file.

        Raises StudioError when there is no user message.
        """
        session = self._session
        conversation = session.conversation
        last = next(
            (at for at in range(len(conversation) - 1, -1, -1) if _asks(conversation.entry(at))),
            None,
        )
        if last is None:
            raise StudioError("There is no message to answer yet. Send one first.")
        session.emit(TurnChanged("started"))
        for at in range(last + 1, len(conversation)):
            if conversation.entry(at)["role"] in ("assistant", "tool"):
                conversation.amend(at, {"rejected": True})
                session.emit(EntriesChanged(at, 1, 1))
        return await self._respond(last)

    async def look(self, text: str) -> JsonObject:
        """Return the request that sending `text` would make; nothing changes (SYS-08)."""
        self._start = len(self._session.conversation)
        await self._prepare(dry=True)
        request = self._request([{"role": "user", "content": text}])
        return {
            "model": request.model,
            "messages": list[JsonValue](request.messages),
            "tools": list[JsonValue](request.tools),
        }

    async def _respond(self, asked_at: int) -> Response:
        session = self._session
        self._start = asked_at
        session.caps.begin_response()
        tail = message_for_model(session.conversation.entry(asked_at))
        broker = Broker(session, self._host, self._request, [tail] if tail else [])
        try:
            await session.begin_stores()
            await self._prepare()
            await broker.run()
        except asyncio.CancelledError:
            broker.keep_partial()
        finally:
            self.stopped = broker.response.stopped
            await uninterrupted(self._finish())
        return broker.response

    async def _prepare(self, *, dry: bool = False) -> None:
        session = self._session
        texts = await asyncio.to_thread(session.package.read_texts)
        preload = await session.preload(dry=dry)
        self._blocks = fixed_blocks(texts, preload, session.settings.persona)
        self._model = await session.models.lane("main")

    async def _finish(self) -> None:
        """Save, and rebuild the preload block for the next request (SYS-06)."""
        session = self._session
        conversation = session.conversation
        session.forget_preload()
        await session.preload()
        if len(conversation):
            turn = conversation.entry(len(conversation) - 1).get("turn")
            conversation.mark_turn_end(turn if isinstance(turn, int) else 0)
        await conversation.checkpoint()

    def _request(self, tail: Sequence[JsonObject]) -> ChatRequest:
        """Build the request: fixed blocks, the past turns that fit, the running turn."""
        session = self._session
        tools = session.offered_tools() if self._model.takes_tools is not False else []
        past = self._fit(tail, tools)
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


def _asks(entry: JsonObject) -> bool:
    return entry["role"] == "user" and not entry.get("rejected")

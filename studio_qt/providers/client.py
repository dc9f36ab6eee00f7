"""`HttpProvider`: one streaming client for OpenAI-compatible servers."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Sequence
from contextlib import aclosing
from dataclasses import replace
from typing import TYPE_CHECKING

from studio_qt.errors import ClosedError, ModelError
from studio_qt.jsontext import JsonObject, decode, encode
from studio_qt.providers import tokens
from studio_qt.providers.adapt import adapt, offers_tools, tool_names
from studio_qt.providers.answer import Answer, Delta
from studio_qt.providers.endpoint import Endpoint
from studio_qt.providers.keys import trimmed_key
from studio_qt.providers.learn import lesson
from studio_qt.providers.listing import read_models
from studio_qt.providers.model import ChatRequest, Completion, ModelInfo, StreamEvent, Usage
from studio_qt.providers.patience import Patience
from studio_qt.providers.profile import Overrides, Profile, guessed
from studio_qt.providers.profiles import ProfileStore
from studio_qt.providers.receive import receive
from studio_qt.providers.refusal import Refusal, RefusedError, read_refusal, refusal_in
from studio_qt.providers.tries import Tries
from studio_qt.providers.trouble import BrokenError, explained

if TYPE_CHECKING:
    from studio_qt.providers.transport import Reply, Transport

__all__ = ["HttpProvider"]

_NO_LIST = {404, 405, 501}
_MOST_LISTED = 16 * 1024 * 1024
"""Bytes of a list of models; the longest that are known have two megabytes."""

_ENDLESS = (
    "{place} sends a list of models that does not end; it was given up after 16 MB. "
    "Check the base URL, or write the name of the model yourself."
)
_LEAST_READ = 0.6  # a smaller part of a long prompt means that the server cut it
_LONG_PROMPT = 2_000


class HttpProvider:
    """A provider over HTTP; used on one loop, closed by its owner.

    What the endpoint and each model accept is learned from refusals and kept in `profiles`; the
    user's own choices (`override`) win over it. The key is trimmed, sent only in the
    Authorization header, and never appears in a message, a log or a repr. `sleep` waits between
    tries. Raises StudioError for a base URL or a key that cannot be used.
    """

    def __init__(
        self,
        base_url: str,
        api_key: str | None = None,
        *,
        profiles: ProfileStore | None = None,
        overrides: Overrides | None = None,
        patience: Patience | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._endpoint = Endpoint.parse(base_url)
        self._key = trimmed_key(api_key)
        self._profiles = profiles or ProfileStore()
        self._overrides = overrides or Overrides()
        self._patience = patience or Patience()
        self._sleep = sleep
        self._transport: Transport | None = None
        self._opening = asyncio.Lock()
        self._closed = False
        self._ratio = 1.0

    def __repr__(self) -> str:
        return f"HttpProvider({self._endpoint.base!r})"

    @property
    def endpoint(self) -> str:
        """The base URL in effect; under this name profiles are kept and extras come back."""
        return self._endpoint.base

    def profile(self, model: str) -> Profile:
        """Return what is known about `model`, the user's choices applied."""
        return self._overrides.applied(self._known(model))

    def override(
        self,
        *,
        send_is_file: bool | None = None,
        merge_same_role: bool | None = None,
        model_takes_tools: bool | None = None,
    ) -> None:
        """Set the user's choices, from the next request on; None: as the profile says."""
        self._overrides = Overrides(send_is_file, merge_same_role, model_takes_tools)

    def body(self, request: ChatRequest) -> bytes:
        """Return the bytes that `stream` would send first."""
        return self._encoded(request, self.profile(request.model))[1]

    def estimate_tokens(self, text: str) -> int:
        """Return the estimate, corrected by what this endpoint has reported."""
        return tokens.estimate(text, self._ratio)

    async def stream(self, request: ChatRequest) -> AsyncIterator[StreamEvent]:
        """Yield the answer as it comes, a `Completion` last (see `Provider.stream`)."""
        exchange = _Exchange(request, self._known(request.model), self._patience)
        while True:
            profile = self._overrides.applied(exchange.profile)
            body, data = self._encoded(request, profile)
            exchange.sent.add(data)
            if request.on_sent is not None:
                request.on_sent(data)
            answer = Answer(tool_names(request), opens_thinking=profile.opens_thinking)
            try:
                async with aclosing(self._ask(data, answer)) as deltas:
                    async for delta in deltas:
                        yield delta
                break
            except BrokenError:
                if answer.said or not exchange.tries.again_after_break():
                    raise
            except RefusedError as error:
                if answer.said:
                    raise self._error(error.refusal, request.model) from error
                if self._adjusts(exchange, error.refusal, body):
                    continue
                waiting = exchange.tries.wait(error.refusal, self._key)
                if waiting is None:
                    raise self._error(error.refusal, request.model) from error
                yield waiting
                await self._sleep(waiting.seconds)
        yield await self._completed(exchange, answer, body)

    async def list_models(self) -> Sequence[ModelInfo]:
        """Return the models on offer, () where the endpoint has no list; raises `ModelError`."""
        transport = await self._connected()
        async with transport.open("GET", self._endpoint.url("models"), self._headers()) as reply:
            if reply.status in _NO_LIST:
                return ()
            if reply.status >= 300:
                raise self._error(await _refusal(reply), "")
            data = bytearray()
            async for piece in reply.pieces():
                data += piece
                if len(data) > _MOST_LISTED:
                    raise ModelError(_ENDLESS.format(place=self._endpoint.base))
        listed = await asyncio.to_thread(_listed, bytes(data))  # some list tens of thousands
        if isinstance(listed, Refusal):
            raise self._error(listed, "")
        return listed

    async def close(self) -> None:
        """Close connections; twice is harmless. Afterwards requests raise ClosedError."""
        self._closed = True
        transport, self._transport = self._transport, None
        if transport is not None:
            await transport.close()

    async def _ask(self, data: bytes, answer: Answer) -> AsyncGenerator[Delta, None]:
        transport = await self._connected()
        url = self._endpoint.url("chat/completions")
        async with transport.open("POST", url, self._headers(), data) as reply:
            if reply.status >= 300:
                raise RefusedError(await _refusal(reply))
            async with aclosing(receive(reply, answer)) as deltas:
                async for delta in deltas:
                    yield delta

    def _adjusts(self, exchange: _Exchange, refusal: Refusal, body: JsonObject) -> bool:
        """Learn from `refusal`; whether there is something new to try."""
        taught = lesson(refusal, exchange.profile, body)
        if taught is None:
            return False
        profile = self._overrides.applied(taught.profile)
        if self._encoded(exchange.request, profile)[1] in exchange.sent:
            return False
        lasting = lesson(refusal, exchange.lasting, body) if taught.lasting else None
        exchange.profile = taught.profile
        exchange.lasting = lasting.profile if lasting else exchange.lasting
        if taught.notice:
            exchange.notices.append(taught.notice)
        return True

    async def _completed(self, exchange: _Exchange, answer: Answer, body: JsonObject) -> Completion:
        model = exchange.request.model
        said = answer.completion(self._endpoint.base, model)
        asked = tokens.estimate_body(body, self._ratio)
        notices = [*exchange.notices, *said.notices]
        usage = said.usage
        if usage is None:
            answered = self.estimate_tokens(said.reasoning + said.content) + sum(
                self.estimate_tokens(call.arguments_text) for call in said.tool_calls
            )
            usage = Usage(asked, answered, asked + answered, estimated=True)
        elif self._was_cut(asked, usage.prompt_tokens):
            notices.append(
                f"The server read only {usage.prompt_tokens} of about {asked} tokens: the start of "
                "the prompt was cut. Give the model a larger context on the server (num_ctx)."
            )
        else:
            self._ratio = tokens.corrected(self._ratio, asked, usage.prompt_tokens)
        await self._remember(exchange, answer)
        offered = offers_tools(exchange.request, self._overrides.applied(exchange.profile))
        return replace(
            said,
            usage=usage,
            notices=tuple(notices),
            tools_offered=offered or not exchange.request.tools,
        )

    def _was_cut(self, asked: int, read: int) -> bool:
        """Whether the server read far less than was sent; a count of a few is a cached prompt."""
        local = self._endpoint.kind == "ollama" or self._endpoint.loopback
        return local and asked >= _LONG_PROMPT and 1_000 <= read < asked * _LEAST_READ

    async def _remember(self, exchange: _Exchange, answer: Answer) -> None:
        """Keep what a request that succeeded has taught; others may have learned meanwhile."""
        model = exchange.request.model
        now = self._known(model)
        learned = now.updated(exchange.lasting.learned_since(exchange.start))
        if answer.opens_thinking is not None:
            learned = replace(learned, opens_thinking=answer.opens_thinking)
        if abs(self._ratio - learned.token_ratio) > 0.05 * learned.token_ratio:
            learned = replace(learned, token_ratio=self._ratio)
        if learned != now:
            start = guessed(self._endpoint.kind)
            await asyncio.to_thread(self._profiles.put, self._endpoint.base, model, learned, start)

    def _known(self, model: str) -> Profile:
        profile = self._profiles.get(self._endpoint.base, model, guessed(self._endpoint.kind))
        if self._ratio == 1.0:
            self._ratio = profile.token_ratio
        return profile

    def _encoded(self, request: ChatRequest, profile: Profile) -> tuple[JsonObject, bytes]:
        body = adapt(request, profile, self._endpoint.base)
        return body, encode(body).encode()

    def _headers(self) -> dict[str, str]:
        headers = {
            "Content-Type": "application/json",
            "Accept": "text/event-stream, application/json",
            "User-Agent": "character-studio",
        }
        if self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        if self._endpoint.kind == "openrouter":
            headers["X-Title"] = "Character Studio"
        return headers

    async def _connected(self) -> Transport:
        """Open connections on first use, on a thread: reading certificates takes a while."""
        async with self._opening:
            if self._closed:
                raise ClosedError(f"The connection to {self._endpoint.base} has been closed.")
            if self._transport is None:
                self._transport = await asyncio.to_thread(
                    _open_transport, self._endpoint, self._patience
                )
            return self._transport

    def _error(self, refusal: Refusal, model: str) -> ModelError:
        return explained(refusal, self._endpoint.base, model, self._key)


def _listed(data: bytes) -> tuple[ModelInfo, ...] | Refusal:
    """Return the models of a list, or what the server says instead of one; may take long."""
    try:
        body = decode(data)
    except ValueError:
        return read_refusal(200, data, {})
    return refusal_in(body) or read_models(body)


class _Exchange:
    """One request until it is answered: what was tried, and what was learned on the way."""

    def __init__(self, request: ChatRequest, start: Profile, patience: Patience) -> None:
        self.request = request
        self.start = start
        self.profile = start  # for the next try
        self.lasting = start  # what is kept when it succeeds
        ran = any(message.get("role") == "tool" for message in request.messages)
        self.tries = Tries(patience, only_once=ran)
        self.sent: set[bytes] = set()
        self.notices: list[str] = []


async def _refusal(reply: Reply) -> Refusal:
    headers = dict(reply.headers)
    refusal = read_refusal(reply.status, await reply.beginning(), headers)
    if 300 <= reply.status < 400 and "location" in headers:
        return replace(refusal, text=f"the new address is {headers['location']}")
    return refusal


def _open_transport(endpoint: Endpoint, patience: Patience) -> Transport:
    from studio_qt.providers.transport import Transport

    try:
        return Transport(endpoint.base, patience, loopback=endpoint.loopback)
    except (ImportError, ValueError, OSError) as error:
        raise ModelError(
            f"The connection to {endpoint.base} cannot be prepared: {error} Look at the "
            "environment variables for proxies and certificates (ALL_PROXY, SSL_CERT_FILE)."
        ) from error

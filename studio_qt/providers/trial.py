"""Trying a connection: what it offers, and whether it streams and calls tools."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import aclosing
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

from studio_qt.errors import ModelError
from studio_qt.jsontext import JsonObject
from studio_qt.providers.connect import open_provider
from studio_qt.providers.discovery import Door, find_servers
from studio_qt.providers.endpoint import Endpoint
from studio_qt.providers.model import ChatRequest, Completion, ModelInfo, Provider, Waiting
from studio_qt.providers.patience import Patience
from studio_qt.providers.profiles import ProfileStore

__all__ = ["Trial", "offered_models", "try_connection"]

_PATIENCE = Patience(connect=5.0, first_byte=120.0, idle=30.0, tries=1)
_WORD = "lantern"
_TOOL: JsonObject = {
    "type": "function",
    "function": {
        "name": "note_word",
        "description": "Notes one word.",
        "parameters": {
            "type": "object",
            "properties": {"word": {"type": "string", "description": "The word to note"}},
            "required": ["word"],
        },
    },
}


@dataclass(frozen=True, slots=True)
class Trial:
    """What came of a test.

    `first_token` is in seconds, None when nothing came; `pieces` counts the parts of the streamed
    answer; `calls_tools` False when the model called none, None when it was not asked. `trouble`
    is a sentence about why it does not work, "" when it does.
    """

    first_token: float | None = None
    pieces: int = 0
    calls_tools: bool | None = None
    trouble: str = ""

    @property
    def works(self) -> bool:
        """Whether it can be played with."""
        return not self.trouble

    @property
    def sentence(self) -> str:
        """What to tell the user."""
        if self.trouble:
            return self.trouble
        parts = []
        if self.first_token is not None:
            parts.append(f"first token after {_spoken(self.first_token)}")
        if self.calls_tools:
            parts.append("a tool call came back whole")
        parts.append(
            "streaming ends cleanly" if self.pieces > 1 else "the answer came in one piece"
        )
        text = ", ".join(parts)
        text = f"{text[0].upper()}{text[1:]}."
        if self.calls_tools is False:
            text += " The model called no tool when it was asked to, so agents may not act."
        return text


async def try_connection(
    base_url: str,
    api_key: str | None,
    model: str,
    *,
    profiles: ProfileStore | None = None,
    patience: Patience | None = None,
    clock: Callable[[], float] = time.monotonic,
    told: Callable[[str], None] | None = None,
) -> Trial:
    """Ask for a short answer and for a tool call, about 100 tokens in all; raises nothing.

    What is learned on the way goes into `profiles`; `told` gets the reason when a server that is
    busy or loads its model is waited for.
    """
    try:
        provider = open_provider(
            base_url, api_key, profiles=profiles, patience=patience or _PATIENCE
        )
    except Exception as error:  # noqa: BLE001 - the border: a form shows the sentence
        return Trial(trouble=str(error))
    try:
        return await _tried(provider, model, clock, told or (lambda _reason: None))
    finally:
        await provider.close()


async def _tried(
    provider: Provider, model: str, clock: Callable[[], float], told: Callable[[str], None]
) -> Trial:
    trial = Trial()
    started = clock()
    hello = _asking(model, "Count from one to five, in words, and say nothing else.")
    try:
        async with aclosing(provider.stream(hello)) as events:  # type: ignore[type-var]
            async for event in events:
                if isinstance(event, Waiting):
                    told(event.reason)
                if isinstance(event, (Completion, Waiting)):
                    continue
                if trial.first_token is None:
                    trial = replace(trial, first_token=clock() - started)
                trial = replace(trial, pieces=trial.pieces + 1)
        if trial.pieces == 0:
            return replace(trial, trouble="The model answered with nothing. Choose another model.")
        wish = f'Call the tool note_word with the word "{_WORD}".'
        calls = await _calls(provider, replace(_asking(model, wish), tools=(_TOOL,)))
    except ModelError as error:
        return replace(trial, trouble=str(error))
    return replace(trial, calls_tools=calls)


async def _calls(provider: Provider, request: ChatRequest) -> bool:
    """Whether a request with a tool comes back as a call of it whose arguments can be read."""
    called = False
    async with aclosing(provider.stream(request)) as events:  # type: ignore[type-var]
        async for event in events:
            if isinstance(event, Completion):
                called = any(
                    call.name == "note_word" and (call.arguments or {}).get("word")
                    for call in event.tool_calls
                )
    return called


async def offered_models(base_url: str, api_key: str | None) -> tuple[ModelInfo, ...]:
    """Return the models of an address, those that chat first, with all that is told of them.

    Raises ModelError where it cannot be asked, StudioError for an address that cannot be used.
    """
    provider = open_provider(base_url, api_key, patience=_PATIENCE)
    try:
        listed = await provider.list_models()
    finally:
        await provider.close()
    more = await _told_by_itself(base_url)
    whole = [_merged(info, more.get(info.id)) for info in listed] or list(more.values())
    return tuple(sorted(whole, key=lambda info: info.kind != "chat"))


async def _told_by_itself(base_url: str) -> dict[str, ModelInfo]:
    """Return what a server on this computer tells on its own routes, by model."""
    if base_url.startswith("rehearsal:"):
        return {}
    endpoint = Endpoint.parse(base_url)
    parts = urlsplit(endpoint.base)
    if not endpoint.loopback or parts.scheme != "http" or parts.hostname != "127.0.0.1":
        return {}
    found = await find_servers([Door(parts.port or 80, "")])
    return {info.id: info for server in found for info in server.models}


def _merged(listed: ModelInfo, told: ModelInfo | None) -> ModelInfo:
    if told is None:
        return listed
    tools = listed.takes_tools if told.takes_tools is None else told.takes_tools
    length = told.context_length or listed.context_length
    other = "other" in {listed.kind, told.kind}
    return ModelInfo(listed.id, length, tools, "other" if other else "chat")


def _asking(model: str, text: str) -> ChatRequest:
    return ChatRequest(model, [{"role": "user", "content": text}])


def _spoken(seconds: float) -> str:
    return f"{seconds * 1000:.0f} ms" if seconds < 1 else f"{seconds:.1f} s"

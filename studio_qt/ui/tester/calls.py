"""One call by hand: made, timed, and everything that it caused. Without Qt."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from studio_qt.engine.offers import Offer
from studio_qt.engine.storage import AgentLogLine
from studio_qt.errors import StudioError
from studio_qt.jsontext import JsonObject, encode

if TYPE_CHECKING:
    from studio_qt.engine.player import CharacterPlayer

__all__ = ["Call", "Ending", "Report", "Said", "StoreChange", "make_call"]

Ending = Literal["ok", "error", "stopped"]


@dataclass(frozen=True, slots=True)
class Call:
    """What is called with what: `args` of a tool, `line` after the name of a command."""

    kind: Literal["tool", "command"]
    name: str
    agent_id: str
    args: JsonObject
    line: str = ""

    @classmethod
    def of(cls, offer: Offer, args: JsonObject, line: str) -> Call:
        """Return the call of an offer."""
        return cls(offer.kind, offer.name, offer.agent_id, args, line)

    @property
    def words(self) -> str:
        """The call in one line."""
        given = encode(self.args) if self.kind == "tool" else self.line
        return f"{self.name} {given}".strip()


@dataclass(frozen=True, slots=True)
class StoreChange:
    """A store that is another after the call, as JSON texts."""

    agent_id: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Said:
    """A line that the call caused: `kind` is "toast", "log", "console", "error" or "tool"."""

    kind: str
    who: str
    text: str


@dataclass(frozen=True, slots=True)
class Report:
    """What came of a call; `result` is what a model would be told. `when` is UNIX time."""

    call: Call
    ending: Ending
    result: str
    seconds: float
    when: float
    stores: tuple[StoreChange, ...] = ()
    said: tuple[Said, ...] = ()


async def make_call(player: CharacterPlayer, call: Call) -> Report:
    """Make a call and tell what it did; cancelling stops it, and is told as well.

    Raises StudioError only where nothing was called: the player is closed, or only reads.
    """
    before = {agent.id: player.store_text(agent.id) for agent in player.agents()}
    said: list[Said] = []
    touched: dict[str, None] = {}
    offs = _listen(player, call, said, touched)
    began, when = time.monotonic(), time.time()
    report = Report(call, "ok", "", 0.0, when)
    try:
        report = await _run(player, call, report)
    except asyncio.CancelledError:
        if (task := asyncio.current_task()) is not None:
            task.uncancel()
        report = replace(report, ending="stopped", result="The call was stopped.")
    finally:
        seconds = time.monotonic() - began
        for off in offs:
            off()
    stores = tuple(_changes(player, before, touched))
    return replace(report, seconds=seconds, stores=stores, said=tuple(said))


def _changes(
    player: CharacterPlayer, before: Mapping[str, str], touched: Iterable[str]
) -> Iterator[StoreChange]:
    """Yield what is another now; an agent that has gone meanwhile has no store."""
    for agent_id in touched:
        with suppress(StudioError):
            change = StoreChange(agent_id, before.get(agent_id, "{}"), player.store_text(agent_id))
            if change.before != change.after:
                yield change


async def _run(player: CharacterPlayer, call: Call, report: Report) -> Report:
    try:
        if call.kind == "tool":
            return replace(report, result=await player.call_tool(call.name, call.args))
        ended = await player.command(f"{call.name} {call.line}".rstrip())
    except StudioError as error:
        return replace(report, ending="error", result=str(error))
    if ended.ok:
        return replace(report, result="Done.")
    return replace(report, ending="error", result=ended.error or "It failed without a word.")


def _listen(
    player: CharacterPlayer, call: Call, said: list[Said], touched: dict[str, None]
) -> list[Callable[[], None]]:
    """Hear what happens until the returned functions are called."""

    def note(payload: object) -> None:
        if isinstance(payload, AgentLogLine):
            kind = payload.kind if payload.kind in ("console", "error") else "log"
            said.append(Said(kind, payload.agent_id, payload.message))

    def tool(payload: object) -> None:
        if isinstance(payload, Mapping) and payload.get("toolName") != call.name:
            words = f"{payload['toolName']} {encode(payload.get('args'))} → {payload.get('result')}"
            said.append(Said("tool", str(payload.get("agentId", "")), words))

    def store(payload: object) -> None:
        if isinstance(payload, Mapping):
            touched[str(payload.get("agentId", ""))] = None

    return [
        player.on("agentToast", lambda text: said.append(Said("toast", "", str(text)))),
        player.on("agentLog", lambda text: said.append(Said("log", "", str(text)))),
        player.on("agentNote", note),
        player.on("toolCall", tool),
        player.on("store", store),
    ]

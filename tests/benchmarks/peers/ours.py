"""Our side: the sandbox, timed from nothing, call by call, and after its worker was killed."""

from __future__ import annotations

import asyncio
import time
from types import TracebackType
from typing import Self

import psutil

from studio_qt.jsontext import JsonObject, JsonValue
from studio_qt.sandbox import AgentCode, BridgeCall, Limits, SandboxedAgent, SandboxHost
from tests.benchmarks.peers.work import SOURCES, SUFFIXES

__all__ = ["Ours"]

LIMITS = Limits(120.0, 256)
CONTEXT: JsonObject = {"agentId": "bench"}
_SPARE_SECONDS = 1.0
_REST_SECONDS = 3.0


class Ours:
    """An agent in one language, in a host of its own."""

    def __init__(self, language: str, texts: dict[str, str]) -> None:
        self._language = language
        self._texts = dict(texts)
        self._host = SandboxHost(spare_seconds=_SPARE_SECONDS)
        self._agent: SandboxedAgent | None = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._host.close()

    async def start(self, store: str) -> float:
        """Return the milliseconds from nothing to the answer of the first call."""
        started = time.perf_counter()
        name, source = f"bench.{SUFFIXES[self._language]}", SOURCES[self._language]
        code = AgentCode("bench", self._language, name, source)
        self._agent = await self._host.load(code, LIMITS)
        await self._call(store)
        return 1e3 * (time.perf_counter() - started)

    async def calls(self, store: str, times: int) -> list[float]:
        """Return the microseconds of so many calls, each with the store that the last one left."""
        samples = []
        for _ in range(times):
            started = time.perf_counter()
            await self._call(store)
            samples.append(1e6 * (time.perf_counter() - started))
        return samples

    async def kill(self, store: str) -> float:
        """Kill the worker and return the milliseconds until a call is answered again.

        The host has a moment of rest before, in which it starts a spare worker.
        """
        await asyncio.sleep(_REST_SECONDS)
        oldest = min(_workers(), key=psutil.Process.create_time)  # the other is the spare
        oldest.kill()
        started = time.perf_counter()
        while not await self._try(store):
            pass
        return 1e3 * (time.perf_counter() - started)

    async def _call(self, store: str) -> None:
        if not await self._try(store):
            raise RuntimeError(f"an agent in {self._language} did not answer")

    async def _try(self, store: str) -> bool:
        if self._agent is None:
            raise RuntimeError("start first")
        text = self._texts[store]
        outcome = await self._agent.call("change", (), text, _bridge, LIMITS, context=CONTEXT)
        if outcome.store is not None:
            self._texts[store] = outcome.store
        return outcome.value == "ok" and outcome.store is not None


def _workers() -> list[psutil.Process]:
    children = psutil.Process().children()
    return [child for child in children if "studio_qt.sandbox" in " ".join(child.cmdline())]


async def _bridge(call: BridgeCall) -> JsonValue:
    return call.method

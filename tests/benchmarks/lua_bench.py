"""What Lua agents cost: a cold start, and a call that changes one value of a store."""

from __future__ import annotations

import json
import statistics
import time

from studio_qt.jsontext import JsonValue
from studio_qt.sandbox import AgentCode, BridgeCall, Limits, SandboxedAgent, SandboxHost

__all__ = ["bench_lua"]

SOURCE = """
function change(store) store.values[8] = (store.values[8] or 0) + 1 return "ok" end
function look(store) return #store.values end
function ask(store, studio) return studio.context.readFile("a"):await() end
"""
LIMITS = Limits(8.0, 256)


async def bench_lua(*, starts: int = 7, small: int = 400, large: int = 60) -> dict[str, float]:
    """Return medians: a worker with one agent and its first call in ms, calls in µs, 100 KB in ms.

    Each call gets the store as text and the host ends with the new text, as with the peers.
    """
    figures = {"lua_start_ms": 1e3 * statistics.median([await _start() for _ in range(starts)])}
    async with SandboxHost() as host:
        agent = await host.load(_code(), LIMITS)
        integers = json.dumps({"values": list(range(200))}, separators=(",", ":"))
        figures["lua_call_200_us"] = 1e6 * await _changes(agent, integers, small)
        figures["lua_call_100kb_ms"] = 1e3 * await _changes(agent, _large_store(), large)
        figures["lua_call_unchanged_us"] = 1e6 * await _repeat(agent, "look", integers, small)
        figures["lua_bridge_call_us"] = 1e6 * await _repeat(agent, "ask", integers, small)
    return figures


def _code() -> AgentCode:
    apis = frozenset({"studio.context"})
    return AgentCode("bench", "lua", "bench.lua", SOURCE, namespaces=apis)


def _large_store() -> str:
    rows: list[JsonValue] = [
        {"id": n, "name": f"character number {n}", "tags": ["a", "b"], "score": n * 1.5}
        for n in range(1500)
    ]
    return json.dumps({"values": list(range(10)), "rows": rows}, separators=(",", ":"))


async def _start() -> float:
    started = time.perf_counter()
    async with SandboxHost() as host:
        agent = await host.load(_code(), LIMITS)
        await agent.call("look", (), '{"values":[]}', _bridge, LIMITS, context={})
        return time.perf_counter() - started


async def _changes(agent: SandboxedAgent, store: str, times: int) -> float:
    samples = []
    for _ in range(times):
        started = time.perf_counter()
        outcome = await agent.call("change", (), store, _bridge, LIMITS, context={})
        samples.append(time.perf_counter() - started)
        if outcome.store is None:
            raise RuntimeError(f"the store did not change: {outcome}")
        store = outcome.store
    return statistics.median(samples)


async def _repeat(agent: SandboxedAgent, handler: str, store: str, times: int) -> float:
    samples = []
    for _ in range(times):
        started = time.perf_counter()
        await agent.call(handler, (), store, _bridge, LIMITS, context={})
        samples.append(time.perf_counter() - started)
    return statistics.median(samples)


async def _bridge(call: BridgeCall) -> JsonValue:
    return call.method

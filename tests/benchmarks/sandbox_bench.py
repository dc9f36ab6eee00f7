"""What agents cost: starting a worker, and a call that changes one value of a store."""

from __future__ import annotations

import json
import statistics
import time

from studio_qt.jsontext import JsonValue
from studio_qt.sandbox import AgentCode, BridgeCall, Limits, SandboxedAgent, SandboxHost

__all__ = ["bench"]

SOURCE = """
export function change(store) { store.values[7] = (store.values[7] ?? 0) + 1; return "ok"; }
export function look(store) { return store.values.length; }
export async function ask(store, studio) { return await studio.context.readFile("a"); }
"""
LIMITS = Limits(8.0, 256)


async def bench(*, starts: int = 7, small: int = 400, large: int = 60) -> dict[str, float]:
    """Return medians: starts in ms, a call with 200 integers in µs, with 100 KB in ms."""
    figures = {"worker_start_ms": 1e3 * statistics.median([await _start() for _ in range(starts)])}
    async with SandboxHost() as host:
        agent = await host.load(_code(), LIMITS)
        integers = json.dumps({"values": list(range(200))}, separators=(",", ":"))
        figures["js_call_200_us"] = 1e6 * await _changes(agent, integers, small)
        figures["js_call_100kb_ms"] = 1e3 * await _changes(agent, _large_store(), large)
        figures["js_call_unchanged_us"] = 1e6 * await _repeat(agent, "look", integers, small)
        figures["js_bridge_call_us"] = 1e6 * await _repeat(agent, "ask", integers, small)
    return figures


def _code() -> AgentCode:
    return AgentCode(
        "bench", "javascript", "bench.js", SOURCE, namespaces=frozenset({"studio.context"})
    )


def _large_store() -> str:
    rows: list[JsonValue] = [
        {"id": n, "name": f"character number {n}", "tags": ["a", "b"], "score": n * 1.5}
        for n in range(1500)
    ]
    return json.dumps({"values": list(range(10)), "rows": rows}, separators=(",", ":"))


async def _start() -> float:
    started = time.perf_counter()
    async with SandboxHost() as host:
        await host.load(_code(), LIMITS)
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

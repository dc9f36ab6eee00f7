"""What Python agents cost: a cold start with the compiled interpreter there, and calls."""

from __future__ import annotations

import json
import statistics
import time

from studio_qt.jsontext import JsonValue
from studio_qt.sandbox import AgentCode, BridgeCall, Limits, SandboxedAgent, SandboxHost

__all__ = ["bench_python"]

SOURCE = """
def change(store):
    store["values"][7] += 1
    return "ok"

def look(store):
    return len(store["values"])

async def ask(store, studio):
    return await studio.context.readFile("a")
"""
LIMITS = Limits(8.0, 256)


async def bench_python(*, starts: int = 7, small: int = 400, large: int = 60) -> dict[str, float]:
    """Return medians: starts in ms, a call with 200 integers in µs, with 100 KB in ms."""
    async with SandboxHost() as host:
        await host.prepare_python()
    figures = {
        "python_cold_ms": 1e3 * statistics.median([await _start("") for _ in range(starts)]),
        "python_cold_asyncio_ms": 1e3
        * statistics.median([await _start("import asyncio\n") for _ in range(starts)]),
    }
    async with SandboxHost() as host:
        agent = await host.load(_code(), LIMITS)
        integers = json.dumps({"values": list(range(200))}, separators=(",", ":"))
        figures["python_call_200_us"] = 1e6 * await _changes(agent, integers, small)
        figures["python_call_100kb_ms"] = 1e3 * await _changes(agent, _large_store(), large)
        figures["python_call_unchanged_us"] = 1e6 * await _repeat(agent, "look", integers, small)
        figures["python_bridge_call_us"] = 1e6 * await _repeat(agent, "ask", integers, small)
        figures["python_second_agent_ms"] = 1e3 * await _second(host)
        figures["python_rebuilt_ms"] = 1e3 * await _rebuilt(host)
    return figures


def _code(head: str = "") -> AgentCode:
    names = frozenset({"studio.context"})
    return AgentCode("bench", "python", "bench.py", head + SOURCE, namespaces=names)


def _large_store() -> str:
    rows: list[JsonValue] = [
        {"id": n, "name": f"character number {n}", "tags": ["a", "b"], "score": n * 1.5}
        for n in range(1500)
    ]
    return json.dumps({"values": list(range(10)), "rows": rows}, separators=(",", ":"))


async def _start(head: str) -> float:
    """From nothing to the answer of a first call."""
    started = time.perf_counter()
    async with SandboxHost() as host:
        agent = await host.load(_code(head), LIMITS)
        store = '{"values":[0,1,2,3,4,5,6,7]}'
        outcome = await agent.call("change", (), store, _bridge, LIMITS, context={})
        took = time.perf_counter() - started
        if outcome.store is None:
            raise RuntimeError(f"the store did not change: {outcome}")
        return took


async def _second(host: SandboxHost) -> float:
    samples = []
    for _ in range(5):
        started = time.perf_counter()
        agent = await host.load(_code(), LIMITS)
        samples.append(time.perf_counter() - started)
        await agent.unload()
    return statistics.median(samples)


async def _rebuilt(host: SandboxHost) -> float:
    """From the end of a call that was stopped to the answer of the next."""
    code = AgentCode("e", "python", "e.py", "import os\ndef f(): os._exit(0)\ndef g(): return 1\n")
    agent = await host.load(code, LIMITS)
    samples = []
    for _ in range(5):
        await agent.call("f", (), "{}", _bridge, LIMITS, context={})
        samples.append(await _repeat(agent, "g", "{}", 1))
    return statistics.median(samples)


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

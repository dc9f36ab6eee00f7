"""What TypeScript costs at load: cold with the compiler's start, the next file, and cached."""

from __future__ import annotations

import os
import statistics
import tempfile
import time

from studio_qt.sandbox import AgentCode, Limits, SandboxHost
from tests.benchmarks.sandbox_bench import SOURCE as JAVASCRIPT

__all__ = ["bench"]

SOURCE = """
interface Store { values: number[]; }
enum Answer { Ok = "ok" }
export function change(store: Store): Answer {
  store.values[7] = (store.values[7] ?? 0) + 1;
  return Answer.Ok;
}
"""
LIMITS = Limits(8.0, 256)


async def bench(*, rounds: int = 5) -> dict[str, float]:
    """Return medians in ms of loading an agent, the start of its own worker included."""
    samples: dict[str, list[float]] = {}
    before = os.environ.get("STUDIO_QT_CACHE")
    try:
        for _ in range(rounds):
            with tempfile.TemporaryDirectory() as folder:
                os.environ["STUDIO_QT_CACHE"] = folder
                for name, value in (await _round()).items():
                    samples.setdefault(name, []).append(1e3 * value)
    finally:
        os.environ.pop("STUDIO_QT_CACHE")
        if before is not None:
            os.environ["STUDIO_QT_CACHE"] = before
    return {name: statistics.median(values) for name, values in samples.items()}


async def _round() -> dict[str, float]:
    figures = {}
    async with SandboxHost() as host:
        figures["ts_load_cold_ms"] = await _load(host, "typescript", SOURCE)
        figures["ts_load_next_ms"] = await _load(host, "typescript", SOURCE + "// another")
    async with SandboxHost() as host:
        figures["ts_load_cached_ms"] = await _load(host, "typescript", SOURCE)
    async with SandboxHost() as host:
        figures["ts_js_load_ms"] = await _load(host, "javascript", JAVASCRIPT)
    return figures


async def _load(host: SandboxHost, language: str, source: str) -> float:
    started = time.perf_counter()
    await host.load(AgentCode("bench", language, f"bench.{language}", source), LIMITS)
    return time.perf_counter() - started

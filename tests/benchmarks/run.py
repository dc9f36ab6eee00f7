"""Prints the medians that the product is held to.

Run `python tests/benchmarks/run.py [--json] [NAME …]` in the checkout.

Compare figures of one run only; machines drift. Ratios come from interleaved samples.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))  # the checkout, for `tests`

from studio_qt.package import load_package
from studio_qt.resources import resource_path
from tests.benchmarks.chat_bench import bench as bench_chat
from tests.benchmarks.sandbox_bench import bench as bench_sandbox
from tests.benchmarks.targets import TARGETS
from tests.benchmarks.turns import bench_turns
from tests.benchmarks.typescript_bench import bench as bench_typescript

Figures = dict[str, float]


async def bench_package() -> Figures:
    """How long the sample takes to load, texts included."""
    sample = resource_path("templates/lantern-keeper")
    samples = []
    for _ in range(30):
        started = time.perf_counter()
        load_package(sample).read_texts()
        samples.append(time.perf_counter() - started)
    return {"package_load_ms": 1000 * statistics.median(samples)}


async def bench_window() -> Figures:
    """Starts, keys, stalls and saves of the whole window."""
    from tests.benchmarks.window_bench import bench  # it loads Qt, which no other one needs

    return await bench()


async def bench_stores() -> Figures:
    """A store of 5 MB in the window, and a request of 2 MB in the prompt inspector."""
    figures: Figures = {}
    for name in ("stores_bench.py", "inspector_bench.py"):
        done = await asyncio.to_thread(
            subprocess.run,
            [sys.executable, str(Path(__file__).with_name(name))],
            stdout=subprocess.PIPE,
            text=True,
            check=True,
            timeout=600,
        )
        figures |= json.loads(done.stdout.splitlines()[-1])
    return figures


BENCHES: dict[str, Callable[[], Awaitable[Figures]]] = {
    "sandbox": bench_sandbox,
    "typescript": bench_typescript,
    "turns": bench_turns,
    "package": bench_package,
    "window": bench_window,
    "chat": bench_chat,
    "stores": bench_stores,
}


def main() -> None:
    """Run the benchmarks that are named, or all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(BENCHES)}")
    given = parser.parse_args()
    figures: Figures = {}
    for name in given.names or BENCHES:
        figures |= asyncio.run(BENCHES[name]())
    if given.json:
        print(json.dumps({name: round(value, 4) for name, value in figures.items()}, indent=2))
        return
    for name, value in figures.items():
        print(f"{name:36} {value:10.3f}{_beside(name, value)}")


def _beside(name: str, value: float) -> str:
    """Return the most that a figure may be, and whether it is; "" where nothing was said."""
    if name not in TARGETS:
        return ""
    return f"  at most {TARGETS[name]:g}: {'ok' if value <= TARGETS[name] else 'missed'}"


if __name__ == "__main__":
    main()

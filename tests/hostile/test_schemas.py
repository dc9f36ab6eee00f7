"""Schemas that would hang the host: each is answered in time, and the next check is right."""

from __future__ import annotations

import asyncio
import time

import pytest

from studio_qt.jsontext import JsonObject
from studio_qt.sandbox import SandboxHost
from tests.hostile.schemas import SCHEMAS

SECONDS = 1.0
WELL: JsonObject = {"properties": {"a": {"pattern": "^[a-z]+$"}}}


async def _longest_gap(until: asyncio.Event) -> float:
    """Return for how long the loop stood still at most."""
    longest, last = 0.0, time.monotonic()
    while not until.is_set():
        await asyncio.sleep(0.005)
        now = time.monotonic()
        longest, last = max(longest, now - last), now
    return longest


@pytest.mark.clause("LOOP-04", "BOX-02")
async def test_no_schema_hangs_the_host_and_the_next_check_is_right() -> None:
    faults = []
    async with SandboxHost() as host:
        await host.check_arguments(WELL, {"a": "a"})
        for name, (schema, arguments, may_fit) in SCHEMAS.items():
            done = asyncio.Event()
            gap = asyncio.create_task(_longest_gap(done))
            answer = await host.check_arguments(schema, arguments)
            done.set()
            if (stood := await gap) > SECONDS:
                faults.append(f"{name}: the loop stood still for {stood:.1f} s")
            if answer is None and not may_fit:
                faults.append(f"{name}: the arguments were said to fit")
            if answer is not None and (len(answer) > 1000 or not answer.endswith(".")):
                faults.append(f"{name}: the model is told {answer[:300]!r}")
            if await host.check_arguments(WELL, {"a": "a"}) is not None:
                faults.append(f"{name}: the next check fails")
    if faults:
        pytest.fail("\n".join(faults), pytrace=False)

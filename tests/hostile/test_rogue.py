"""What a worker says that has been taken over costs it its life at most."""

from __future__ import annotations

import asyncio
import sys
import time
from pathlib import Path

import pytest

from studio_qt.sandbox import AgentCode, Limits, SandboxHost, process
from tests.hostile import rogue
from tests.hostile.bed import CALL_SECONDS, GRACE_SECONDS
from tests.support.sandbox import ROOMY, Guest

SOURCE = "export function tame(store) { store.n = (store.n ?? 0) + 1; return 'tame'; }"
CODE = AgentCode("t.agent", "javascript", "t.agent.js", SOURCE)


async def _faults(name: str, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Meet one forgery, then go on in the same session with an honest worker."""
    forged = [sys.executable, "-I", str(Path(rogue.__file__)), name]
    async with SandboxHost(grace_seconds=GRACE_SECONDS) as host:
        with monkeypatch.context() as patch:
            patch.setattr(process, "_command", lambda *_: forged)
            guest = Guest(await host.load(CODE, ROOMY), '{"n":1}')
        began = time.monotonic()
        outcome = await guest.call("wild", limits=Limits(CALL_SECONDS, 64))
        took = time.monotonic() - began
        faults = [f"it took {took:.1f} s"] if took > 10 * CALL_SECONDS else []
        if guest.bridge.calls and guest.bridge.calls[0].method not in ("toast", "log"):
            faults.append(f"the host heard {guest.bridge.calls}")
        if outcome.ok and outcome.store is not None:
            faults.append(f"a store was taken: {outcome.store[:60]}")
        await host._lanes["agents"].rest()
        again = await guest.call("tame")
        if again.value != "tame" or guest.kept != {"n": 2}:
            faults.append(f"the session does not go on: {again}, {guest.store[:60]}")
    return faults


@pytest.mark.clause("BOX-01", "BOX-02", "BR-09")
async def test_no_forged_message_gets_through_and_the_session_goes_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = []
    for name in rogue.FORGERIES:
        try:
            async with asyncio.timeout(20):
                found += [f"{name}: {fault}" for fault in await _faults(name, monkeypatch)]
        except Exception as error:  # noqa: BLE001 - told with the name of the forgery
            found.append(f"{name}: the host raised {error!r}")
    if found:
        pytest.fail("\n".join(found), pytrace=False)

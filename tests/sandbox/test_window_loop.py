"""The sandbox on the loop of the window."""

from __future__ import annotations

import asyncio
import gc
import sys
from collections.abc import Iterator

import pytest

from studio_qt.sandbox import Limits, SandboxHost
from studio_qt.sandbox.reading import LoopReader
from tests.support.sandbox import load
from tests.support.typescript import load_typescript

pytestmark = pytest.mark.qt_loop


@pytest.fixture(scope="module", autouse=True)
def no_rubbish_on_other_threads() -> Iterator[None]:
    """Collect on this thread only: a loop of an earlier test holds Qt timers of this thread."""
    gc.disable()
    yield
    gc.collect()
    gc.enable()


async def test_it_all_works_on_the_loop_of_the_window() -> None:
    async with SandboxHost(grace_seconds=0.3) as host:
        guest = await load(
            host,
            "export async function f(a, store, studio) { store.n = a; studio.toast('t');"
            " await new Promise((go) => setTimeout(go, 5));"
            " return await studio.context.readFile('x'); }"
            "export const hang = () => 'a'.repeat(2e6).indexOf('a'.repeat(1e6) + 'b');",
            "context",
        )
        guest.bridge.answers["context.readFile"] = "text"
        assert await guest.value("f", 1) == "text"
        assert not (await guest.call("hang", limits=Limits(0.2, 64))).ok
        assert await guest.value("f", 2) == "text"
        assert guest.kept == {"n": 2}
        assert await host.check_arguments({"properties": {"a": {"pattern": "x"}}}, {"a": "y"})


async def test_the_loop_is_never_held_up_by_large_stores_and_long_calls() -> None:
    async with SandboxHost() as host:
        guest = await load(
            host,
            "export function f(store) { const end = Date.now() + 150; while (Date.now() < end);"
            " store.n = (store.n ?? 0) + 1; }",
        )
        guest.store = '{"text":"' + "x" * (8 << 20) + '"}'
        call = asyncio.create_task(guest.call("f"))
        loop = asyncio.get_running_loop()
        gaps = []
        while not call.done():
            before = loop.time()
            await asyncio.sleep(0.001)
            gaps.append(loop.time() - before)
        assert (await call).ok
        assert sorted(gaps)[len(gaps) // 2] < 0.016


@pytest.mark.skipif(sys.platform == "win32", reason="a thread reads there")
@pytest.mark.usefixtures("own_cache")
async def test_the_loop_waits_on_the_spot_for_a_call_and_not_for_an_agent_that_is_built(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Compiling and building take longer than it would wait, and a project has many agents."""
    glances: list[LoopReader] = []
    glance = LoopReader.glance
    monkeypatch.setattr(LoopReader, "glance", lambda one: glances.append(one) or glance(one))
    async with SandboxHost() as host:
        guest = await load_typescript(host, "export const f = (a: number) => a;")
        assert glances == []
        assert await guest.value("f", 1) == 1
        assert len(glances) == 1

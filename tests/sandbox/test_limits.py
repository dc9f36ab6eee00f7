"""Time, memory, stopping: what ends a call, and that the next one works."""

from __future__ import annotations

import asyncio
import time

import psutil
import pytest

from studio_qt.sandbox import BridgeCall, Cause, Limits, SandboxHost
from tests.support.sandbox import SHORT, Guest, code, load

STARTED = "module-level variables start anew"
COUNTING = "let calls = 0; export function f(store) { store.n = ++calls; return calls; }"


async def workers() -> list[psutil.Process]:
    return psutil.Process().children()


@pytest.mark.clause("BR-11", "BOX-02")
async def test_a_loop_is_stopped_softly_and_other_agents_keep_their_variables(
    host: SandboxHost,
) -> None:
    bad = await load(host, COUNTING + "export function loop() { for (;;); }")
    good = await load(host, COUNTING)
    await good.call("f")
    [before] = await workers()
    outcome = await bad.call("loop", limits=SHORT)
    assert outcome.cause is Cause.OUT_OF_TIME
    assert "0.4 s" in str(outcome.error)
    assert await good.value("f") == 2
    assert [before] == await workers()


@pytest.mark.clause("BR-11", "BOX-02")
async def test_an_agent_that_was_stopped_starts_anew_and_says_so_once(host: SandboxHost) -> None:
    guest = await load(host, COUNTING + "export function loop() { for (;;); }")
    await guest.call("f")
    await guest.call("loop", limits=SHORT)
    outcome = await guest.call("f")
    assert (outcome.value, guest.kept) == (1, {"n": 1})
    assert STARTED in outcome.logs[0]
    assert (await guest.call("f")).logs == ()


@pytest.mark.clause("BOX-02")
async def test_after_a_kill_each_agent_of_the_worker_starts_anew_and_says_so(
    strict_host: SandboxHost,
) -> None:
    host = strict_host
    bad = await load(
        host, COUNTING + "export const hang = () => 'a'.repeat(2e6).indexOf('a'.repeat(1e6) + 'b');"
    )
    good = await load(host, COUNTING)
    await good.call("f")
    [before] = await workers()
    assert (await bad.call("hang", limits=SHORT)).cause is Cause.OUT_OF_TIME
    for guest in (good, bad):
        outcome = await guest.call("f")
        assert (outcome.cause, outcome.value) == (Cause.FINISHED, 1)
        assert STARTED in outcome.logs[0]
    assert [before] != await workers()


@pytest.mark.clause("BOX-02")
async def test_a_worker_that_dies_between_calls_is_replaced(host: SandboxHost) -> None:
    guest = await load(host, COUNTING)
    await guest.call("f")
    [worker] = await workers()
    worker.kill()
    await asyncio.to_thread(worker.wait, 5)
    outcome = await guest.call("f")
    assert outcome.cause in (Cause.FINISHED, Cause.LOST)
    assert (await guest.call("f")).ok


@pytest.mark.clause("BOX-02")
async def test_a_worker_that_dies_in_a_call_loses_that_call_alone(host: SandboxHost) -> None:
    guest = await load(
        host,
        COUNTING + "export const ask = async (store, studio) => await studio.history.search('');",
        "history",
    )

    async def kill(call: BridgeCall) -> list[object]:
        [worker] = await workers()
        worker.kill()
        await asyncio.Event().wait()
        return []

    guest.bridge = kill  # type: ignore[assignment]
    outcome = await guest.call("ask")
    assert outcome.cause is Cause.LOST
    assert (await guest.call("f")).value == 1


@pytest.mark.clause("BOX-02")
@pytest.mark.parametrize(
    "bomb",
    [
        "const all = []; for (;;) all.push(new Array(1000).fill(all.length));",
        "let s = 'x'; for (;;) s += s + all.length; var all = [];",
        "const all = []; for (;;) all.push(new ArrayBuffer(1 << 20));",
        "const all = []; try { for (;;) all.push({}); } catch { for (;;) all.push({}); }",
    ],
)
async def test_a_memory_bomb_ends_its_call(host: SandboxHost, bomb: str) -> None:
    guest = await load(host, COUNTING + f"export function bomb() {{ {bomb} }}")
    outcome = await guest.call("bomb", limits=Limits(20, 24))
    assert outcome.cause in (Cause.OUT_OF_MEMORY, Cause.FAILED), outcome
    assert (await guest.call("f")).ok


@pytest.mark.clause("BOX-02")
async def test_out_of_memory_is_told_apart_and_starts_the_agent_anew(host: SandboxHost) -> None:
    guest = await load(host, COUNTING + "export function bomb(a) { for (a = []; ; ) a.push({}); }")
    outcome = await guest.call("bomb", limits=Limits(20, 16))
    assert outcome.cause is Cause.OUT_OF_MEMORY
    assert "16 MB" in str(outcome.error)
    assert STARTED in (await guest.call("f")).logs[0]


async def test_a_settled_handler_is_not_held_up_by_jobs_that_never_end(host: SandboxHost) -> None:
    guest = await load(
        host,
        "export async function f(store) { const again = () => Promise.resolve().then(again);"
        " again(); await null; store.n = 1; return 'x'; } export const g = () => 'y';",
    )
    assert await guest.value("f") == "x"
    assert await guest.value("g") == "y"


async def test_the_limit_counts_from_the_start_of_the_call_not_while_it_waits(
    host: SandboxHost,
) -> None:
    guest = await load(
        host,
        "export const f = async () => {"
        " await new Promise((go) => setTimeout(go, 300)); return 1; };",
    )
    outcomes = await asyncio.gather(*(guest.call("f", limits=Limits(0.8, 64)) for _ in range(4)))
    assert [outcome.value for outcome in outcomes] == [1, 1, 1, 1]


async def test_calls_are_served_in_the_order_they_came(host: SandboxHost) -> None:
    guest = await load(host, "let n = 0; export const f = async () => { await null; return ++n; };")
    outcomes = await asyncio.gather(*(guest.call("f") for _ in range(20)))
    assert [outcome.value for outcome in outcomes] == list(range(1, 21))


async def test_timers_wait_without_using_the_processor(host: SandboxHost) -> None:
    guest = await load(
        host,
        "export const f = async () => { const seen = [];"
        " const tick = setInterval(() => seen.push('i'), 40); clearTimeout(setTimeout(() => 0, 1));"
        " setTimeout((x) => seen.push(x), 20, 'a'); await new Promise((go) => setTimeout(go, 100));"
        " clearInterval(tick); return seen.join(''); };",
    )
    [worker] = await workers()
    before = sum(worker.cpu_times()[:2])
    assert await guest.value("f") in ("aii", "aiii", "ai")
    assert sum(worker.cpu_times()[:2]) - before < 0.08


async def test_an_error_in_a_timer_is_a_log_line(host: SandboxHost) -> None:
    guest = await load(
        host,
        "export const f = () => new Promise((go) => {"
        " setTimeout(() => { throw new TypeError('late'); }, 1); setTimeout(go, 5); });",
    )
    outcome = await guest.call("f")
    assert outcome.ok
    assert "TypeError" in outcome.logs[0]
    assert "late" in outcome.logs[0]


class TestStopping:
    SOURCE = (
        "let n = 0; export const ask = async (store, studio) => { store.taken = true;"
        " n++; await studio.history.search(''); n = 100; };"
        "export const work = (store) => { store.taken = true; const end = Date.now() + 250;"
        " while (Date.now() < end); n++; };"
        "export const hang = () => { for (;;); };"
        "export const look = (store) => [n, store.taken ?? false];"
    )

    async def stopped(self, host: SandboxHost, handler: str) -> Guest:
        guest = await load(host, self.SOURCE, "history")
        asked = asyncio.Event()

        async def never(call: BridgeCall) -> None:
            asked.set()
            await asyncio.Event().wait()

        guest.bridge = never  # type: ignore[assignment]
        task = asyncio.create_task(guest.call(handler))
        if handler == "ask":
            await asked.wait()
        else:
            await asyncio.sleep(0.05)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return guest

    @pytest.mark.clause("LOOP-07")
    async def test_a_call_that_waits_is_given_up_and_keeps_its_variables(
        self, host: SandboxHost
    ) -> None:
        guest = await self.stopped(host, "ask")
        assert await guest.value("look") == [1, False]

    @pytest.mark.clause("LOOP-07")
    async def test_a_call_that_works_goes_on_but_its_outcome_is_dropped(
        self, host: SandboxHost
    ) -> None:
        guest = await self.stopped(host, "work")
        assert await guest.value("look") == [1, False]

    @pytest.mark.clause("LOOP-07", "BOX-02")
    async def test_a_call_that_does_not_end_is_killed_after_the_grace(
        self, strict_host: SandboxHost
    ) -> None:
        guest = await self.stopped(strict_host, "hang")
        started = time.monotonic()
        outcome = await guest.call("look")
        assert outcome.value == [0, False]
        assert STARTED in outcome.logs[0]
        assert time.monotonic() - started < 10

    async def test_a_call_that_still_queues_leaves_the_queue(self, host: SandboxHost) -> None:
        guest = await load(host, self.SOURCE, "history")
        first = asyncio.create_task(guest.call("work"))
        second = asyncio.create_task(guest.call("work"))
        await asyncio.sleep(0)
        second.cancel()
        assert (await first).ok
        assert await guest.value("look") == [1, True]
        assert second.cancelled()

    async def test_stopping_many_times_leaves_the_channel_in_order(self, host: SandboxHost) -> None:
        guest = await load(host, "export const f = async (n) => { await null; return n; };")
        for number in range(30):
            task = asyncio.create_task(guest.call("f", number))
            for _ in range(number % 5):
                await asyncio.sleep(0)
            task.cancel()
            await asyncio.wait([task])
            assert await guest.value("f", -number) == -number


@pytest.mark.clause("BOX-02")
async def test_a_sub_agents_call_waits_while_the_agents_it_granted_work(host: SandboxHost) -> None:
    sub = Guest(
        await host.load(
            code("export const f = async (s, studio) => await studio.callModel('', []);", "model"),
            Limits(20, 64),
            role="sub-agents",
        )
    )
    granted = await load(
        host, "export const f = () => 'granted'; export const loop = () => { for (;;); };"
    )

    async def model(call: BridgeCall) -> str:
        await granted.call("loop", limits=SHORT)
        return str(await granted.value("f"))

    sub.bridge = model  # type: ignore[assignment]
    assert await sub.value("f") == "granted"

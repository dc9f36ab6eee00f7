"""Workers as processes: what they have, when they go, and who may use a closed host."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from studio_qt.errors import ClosedError
from studio_qt.sandbox import AgentLoadError, Cause, SandboxHost
from tests.support.sandbox import ROOMY, Guest, code, load

ONE = "export const f = () => 1;"


def workers() -> list[psutil.Process]:
    return psutil.Process().children(recursive=True)


async def test_no_worker_starts_before_it_is_needed() -> None:
    async with SandboxHost() as host:
        assert workers() == []
        assert host.walls() == ()


@pytest.mark.clause("BOX-01")
async def test_a_worker_has_an_empty_environment_and_an_empty_folder(
    host: SandboxHost, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STUDIO_API_KEY", "secret")
    await load(host, ONE)
    [worker] = workers()
    assert set(worker.environ()) <= {"TZ", "LC_CTYPE", "LD_LIBRARY_PATH", "SYSTEMROOT", "WINDIR"}
    folder = Path(worker.cwd())
    assert list(folder.iterdir()) == []
    await host.close()
    assert not folder.exists()


async def test_a_worker_takes_modules_from_where_the_application_does(
    host: SandboxHost, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "_quickjs.py").write_text("raise ImportError('from the path of the test')")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(AgentLoadError, match="from the path of the test"):
        await load(host, ONE)


@pytest.mark.clause("BOX-01")
@pytest.mark.skipif(sys.platform == "win32", reason="descriptors are counted as handles there")
async def test_a_worker_inherits_no_open_file(host: SandboxHost, tmp_path: Path) -> None:
    with (tmp_path / "open.txt").open("w") as file:
        os.set_inheritable(file.fileno(), True)
        await load(host, ONE)
        [worker] = workers()
        assert worker.open_files() == []
        assert worker.net_connections() == []


@pytest.mark.clause("BOX-01")
async def test_the_walls_that_stand_are_told_in_sentences(host: SandboxHost) -> None:
    await load(host, ONE)
    walls = host.walls()
    assert "The environment of a worker is empty." in walls
    assert all(wall.endswith(".") for wall in walls)


TRIES = """
import ctypes, os, signal, socket, sys, threading
from studio_qt.sandbox.workers.walls import raise_walls

libc = ctypes.CDLL(None)
walls = raise_walls()
tries = {
    "read": lambda: open("/etc/passwd"),
    "write": lambda: open("x", "w"),
    "list": lambda: os.listdir("/"),
    "socket": lambda: socket.socket(),
    "fork": lambda: os.fork(),
    "exec": lambda: os.execv("/bin/true", ["true"]),
    "kill": lambda: os.kill(os.getppid(), signal.SIGTERM),
    "remove": lambda: os.remove("x"),
}

def reached(attempt):
    try:
        attempt()
    except OSError:
        return False
    return True

found = [name for name, attempt in tries.items() if reached(attempt)]
thread = threading.Thread(target=lambda: found.append("thread"))
thread.start()
thread.join()
print(" ".join(found), "|", " ".join(walls))
"""


@pytest.mark.clause("BOX-01")
@pytest.mark.skipif(sys.platform != "linux", reason="the walls of the kernel differ")
def test_behind_its_walls_a_process_reaches_nothing_but_its_own_threads() -> None:
    run = subprocess.run([sys.executable, "-c", TRIES], capture_output=True, text=True, check=True)
    reached, _, walls = run.stdout.partition(" | ")
    if "Seccomp" not in walls:
        pytest.skip("this kernel has no seccomp for us")
    assert reached == "thread"


async def test_agents_see_the_time_zone_of_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "XYZ-3")
    async with SandboxHost() as host:
        guest = await load(host, "export const f = () => new Date(0).getHours();")
        assert await guest.value("f") == 3


async def test_closing_leaves_no_process_even_from_a_loop(host: SandboxHost) -> None:
    guest = await load(host, "export const f = () => { for (;;); };")
    sub = await host.load(code(ONE), ROOMY, role="sub-agents")
    await host.check_arguments({"pattern": "a"}, {})
    assert len(workers()) == 3
    call = asyncio.create_task(guest.call("f"))
    await asyncio.sleep(0.05)
    await host.close()
    await host.close()
    assert workers() == []
    assert not (await call).ok
    with pytest.raises(ClosedError):
        await Guest(sub).call("f")
    with pytest.raises(ClosedError):
        await host.load(code(ONE), ROOMY)
    with pytest.raises(ClosedError):
        await host.check_arguments({}, {})


async def test_calls_that_wait_in_the_queue_when_the_host_closes_are_told(
    host: SandboxHost,
) -> None:
    guest = await load(host, "export const f = () => { for (;;); };")
    calls = [asyncio.create_task(guest.call("f")) for _ in range(3)]
    await asyncio.sleep(0.05)
    await host.close()
    first, *rest = await asyncio.gather(*calls, return_exceptions=True)
    assert not getattr(first, "ok", True)
    assert all(isinstance(result, ClosedError) for result in rest)


async def test_closing_while_a_worker_starts_leaves_none(host: SandboxHost) -> None:
    loading = asyncio.create_task(load(host, ONE))
    await asyncio.sleep(0)
    await host.close()
    with pytest.raises((ClosedError, Exception)):
        await loading
    assert workers() == []


async def test_an_unloaded_agent_is_closed_and_the_others_live(host: SandboxHost) -> None:
    gone, kept = await load(host, ONE), await load(host, ONE)
    await gone.agent.unload()
    await gone.agent.unload()
    with pytest.raises(ClosedError):
        await gone.call("f")
    assert await kept.value("f") == 1


async def test_unloading_during_a_call_lets_it_end_and_refuses_those_in_the_queue(
    host: SandboxHost,
) -> None:
    guest = await load(
        host, "export const f = () => new Promise((go) => setTimeout(() => go(1), 50));"
    )
    running, queued = [asyncio.create_task(guest.call("f")) for _ in range(2)]
    await asyncio.sleep(0.01)
    await guest.agent.unload()
    assert (await running).value == 1
    with pytest.raises(ClosedError):
        await queued


CHILD = """
import asyncio, sys
from studio_qt.sandbox import AgentCode, Limits, SandboxHost

async def main():
    host = SandboxHost()
    agent = await host.load(AgentCode("a", "javascript", "a.js", {source!r}), Limits(60, 64))
    call = asyncio.create_task(agent.call("f", (), "{{}}", None, Limits(60, 64), context={{}}))
    await asyncio.sleep(0.1)
    print("running", flush=True)
    await call
    await asyncio.sleep(60)

asyncio.run(main())
"""


@pytest.mark.parametrize(
    "body", ["return 1;", "for (;;);", "'a'.repeat(2e6).indexOf('a'.repeat(1e6) + 'b');"]
)
async def test_workers_end_when_the_application_is_killed(body: str) -> None:
    script = CHILD.format(source=f"export const f = () => {{ {body} }};")
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE) as application:
        assert application.stdout is not None
        assert await asyncio.to_thread(application.stdout.readline) == b"running\n"
        [worker] = psutil.Process(application.pid).children()
        application.send_signal(getattr(signal, "SIGKILL", signal.SIGTERM))
        application.wait(5)
        gone, _ = await asyncio.to_thread(psutil.wait_procs, [worker], 5)
        assert gone == [worker]


@pytest.mark.clause("BOX-02")
async def test_a_killed_worker_is_followed_by_one_that_has_started_already() -> None:
    async with SandboxHost(spare_seconds=0.0) as host:
        guest = await load(host, ONE)
        while len(workers()) < 2:
            await asyncio.sleep(0.01)
        first, spare = sorted(workers(), key=psutil.Process.create_time)
        first.kill()
        assert not (await guest.call("f")).ok
        outcome = await guest.call("f")
        assert outcome.value == 1
        assert "module-level variables start anew" in outcome.logs[0]
        assert spare in workers()
    assert workers() == []


async def test_a_spare_worker_that_died_is_not_used() -> None:
    async with SandboxHost(spare_seconds=0.0) as host:
        guest = await load(host, ONE)
        while len(workers()) < 2:
            await asyncio.sleep(0.01)
        for worker in workers():
            worker.kill()
        while not (outcome := await guest.call("f")).ok:
            assert outcome.cause is Cause.LOST
        assert outcome.value == 1

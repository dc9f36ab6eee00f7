"""Watching a folder; that changes are told is proven with documents, which live on them."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from studio_qt.files.watching import FolderWatcher


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

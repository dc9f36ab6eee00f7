"""Letting other threads go first."""

from __future__ import annotations

import threading
import time

from studio_qt.files.pace import Pace


def test_a_thread_that_computes_gives_way_every_millisecond() -> None:
    ended = threading.Event()

    def compute() -> None:
        pace = Pace()
        until = time.perf_counter() + 0.2
        while time.perf_counter() < until:
            pace.rest()
        ended.set()

    thread = threading.Thread(target=compute)
    thread.start()
    turns = 0
    while not ended.is_set():
        time.sleep(0)
        turns += 1
    thread.join()
    assert turns > 40  # 5 ms a turn without it

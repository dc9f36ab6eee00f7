"""A store of 5 MB in the window: opened, edited, shown as text, changed by an agent.

Run `python tests/benchmarks/stores_bench.py`: it prints the worst turn of the window's thread in
each stretch, and what took it. `bench` gives the figures.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import tempfile
import time
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
sys.path.insert(0, str(Path(__file__).parents[2]))  # the checkout, for `tests`

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from studio_qt.ui.rubbish import Rubbish
from tests.benchmarks.stalls import Stalls
from tests.support.qt import until
from tests.support.window import Stage
from tests.ui.stores.shelf import MEMORY, Shelf, write_stores

__all__ = ["bench", "large_store"]

Figures = dict[str, float]


def large_store(megabytes: float = 5) -> dict[str, object]:
    """Return a store whose text is about so large."""
    text = "some words that an agent has stored, about rope and fog and lamps "
    count = round(megabytes * 8_000)
    memories = [
        {"key": f"memory_{n}", "text": text, "weight": n, "secret": n % 7 == 0, "tags": ["a", "b"]}
        for n in range(count)
    ]
    return {"memories": memories, "nextId": count}


async def bench() -> Figures:
    """Measure in a window of its own; milliseconds."""
    with tempfile.TemporaryDirectory() as folder, Stalls("start") as meter:
        files = {f"{MEMORY}.agent.json": json.dumps({"memories": [], "nextId": 0})}
        stage = await Stage(write_stores(Path(folder) / "ada", files)).open()
        rubbish = Rubbish()
        try:
            return await _measure(Shelf(stage), meter)
        finally:
            rubbish.stop()
            await stage.close()


async def _measure(shelf: Shelf, meter: Stalls) -> Figures:
    page, player = shelf.page, shelf.player
    stage = shelf.stage
    stage.click("storesRail")
    page.show_agent("studio.dice-roller") or page.show_agent("test.marcus")
    await until(lambda: page.settled, 30)
    value = large_store()
    await player.set_store(MEMORY, value)
    started = time.perf_counter()
    meter.screen = "open"
    page.show_agent(MEMORY)
    await until(lambda: shelf.detail.live.value is not None and page.settled, 60)
    opened = 1000 * (time.perf_counter() - started)
    meter.screen = "walk"
    shelf.at("memories")
    shelf.press("Right")
    for _ in range(30):
        QTest.keyClick(shelf.tree, Qt.Key.Key_Down)
        await asyncio.sleep(0)
    shelf.at("memories", 20_000, "text")
    await asyncio.sleep(0.1)
    meter.screen = "edit"
    shelf.press("F2")
    await asyncio.sleep(0.05)
    await shelf.write("Another text.")
    meter.screen = "undo"
    shelf.press("Ctrl+Z")
    await shelf.settle()
    meter.screen = "agent"
    await player.call_tool("remember", {"text": "rope"})
    await shelf.settle()
    meter.screen = "text"
    stage.click("storeModesRaw")
    await until(lambda: page.settled, 60)
    meter.screen = "type"
    shelf.editor.setFocus()
    QTest.keyClicks(shelf.editor, " ")
    await asyncio.sleep(0.05)
    QTest.keyClicks(shelf.editor, "  ")
    await until(lambda: page.settled, 60)
    meter.screen = "back"
    stage.click("storeModesTree")
    past = shelf.detail.past
    await until(lambda: len(past.changes) > 1, 30)
    past.list.setCurrentIndex(past.list.model().index(1, 0))
    await until(lambda: past.change is not None and page.settled, 60)
    await shelf.settle()
    meter.screen = "end"
    figures = {"store_open_ms": opened}
    for screen in ("open", "walk", "edit", "undo", "agent", "text", "type", "back"):
        turns = meter.of(screen)
        worst = max(turns, key=lambda turn: turn.own, default=None)
        figures[f"store_{screen}_stall_ms"] = 1000 * worst.own if worst is not None else 0
        if worst is not None:
            print(f"{screen}: {1000 * worst.own:.0f} ms in {worst.culprit}", file=sys.stderr)
    return figures


def main() -> None:
    """Measure and print."""
    from qasync import QEventLoop

    app = QApplication([])
    app.setQuitOnLastWindowClosed(False)
    with tempfile.TemporaryDirectory() as home:
        os.environ["STUDIO_QT_HOME"] = home
        with QEventLoop(app) as loop:
            print(json.dumps(loop.run_until_complete(bench()), indent=1))


if __name__ == "__main__":
    main()

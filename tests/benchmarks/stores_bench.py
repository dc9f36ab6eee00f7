"""A store of 5 MB beside a default of 5 MB: opened, edited, shown as text, changed by an agent.

Run `python tests/benchmarks/stores_bench.py`: it prints the worst turn of the window's thread in
each stretch, and on the error stream what took it. `bench` gives the figures.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
sys.path.insert(0, str(Path(__file__).parents[2]))  # the checkout, for `tests`

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from studio_qt.engine.store_text import dense_store_text, store_text_of
from studio_qt.ui.rubbish import Rubbish
from studio_qt.ui.stores.values import put
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
        files = {f"{MEMORY}.agent.json": dense_store_text(large_store())}
        stage = await Stage(write_stores(Path(folder) / "ada", files)).open()
        rubbish = Rubbish()
        try:
            return await _measure(Shelf(stage), meter)
        finally:
            rubbish.stop()
            await stage.close()


async def _measure(shelf: Shelf, meter: Stalls) -> Figures:
    page, player = shelf.page, shelf.player
    shelf.stage.click("storesRail")
    page.show_agent("studio.dice-roller") or page.show_agent("test.marcus")
    await until(lambda: page.settled, 30)
    await player.set_store_text(MEMORY, _stored())
    started = time.perf_counter()
    meter.screen = "open"
    page.show_agent(MEMORY)
    await until(lambda: shelf.detail.live.value is not None and page.settled, 60)
    figures = {"store_open_ms": 1000 * (time.perf_counter() - started)}
    for name, act in (
        ("walk", _walk),
        *_DEEDS,
        ("agent", _agent),
        *_TEXTS,
        ("back", _back),
        ("default", _set_default),
    ):
        meter.screen = name
        await act(shelf)
        await shelf.settle()
    meter.screen = "end"
    for name in dict.fromkeys(turn.screen for turn in meter.turns):
        if name in ("start", "end"):
            continue
        worst = max(meter.of(name), key=lambda turn: turn.own)
        figures[f"store_{name}_stall_ms"] = 1000 * worst.own
        told = f"{1000 * worst.own:.0f} ms, {1000 * worst.cpu:.0f} of them computing"
        print(f"{name}: {told}, in {worst.culprit}", file=sys.stderr)
    figures["store_stall_worst_ms"] = max(
        figure for name, figure in figures.items() if name.endswith("_stall_ms")
    )
    return figures


def _stored() -> str:
    other = ("memories", 30_000, "text"), "What the default does not say."
    return store_text_of(put(large_store(), *other))


async def _walk(shelf: Shelf) -> None:
    shelf.at("memories")
    shelf.press("Right")
    for _ in range(30):
        QTest.keyClick(shelf.tree, Qt.Key.Key_Down)
        await asyncio.sleep(0)
    shelf.at("memories", 20_000, "text")
    await asyncio.sleep(0.1)


async def _edit(shelf: Shelf) -> None:
    shelf.at("memories", 20_000, "text")
    shelf.press("F2")
    await asyncio.sleep(0.05)
    await shelf.write("Another text.")


async def _keys(keys: str, shelf: Shelf) -> None:
    shelf.press(keys)
    await shelf.settle()


async def _add(shelf: Shelf) -> None:
    shelf.at("memories", 20_000)
    shelf.press("Ins")
    await asyncio.sleep(0.05)
    await shelf.write("A new text.")


async def _kind(shelf: Shelf) -> None:
    shelf.at("memories", 20_000)
    shelf.detail.panes.deeds.change_kind("list")


async def _agent(shelf: Shelf) -> None:
    for text in ("rope", "fog", "lamp"):
        await shelf.player.call_tool("remember", {"text": text})
        await shelf.settle()


async def _text(shelf: Shelf) -> None:
    shelf.click("storeModesRaw")


async def _type(shelf: Shelf) -> None:
    shelf.editor.setFocus()
    QTest.keyClicks(shelf.editor, " ")
    await asyncio.sleep(0.05)
    QTest.keyClicks(shelf.editor, "  ")


async def _back(shelf: Shelf) -> None:
    shelf.click("storeModesTree")
    past = shelf.detail.past
    await until(lambda: len(past.changes) > 1, 30)
    past.choose(past.changes[1])
    await until(lambda: past.change is not None and shelf.page.settled, 60)


_DEEDS: tuple[tuple[str, Callable[[Shelf], Awaitable[None]]], ...] = (
    ("edit", _edit),
    ("undo", partial(_keys, "Ctrl+Z")),
    ("redo", partial(_keys, "Ctrl+Shift+Z")),
    ("add", _add),
    ("move", partial(_keys, "Alt+Down")),
    ("kind", _kind),
    ("remove", partial(_keys, "Del")),
)


async def _set_default(shelf: Shelf) -> None:
    shelf.detail.set_default()
    await asyncio.sleep(0.05)


_TEXTS = (("text", _text), ("type", _type), ("live_text", _agent))


def main() -> None:
    """Measure and print."""
    from qasync import QEventLoop

    app = QApplication([])
    app.setQuitOnLastWindowClosed(False)
    with tempfile.TemporaryDirectory() as home:
        os.environ["STUDIO_QT_HOME"] = home
        with QEventLoop(app) as loop:
            print(json.dumps(loop.run_until_complete(bench())))


if __name__ == "__main__":
    main()

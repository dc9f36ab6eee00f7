"""A request of 2 MB in the prompt inspector: opened, found in, shown as blocks and as it goes out.

Run `python tests/benchmarks/inspector_bench.py`; `bench` gives the figures.
"""

from __future__ import annotations

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

from studio_qt.ui.inspector.page import PromptInspectorPage
from studio_qt.ui.rubbish import Rubbish
from tests.benchmarks.stalls import Stalls
from tests.support.qt import until
from tests.support.window import Stage, write_package

__all__ = ["bench", "large_prompt"]

Figures = dict[str, float]


def large_prompt(megabytes: float = 2) -> str:
    """Return instructions that are about so long."""
    line = "{}. You remember the rope, the fog and the lamp, and whoever asked for them that night."
    return "\n".join(line.format(number) for number in range(round(megabytes * 11_500)))


async def bench() -> Figures:
    """Measure in a window of its own; milliseconds."""
    with tempfile.TemporaryDirectory() as folder, Stalls("start") as meter:
        files = {"instructions.txt": large_prompt()}
        stage = await Stage(write_package(Path(folder) / "ada", files)).open()
        rubbish = Rubbish()
        try:
            await until(lambda: stage.window.session.player is not None, 30)
            return await _measure(stage, meter)
        finally:
            rubbish.stop()
            await stage.close()


async def _measure(stage: Stage, meter: Stalls) -> Figures:
    page = stage.window.pages.inspector
    started = time.perf_counter()
    meter.screen = "open"
    QTest.keyClick(
        stage.input,
        Qt.Key.Key_I,
        Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier,
    )
    await _settle(page)
    figures = {"inspector_open_ms": 1000 * (time.perf_counter() - started)}
    meter.screen = "blocks"
    for row in page.blocks.rows:
        page.blocks.choose(row.key)
        await _settle(page)
    meter.screen = "find"
    page.seek("9000. You remember")
    await _settle(page)
    for view in ("Body", "Json", "Blocks"):
        meter.screen = "text"
        stage.click(f"inspectorView{view}")
        await _settle(page)
    meter.screen = "end"
    worst = max(
        (turn for turn in meter.turns if turn.screen not in ("start", "end")),
        key=lambda turn: turn.own,
    )
    told = f"{1000 * worst.own:.0f} ms, {1000 * worst.cpu:.0f} of them computing"
    print(f"{worst.screen}: {told}, in {worst.culprit}", file=sys.stderr)
    return figures | {"inspector_stall_worst_ms": 1000 * worst.own}


async def _settle(page: PromptInspectorPage) -> None:
    await until(lambda: page.shown is not None and page.settled, 60)


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

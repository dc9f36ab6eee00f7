"""The figures of the window, each beside what it is held to.

`bench` measures starts and then, in a process of its own, everything in one window: `drive` goes
through every screen, keys are timed to the frame that shows them, and another program saves files.
What the machine's other work costs is taken off, as far as the system tells of it.
"""

from __future__ import annotations

import asyncio
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import IO

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
sys.path.insert(0, str(Path(__file__).parents[2]))  # the checkout, for `tests`

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QTextCursor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPlainTextEdit

from studio_qt.resources import copy_resources
from studio_qt.ui.rubbish import Rubbish
from tests.benchmarks.drive import PATHS, SCREENS, Driver, write_large
from tests.benchmarks.first_paint import bench_starts
from tests.benchmarks.stalls import Stalls, Turn, percentile
from tests.benchmarks.typing_bench import typed_keys
from tests.support.qt import until
from tests.support.window import Stage, make_own

__all__ = ["bench"]

Figures = dict[str, float]

_MANY = 1000
_SAVES = 20
_KEYS = 300


async def bench() -> Figures:
    """Measure starts, then all the rest; what was slow on which screen goes to stderr."""
    figures = await asyncio.to_thread(bench_starts)
    done = await asyncio.to_thread(
        subprocess.run,
        [sys.executable, str(Path(__file__)), "drive"],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        timeout=900,
    )
    return figures | json.loads(done.stdout.splitlines()[-1])


class _Painted(QObject):
    """Notes that an editor was painted."""

    done = False

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        self.done = self.done or event.type() == QEvent.Type.Paint
        return False


class _Other:
    """Another program, which saves files when it is told to."""

    def __enter__(self) -> _Other:
        self._child = subprocess.Popen(
            [sys.executable, str(Path(__file__)), "other"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        return self

    def __exit__(self, *_: object) -> None:
        self._stdin.close()
        self._child.wait(10)

    async def save(self, files: dict[str, str]) -> float:
        """Save texts by path; returns when that was, by the monotonic clock."""
        return await asyncio.to_thread(self._save, files)

    def _save(self, files: dict[str, str]) -> float:
        self._stdin.write(json.dumps(files) + "\n")
        self._stdin.flush()
        assert self._child.stdout is not None
        return float(self._child.stdout.readline())

    @property
    def _stdin(self) -> IO[str]:
        assert self._child.stdin is not None
        return self._child.stdin


async def _drive(names: list[str]) -> Figures:
    # The other program goes last: waiting for its end is no turn of the window.
    with tempfile.TemporaryDirectory() as place, _Other() as other, Stalls() as meter:
        folder = Path(place)
        copy_resources("templates/lantern-keeper", folder / "sample")
        make_own(folder / "sample")
        write_large(folder / "large")
        write_large(folder / "many", _MANY + 20)
        await asyncio.sleep(0.1)
        figures: Figures = {}
        meter.screen = "window"
        rubbish = Rubbish()  # as the program has it
        stage = await Stage(None).open()
        driver = Driver(stage, meter, folder)
        for name, screen in SCREENS.items():
            if not names or name in names:
                meter.screen = name
                await screen(driver)
        measures: dict[str, Callable[[], Awaitable[Figures]]] = {
            "keys": lambda: _keys(driver),
            "saves": lambda: _saves(driver, other),
            "1000 files": lambda: _many(driver, other),
        }
        for name, measure in measures.items():
            if not names or name in names:
                meter.screen = "switch"
                await driver.project(folder / "large")
                meter.screen = name
                figures |= await measure()
        meter.screen = "close"
        rubbish.stop()
        await stage.shut()
        await asyncio.sleep(0.05)
        meter.screen = ""
        stage.take_apart()
        await asyncio.sleep(0)
    for name in dict.fromkeys(turn.screen for turn in meter.turns):
        _tell(name, meter.of(name))
    seen = [turn for turn in meter.turns if turn.screen not in ("", "1000 files")]
    return {
        **figures,
        "window_stall_p99_ms": 1000 * percentile([turn.own for turn in seen], 0.99),
        "window_stall_worst_ms": 1000 * max(turn.own for turn in seen),
        "window_stall_worst_cpu_ms": 1000 * max(turn.cpu for turn in seen),
        "window_stall_worst_wall_ms": 1000 * max(turn.wall for turn in seen),
        "window_stall_over_50": sum(turn.own > 0.05 for turn in seen),
        "window_stall_turns": len(seen),
        "machine_load": os.getloadavg()[0],
        "machine_processors": os.cpu_count() or 0,
    }


def _tell(name: str, turns: list[Turn]) -> None:
    """Say on stderr what a screen cost, and where the worst turns were."""
    own = [1000 * turn.own for turn in turns]
    worst = {"cpu": max(turn.cpu for turn in turns), "wall": max(turn.wall for turn in turns)}
    told = "  ".join(f"{key} {1000 * value:.0f}" for key, value in worst.items())
    print(
        f"{name:18} p99 {percentile(own, 0.99):6.1f}  worst {max(own):6.1f} ms  ({told};"
        f" {len(own)} turns)",
        file=sys.stderr,
    )
    for turn in sorted(turns, key=lambda turn: -turn.own)[:3]:
        if turn.own > 0.016:
            print(
                f"    {1000 * turn.own:6.1f} ms, {1000 * turn.cpu:.0f} computed: {turn.culprit}",
                file=sys.stderr,
            )


async def _keys(driver: Driver) -> Figures:
    """Type in the middle of a file of 5,000 lines, and time each key to the frame that shows it."""
    editor = await driver.open(PATHS["javascript"])
    cursor = QTextCursor(editor.document().findBlockByNumber(editor.blockCount() // 2))
    editor.setTextCursor(cursor)
    editor.centerCursor()
    await driver.idle()
    painted = _Painted()
    editor.viewport().installEventFilter(painted)
    times = [await _press(driver.meter, editor, painted, key) for key in typed_keys(_KEYS)]
    editor.viewport().removeEventFilter(painted)
    while editor.document().isUndoAvailable():
        editor.undo()
        await driver.rest()
    own, wall = (sorted(1000 * each[at] for each in times) for at in (0, 1))
    return {
        "window_key_median_ms": statistics.median(own),
        "window_key_p95_ms": percentile(own, 0.95),
        "window_key_worst_ms": own[-1],
        "window_key_wall_median_ms": statistics.median(wall),
        "window_key_wall_p95_ms": percentile(wall, 0.95),
    }


async def _press(
    meter: Stalls, editor: QPlainTextEdit, painted: _Painted, key: str
) -> tuple[float, float]:
    """Press a key; returns the seconds to the end of the frame: without others' work, and all."""
    painted.done = False
    ends: list[tuple[float, float, float]] = []

    def note() -> None:
        if painted.done and not ends:
            ends.append((time.perf_counter(), time.thread_time(), meter.waited()))

    meter.ended.append(note)
    begun, cpu, waited = time.perf_counter(), time.thread_time(), meter.waited()
    if key in "\n\b":
        QTest.keyClick(editor, Qt.Key.Key_Return if key == "\n" else Qt.Key.Key_Backspace)
    else:
        QTest.keyClicks(editor, key)
    await asyncio.sleep(0.02)
    await until(lambda: bool(ends))
    meter.ended.remove(note)
    wall = ends[0][0] - begun
    return max(ends[0][1] - cpu, wall - (ends[0][2] - waited)), wall


async def _saves(driver: Driver, other: _Other) -> Figures:
    """Let another program save an agent's file that is open, and wait until it is played."""
    path = driver.folder / "large" / "agents" / "test.roller.js"
    editor = await driver.open("agents/test.roller.js")
    session, text = driver.window.session, path.read_text(encoding="utf-8")
    seen: list[float] = []
    session.reloaded.connect(lambda: seen.append(time.monotonic()))
    times = []
    for number in range(_SAVES):
        await driver.idle()
        seen.clear()
        new = text.replace("You rolled", f"You rolled {number}")
        saved = await other.save({str(path): new})
        await until(lambda new=new: bool(seen) and editor.toPlainText() == new, 20)  # type: ignore[misc]
        times.append(1000 * (seen[0] - saved))
    return {
        "window_reload_median_ms": statistics.median(times),
        "window_reload_p95_ms": percentile(times, 0.95),
    }


async def _many(driver: Driver, other: _Other) -> Figures:
    """Let another program save 1,000 files at once."""
    driver.meter.screen = "switch"
    await driver.project(driver.folder / "many")
    await driver.open("context/page-003.md")
    await driver.idle()
    files = await asyncio.to_thread(_others, driver.folder / "many")
    driver.meter.screen = "1000 files"
    await other.save(files)
    editor = driver.pages.editors.editor
    assert editor is not None
    await until(lambda: editor.toPlainText().startswith("# Other"), 20)
    await driver.idle()
    own = [1000 * turn.own for turn in driver.meter.of("1000 files")]
    driver.meter.screen = "close"
    return {
        "window_1000_files_p99_ms": percentile(own, 0.99),
        "window_1000_files_worst_ms": max(own),
    }


def _others(folder: Path) -> dict[str, str]:
    """Return what another program saves: a text for each of many files."""
    files = [file for file in folder.rglob("*.md") if "big" not in file.name]
    return {str(file): f"# Other\n\n{file.name}\n" for file in files[:_MANY]}


def _other() -> None:
    """Be another program: save what each line of the input says, and tell when it was done."""
    for line in sys.stdin:
        for path, text in json.loads(line).items():
            Path(path).write_text(text, encoding="utf-8")
        print(time.monotonic(), flush=True)


def main() -> None:
    """Drive, or be the other program; behind "drive" screens may be named."""
    if sys.argv[1:2] == ["other"]:
        _other()
        return
    from qasync import QEventLoop

    app = QApplication([])
    app.setQuitOnLastWindowClosed(False)
    with tempfile.TemporaryDirectory() as home:
        os.environ["STUDIO_QT_HOME"] = home
        with QEventLoop(app) as loop:
            print(json.dumps(loop.run_until_complete(_drive(sys.argv[2:]))))


if __name__ == "__main__":
    main()

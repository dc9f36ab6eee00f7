"""How long a window takes from the start of its process: to its first paint, and to take input.

`bench_starts` compares a bare PySide6 window with ours, in turn. Run alone with "bare", "paint" or
"input PROJECT" it prints when that was.
"""

from __future__ import annotations

import asyncio
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).parents[2]))  # the checkout

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtWidgets import QApplication, QLabel, QPlainTextEdit, QWidget

if TYPE_CHECKING:
    from studio_qt.ui.window import StudioWindow

__all__ = ["bench_starts"]

_ROUNDS = 5
_PARTS = ("tree", "editor", "chat")


def bench_starts() -> dict[str, float]:
    """Return medians in ms, and their ratios to a bare window; the first round is left out."""
    from studio_qt.authoring.trust import note_made_here
    from studio_qt.resources import copy_resources

    taken: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        project = Path(folder, "Keeper")
        copy_resources("templates/lantern-keeper", project)
        note_made_here(Path(folder, "home"), project)
        for number in range(_ROUNDS + 1):
            for kind in ("bare", "paint", "input"):
                for name, value in _start(kind, Path(folder, "home"), project).items():
                    if number:
                        taken.setdefault(name, []).append(value)
    median = {name: statistics.median(values) for name, values in taken.items()}
    figures = {f"window_{name}_ms": value for name, value in median.items()}
    last = statistics.median(map(max, zip(*(taken[part] for part in _PARTS), strict=True)))
    return figures | {
        "window_paint_ratio": median["paint"] / median["bare"],
        "window_input_ratio": last / median["bare"],
    }


def _start(kind: str, home: Path, project: Path) -> dict[str, float]:
    """Start a process; returns the ms that each thing took from then on."""
    started = time.time()
    done = subprocess.run(
        [sys.executable, str(Path(__file__)), kind, str(project)],
        env=_environment(home),
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    said = (line.split() for line in done.stdout.splitlines())
    return {name: 1000 * (float(when) - started) for name, when in said}


def _environment(home: Path) -> dict[str, str]:
    """Return the environment of a start; as with a program that is installed, bytecode is kept.

    It is kept beside `home`, for all modules alike, where nothing else finds it.
    """
    given = {key: text for key, text in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    return given | {
        "STUDIO_QT_HOME": str(home),
        "QT_QPA_PLATFORM": "offscreen",
        "PYTHONPYCACHEPREFIX": str(home.with_name("bytecode")),
    }


class _Watch(QObject):
    """Notes when the watched window has been painted for the first time."""

    def __init__(self) -> None:
        super().__init__()
        self.painted: float | None = None

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Paint and self.painted is None:
            self.painted = time.time()
        return False


def _bare() -> None:
    """Show a label in a window."""
    app = QApplication([])
    window, watch = QLabel("Hello"), _Watch()
    window.installEventFilter(watch)
    window.resize(1200, 800)
    window.show()
    while watch.painted is None:
        app.processEvents()
    print("bare", watch.painted)


async def _paint() -> None:
    """Show the Studio, and close it once it was painted."""
    from studio_qt.ui import create_window

    window = create_window(None)
    watch = _Watch()
    window.installEventFilter(watch)
    window.show()
    while watch.painted is None:
        await asyncio.sleep(0)
    print("paint", watch.painted)
    await window.shutdown()


async def _input(project: Path) -> None:
    """Show the Studio as it was left, a file open; print when tree, editor and chat take keys."""
    from studio_qt.ui import create_window

    window = create_window(project)
    window.show()
    window.resize(1440, 900)  # the screen that there is none of may be smaller
    waiting: dict[str, Callable[[StudioWindow], bool]] = {
        "tree": _tree_takes,
        "editor": _editor_takes,
        "chat": _chat_takes,
    }
    until = time.monotonic() + 30
    while waiting and time.monotonic() < until:
        await asyncio.sleep(0.001)
        for name, takes in list(waiting.items()):
            if window._pages is not None and takes(window):
                print(name, time.time())
                del waiting[name]
                if name == "editor":
                    _undo_all(window)
                if name == "chat":
                    window.chat.draft = ""
        if window.settled and not window.pages.editors.paths:
            await window.pages.editors.open("instructions.txt")  # for the next start
    await window.shutdown()


def _tree_takes(window: StudioWindow) -> bool:
    tree = window.pages.project.tree
    if not _shown(tree):
        return False
    before = tree.currentIndex()
    for key in (Qt.Key.Key_Down, Qt.Key.Key_Up):  # the last row has none below it
        _press(tree, key)
        if tree.currentIndex() != before:
            return True
    return False


def _editor_takes(window: StudioWindow) -> bool:
    editor = window.pages.editors.editor
    return editor is not None and _shown(editor) and _types(editor)


def _chat_takes(window: StudioWindow) -> bool:
    field = window.chat.composer.input
    return _shown(field) and field.isEnabled() and _types(field)


def _shown(widget: QWidget) -> bool:
    """Whether a widget has been laid out and painted."""
    return widget.isVisible() and not widget.visibleRegion().isEmpty()


def _types(field: QPlainTextEdit) -> bool:
    before = field.document().revision()
    return _press(field, Qt.Key.Key_X) and field.document().revision() != before


def _undo_all(window: StudioWindow) -> None:
    editor = window.pages.editors.editor
    while editor is not None and editor.document().isUndoAvailable():
        editor.undo()


def _press(widget: QWidget, key: Qt.Key) -> bool:
    from PySide6.QtTest import QTest

    QTest.keyClick(widget, key)
    return True


def main() -> None:
    """Print each thing and its time."""
    kind, project = sys.argv[1], Path(sys.argv[2])
    if kind == "bare":
        _bare()
        return
    from qasync import QEventLoop

    from studio_qt.ui.application import StudioApplication

    app = StudioApplication(sys.argv[:1])
    app.setQuitOnLastWindowClosed(False)
    with QEventLoop(app) as loop:
        loop.run_until_complete(_paint() if kind == "paint" else _input(project))


if __name__ == "__main__":
    main()

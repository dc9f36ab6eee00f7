"""Prints the time at which a window was first painted; run by `tests.benchmarks.run`."""

from __future__ import annotations

import asyncio
import sys
import time

from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QApplication, QLabel, QWidget


class Watch(QObject):
    """Notes when the watched window has been painted for the first time."""

    def __init__(self) -> None:
        super().__init__()
        self.painted: float | None = None

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Paint and self.painted is None:
            self.painted = time.time()
        return False


def bare() -> float:
    """A label in a window."""
    app = QApplication([])
    window = QLabel("Hello")
    return _shown(app, window)


def _shown(app: QApplication, window: QWidget) -> float:
    watch = Watch()
    window.installEventFilter(watch)
    window.resize(1200, 800)
    window.show()
    while watch.painted is None:
        app.processEvents()
    return watch.painted


async def studio() -> float:
    """The Studio on its sample; closed again once it has opened."""
    from studio_qt.ui import create_window

    window = create_window(None)
    watch = Watch()
    window.installEventFilter(watch)
    window.show()
    while watch.painted is None:
        await asyncio.sleep(0)
    await window.shutdown()
    return watch.painted


def main() -> None:
    """Print the time of the first paint."""
    if sys.argv[1] == "bare":
        print(bare())
        return
    from qasync import QEventLoop

    app = QApplication([])
    app.setQuitOnLastWindowClosed(False)
    with QEventLoop(app) as loop:
        print(loop.run_until_complete(studio()))


if __name__ == "__main__":
    main()

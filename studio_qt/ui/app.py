"""Runs the window as a program: application, loop, an orderly end, and pictures of it."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QEvent, QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication
from qasync import QEventLoop  # type: ignore[import-untyped]

from studio_qt.errors import StudioError
from studio_qt.settings import home_folder
from studio_qt.ui.application import StudioApplication
from studio_qt.ui.diagnostics.logfile import StudioLog
from studio_qt.ui.opening.sample import sample_project
from studio_qt.ui.rubbish import Rubbish
from studio_qt.ui.window import StudioWindow

__all__ = ["run"]

_PATIENCE = 120.0
_LOOK_MS = 50
_SIGNAL_MS = 300


def run(project: Path | None, screenshot: Path | None, *, sample: bool = False) -> int:
    """Open the window and return the exit code when it has closed.

    Without a project, `sample` opens the sample character.
    With `screenshot` it writes a picture as soon as everything is drawn, and closes; raises
    StudioError when the picture cannot be written.
    """
    app = _application()
    loop = QEventLoop(app)
    asyncio.set_event_loop(loop)
    if project is None and sample:
        project = sample_project(home_folder())
    log = StudioLog(home_folder())
    if screenshot is None:
        log.start(loop)
    try:
        code: int = loop.run_until_complete(_main(project, screenshot, log))
        return code
    finally:
        log.close()
        asyncio.set_event_loop(None)
        loop.close()


async def take_picture(window: StudioWindow, target: Path) -> None:
    """Write a picture of a window once it is drawn and idle; raises StudioError."""
    try:
        async with asyncio.timeout(_PATIENCE):
            quiet = 0
            while quiet < 3:  # settled now, and after what that has set off
                await asyncio.sleep(_LOOK_MS / 1000)
                quiet = quiet + 1 if window.settled else 0
    except TimeoutError:
        raise StudioError(f"The window was not ready within {_PATIENCE:.0f} seconds.") from None
    if not window.grab().save(str(target)):
        raise StudioError(
            f"{target} cannot be written. Name a .png file in a folder that can be written."
        )


def _application() -> QApplication:
    app = QApplication.instance()
    if not isinstance(app, QApplication):
        app = StudioApplication(sys.argv[:1])
    app.setApplicationName("Character Studio")
    app.setApplicationDisplayName("Character Studio")
    QGuiApplication.setDesktopFileName("studio-qt")
    app.setQuitOnLastWindowClosed(False)
    return app


async def _main(project: Path | None, screenshot: Path | None, log: StudioLog) -> int:
    window = StudioWindow(project, remember=screenshot is None, log=log)
    closed = asyncio.Event()
    window.closed.connect(closed.set)
    rubbish = Rubbish(window)
    window.show()
    with _closed_by_signals(window), _files_handed_to(window):
        try:
            if screenshot is None:
                await closed.wait()
            else:
                await take_picture(window, screenshot)
        finally:
            window.close()
            await closed.wait()
            rubbish.stop()  # only now: threads that save must not collect what is the window's
    window.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    return 0


@contextlib.contextmanager
def _files_handed_to(window: StudioWindow) -> Iterator[None]:
    """Let the window open what the system hands over; the first in the place of the last project.

    A file that comes while the window closes is not opened.
    """
    app = QApplication.instance()
    if not isinstance(app, StudioApplication):  # of a program that has a window of ours in it
        yield
        return
    app.hand_over(window.open_handed)
    try:
        yield
    finally:
        app.hand_over(None)


@contextlib.contextmanager
def _closed_by_signals(window: StudioWindow) -> Iterator[None]:
    """Close in order on Ctrl-C and at the end of the session.

    Python handles a signal only when it runs, so that a timer lets it, now and then.
    """
    names = [getattr(signal, name) for name in ("SIGINT", "SIGTERM") if hasattr(signal, name)]
    before = {name: signal.signal(name, lambda *_: window.close()) for name in names}
    heartbeat = QTimer(window)
    heartbeat.timeout.connect(lambda: None)
    heartbeat.start(_SIGNAL_MS)
    try:
        yield
    finally:
        heartbeat.stop()
        for name, handler in before.items():
            signal.signal(name, handler)

"""Windows for the tests of this folder; each is closed with everything behind it."""

from __future__ import annotations

import gc
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path

import pytest
import pytest_asyncio
from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtWidgets import QApplication

from studio_qt.sandbox import SandboxHost
from studio_qt.ui.importing import room_for_types
from studio_qt.ui.session import Connection
from tests.support.fixtures import model
from tests.support.window import Stage

__all__ = ["model"]


@pytest.fixture(scope="package", autouse=True)
def no_rubbish_on_other_threads() -> Iterator[None]:
    """Collect on this thread only: a loop of an earlier test holds Qt timers of this thread."""
    gc.collect()
    gc.freeze()
    gc.disable()
    room_for_types()
    yield
    if isinstance(QApplication.instance(), QApplication):
        QApplication.clipboard().clear()  # Qt would delete what Python made after Python's end
    gc.collect()
    gc.unfreeze()
    gc.enable()


@pytest.fixture(scope="module", autouse=True)
def what_stays_is_not_looked_at_again(no_rubbish_on_other_threads: None) -> None:
    """Leave out of later looks for rubbish and timers what modules before this one imported."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def rubbish_of_earlier_tests(
    request: pytest.FixtureRequest, what_stays_is_not_looked_at_again: None
) -> None:
    """Begin without windows and loops of the test before.

    Windows that nobody has deleted would be dressed again with every window of a later test.
    """
    if request.node.get_closest_marker("qt_loop"):
        for widget in QApplication.topLevelWidgets():
            if widget.parent() is None:
                widget.deleteLater()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
        gc.collect()


@pytest_asyncio.fixture
async def python_ready() -> None:
    """Compile the interpreter of Python agents before a test whose patience is shorter than that.

    It is there already but on a machine that has never run a test.
    """
    async with SandboxHost() as host:
        await host.prepare_python()


OpenStage = Callable[..., Awaitable[Stage]]


@pytest_asyncio.fixture
async def stage_on() -> AsyncIterator[OpenStage]:
    """Open a window on a project; with `base_url`, a model server answers."""
    stages: list[Stage] = []

    async def open_stage(
        project: Path | None, base_url: str | None = None, *, elsewhere: bool = False
    ) -> Stage:
        connection = Connection(base_url, model="test-model") if base_url else None
        stage = Stage(project, connection, elsewhere=elsewhere)
        stages.append(stage)
        return await stage.open()

    yield open_stage
    for stage in stages:
        await stage.close()

"""The door from slots to coroutines."""

from __future__ import annotations

import asyncio
import gc
import sys

import pytest
from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from studio_qt.errors import ClosedError, StudioError
from studio_qt.ui.tasks import Tasks, sentence
from tests.support.qt import until

pytestmark = pytest.mark.qt_loop


async def test_a_task_is_named_and_held_until_it_ends() -> None:
    tasks, go = Tasks(), asyncio.Event()
    tasks.start(go.wait(), name="wait")
    gc.collect()
    assert tasks.names == ["wait"]
    go.set()
    await until(lambda: tasks.names == [])


async def test_an_error_is_shown(caplog: pytest.LogCaptureFixture) -> None:
    tasks, heard = Tasks(), []
    tasks.failed.connect(heard.append)

    async def fail(error: Exception) -> None:
        raise error

    tasks.start(fail(StudioError("Put it right.")), name="one")
    tasks.start(fail(KeyError("x")), name="two")
    await until(lambda: len(heard) == 2)
    assert sentence(heard[0]) == "Put it right."
    assert "KeyError" in sentence(heard[1])
    assert [record.exc_info is not None for record in caplog.records] == [True]


async def test_an_error_goes_to_whoever_asked_for_it() -> None:
    tasks, heard, shown = Tasks(), [], []
    tasks.failed.connect(shown.append)

    async def fail() -> None:
        raise StudioError("no")

    tasks.start(fail(), name="one", on_error=heard.append)
    await until(lambda: bool(heard))
    assert shown == []


async def test_what_was_closed_under_a_task_is_not_shown_as_an_error() -> None:
    tasks, heard, shown = Tasks(), [], []
    tasks.failed.connect(shown.append)

    async def fail() -> None:
        raise ClosedError("This player is closed.")

    tasks.start(fail(), name="one")
    tasks.start(fail(), name="two", on_error=heard.append)
    await until(lambda: tasks.names == [])
    assert (len(heard), shown) == (1, [])


async def test_closing_cancels_all_and_starts_nothing_more() -> None:
    tasks, ended = Tasks(), []

    async def last() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.append(True)

    tasks.start(last(), name="one")
    await asyncio.sleep(0)
    tasks.start(asyncio.sleep(10), name="never begun")
    await tasks.close()
    assert (ended, tasks.names) == ([True], [])
    assert tasks.start(asyncio.sleep(10), name="late") is None


class Bell(QObject):
    rung = Signal()
    told = Signal(object)


def test_a_thousand_emits_lose_no_reference_to_none_or_true(qapp: object) -> None:
    """Some PySide releases drop one at each emit and void call, until the process aborts."""
    bell, heard, widget = Bell(), [], QWidget()
    bell.rung.connect(lambda: heard.append(None))
    bell.told.connect(lambda what: None)
    bell.rung.emit()
    none, true = sys.getrefcount(None), sys.getrefcount(True)
    for _ in range(1_000):
        bell.rung.emit()
        bell.told.emit(True)
        widget.update()
    heard.clear()
    assert sys.getrefcount(None) > none - 100
    assert sys.getrefcount(True) > true - 100

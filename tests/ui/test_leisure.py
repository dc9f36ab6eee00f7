"""What can wait is done in a turn of the loop that has time left for it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QApplication

from studio_qt.ui.leisure import Leisure
from tests.support.qt import until

pytestmark = pytest.mark.qt_loop


class Turns:
    """A clock that goes on by so many seconds in each turn, and counts them."""

    def __init__(self, owner: QObject, seconds: float) -> None:
        self.seconds, self.now, self.count = seconds, 0.0, 0
        self._timer = QTimer(owner)
        self._timer.timeout.connect(self._on_turn)
        self._timer.start(0)

    def _on_turn(self) -> None:
        self.count += 1
        self.now += self.seconds

    def clock(self) -> float:
        return self.now


@pytest.fixture
def owner(qapp: QApplication) -> Iterator[QObject]:
    made = QObject()
    yield made
    made.deleteLater()


async def test_it_comes_in_the_first_turn_that_has_time_left(owner: QObject) -> None:
    turns, done = Turns(owner, 0.012), []
    leisure = Leisure(lambda: done.append(turns.count), owner, clock=turns.clock)
    leisure.start(0)
    assert leisure.waits
    await until(lambda: turns.count >= 4)
    assert done == []
    turns.seconds = 0.001
    await until(lambda: bool(done))
    assert not leisure.waits
    count = turns.count
    await until(lambda: turns.count > count + 10)
    assert len(done) == 1


async def test_it_comes_in_the_end_though_no_turn_has_time(owner: QObject) -> None:
    turns, done = Turns(owner, 0.012), []
    leisure = Leisure(lambda: done.append(turns.count), owner, clock=turns.clock)
    leisure.start(0)
    await until(lambda: bool(done))
    assert done[0] >= 4


async def test_it_does_not_come_where_it_was_stopped_and_once_where_it_was_begun_anew(
    owner: QObject,
) -> None:
    turns, done, stopped = Turns(owner, 0.0), [], []
    never = Leisure(lambda: stopped.append(1), owner, clock=turns.clock)
    leisure = Leisure(lambda: done.append(1), owner, clock=turns.clock)
    for one in (never, leisure, leisure):
        one.start(0)
    never.stop()
    await until(lambda: bool(done) and turns.count > 10)
    assert (done, stopped) == ([1], [])


async def test_it_can_begin_itself_anew(owner: QObject) -> None:
    done: list[int] = []

    def work() -> None:
        done.append(1)
        if len(done) < 3:
            leisure.start(0)

    leisure = Leisure(work, owner, clock=lambda: 0.0)
    leisure.start(0)
    await until(lambda: len(done) == 3 and not leisure.waits)

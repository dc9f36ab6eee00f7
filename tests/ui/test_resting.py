"""What nobody waits for is done while a window rests, and never while it is used."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from studio_qt.ui.theme.resting import LOOKS, Rest

Made = tuple[QWidget, Rest, list[int]]


class Use:
    """What the window's thread has computed, in seconds."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


@pytest.fixture
def use() -> Use:
    return Use()


@pytest.fixture
def made(qapp: QApplication, use: Use) -> Iterator[Made]:
    """Return a window with three steps of work left, which tests look at by hand."""
    window, done = QWidget(), list[int]()

    def work() -> bool:
        done.append(len(done))
        return len(done) < 3

    rest = Rest(window, work, use)
    window.show()
    rest.want()
    yield window, rest, done
    window.close()
    window.deleteLater()


def look(rest: Rest, times: int) -> None:
    for _ in range(times):
        rest.look()


def test_work_begins_after_some_looks_and_goes_on_step_by_step(made: Made) -> None:
    _, rest, done = made
    look(rest, LOOKS)
    assert done == []
    look(rest, 2)
    assert (done, rest.wanted) == ([0, 1], True)
    rest.look()
    assert done == [0, 1, 2]


def test_a_key_a_wheel_and_a_click_each_begin_the_wait_anew(made: Made) -> None:
    window, rest, done = made
    handle, middle = window.windowHandle(), QPointF(5, 5)
    still = (Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier)
    wheel = QWheelEvent(
        middle, middle, QPoint(), QPoint(0, 120), *still, Qt.ScrollPhase.NoScrollPhase, False
    )
    for use in (
        lambda: QTest.keyClick(handle, Qt.Key.Key_A),
        lambda: QTest.mouseClick(handle, Qt.MouseButton.LeftButton),
        lambda: QApplication.sendEvent(handle, wheel),
    ):
        rest.disturb()
        look(rest, LOOKS)
        use()
        look(rest, LOOKS)
        assert done == []
    rest.look()
    assert done == [0]


def test_a_key_between_two_steps_stops_them(made: Made) -> None:
    window, rest, done = made
    look(rest, LOOKS + 1)
    QTest.keyClick(window.windowHandle(), Qt.Key.Key_A)
    look(rest, LOOKS)
    assert done == [0]


def test_a_window_that_computes_is_not_at_rest(made: Made, use: Use) -> None:
    _, rest, done = made
    for _ in range(3 * LOOKS):  # tokens stream in, say
        use.seconds += 0.03
        rest.look()
    assert done == []
    look(rest, LOOKS + 1)
    assert done == [0]


def test_nothing_is_done_while_something_is_under_way_nor_after_the_end(made: Made) -> None:
    _, rest, done = made
    busy = True
    rest.only_when(lambda: not busy)
    look(rest, 3 * LOOKS)
    assert done == []
    busy = False
    look(rest, LOOKS)
    rest.stop()
    rest.want()
    assert (done, rest.wanted) == ([], False)

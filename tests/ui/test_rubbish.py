"""The collector of garbage waits for a moment of rest, and is given back."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from studio_qt.ui.rubbish import Rubbish
from tests.support.qt import until

pytestmark = pytest.mark.qt_loop


@pytest.fixture
def collector() -> Iterator[None]:
    """Let Python collect by itself, as in a program, and afterwards as before."""
    before = gc.isenabled()
    gc.enable()
    yield
    if not before:
        gc.disable()


@pytest.mark.usefixtures("collector")
async def test_young_objects_are_collected_while_python_does_not_collect() -> None:
    rubbish = Rubbish()
    assert not gc.isenabled()
    rings: list[list] = [[] for _ in range(2000)]
    for ring in rings:
        ring.append(ring)
    rings.clear()
    await until(lambda: gc.get_count()[0] < 700)
    rubbish.stop()
    assert gc.isenabled()


@pytest.mark.usefixtures("collector")
async def test_a_flood_of_values_is_not_looked_at_while_somebody_may_be_at_work() -> None:
    before = gc.get_freeze_count()
    rubbish = Rubbish()
    flood = [[number] for number in range(50_000)]
    await until(lambda: gc.get_freeze_count() > before + len(flood))
    rubbish.stop()
    assert gc.get_freeze_count() <= before


async def test_a_collector_that_is_off_stays_off() -> None:
    gc.disable()
    Rubbish().stop()
    assert not gc.isenabled()


@pytest.mark.usefixtures("collector")
async def test_what_has_come_through_a_look_is_never_more_than_a_turn_has_time_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    looks: list[int] = []
    rubbish = Rubbish()
    monkeypatch.setattr(gc, "collect", lambda generation=2: looks.append(generation) or 0)
    monkeypatch.setattr(gc, "get_count", lambda: (15_000, len(looks), 0))
    for _ in range(6):
        rubbish._look()
    assert looks == [0, 0, 1, 0, 0, 1]
    rubbish.stop()

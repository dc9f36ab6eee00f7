"""Another project comes: what the tabs of the old one cost the window, and how those come back."""

from __future__ import annotations

import asyncio
import itertools

import pytest
from PySide6.QtWidgets import QWidget
from shiboken6 import isValid

from tests.support.qt import until
from tests.ui.editors.conftest import Bench

pytestmark = pytest.mark.qt_loop

NAMES = [f"notes/{number}.md" for number in range(8)]


async def opened(bench: Bench) -> None:
    for name in NAMES:
        await bench.open(name, f"# {name}\n")


async def test_the_tabs_of_a_project_go_out_of_sight_and_the_page_tells_once(bench: Bench) -> None:
    await opened(bench)
    told: list[str | None] = []
    bench.page.current_changed.connect(lambda: told.append(bench.page.current_path))
    await bench.documents.set_project(None)
    assert told == [None]
    assert bench.page.paths == []
    assert bench.shows("editorsEmpty")


async def test_closed_tabs_end_one_in_a_turn(bench: Bench) -> None:
    await opened(bench)
    views = list(bench.page.views)
    leaving = asyncio.ensure_future(bench.documents.set_project(None))
    left = [len(views)]
    while left[-1]:
        await asyncio.sleep(0)
        left.append(sum(isValid(view) for view in views))
    await leaving
    assert max(before - after for before, after in itertools.pairwise(left)) == 1


async def test_unsaved_text_of_a_project_that_is_left_is_there_when_it_comes_back(
    bench: Bench,
) -> None:
    await opened(bench)
    bench.type("Mine. ")
    await bench.documents.set_project(None)
    await bench.documents.set_project(bench.root)
    assert bench.page.paths == [NAMES[-1]]
    await until(lambda: bench.page.editor is not None)
    assert bench.text.startswith("Mine. ")


async def test_a_tab_that_nobody_has_looked_at_has_nothing_above_its_text(bench: Bench) -> None:
    made: list[str] = []

    def tool(path: str) -> QWidget:
        made.append(path)
        return QWidget()

    bench.page.add_tool(tool)
    for name in NAMES:
        bench.write(name, "x")
    state = {"tabs": [{"path": name} for name in NAMES], "current": NAMES[2]}
    await bench.page.restore(state)
    assert bench.page.paths == NAMES
    assert made in ([NAMES[2]], [NAMES[0], NAMES[2]])  # Qt shows the first, for a moment
    assert not bench.page.views[-1].findChildren(QWidget, "breadcrumb")
    bench.page.tabs.setCurrentIndex(len(NAMES) - 1)
    assert bench.shows("breadcrumb")
    assert made[-1] == NAMES[-1]

"""Large sheets are made in steps: between any two of them the window answers."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from itertools import pairwise

import pytest
from PySide6.QtWidgets import QMainWindow, QWidget

from studio_qt.ui.configform.sheet import ConfigSheet
from studio_qt.ui.exporting.sheet import ExportSheet
from studio_qt.ui.theme.theme import Theme

pytestmark = pytest.mark.qt_loop

MOST = 70
"""Widgets that one turn of the loop may take into the window: they take some milliseconds."""


@pytest.fixture
def window() -> Iterator[QMainWindow]:
    made = QMainWindow()
    yield made
    made.close()
    made.deleteLater()


@pytest.mark.parametrize("make", [ConfigSheet, ExportSheet])
async def test_a_turn_takes_few_widgets_into_a_sheet(
    window: QMainWindow, make: Callable[[Theme, QWidget], ConfigSheet | ExportSheet]
) -> None:
    theme = Theme("dark", window)
    theme.apply()
    sheet = make(theme, window)
    counts = [0, len(sheet.findChildren(QWidget))]
    making = asyncio.ensure_future(sheet.assemble())
    while not making.done():
        await asyncio.sleep(0)
        counts.append(len(sheet.findChildren(QWidget)))
    await making
    assert max(after - before for before, after in pairwise(counts)) <= MOST
    assert counts[-1] > counts[1]

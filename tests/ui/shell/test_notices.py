"""Notices are seen whatever page is shown."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QWidget

from tests.support.qt import until
from tests.support.window import Stage, write_package
from tests.ui.conftest import OpenStage

pytestmark = [pytest.mark.qt_loop, pytest.mark.clause("STU-11")]


def placed(widget: QWidget, stage: Stage) -> QRect:
    window = stage.window
    return QRect(widget.mapTo(window, widget.rect().topLeft()), widget.size())


def is_painted(stage: Stage) -> bool:
    """Whether the notice is what one sees at its place: nothing of the page lies over it."""
    (toast,) = stage.all("toast")
    place = placed(toast, stage)
    seen = stage.window.grab(place).toImage().convertToFormat(QImage.Format.Format_RGB32)
    alone = toast.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
    middle = place.size().height() // 2
    at = [(x, middle) for x in range(20, place.width() - 20, 7)]
    return all(seen.pixel(*one) == alone.pixel(*one) for one in at)


async def test_over_the_start_page_and_the_library(stage_on: OpenStage) -> None:
    stage = await stage_on(None)
    pages = stage.window.pages
    for show in (pages.show_start, pages.receiving.show_library):
        show()
        await until(
            lambda: stage.window.settled and "library: show" not in stage.window.tasks.names
        )
        pages.tell("The list of recent projects is not kept.", "error")
        (toast,) = stage.all("toast")
        page = stage.window.inside.shown
        assert page is not None
        assert placed(page, stage).contains(placed(toast, stage))
        assert is_painted(stage)
        pages.toasts.clear()
        assert not stage.all("toasts")


async def test_a_notice_that_stands_moves_with_the_pages_and_the_window(
    stage_on: OpenStage, tmp_path: Path
) -> None:
    stage = await stage_on(write_package(tmp_path / "ada"))
    pages = stage.window.pages
    pages.tell("Saved.")
    transcript = pages.chat.transcript
    assert placed(transcript, stage).contains(placed(stage.all("toasts")[0], stage))
    pages.receiving.show_library()
    library = pages.receiving
    await until(lambda: library.library is not None and library.library.isVisible())
    stage.window.resize(900, 600)
    await until(lambda: placed(stage.all("toasts")[0], stage).right() < 900)
    assert is_painted(stage)
    stage.press(Qt.Key.Key_Escape, library.library)
    await until(transcript.isVisible)
    assert placed(transcript, stage).contains(placed(stage.all("toasts")[0], stage))

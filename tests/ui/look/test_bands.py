"""What covers the window, or goes, is painted band by band: each pixel once."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QImage, QPainter, QPaintEvent, QRegion
from PySide6.QtWidgets import QApplication, QWidget

from studio_qt.ui.theme.theme import Theme
from studio_qt.ui.widgets.bands import BANDS, show_in_bands
from studio_qt.ui.widgets.sheet import Sheet
from tests.support.qt import until

pytestmark = pytest.mark.qt_loop


class Ground(QWidget):
    """Counts the regions that are painted of it."""

    colour = Qt.GlobalColor.red

    def __init__(self) -> None:
        super().__init__()
        self.regions: list[QRegion] = []
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.resize(400, 300)

    def paintEvent(self, event: QPaintEvent) -> None:
        self.regions.append(event.region())
        painter = QPainter(self)
        painter.fillRect(self.rect(), self.colour)
        painter.end()

    @property
    def screen_image(self) -> QImage:
        """What is on the screen of it."""
        kept = self.window().backingStore().paintDevice()
        assert isinstance(kept, QImage)
        return kept.copy()


@pytest.fixture
async def ground(qapp: QApplication) -> Iterator[Ground]:
    made = Ground()
    made.show()
    await until(lambda: bool(made.regions))
    yield made
    made.close()
    made.deleteLater()


def bands(ground: Ground) -> list[QWidget]:
    return [one for one in ground.findChildren(QWidget, "paintedLater") if not one.isHidden()]


async def test_a_change_of_all_is_painted_a_band_in_a_turn_and_each_pixel_once(
    ground: Ground,
) -> None:
    ground.regions.clear()
    show_in_bands(ground)
    ground.colour = Qt.GlobalColor.green
    ground.update()
    QApplication.sendPostedEvents()
    assert ground.screen_image.pixelColor(200, 150) == Qt.GlobalColor.red
    await until(lambda: not bands(ground))
    await until(lambda: ground.screen_image.pixelColor(200, 299) == Qt.GlobalColor.green)
    painted = [region for region in ground.regions if not region.isEmpty()]
    assert len(painted) == BANDS
    assert sum(region.boundingRect().height() for region in painted) == ground.height()
    assert QRegion(ground.rect()) == sum(painted, QRegion())


async def test_a_sheet_that_is_laid_or_goes_paints_what_lies_below_in_bands(
    ground: Ground,
) -> None:
    theme = Theme("dark")
    sheet = Sheet(theme, ground, "Sheet")
    for change in (sheet.lay, sheet.reject):
        ground.regions.clear()
        change()
        await until(lambda: not bands(ground) and len(ground.regions) >= BANDS)
        most = max(region.boundingRect().height() for region in ground.regions)
        assert most <= ground.height() // BANDS
    theme.deleteLater()


async def test_two_changes_in_one_turn_have_the_same_bands(ground: Ground) -> None:
    show_in_bands(ground)
    first = bands(ground)
    show_in_bands(ground)
    assert bands(ground) == first
    await until(lambda: not bands(ground))


async def test_a_new_size_ends_the_bands(ground: Ground) -> None:
    show_in_bands(ground)
    ground.resize(500, 300)
    assert bands(ground) == []
    await until(lambda: ground.screen_image.rect() == QRect(0, 0, 500, 300))


async def test_what_is_not_shown_has_none(ground: Ground) -> None:
    ground.hide()
    show_in_bands(ground)
    assert bands(ground) == []

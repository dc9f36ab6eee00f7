"""What is shown of files that are no texts."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtGui import QColor, QImage

from studio_qt.errors import StudioError
from studio_qt.ui.editors import pictures
from studio_qt.ui.editors.pictures import read_picture, weight_text
from studio_qt.ui.widgets import imageformats
from tests.ui.editors.conftest import Bench, Outside

SVG = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="20">'
    '<rect width="9" height="9"/></svg>'
)


def paint(place: Path, width: int = 64, height: int = 48) -> Path:
    image = QImage(width, height, QImage.Format.Format_RGB32)
    image.fill(QColor("teal"))
    place.parent.mkdir(parents=True, exist_ok=True)
    assert image.save(str(place))
    return place


@pytest.mark.parametrize("ending", ["png", "jpg", "webp"])
def test_pictures_are_read_with_size_and_weight(tmp_path: Path, ending: str, qapp: object) -> None:
    place = paint(tmp_path / f"a.{ending}")
    picture = read_picture(place)
    assert (picture.size.width(), picture.size.height()) == (64, 48)
    assert picture.weight == place.stat().st_size
    assert picture.kind in ("PNG", "JPEG", "JPG", "WEBP")


def test_drawings_are_pictures(tmp_path: Path, qapp: object) -> None:
    (tmp_path / "a.svg").write_text(SVG)
    assert read_picture(tmp_path / "a.svg").size.width() == 40


def test_a_large_picture_is_read_smaller(tmp_path: Path, qapp: object) -> None:
    picture = read_picture(paint(tmp_path / "a.png", 6000, 30))
    assert picture.size.width() == 6000
    assert picture.image.width() == 4096


def test_a_damaged_picture_says_so(tmp_path: Path, qapp: object) -> None:
    (tmp_path / "a.png").write_bytes(b"\x89PNG\r\n\x1a\nrubbish")
    with pytest.raises(StudioError, match="damaged"):
        read_picture(tmp_path / "a.png")


@pytest.mark.parametrize(
    ("weight", "words"), [(1, "1 byte"), (900, "900 bytes"), (2048, "2.0 KB"), (3 << 20, "3.0 MB")]
)
def test_weights_are_told_in_words(weight: int, words: str) -> None:
    assert weight_text(weight) == words


@pytest.mark.qt_loop
async def test_a_picture_is_read_on_a_thread_once_its_readers_are_loaded_on_the_windows(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    window, done = threading.get_ident(), []

    def noted(words: str, act: Callable[..., object]) -> Callable[..., object]:
        def do(*given: object) -> object:
            done.append((words, threading.get_ident() == window))
            return act(*given)

        return do

    monkeypatch.setattr(imageformats, "load_image_formats", noted("load", lambda: None))
    monkeypatch.setattr(pictures, "read_picture", noted("read", read_picture))
    paint(bench.root / "portrait.png")
    await bench.page.open("portrait.png")
    assert done == [("load", True), ("read", False)]


@pytest.mark.qt_loop
async def test_a_picture_fits_or_is_shown_pixel_for_pixel(bench: Bench) -> None:
    paint(bench.root / "portrait.png", 3000, 1500)
    await bench.page.open("portrait.png")
    words = bench.find("pictureWords").text()
    assert "PNG · 3,000 × 1,500 pixels" in words
    assert bench.find("pictureScale").text() != "100 %"
    bench.click("pictureWhole")
    assert bench.find("pictureScale").text() == "100 %"
    bench.click("pictureFit")
    assert not bench.find("pictureWhole").isChecked()
    assert bench.status is None


@pytest.mark.qt_loop
async def test_a_binary_file_says_what_it_is_and_offers_another_program(bench: Bench) -> None:
    (bench.root / "model.bin").write_bytes(bytes(range(256)))
    await bench.page.open("model.bin")
    assert bench.shows("refusal")
    assert "model.bin" in bench.find("refusal").accessibleDescription()
    outside = Outside()
    bench.click("refusalButton")
    outside.close()
    assert outside.opened == [str(bench.root / "model.bin")]


@pytest.mark.qt_loop
async def test_a_file_that_is_not_there_says_so_in_its_tab(bench: Bench) -> None:
    await bench.page.open("nothing.txt")
    assert "not there" in bench.find("refusal").accessibleDescription()
    bench.page.close_current()
    await bench.idle()
    assert bench.page.paths == []


@pytest.mark.qt_loop
async def test_a_picture_that_another_program_changes_is_shown_anew(bench: Bench) -> None:
    paint(bench.root / "portrait.png", 30, 15)
    await bench.page.open("portrait.png")
    paint(bench.root / "portrait.png", 60, 25)
    bench.page.files_changed(frozenset({"portrait.png"}))
    await bench.idle()
    assert "60 × 25" in bench.find("pictureWords").text()


@pytest.mark.qt_loop
async def test_a_file_that_comes_after_all_is_shown(bench: Bench) -> None:
    await bench.page.open("later.txt")
    bench.write("later.txt", "here\n")
    bench.page.files_changed(frozenset())
    await bench.idle()
    assert bench.text == "here\n"

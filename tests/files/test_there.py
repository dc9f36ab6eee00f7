"""Asking what a place is raises nothing, whatever keeps it from being looked at."""

from __future__ import annotations

from pathlib import Path

import pytest

from studio_qt.authoring.recognizing import is_package
from studio_qt.authoring.shelf import read_shelf, stamp_of
from studio_qt.files.there import is_file, is_folder, is_there
from studio_qt.ui.widgets.portrait import read_picture


@pytest.mark.parametrize("name", ["a" * 300, "a" * 300 + ".zip", "gone", "a\0b"])
def test_a_place_that_cannot_be_looked_at_is_not_there(tmp_path: Path, name: str) -> None:
    place = tmp_path / name
    assert not any(ask(place) for ask in (is_there, is_folder, is_file))
    assert is_there(tmp_path)
    assert is_folder(tmp_path)


@pytest.mark.parametrize("name", ["a" * 300, "a" * 300 + ".zip"])
def test_what_cannot_be_looked_at_is_listed_all_the_same(tmp_path: Path, name: str) -> None:
    place = tmp_path / name
    assert read_shelf(place).fault
    assert set(stamp_of(place)) == {0.0}
    assert read_picture(place) is None
    assert is_package(place) == name.endswith(".zip")

"""What a library says of characters, and how conversations of a zip follow it."""

from __future__ import annotations

from pathlib import Path

import pytest

from studio_qt.authoring.shelf import carry_conversations, read_shelf, stamp_of
from studio_qt.engine.places import default_data_folder
from tests.authoring.test_arriving import zipped

pytestmark = pytest.mark.clause("STU-00")


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("STUDIO_QT_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def kay(place: Path) -> Path:
    place.write_bytes(zipped({"config.json": '{"name": "Kay"}', "description.txt": "Counts."}))
    return place


def talk(place: Path, number: int) -> None:
    folder = default_data_folder(place)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"conversation_{number:02}.json").write_text("[]")
    (folder / f"conversation_{number:02}.kay.agent.json").write_text("{}")


def test_a_zip_tells_name_description_and_its_conversations(tmp_path: Path) -> None:
    place = kay(tmp_path / "kay.zip")
    before = stamp_of(place)
    assert read_shelf(place).played is None
    talk(place, 1)
    talk(place, 2)
    said = read_shelf(place)
    assert (said.name, said.description, said.conversations) == ("Kay", "Counts.", 2)
    assert said.is_zip
    assert said.played is not None
    assert stamp_of(place) != before


def test_what_is_gone_or_broken_is_listed_with_the_reason(tmp_path: Path) -> None:
    assert not read_shelf(tmp_path / "gone.zip").there
    (tmp_path / "broken.zip").write_bytes(b"PK\x03\x04 cut off")
    assert "broken.zip" in read_shelf(tmp_path / "broken.zip").fault


def test_conversations_follow_a_zip_that_was_moved(tmp_path: Path) -> None:
    old, new = tmp_path / "kay.zip", tmp_path / "moved.zip"
    kay(old)
    talk(old, 1)
    old.replace(new)
    assert carry_conversations(old, new)
    assert read_shelf(new).conversations == 1
    assert not carry_conversations(old, new)


def test_conversations_of_the_new_place_are_never_replaced(tmp_path: Path) -> None:
    old, new = kay(tmp_path / "a.zip"), kay(tmp_path / "b.zip")
    talk(old, 1)
    talk(new, 1)
    assert not carry_conversations(old, new)
    assert read_shelf(old).conversations == read_shelf(new).conversations == 1

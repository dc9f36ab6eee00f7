"""Files are known by what is in them, not by what they are called."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from studio_qt.authoring.arriving import kind_of
from studio_qt.authoring.incoming import open_bytes
from studio_qt.authoring.recognizing import is_package
from tests.authoring.test_cards import FORMS

pytestmark = pytest.mark.clause("STU-11")


def zipped(place: Path, *names: str) -> Path:
    with zipfile.ZipFile(place, "w") as archive:
        for name in names:
            archive.writestr(name, "{}")
    return place


@pytest.mark.parametrize("name", ["kay.zip", "kay", "kay.charx", "kay.png"])
@pytest.mark.parametrize(
    "files",
    [
        ("config.json", "intro.txt"),
        ("config.json", "card.json"),  # a package keeps the card that it was made of
        ("kay/config.json", "kay/assets/card.json", "__MACOSX/kay/._config.json"),
        ("kay\\config.json", "kay\\card.json"),
        ("nothing.txt",),  # whoever opens it says what is missing
        ("kay/config.json", "kay/assets/", "kay/.DS_Store", ".DS_Store"),
    ],
)
def test_a_zip_plays_whatever_its_name(tmp_path: Path, name: str, files: tuple[str, ...]) -> None:
    assert is_package(zipped(tmp_path / name, *files))


@pytest.mark.parametrize("name", ["card.zip", "card", "card.charx", "card.ZIP"])
@pytest.mark.parametrize("form", FORMS)
def test_a_card_is_none_whatever_its_name(tmp_path: Path, name: str, form: str) -> None:
    _, data, whole = FORMS[form]
    place = tmp_path / name
    place.write_bytes(data)
    assert not is_package(place)
    read = open_bytes(data, name).files["card.json"]()
    assert whole.get("name", whole.get("data", {}).get("name")) in read.decode()
    if form != "charx" or "." in name:
        assert kind_of(place) == "character"


@pytest.mark.parametrize(
    "data", [b"", b"PK\x03\x04 cut off", b"PK\x05\x06", b"Hm.", b"\0" * 99, b"   \n"]
)
def test_of_what_is_neither_the_name_decides_who_says_so(tmp_path: Path, data: bytes) -> None:
    for name in ("broken.zip", "broken.png", "broken"):
        (tmp_path / name).write_bytes(data)
        assert is_package(tmp_path / name) == name.endswith(".zip")


def test_nothing_is_raised_of_what_is_not_there_or_no_file(tmp_path: Path) -> None:
    assert is_package(tmp_path / "gone.zip")
    assert not is_package(tmp_path)


def test_files_of_a_project_without_an_ending_are_no_characters(tmp_path: Path) -> None:
    (tmp_path / "LICENSE").write_text("Do what you like.")
    (tmp_path / "notes").write_text('{"to": "do"}')
    assert [kind_of(tmp_path / name) for name in ("LICENSE", "notes")] == ["other", "other"]

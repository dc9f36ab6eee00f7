"""Files are known by what is in them, not by what they are called."""

from __future__ import annotations

import os
import sys
import tracemalloc
import zipfile
from pathlib import Path

import pytest

from studio_qt.authoring.arriving import kind_of
from studio_qt.authoring.chats import open_chat
from studio_qt.authoring.incoming import open_bytes, open_file
from studio_qt.authoring.recognizing import is_package
from studio_qt.errors import StudioError
from studio_qt.files.ziplist import open_list
from studio_qt.ui.widgets.portrait import read_picture
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


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such pipes")
@pytest.mark.parametrize("name", ["kay.zip", "kay.json", "kay.png", "kay.jsonl", "kay"])
def test_nobody_waits_for_a_pipe_that_never_ends(tmp_path: Path, name: str) -> None:
    place = tmp_path / name
    os.mkfifo(place)
    assert is_package(place) == name.endswith(".zip")
    assert kind_of(place) == BY_NAME.get(place.suffix, "other")
    assert read_picture(place) is None
    for read in (open_file, open_chat):
        with pytest.raises(StudioError, match="no file"):
            read(place)


BY_NAME = {".zip": "character", ".jsonl": "chat"}  # whoever opens it says what it is


def test_of_a_zip_only_what_is_asked_for_is_read(tmp_path: Path) -> None:
    large, listed = tmp_path / "large.zip", zipped(tmp_path / "listed.zip", "config.json")
    with large.open("wb") as file:
        file.truncate(3 * 1024**3)  # takes no room on the disk
    assert is_package(large)
    assert read_picture(large) is None
    data = listed.read_bytes()
    end = data.rindex(b"PK\x05\x06") + 12
    listed.write_bytes(data[:end] + (2**31).to_bytes(4, "little") + data[end + 4 :])
    with pytest.raises(zipfile.BadZipFile, match="too long"):
        open_list(listed)


def test_a_damaged_picture_in_a_zip_is_none(tmp_path: Path) -> None:
    place = tmp_path / "kay.zip"
    with zipfile.ZipFile(place, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("avatar.png", bytes(range(256)) * 99)
    data = bytearray(place.read_bytes())
    data[40:60] = b"\xff" * 20
    place.write_bytes(data)
    assert read_picture(place) is None


def test_a_picture_that_says_it_is_small_is_unpacked_no_further(tmp_path: Path) -> None:
    place = tmp_path / "kay.zip"
    with zipfile.ZipFile(place, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("avatar.png", bytes(200_000_000))
    data = bytearray(place.read_bytes())
    at = data.index(b"PK\x01\x02") + 24
    data[at : at + 4] = (100).to_bytes(4, "little")
    place.write_bytes(data)
    tracemalloc.start()
    assert read_picture(place) is None
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 100_000_000
